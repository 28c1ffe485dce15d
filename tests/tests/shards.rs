//! Shards: parts of a run that nobody coordinates, brought together by `fulldeck import`. Whatever mixture of shards,
//! workers and `run` computes a run, and whatever kills them, the artifact is the same.

use std::fs;
use std::time::Duration;

use fulldeck_tests::bundles::{files, held};
use fulldeck_tests::{
    Cluster, FULLDECK, HOLDEM, HOLDEM_DIGEST, Process, Scene, faults, undisturbed, until,
};

/// Kills of the shards.
const KILLS: u32 = 12;
/// About how long an undisturbed shard takes, in milliseconds.
const WHOLE: u64 = 2_000;

fn shard(slices: u32, index: u32, of: u32) -> String {
    format!("shard {HOLDEM} --slices {slices} --index {index} --of {of} --out bundles -o json")
}

/// Computes some shards, one after the other.
fn shards(scene: &Scene, slices: u32, indices: impl IntoIterator<Item = u32>, of: u32) {
    for index in indices {
        let answer = scene.fulldeck(&shard(slices, index, of)).expect(0).json();
        assert_eq!(answer["missing"], 0, "{answer}");
    }
}

fn import_and_merge(scene: &Scene) {
    let imported = scene.json("import bundles --data-dir data");
    assert_eq!(imported["damaged"], serde_json::json!([]));
    assert_eq!(scene.json("merge last --data-dir data")["artifact_digest"], HOLDEM_DIGEST);
}

#[test]
fn any_number_of_shards_ends_in_the_same_artifact() {
    for of in [1, 3, 7] {
        let scene = Scene::new();
        shards(&scene, 24, 0..of, of);
        let held = held(&scene.path("bundles"));
        assert_eq!(held.len(), 24);
        assert!(held.values().all(|times| *times == 1), "{held:?}");
        let looked = scene.json(&format!("import bundles --dry-run --of {of} --data-dir data"));
        assert_eq!(looked["runs"][0]["missing_shards"], "");
        assert!(!scene.path("data").exists(), "a dry run creates nothing");
        let imported = scene.json("import bundles --data-dir data")["runs"][0].clone();
        assert_eq!((&imported["imported"], &imported["duplicates"]), (&24.into(), &0.into()));
        let again = scene.json("import bundles --data-dir data")["runs"][0].clone();
        assert_eq!((&again["imported"], &again["duplicates"]), (&0.into(), &24.into()));
        scene.json("merge last --data-dir data");
        scene.artifact("data").assert_is(undisturbed());
    }
}

#[test]
fn shards_workers_and_run_share_one_run() {
    let scene = Scene::new();
    // Divided once by four and once by three: what overlaps is the same.
    shards(&scene, 48, [0, 2], 4);
    shards(&scene, 48, [1], 3);
    let mut cluster = Cluster::start_with(&scene, "--validate spot:10%");
    cluster.json(&format!("submit {HOLDEM} --slices 48"));
    let mut worker = cluster.worker("one", "");
    until("a first result", || (cluster.committed() > 0).then_some(()));
    let imported = cluster.json("import bundles")["runs"][0].clone();
    let slices = held(&scene.path("bundles")).len() as u64;
    let taken = imported["imported"].as_u64().unwrap() + imported["duplicates"].as_u64().unwrap();
    assert!(taken >= slices, "{imported}");
    assert_eq!(imported["mismatches"], serde_json::json!([]));
    worker.kill();
    cluster.coordinator().terminate();
    assert_eq!(cluster.coordinator().code(), 0);
    let summary = scene.json(&format!("run {HOLDEM} --data-dir data"));
    assert_eq!(summary["artifact_digest"], HOLDEM_DIGEST);
    scene.artifact("data").assert_is(undisturbed());
    let late = scene.json("import bundles --data-dir data")["runs"][0].clone();
    assert_eq!(late["imported"], 0, "everything was there: {late}");
}

