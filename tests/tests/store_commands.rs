//! `fulldeck store` on real folders: what it says, what it refuses, and that the artifact is the same afterwards.

use std::fs;
use std::path::Path;

use fulldeck_job::record::RECORD_HEADER_BYTES;
use fulldeck_tests::checkpoint::places;
use fulldeck_tests::{Cluster, HOLDEM, Scene};
use serde_json::json;

/// A complete run that is not merged, and the artifact it had.
fn complete(scene: &Scene) -> fulldeck_tests::Artifact {
    scene.json(&format!("run {HOLDEM} --slices 24 --data-dir data"));
    let artifact = scene.artifact("data");
    fs::remove_dir_all(scene.path("data/artifacts")).expect("artifacts");
    artifact
}

fn flip(path: &Path, offset: u64) {
    let mut bytes = fs::read(path).expect("a file");
    bytes[offset as usize] ^= 1;
    fs::write(path, bytes).expect("a file");
}

#[test]
fn without_its_whole_index_a_run_is_rebuilt_and_merged() {
    let scene = Scene::new();
    let expected = complete(&scene);
    fs::remove_dir_all(scene.path("data/index.000001")).expect("an index");
    scene.fulldeck("store check --data-dir data").expect(9);
    let rebuilt = scene.json("store rebuild --data-dir data");
    assert_eq!((&rebuilt["slices"], &rebuilt["lost"]), (&json!(24), &json!([])));
    assert_eq!(scene.json("store check --deep --data-dir data")["good"], true);
    let run = scene.json(&format!("run {HOLDEM} --data-dir data"));
    assert_eq!(run["computed_slices"], 0);
    scene.artifact("data").assert_is(&expected);
}

#[test]
fn a_repair_names_what_is_computed_again() {
    let scene = Scene::new();
    let expected = complete(&scene);
    let place = places(&scene.path("data"))[5].clone();
    flip(&place.segment, place.offset + RECORD_HEADER_BYTES as u64);
    fs::remove_file(scene.path("data/STORE")).expect("a STORE");
    scene.fulldeck("status --data-dir data").expect(9).says(&["fulldeck store repair"]);
    scene.fulldeck("store check --data-dir data").expect(9);
    let dry = scene.fulldeck("store repair --data-dir data -o json").expect(9).json();
    let lost = json!([{ "run": place.slice.0, "slice": place.slice.1 }]);
    assert_eq!((&dry["acted"], &dry["lost"]), (&json!(false), &lost));
    assert!(!scene.path("data/STORE").exists());
    let done = scene.json("store repair --yes --data-dir data");
    assert_eq!((&done["acted"], &done["lost"]), (&json!(true), &lost));
    let run = scene.json(&format!("run {HOLDEM} --data-dir data"));
    assert_eq!(run["computed_slices"], 1);
    scene.artifact("data").assert_is(&expected);
    scene.json("store compact --data-dir data");
    assert_eq!(scene.json("store check --deep --data-dir data")["findings"], json!([]));
    assert_eq!(scene.json("store clean --yes --data-dir data")["acted"], true);
    fs::remove_dir_all(scene.path("data/artifacts")).expect("artifacts");
    scene.json("merge last --data-dir data");
    scene.artifact("data").assert_is(&expected);
}

#[test]
fn a_backup_is_restored_to_an_equal_run() {
    let scene = Scene::new();
    let expected = complete(&scene);
    let backup = scene.json("store backup copy --data-dir data");
    assert_eq!((&backup["slices"], &backup["final"]), (&json!(24), &json!(false)));
    let restored = scene.json("store restore copy --data-dir new");
    assert_ne!(restored["store_id"], backup["store_id"]);
    scene.json("merge last --data-dir new");
    scene.artifact("new").assert_is(&expected);
    scene.fulldeck("store restore copy --data-dir new").expect(2).says(&["new is not empty"]);
    scene.fulldeck("store restore data --data-dir newer").expect(2).says(&["holds no backup"]);

    scene.json("store backup last --final --data-dir data");
    for words in ["status", "store check", &format!("run {HOLDEM} --slices 3 --workers 1")] {
        let refused = scene.fulldeck(&format!("{words} --data-dir data")).expect(8);
        refused.says(&["handed over"]);
        assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
    }
    let moved = scene.json("store restore last --data-dir moved");
    assert_eq!((&moved["store_id"], &moved["keeps_identity"]), (&backup["store_id"], &json!(true)));
    scene.json("merge last --data-dir moved");
    scene.artifact("moved").assert_is(&expected);
}

#[test]
fn beside_a_coordinator_one_may_look_and_copy_but_not_change() {
    let scene = Scene::new();
    let mut cluster = Cluster::start(&scene);
    cluster.json(&format!("submit {HOLDEM} --slices 24"));
    assert_eq!(cluster.worker("amy", "--exit-when-done").code(), 0);
    let holder = format!("in use by process {} on ", cluster.coordinator().id());
    let process = format!("process {}", cluster.coordinator().id());
    let stat = cluster.json("store stat");
    assert!(stat["in_use_by"].as_str().expect("a holder").starts_with(&process), "{stat}");
    assert_eq!(stat["runs"][0]["slices"], 24);
    let check = cluster.json("store check --deep");
    assert_eq!(
        (&check["good"], &check["slices"], &check["index_equal"]),
        (&json!(true), &json!(24), &json!(null))
    );
    assert_eq!(cluster.json("store backup copy")["slices"], 24);
    for words in ["repair --yes", "rebuild", "compact", "clean", "backup other --final"] {
        let refused = cluster.fulldeck(&format!("store {words}")).expect(2);
        refused.says(&[&holder]);
        assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
    }
    assert!(cluster.coordinator().runs());
    for words in ["stat", "check", "repair", "rebuild", "compact", "clean"] {
        let missing = scene.fulldeck(&format!("store {words} --data-dir nowhere")).expect(3);
        missing.says(&["there is no checkpoint in nowhere"]);
        assert!(!scene.path("nowhere").exists());
    }
}
