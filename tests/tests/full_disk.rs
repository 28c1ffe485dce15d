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
    let run = format!("run {HOLDEM} --slices 48 --threads 1 --min-free 0 --data-dir small/data");
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
    let coordinator = "coordinator --min-free 0 --data-dir small/data --listen 127.0.0.1:0 -o json";
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
    ask("wait last").expect(10).says(&["is full", "goes on by itself"]);
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
fn with_space_a_coordinator_goes_on_by_itself_and_its_worker_with_it() {
    let scene = Scene::new();
    let Some(disk) = SmallDisk::mount(&scene, "8m") else { return };
    let words = "coordinator --min-free 0 --data-dir small/data --listen 127.0.0.1:0 -o json";
    let mut coordinator = disk.start(FULLDECK, words);
    let ask =
        |words: &str| disk.answer(FULLDECK, &format!("{words} --data-dir small/data -o json"));
    until("a listening coordinator", || coordinator.stdout().contains("url").then_some(()));
    ask(&format!("submit {HOLDEM} --slices 48")).expect(0);
    let worker = "--access small/data/access.toml --threads 1 --exit-when-done";
    let mut worker = disk.start(WORKER, worker);
    let status = || ask("status last").expect(0).json();
    until("a first result", || (status()["slices"]["committed"].as_u64()? > 0).then_some(()));
    fill(&disk, 4);
    let before = until("a failed store", || {
        let status = status();
        status["store_failed"].is_string().then_some(status)
    });
    assert_eq!(before["state"], "idle", "{before}");
    disk.shell("rm small/ballast");
    // Nobody starts anything again.
    assert_eq!(worker.code(), 0, "{}", worker.stderr());
    let said = worker.stderr();
    assert_eq!(lines_with(&said, "registered"), 1, "{said}");
    assert_eq!(lines_with(&said, "takes results again"), 1, "{said}");
    assert_eq!(status()["store_failed"], Value::Null);
    assert_eq!(ask("merge last").expect(0).json()["artifact_digest"], HOLDEM_DIGEST);
    coordinator.terminate();
    assert_eq!(coordinator.code_within(SOON), Some(0), "{}", coordinator.stderr());
    let said = coordinator.stderr();
    assert_eq!(lines_with(&said, "nothing more is leased or stored"), 1, "{said}");
    assert_eq!(lines_with(&said, "the store goes on"), 1, "{said}");
    let left = disk.shell("ls small/data");
    assert_eq!(lines_with(&left.stdout, "index."), 1, "{}", left.stdout);
}

#[test]
fn with_little_space_nothing_is_leased_until_there_is_more() {
    let scene = Scene::new();
    let Some(disk) = SmallDisk::mount(&scene, "8m") else { return };
    fill(&disk, 3000);
    let words = "coordinator --min-free 4MiB --data-dir small/data --listen 127.0.0.1:0 -o json";
    let coordinator = disk.start(FULLDECK, words);
    let ask =
        |words: &str| disk.answer(FULLDECK, &format!("{words} --data-dir small/data -o json"));
    until("a listening coordinator", || coordinator.stdout().contains("url").then_some(()));
    ask("submit omaha -p cards=4").expect(10).says(&["are free in small/data", "--min-free 0"]);
    ask(&format!("submit {HOLDEM} --slices 48")).expect(0);
    let status = until("held leases", || {
        let status = ask("status last").expect(0).json();
        let why = status["no_estimate_because"].as_str()?;
        why.contains("nearly full").then(|| status.clone())
    });
    assert_eq!(status["slices"]["committed"], 0);
    let run = format!("run {HOLDEM} --min-free 4MiB --data-dir small/other");
    disk.answer(FULLDECK, &run).expect(10).says(&["stopped at", "nearly full"]);
    let mut worker =
        disk.start(WORKER, "--access small/data/access.toml --threads 1 --exit-when-done");
    until("a worker", || worker.stderr().contains("registered").then_some(()));
    disk.shell("rm small/ballast");
    assert_eq!(worker.code(), 0, "{}", worker.stderr());
    assert_eq!(ask("merge last").expect(0).json()["artifact_digest"], HOLDEM_DIGEST);
}

#[test]
fn the_reserve_opens_a_store_on_a_disk_without_a_byte_left() {
    let scene = Scene::new();
    let Some(disk) = SmallDisk::mount(&scene, "8m") else { return };
    let run = format!("run {HOLDEM} --reserve 1MiB --data-dir small/data");
    disk.answer(FULLDECK, &run).expect(0);
    disk.shell("rm -r small/data/artifacts");
    disk.shell("test $(stat -c %s small/data/RESERVE) = 1048576");
    fill(&disk, 0);
    // Everything is computed: only opening and merging need space.
    let merged = disk.answer(FULLDECK, &format!("{run} --min-free 0 -o json"));
    assert!([0, 10].contains(&merged.code), "{merged:?}");
    assert!(!merged.stderr.contains("start again"), "{}", merged.stderr);
    disk.shell("test ! -e small/data/RESERVE && rm small/ballast");
    let again = disk.answer(FULLDECK, &format!("{run} -o json")).expect(0).json();
    assert_eq!(again["artifact_digest"], HOLDEM_DIGEST);
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
