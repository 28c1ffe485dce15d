//! Damage to a stopped data folder: the index is rebuilt, damaged results are computed again, nothing else is, and
//! the artifact is the same.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use fulldeck_job::record::RECORD_HEADER_BYTES;
use fulldeck_tests::checkpoint::{Place, places};
use fulldeck_tests::{Artifact, FULLDECK, HOLDEM, Scene, SmallDisk};

/// Results that are damaged at once.
const DAMAGED: usize = 3;
/// Rounds of flipping bits wherever they are.
const ROUNDS: usize = 4;
/// Bits flipped in each round.
const FLIPS: usize = 3;
const SEGMENT: &str = "segments/000001.seg";

/// A complete run that is not merged, in the folder `whole`, and the artifact it had.
fn complete(scene: &Scene) -> Artifact {
    scene.json(&format!("run {HOLDEM} --slices 24 --data-dir whole"));
    let artifact = scene.artifact("whole");
    fs::remove_dir_all(scene.path("whole/artifacts")).expect("artifacts");
    artifact
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a new folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a file");
        }
    }
}

/// Damages a copy of the complete run and runs it again; how many slices that computed.
#[track_caller]
fn computed_after(
    scene: &Scene,
    expected: &Artifact,
    name: &str,
    damage: impl FnOnce(&Path),
) -> usize {
    copy(&scene.path("whole"), &scene.path(name));
    damage(&scene.path(name));
    let summary = scene.json(&format!("run {HOLDEM} --data-dir {name}"));
    scene.artifact(name).assert_is(expected);
    summary["computed_slices"].as_u64().expect("a number of slices") as usize
}

fn flip(path: &Path, offset: u64, bit: u64) {
    let mut bytes = fs::read(path).expect("a file");
    bytes[offset as usize] ^= 1 << bit;
    fs::write(path, bytes).expect("a file");
}

/// Overwrites a part in the middle of every file of the index.
fn scribble(index: &Path) {
    for entry in fs::read_dir(index).expect("an index") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let mut bytes = fs::read(&path).expect("a file");
            let length = bytes.len();
            bytes[length / 4..length / 2].fill(0x5a);
            fs::write(path, bytes).expect("a file");
        }
    }
}

#[test]
fn an_index_that_is_lost_or_damaged_costs_no_result() {
    let scene = Scene::new();
    let expected = complete(&scene);
    let lost = computed_after(&scene, &expected, "lost", |data| {
        fs::remove_dir_all(data.join("index.000001")).expect("an index");
    });
    let scribbled = computed_after(&scene, &expected, "scribbled", |data| {
        scribble(&data.join("index.000001"));
    });
    let switches = computed_after(&scene, &expected, "switches", |data| {
        for name in ["CURRENT", "EPOCH", "LOCK", "access.toml"] {
            fs::remove_file(data.join(name)).expect("a file");
        }
    });
    assert_eq!([lost, scribbled, switches], [0; 3]);
}

#[test]
fn damaged_results_are_computed_again_and_no_others() {
    let scene = Scene::new();
    let expected = complete(&scene);
    let results = places(&scene.path("whole"));
    assert_eq!(results.len(), 24);
    let mut chosen = BTreeSet::new();
    while chosen.len() < DAMAGED {
        chosen.insert(scene.random(|random| random.number(0..results.len() as u64)) as usize);
    }
    let computed = computed_after(&scene, &expected, "flipped", |data| {
        for Place { offset, payload_bytes, .. } in chosen.iter().map(|at| &results[*at]) {
            let payload = offset + RECORD_HEADER_BYTES as u64;
            let (at, bit) = scene
                .random(|random| (random.number(0..(*payload_bytes).into()), random.number(0..8)));
            flip(&data.join(SEGMENT), payload + at, bit);
        }
    });
    assert_eq!(computed, DAMAGED, "{chosen:?}");

    // Cut anywhere: what lies before the cut is kept.
    let first = scene.random(|random| random.number(12..results.len() as u64)) as usize;
    let computed = computed_after(&scene, &expected, "cut", |data| {
        let segment = data.join(SEGMENT);
        let length = results[first].offset + scene.random(|random| random.number(1..300));
        let bytes = fs::read(&segment).expect("a segment");
        fs::write(segment, &bytes[..length as usize]).expect("a segment");
    });
    assert_eq!(computed, results.len() - first);
}

