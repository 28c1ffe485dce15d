//! SIGTERM: what runs is finished and delivered, and the exit code says whether there is more to do.

use std::time::Duration;

use fulldeck_tests::checkpoint::{assert_kept, results};
use fulldeck_tests::{Cluster, FULLDECK, HOLDEM, HOLDEM_DIGEST, Scene, until};

/// Less than the time for which a worker's question for work may be left open.
const SOON: Duration = Duration::from_secs(10);

#[test]
fn a_terminated_run_exits_with_10_and_goes_on() {
    let scene = Scene::new();
    let data = scene.path("fulldeck-data");
    let command = format!("run {HOLDEM} --slices 48 -o json");
    let mut run = scene.start(FULLDECK, &command);
    let before = until("a first result", || {
        assert!(run.runs(), "the run ended before it was asked to");
        Some(results(&data)).filter(|results| !results.is_empty())
    });
    run.terminate();
    assert_eq!(run.code(), 10, "{}", run.stderr());
    let said = run.stderr();
    let error = said.lines().last().expect("an error");
    let error: serde_json::Value = serde_json::from_str(error).expect("JSON");
    assert_eq!(error["error"]["kind"], "incomplete");
    assert_eq!(run.stdout(), "");

    let stopped = results(&data);
    assert_kept(&before, &stopped);
    let status = scene.json("status last");
    assert_eq!(status["slices"]["committed"], stopped.len());
    assert_eq!((&status["state"], &status["artifact"]), (&"stopped".into(), &().into()));

    let summary = scene.json(&format!("run {HOLDEM}"));
    assert_eq!(summary["slices"], status["slices"]["total"], "a run that was begun keeps its plan");
    assert_eq!(summary["computed_slices"], status["slices"]["waiting"]);
    assert_kept(&stopped, &results(&data));
    assert_eq!(summary["artifact_digest"], HOLDEM_DIGEST);
}

#[test]
fn a_second_sigterm_leaves_at_once() {
    let scene = Scene::new();
    // Few slices over the same rows are one batch, which takes some seconds.
    let mut run = scene.start(FULLDECK, "run omaha --slices 15 --threads 1");
    until("a run", || scene.path("fulldeck-data/segments/000001.seg").exists().then_some(()));
    until("a worker at work", || {
        let status = scene.fulldeck("status last -o json");
        let status = serde_json::from_str::<serde_json::Value>(&status.stdout).ok()?;
        (status["slices"]["leased"].as_u64()? > 0).then_some(())
    });
    run.terminate();
    until("a run that knows of the first", || run.stderr().contains("stopping").then_some(()));
    run.terminate();
    let code = run.code_within(SOON);
    assert_eq!(code, Some(143), "{}", run.stderr());
    assert!(results(&scene.path("fulldeck-data")).is_empty(), "nothing could be finished");
}

#[test]
fn a_terminated_worker_delivers_and_leaves_nothing_leased() {
    let scene = Scene::new();
    let mut cluster = Cluster::start(&scene);
    let submitted = cluster.json(&format!("submit {HOLDEM} --slices 48"));
    let mut first = cluster.worker("first", "");
    until("a first result", || (cluster.committed() > 0).then_some(()));
    first.terminate();
    assert_eq!(first.code(), 0, "{}", first.stderr());
    assert!(first.stderr().contains("drained"), "{}", first.stderr());
    let status = cluster.json("status last");
    assert_eq!(status["slices"]["leased"], 0, "nobody waits for a lease to end: {status}");
    assert_eq!(status["workers"]["live"], 0);
    let kept = results(&cluster.data());
    assert_eq!(status["slices"]["committed"], kept.len());
    assert!(kept.len() < submitted["slices"].as_u64().expect("slices") as usize);

    // A coordinator stops in order too, and its workers wait for the next one.
    let mut second = cluster.worker("second", "--exit-when-done");
    until("a second worker", || second.stderr().contains("registered").then_some(()));
    cluster.coordinator().terminate();
    assert_eq!(cluster.coordinator().code(), 0, "{}", cluster.coordinator().stderr());
    cluster.relaunch();
    cluster.await_listening();
    assert_eq!(cluster.json("wait last --timeout 100")["state"], "finished");
    let left = second.code_within(SOON);
    assert_eq!(left, Some(0), "it leaves as soon as all is done: {}", second.stderr());
    assert_kept(&kept, &results(&cluster.data()));
    assert_eq!(cluster.json("merge last")["artifact_digest"], HOLDEM_DIGEST);
}
