//! A full disk: nothing that was acknowledged is lost, everybody says so once and ends, and more space is all it takes.

use std::time::Duration;

use fulldeck_tests::{Answer, FULLDECK, HOLDEM, HOLDEM_DIGEST, Scene, SmallDisk, WORKER, until};
use serde_json::Value;

/// An end that waits for nothing.
const SOON: Duration = Duration::from_secs(20);

/// Fills the disk but for so many kilobytes.
fn fill(disk: &SmallDisk<'_>, but_kib: u32) {
    let script = format!(
        "free=$(df --output=avail small | tail -1); head -c $(( (free - {but_kib}) * 1024 )) /dev/zero > small/ballast"
    );
    disk.shell(&script);
}

#[track_caller]
fn lines_with(said: &str, part: &str) -> usize {
    said.lines().filter(|line| line.contains(part)).count()
}

#[track_caller]
fn says_full(answer: &Answer) {
    answer.says(&["small/data", "is full", "nothing committed is lost"]);
    assert_eq!(answer.stderr.lines().count(), 1, "{}", answer.stderr);
    assert_eq!(answer.stdout, "");
}

#[test]
fn a_run_on_a_full_disk_stops_says_so_once_and_goes_on_with_more_space() {
    let scene = Scene::new();
    let Some(disk) = SmallDisk::mount(&scene, "8m") else { return };
    let run = format!("run {HOLDEM} --slices 48 --threads 1 --data-dir small/data");
    disk.answer(FULLDECK, "status --data-dir small/data").expect(3);
    let mut first = disk.start(FULLDECK, &run);
    let listens = "if [ -e small/data/access.toml ]; then echo yes; fi";
    until("a coordinator", || (disk.shell(listens).stdout == "yes\n").then_some(()));
    until("a first result", || {
        let status = disk.answer(FULLDECK, "status last -o json --data-dir small/data");
        let status: Value = serde_json::from_str(&status.stdout).ok()?;
        (status["slices"]["committed"].as_u64()? > 0).then_some(())
    });
    fill(&disk, 4);
    let code = first.code_within(SOON);
    assert_eq!(code, Some(10), "{}", first.stderr());
    let said = first.stderr();
    assert!(said.contains("is full") && said.contains("stopped at"), "{said}");
    assert_eq!(said.lines().filter(|line| !line.starts_with("run 1")).count(), 1, "{said}");

    let stopped = disk.answer(FULLDECK, "status last -o json --data-dir small/data").expect(0);
    assert_eq!(stopped.json()["state"], "stopped");
    says_full(&disk.answer(FULLDECK, &run).expect(10));
    disk.shell("rm small/ballast");
    let summary = disk.answer(FULLDECK, &format!("{run} -o json")).expect(0).json();
    assert_eq!(summary["computed_slices"], stopped.json()["slices"]["waiting"]);
    assert_eq!(summary["artifact_digest"], HOLDEM_DIGEST);
}

#[test]
fn a_coordinator_on_a_full_disk_says_so_to_everybody_and_its_worker_waits_in_vain() {
    let scene = Scene::new();
    let Some(disk) = SmallDisk::mount(&scene, "8m") else { return };
    let coordinator = "coordinator --data-dir small/data --listen 127.0.0.1:0 -o json";
    let mut first = disk.start(FULLDECK, coordinator);
    let ask =
        |words: &str| disk.answer(FULLDECK, &format!("{words} --data-dir small/data -o json"));
    until("a listening coordinator", || first.stdout().contains("url").then_some(()));
    ask(&format!("submit {HOLDEM} --slices 48")).expect(0);
    let worker = "--access small/data/access.toml --threads 1 --reconnect-for 4";
    let mut worker = disk.start(WORKER, worker);
    until("a first result", || {
        (ask("status last").expect(0).json()["slices"]["committed"].as_u64()? > 0).then_some(())
    });
    fill(&disk, 4);
    assert_eq!(worker.code(), 7, "{}", worker.stderr());
    let said = worker.stderr();
    assert_eq!(lines_with(&said, "registered"), 1, "{said}");
    assert_eq!(lines_with(&said, "takes no results ("), 1, "{said}");
    assert_eq!(lines_with(&said, "giving up"), 1, "{said}");
    assert_eq!(lines_with(&said, "connection lost"), 0, "{said}");

    let status = ask("status last").expect(0).json();
    assert_eq!(status["state"], "idle", "{status}");
    let reason = status["store_failed"].as_str().expect("a reason");
    assert!(reason.contains("is full"), "{reason}");
    assert_eq!(status["seconds_left"], Value::Null);
    assert_eq!(ask("workers").expect(0).json()["workers"], serde_json::json!([]));
    ask("wait last").expect(10).says(&["is full", "start the coordinator again"]);
    ask("submit omaha -p cards=4").expect(10).says(&["is full"]);
    first.terminate();
    assert_eq!(first.code_within(SOON), Some(10), "{}", first.stderr());
    assert_eq!(lines_with(&first.stderr(), "WARN"), 0, "{}", first.stderr());
    assert_eq!(lines_with(&first.stderr(), "nothing more is leased or stored"), 1);

    disk.shell("rm small/ballast");
    let second = disk.start(FULLDECK, coordinator);
    until("a second coordinator", || second.stdout().contains("url").then_some(()));
    let words = "--access small/data/access.toml --exit-when-done";
    disk.answer(WORKER, words).expect(0);
    assert_eq!(ask("merge last").expect(0).json()["artifact_digest"], HOLDEM_DIGEST);
}

#[test]
fn an_artifact_that_does_not_fit_is_named_and_leaves_nothing() {
    let scene = Scene::new();
    let Some(disk) = SmallDisk::mount(&scene, "8m") else { return };
    let run = format!("run {HOLDEM} --data-dir small/data");
    disk.answer(FULLDECK, &run).expect(0);
    disk.shell("rm -r small/data/artifacts");
    fill(&disk, 20);
    for words in [&run, "merge 1 --data-dir small/data"] {
        let full = disk.answer(FULLDECK, words).expect(10);
        full.says(&["small/data/artifacts/run-1-", "is full", "merge again"]);
        assert_eq!(full.stderr.lines().filter(|line| !line.starts_with("run 1")).count(), 1);
        let left = disk.shell("ls small/data/artifacts");
        assert_eq!(left.stdout, "", "a part of an artifact stays");
    }
    disk.shell("rm small/ballast");
    let merged = disk.answer(FULLDECK, "merge 1 --data-dir small/data -o json").expect(0);
    assert_eq!(merged.json()["artifact_digest"], HOLDEM_DIGEST);
}

#[test]
fn a_disk_too_small_for_any_store_is_named_and_left_alone() {
    let scene = Scene::new();
    let Some(disk) = SmallDisk::mount(&scene, "100k") else { return };
    for words in ["coordinator --listen 127.0.0.1:0", "run omaha -p cards=2"] {
        says_full(&disk.answer(FULLDECK, &format!("{words} --data-dir small/data")).expect(10));
        assert_eq!(disk.shell("ls -A small").stdout, "", "{words}");
    }
}