/// Asks every command that looks at a stopped folder; each names the damage and exits with 9.
#[track_caller]
fn everybody_says(scene: &Scene, name: &str, parts: &[&str]) {
    let before = fs::read(scene.path(name).join("EPOCH")).expect("an EPOCH");
    for words in ["status", "status last", "merge last"] {
        let answer = scene.fulldeck(&format!("{words} --data-dir {name}")).expect(9);
        answer.says(parts);
        assert_eq!(answer.stderr.lines().count(), 1, "{words}: {}", answer.stderr);
    }
    let doctor = scene.fulldeck(&format!("doctor -o json --data-dir {name}")).expect(9).json();
    let checks = doctor["checks"].as_array().expect("checks").clone();
    let found = checks.iter().find(|check| check["name"] == "checkpoint").expect("a check");
    assert_eq!(found["finding"], "bad");
    for part in parts {
        assert!(found["detail"].as_str().expect("a detail").contains(part), "{found}");
    }
    assert_eq!(fs::read(scene.path(name).join("EPOCH")).expect("an EPOCH"), before, "looking");
}

#[test]
fn damage_is_said_by_everybody_until_it_is_computed_again() {
    let scene = Scene::new();
    let expected = complete(&scene);
    let results = places(&scene.path("whole"));
    // The last record could as well be torn.
    for (name, place) in [("first", &results[0]), ("last", &results[results.len() - 1])] {
        let computed = computed_after(&scene, &expected, name, |data| {
            flip(&data.join(SEGMENT), place.offset + RECORD_HEADER_BYTES as u64, 0);
            let slice = format!("slice {} of run 1 will be computed again", place.slice.1);
            everybody_says(&scene, name, &["checksum", &slice]);
        });
        assert_eq!(computed, 1);
        assert_eq!(scene.json(&format!("status last --data-dir {name}"))["state"], "finished");
        scene.fulldeck(&format!("doctor --data-dir {name}")).expect(0);
    }
    for name in ["missing", "emptied"] {
        let computed = computed_after(&scene, &expected, name, |data| {
            let segment = data.join(SEGMENT);
            if name == "missing" { fs::remove_file(segment) } else { fs::write(segment, "") }
                .expect("a segment");
            everybody_says(&scene, name, &["segment 1 at byte 0"]);
        });
        let status = scene.json(&format!("status last --data-dir {name}"));
        assert_eq!(status["slices"]["total"], computed, "the run itself was lost");
    }
    copy(&scene.path("whole"), &scene.path("nameless"));
    fs::remove_file(scene.path("nameless/STORE")).expect("a STORE");
    everybody_says(&scene, "nameless", &["STORE", "missing beside existing segments"]);
}

#[test]
fn a_rebuilt_index_is_told_of_in_our_own_words() {
    let scene = Scene::new();
    complete(&scene);
    let lose: [fn(&Path); 2] =
        [scribble, |index| fs::remove_file(index.join("db")).expect("sled's file")];
    for (name, spoil) in ["scribbled", "lost"].into_iter().zip(lose) {
        copy(&scene.path("whole"), &scene.path(name));
        spoil(&scene.path(name).join("index.000001"));
        let run = scene.fulldeck(&format!("run {HOLDEM} --data-dir {name}")).expect(0);
        run.says(&["rebuilt from the segments, and nothing is lost"]);
        for word in ["sled", "snapshot", "lsn", "panic", "defect"] {
            assert!(!run.stderr.contains(word), "{}", run.stderr);
        }
    }
}

#[test]
fn a_stopped_folder_is_read_where_nothing_can_be_written() {
    let scene = Scene::new();
    complete(&scene);
    let before = fs::read(scene.path("whole/EPOCH")).expect("an EPOCH");
    let status = scene.json("status last --data-dir whole");
    assert_eq!(scene.json("status last --data-dir whole"), status);
    scene.json("merge last --data-dir whole");
    assert_eq!(fs::read(scene.path("whole/EPOCH")).expect("an EPOCH"), before);
    let Some(disk) = SmallDisk::mount(&scene, "8m") else { return };
    disk.shell("cp -a whole small/data && mount -o remount,ro small");
    let read = disk.answer(FULLDECK, "status last -o json --data-dir small/data").expect(0).json();
    assert_eq!(read["slices"], status["slices"]);
    let merge = "merge last --only aa-aa --data-dir small/data";
    disk.answer(FULLDECK, merge).expect(2).says(&["small/data/artifacts", "Read-only"]);
    disk.answer(FULLDECK, "run omaha --data-dir small/data").expect(2).says(&["--data-dir"]);
}

#[test]
fn bits_flipped_anywhere_change_no_byte_of_the_artifact() {
    let scene = Scene::new();
    let expected = complete(&scene);
    let first = places(&scene.path("whole"))[0].offset;
    for round in 0..ROUNDS {
        let computed = computed_after(&scene, &expected, &format!("round-{round}"), |data| {
            let segment = data.join(SEGMENT);
            let length = fs::metadata(&segment).expect("a segment").len();
            for _ in 0..FLIPS {
                let place =
                    scene.random(|random| (random.number(first..length), random.number(0..8)));
                flip(&segment, place.0, place.1);
            }
        });
        assert!(computed <= FLIPS, "{computed} slices for {FLIPS} bits");
    }
}
