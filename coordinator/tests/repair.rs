//! Damaged artifacts: no question is answered from them, and merging writes them anew.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use program::{fulldeck, json, stderr};

/// What the artifact of hold'em is.
const DIGEST: &str = "bfa67973cc16756731133ee6c5c7e8d10ba9c9ab09a84090e35d3614a3291564";

/// A folder with a data folder of this name, in which hold'em is complete.
fn complete_copy(name: &str) -> tempfile::TempDir {
    static COMPLETE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let complete = COMPLETE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        json(folder.path(), "run omaha -p cards=2", 0);
        folder
    });
    let home = tempfile::tempdir().unwrap();
    copy(&complete.path().join("fulldeck-data"), &home.path().join(name));
    home
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        let target = to.join(entry.file_name().unwrap());
        if entry.is_dir() {
            copy(&entry, &target);
        } else {
            fs::copy(&entry, &target).unwrap();
        }
    }
}

fn artifact(data: &Path) -> PathBuf {
    let entries: Vec<_> = fs::read_dir(data.join("artifacts")).unwrap().collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
    entries[0].as_ref().unwrap().path()
}

#[test]
fn one_wrong_bit_is_no_answer_and_merging_again_repairs_it() {
    let home = complete_copy("my data");
    let win = artifact(&home.path().join("my data")).join("win.npy");
    let mut bytes = fs::read(&win).unwrap();
    // The last cell is that of the last cluster against itself.
    let last = bytes.len() - 4;
    bytes[last] ^= 1;
    fs::write(&win, bytes).unwrap();
    let clusters = fs::read_to_string(win.with_file_name("clusters.csv")).unwrap();
    let hand = clusters.lines().last().unwrap().split(',').nth(1).unwrap();
    let place = ["--data-dir", "my data"];

    let ask = |words: &str| {
        let words: Vec<_> = words.split(' ').chain(place).collect();
        fulldeck(home.path(), &words).output().unwrap()
    };
    for question in [format!("query 1 {hand} {hand}"), format!("query 1 {hand}")] {
        let refused = ask(&question);
        assert_eq!(refused.status.code(), Some(9), "{question}: {}", stderr(&refused));
        assert_eq!(refused.stdout, b"", "{question}");
        for part in ["win.npy is damaged", "fulldeck merge 1 --again --data-dir 'my data'"] {
            assert!(stderr(&refused).contains(part), "{question}: {}", stderr(&refused));
        }
    }
    // Cells elsewhere are right, and are answered.
    assert_eq!(ask("query 1 AsAh KdKc").status.code(), Some(0));
    let merged = ask("merge 1 --again -o json");
    assert_eq!(merged.status.code(), Some(0), "{}", stderr(&merged));
    assert!(String::from_utf8_lossy(&merged.stdout).contains(DIGEST));
    assert_eq!(ask(&format!("query 1 {hand} {hand}")).status.code(), Some(0));
}

#[test]
fn what_opening_finds_damaged_is_merged_again() {
    let home = complete_copy("D");
    let folder = artifact(&home.path().join("D"));
    let edit = |from: &str, to: &str| {
        let path = folder.join("manifest.json");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).unwrap();
    };
    let damages: [&dyn Fn(); 4] = [
        &|| edit("\"cards\": \"2\"", "\"cards\": \"4\""),
        &|| fs::remove_file(folder.join("tie.tree")).unwrap(),
        &|| fs::write(folder.join("tie.npy"), "short").unwrap(),
        &|| fs::remove_file(folder.join("manifest.json")).unwrap(),
    ];
    for (number, damage) in damages.iter().enumerate() {
        for words in ["merge last --data-dir D", "run omaha -p cards=2 --data-dir D"] {
            damage();
            let merged = json(home.path(), words, 0);
            assert_eq!(merged["artifact_digest"], DIGEST, "{number}");
            assert_ne!(merged["already_merged"], true, "{number}: {words}");
            assert_eq!(json(home.path(), "query last AsAh KdKc --data-dir D", 0)["n"], 6);
        }
    }
}

#[test]
fn what_is_no_artifact_is_not_found_and_what_cannot_be_written_is_said() {
    let home = complete_copy("D");
    let file = artifact(&home.path().join("D")).join("win.npy");
    let file = file.to_str().unwrap();
    let output = fulldeck(home.path(), &["verify", file]).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("there is no artifact in"), "{}", stderr(&output));

    let artifacts = home.path().join("D/artifacts");
    fs::remove_dir_all(&artifacts).unwrap();
    fs::write(&artifacts, "no folder").unwrap();
    let output = fulldeck(home.path(), &["merge", "1", "--data-dir", "D"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("D/artifacts"), "{}", stderr(&output));
}

#[test]
fn a_stopped_folder_is_asked_and_a_job_must_exist() {
    let home = complete_copy("D");
    assert_eq!(json(home.path(), "wait last --data-dir D", 0)["state"], "finished");
    json(home.path(), "wait 7 --data-dir D", 3);
    let words = ["run", "omaha", "-p", "cards=2", "--data-dir", "D", "--only", "nope"];
    let output = fulldeck(home.path(), &words).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("unknown job 'nope'"), "{}", stderr(&output));
}

#[test]
fn people_read_percent_and_what_they_asked() {
    let home = complete_copy("D");
    let text = |words: &str| {
        let words: Vec<_> = words.split(' ').chain(["--data-dir", "D"]).collect();
        let output = fulldeck(home.path(), &words).output().unwrap();
        let text = if output.stdout.is_empty() { output.stderr } else { output.stdout };
        String::from_utf8(text).unwrap()
    };
    let row = text("query 1 AdAc");
    assert!(row.contains(" asked    AdAc") && row.contains(" 85.204 %"), "{row}");
    assert!(json(home.path(), "query 1 AdAc --data-dir D", 0)["equity"].as_f64().unwrap() < 1.0);
    let id = text("query 1 AdAc -o id");
    assert!(!id.contains(',') && id.trim().split('\t').count() > 5, "{id}");
    let meet = text("query 1 AsAh AsAd");
    assert!(meet.contains("equity") && !meet.contains("never meet"), "{meet}");
    let wrong = text("query last AsAhKsKh");
    assert!(wrong.contains("this is run 1, omaha cards=2"), "{wrong}");
    let status = text("status 1");
    assert!(status.contains("fulldeck query 1 HAND --data-dir D"), "{status}");
}
