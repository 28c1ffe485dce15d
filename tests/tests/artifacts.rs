//! What is refused before a run is complete, and what is found when its artifact was changed.

use std::fs;

use fulldeck_artifact::write_tree;
use fulldeck_job::Digest;
use fulldeck_tests::{Artifact, Cluster, HOLDEM, HOLDEM_DIGEST, Scene, until};
use serde_json::Value;

/// Bytes of a count.
const CELL_BYTES: usize = 4;

#[test]
fn an_incomplete_run_is_not_merged_and_its_holes_are_named() {
    let scene = Scene::new();
    let only = scene.json(&format!("run {HOLDEM} --slices 24 --only aa-aa"));
    let missing = only["slices"]["waiting"].as_u64().expect("missing slices");
    let holes = format!("{missing} of 24 slices are missing");
    let refused = scene.fulldeck("merge last").expect(10);
    refused.says(&["run 1 is not complete", &holes, "of ab-ab", "of ab-aa", "fulldeck run"]);
    assert_eq!(refused.stdout, "");
    for words in ["query last AsAh", "query 1 AsAh", "verify last"] {
        scene.fulldeck(words).expect(3).says(&["no merged run", "fulldeck merge"]);
    }
    assert!(scene.merged("fulldeck-data").is_empty());

    fs::rename(scene.path("fulldeck-data"), scene.path("data")).expect("a moved folder");
    let mut cluster = Cluster::start(&scene);
    cluster.fulldeck("merge last").expect(10).says(&["run 1 is not complete", &holes]);
    cluster.fulldeck("wait last --timeout 1").expect(5);
    // Without a focus, a worker of a coordinator computes the whole.
    let mut worker = cluster.worker("only", "--exit-when-done");
    assert_eq!(worker.code(), 0, "{}", worker.stderr());
    until("a finished run", || (cluster.committed() == 24).then_some(()));
    cluster.fulldeck("query last AsAh").expect(3).says(&["fulldeck merge"]);
    assert_eq!(cluster.json("merge last")["artifact_digest"], HOLDEM_DIGEST);
    assert_eq!(cluster.json("query last AsAh")["hand"], "AsAh");
    cluster.coordinator().terminate();
    assert_eq!(cluster.coordinator().code(), 0);
}

/// The manifest of the scene's run.
fn manifest(scene: &Scene) -> Value {
    let folder = &scene.merged("fulldeck-data")[0];
    let text = fs::read_to_string(folder.join("manifest.json")).expect("a manifest");
    serde_json::from_str(&text).expect("a manifest in JSON")
}

/// Makes a manifest believe a file's new bytes.
fn believe(manifest: &mut Value, name: &str, bytes: &[u8]) {
    let mut text = String::from("fulldeck artifact\n");
    for file in manifest["files"].as_array_mut().expect("files") {
        if file["name"] == name {
            file["blake3"] = Digest::of(bytes).to_string().into();
        }
        let field = |name: &str| file[name].to_string().replace('"', "");
        text += &format!("file {} {} {}\n", field("name"), field("bytes"), field("blake3"));
    }
    text += &format!("facts {}\n", manifest["facts"]);
    manifest["artifact_digest"] = Digest::of(text.as_bytes()).to_string().into();
}

/// The representatives of the clusters, in order.
fn clusters(scene: &Scene) -> Vec<String> {
    let table = fs::read_to_string(scene.merged("fulldeck-data")[0].join("clusters.csv"));
    let table = table.expect("a table of clusters");
    table.lines().skip(1).map(|line| line.split(',').nth(1).expect("a hand").to_owned()).collect()
}

/// The hands of a cell of the triangle.
fn pair_of(cell: usize, names: &[String]) -> String {
    let (mut row, mut first) = (0, 0);
    while cell >= first + names.len() - row {
        first += names.len() - row;
        row += 1;
    }
    format!("{} {}", names[row], names[row + cell - first])
}

/// Flips this bit of every cell of `win.npy` for which `which` holds.
fn flip(artifact: &mut Artifact, cells: usize, bit: usize, which: impl Fn(usize) -> bool) {
    let win = artifact.file("win.npy");
    let header = win.len() - CELL_BYTES * cells;
    for (_, cell) in win[header..].chunks_mut(CELL_BYTES).enumerate().filter(|(at, _)| which(*at)) {
        cell[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn flipped_bits_are_found_by_digest_and_by_recomputation() {
    let scene = Scene::new();
    scene.json(&format!("run {HOLDEM}"));
    let right = manifest(&scene);
    let cells = right["facts"]["cells"].as_u64().expect("cells") as usize;

    let mut damaged = scene.artifact("fulldeck-data");
    let (cell, bit) = scene.random(|random| (random.number(0..cells as u64), random.number(0..32)));
    flip(&mut damaged, cells, bit as usize, |at| at == cell as usize);
    damaged.write(&scene.path("damaged"), &right);
    scene.fulldeck("verify ./damaged").expect(9).says(&["win.npy", "damaged"]);
    // Asked for its row or its column, the cell is not believed either.
    let names: Vec<_> = clusters(&scene);
    let refused = scene.fulldeck(&format!("query ./damaged {}", pair_of(cell as usize, &names)));
    refused.expect(9).says(&["win.npy is damaged", "fulldeck merge"]);

    // The manifest believes in them, so only recomputing finds them: half of all cells are false.
    let mut falsified = scene.artifact("fulldeck-data");
    let bit = scene.random(|random| random.number(6..10)) as usize;
    flip(&mut falsified, cells, bit, |at| at % 2 == 0);
    let mut believing = right.clone();
    believe(&mut believing, "win.npy", falsified.file("win.npy"));
    falsified.write(&scene.path("falsified"), &believing);
    write_tree(&scene.path("falsified/win.npy")).expect("a tree");
    let seed = scene.random(|random| random.number(0..1 << 32));
    let sample = format!("--sample 0.3% --seed {seed} -o json");
    let found = scene.fulldeck(&format!("verify ./falsified {sample}")).expect(6).json();
    let number = |name: &str| found[name].as_u64().expect("a number");
    assert!(0 < number("mismatched") && number("mismatched") < number("checked"), "{found}");
    assert!(found["examples"].to_string().contains("win"), "{found}");
    let sound = scene.fulldeck(&format!("verify last {sample}")).expect(0).json();
    assert_eq!((&sound["mismatched"], &sound["checked"]), (&0.into(), &found["checked"]));

    // Less than there should be is no artifact at all.
    let mut cut = scene.artifact("fulldeck-data");
    cut.file("tie.npy").pop();
    cut.write(&scene.path("cut"), &right);
    for words in ["verify ./cut", "query ./cut AsAh"] {
        scene.fulldeck(words).expect(9).says(&["tie.npy"]);
    }
}