/// Starts a shard again and again until it ends by itself; how often it was killed.
fn until_it_ends(scene: &Scene, command: &str) -> u32 {
    let folder = scene.path("bundles");
    for kills in 0.. {
        let before = held(&folder);
        let mut shard = scene.start(FULLDECK, command);
        let moment = scene.random(|random| random.moment(50..WHOLE));
        match shard.code_within(moment) {
            Some(code) => {
                assert_eq!(code, 0, "{}", shard.stderr());
                let answer: serde_json::Value =
                    serde_json::from_str(&shard.stdout()).expect("JSON");
                let mine = answer["slices"].as_u64().expect("a number");
                assert_eq!(answer["missing"], 0);
                let computed = answer["computed"].as_u64().expect("a number");
                assert_eq!(answer["held"].as_u64().expect("a number") + computed, mine, "{answer}");
                let all = held(&folder);
                assert_eq!(all.len() - before.len(), computed as usize, "only what was missing");
                return kills;
            }
            None => shard.kill(),
        }
        let now = held(&folder);
        assert!(before.keys().all(|slice| now.contains_key(slice)), "{before:?} {now:?}");
        assert!(now.values().all(|times| *times == 1), "nothing is computed twice: {now:?}");
    }
    unreachable!("it ends at some time")
}

#[test]
fn killed_shards_go_on_and_compute_only_what_is_missing() {
    let mut kills = 0;
    while kills < faults("FULLDECK_KILLS", KILLS) {
        let scene = Scene::new();
        let slices = scene.random(|random| random.one_of(&[24, 48]));
        for index in 0..2 {
            kills += until_it_ends(&scene, &shard(slices, index, 2));
        }
        assert!(files(&scene.path("bundles"), "part").is_empty());
        import_and_merge(&scene);
    }
    eprintln!("{kills} kills");
}

#[test]
fn what_a_killed_shard_had_finished_can_be_salvaged() {
    let scene = Scene::new();
    let mut process = scene.start(FULLDECK, &shard(48, 0, 1));
    until("a first result", || (!held(&scene.path("bundles")).is_empty()).then_some(()));
    process.kill();
    let left = held(&scene.path("bundles")).len();
    scene.fulldeck("import bundles --data-dir data").expect(3).says(&["no bundle", "--salvage"]);
    let imported = scene.json("import bundles --salvage --data-dir data");
    assert_eq!(imported["runs"][0]["imported"], left);
    let planned = imported["runs"][0]["slices"].as_u64().unwrap();
    let summary = scene.json(&format!("run {HOLDEM} --data-dir data"));
    assert_eq!(summary["computed_slices"], planned - left as u64);
    assert_eq!(summary["artifact_digest"], HOLDEM_DIGEST);
}

/// Waits for the end of a shard that has to say that it goes on.
fn resumable(mut process: Process) -> serde_json::Value {
    assert_eq!(process.code(), 10, "{}", process.stderr());
    let answer: serde_json::Value = serde_json::from_str(&process.stdout()).expect("JSON");
    assert_ne!(answer["missing"], 0);
    assert!(process.stderr().contains("everything done is kept"), "{}", process.stderr());
    answer
}

#[test]
fn sigterm_and_the_end_of_the_time_keep_what_is_done() {
    let scene = Scene::new();
    let folder = scene.path("bundles");
    let mut process = scene.start(FULLDECK, &shard(48, 0, 1));
    until("a first result", || (!held(&folder).is_empty()).then_some(()));
    process.terminate();
    let first = resumable(process);
    assert_eq!(first["computed"], held(&folder).len());
    // Fifteen seconds are left for the rest, so that one is left for computing.
    let limited = scene.start(FULLDECK, &(shard(48, 0, 1) + " --threads 1 --time-limit 16s"));
    let second = resumable(limited);
    assert_eq!(second["held"], first["computed"]);
    assert!(files(&folder, "part").is_empty());
    let third = scene.fulldeck(&shard(48, 0, 1)).expect(0).json();
    assert_eq!(third["held"], held(&folder).len() as u64 - third["computed"].as_u64().unwrap());
    import_and_merge(&scene);
}

#[test]
fn a_shard_has_one_writer_at_a_time() {
    let scene = Scene::new();
    let _first = scene.start(FULLDECK, &shard(48, 0, 1));
    until("a writer", || (!files(&scene.path("bundles"), "part").is_empty()).then_some(()));
    scene.fulldeck(&shard(48, 0, 1)).expect(2).says(&["another process computes this shard"]);
}

#[test]
fn damage_is_named_and_costs_only_what_it_hit() {
    let scene = Scene::new();
    shards(&scene, 24, 0..2, 2);
    let bundle = files(&scene.path("bundles"), "fdb").remove(0);
    let mut bytes = fs::read(&bundle).expect("a bundle");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    fs::write(&bundle, &bytes).expect("a damaged bundle");

    let answer = scene.fulldeck("import bundles --data-dir data -o json").expect(9);
    answer.says(&["damaged", "slices"]);
    let imported = answer.json()["runs"][0]["imported"].as_u64().unwrap();
    assert!((20..24).contains(&imported), "{imported}");
    let missing = scene.fulldeck("import bundles --dry-run --of 2 -o json").json();
    assert_eq!(missing["runs"][0]["missing_shards"], "0");
    let again = scene.fulldeck(&shard(24, 0, 2)).expect(0).json();
    assert_eq!(again["computed"], 24 - imported);
    scene.fulldeck("import bundles --data-dir data").expect(9);
    assert_eq!(scene.json("merge last --data-dir data")["artifact_digest"], HOLDEM_DIGEST);
}

#[test]
fn other_plans_and_other_bytes_are_refused_in_words() {
    let scene = Scene::new();
    shards(&scene, 24, 0..1, 1);
    let cluster = Cluster::start(&scene);
    cluster.json(&format!("submit {HOLDEM} --slices 48"));
    cluster.fulldeck("import bundles").expect(8).says(&["other slices", "nothing was imported"]);
    assert_eq!(cluster.committed(), 0);
    scene.fulldeck(&shard(48, 0, 1)).expect(8).says(&["cut into other slices", "--slices"]);
    drop(cluster);

    let scene = Scene::new();
    shards(&scene, 24, 0..1, 1);
    let cluster = Cluster::start(&scene);
    cluster.json(&format!("submit {HOLDEM} --slices 24"));
    let mut liar = cluster.strange_worker("lie:30", "liar", "--host liar --exit-when-done");
    assert_eq!(liar.code(), 0);
    let answer = cluster.fulldeck("import bundles -o json").expect(6);
    answer.says(&["mismatch", "other bytes"]);
    let told = answer.json()["runs"][0].clone();
    assert!(!told["mismatches"].as_array().unwrap().is_empty(), "{told}");
    assert_eq!(told["imported"], 0);
}

#[test]
fn an_array_job_tells_a_shard_which_one_it_is() {
    let scene = Scene::new();
    let words = format!("shard {HOLDEM} --slices 24 --index auto --out bundles -o json");
    let arrays: [&[(&str, &str)]; 2] = [
        &[
            ("SLURM_ARRAY_TASK_ID", "6"),
            ("SLURM_ARRAY_TASK_MIN", "5"),
            ("SLURM_ARRAY_TASK_MAX", "7"),
            ("SLURM_ARRAY_TASK_COUNT", "3"),
        ],
        &[("JOB_COMPLETION_INDEX", "1"), ("FULLDECK_OF", "3")],
    ];
    for (array, computed) in arrays.into_iter().zip([true, false]) {
        let mut process = scene.start_with(FULLDECK, &words, array);
        assert_eq!(process.code_within(Duration::from_secs(60)), Some(0), "{}", process.stderr());
        let answer: serde_json::Value = serde_json::from_str(&process.stdout()).expect("JSON");
        assert_eq!((&answer["index"], &answer["of"]), (&1.into(), &3.into()));
        assert_eq!(answer["computed"].as_u64().unwrap() > 0, computed, "the second finds it done");
    }
    scene.fulldeck(&words).expect(2).says(&["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"]);
}
