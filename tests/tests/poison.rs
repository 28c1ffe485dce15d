//! Slices that bring down whoever computes them: given up, and everything else is finished.

use fulldeck_tests::{Cluster, HOLDEM, HOLDEM_DIGEST, Scene, until};
use serde_json::Value;

const QUICK: &str = "--heartbeat 0.2 --lease 1 --validate off";

/// The run as soon as nothing of it changes any more.
fn ended(cluster: &Cluster<'_>) -> Value {
    until("an end", || {
        let status = cluster.json("status last");
        (status["state"] == "finished_with_parked" || status["state"] == "finished")
            .then_some(status)
    })
}

#[test]
fn a_slice_that_kills_its_workers_is_parked_the_rest_is_finished_and_retry_goes_on() {
    let scene = Scene::new();
    let cluster = Cluster::start_with(&scene, QUICK);
    cluster.json(&format!("submit {} --slices 24", HOLDEM));
    let mut deaths = 0;
    loop {
        let mut worker = cluster.strange_worker("abort:3", "mayfly", "--exit-when-done");
        if worker.end() == Some(0) {
            break;
        }
        deaths += 1;
        assert!(deaths < 20, "it is never given up");
    }
    let status = ended(&cluster);
    assert_eq!(status["state"], "finished_with_parked");
    assert_eq!(status["parked_slices"][0]["slice"], 3);
    let reason = status["parked_slices"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("lost with mayfly, alone"), "{reason}");
    assert!((4..=6).contains(&deaths), "{deaths}");
    assert_eq!(cluster.fulldeck("wait last").code, 4);
    cluster.fulldeck("merge last").expect(10);
    let explained = cluster.json("explain last 3");
    assert_eq!(explained["slices"][0]["code"], "parked");
    assert!(!explained["slices"][0]["history"].as_array().unwrap().is_empty());

    assert_eq!(cluster.json("retry last")["retried"], serde_json::json!([3]));
    let mut sound = cluster.worker("sound", "--exit-when-done");
    assert_eq!(sound.code(), 0);
    assert_eq!(ended(&cluster)["state"], "finished");
    assert_eq!(cluster.json("merge last")["artifact_digest"], HOLDEM_DIGEST);
}

#[test]
fn a_slice_that_panics_is_parked_also_for_the_next_coordinator() {
    let scene = Scene::new();
    let mut cluster = Cluster::start_with(&scene, QUICK);
    cluster.json(&format!("submit {} --slices 24", HOLDEM));
    let mut worker = cluster.strange_worker("panic:0", "nervous", "--exit-when-done");
    assert_eq!(worker.code(), 0, "a panic does not end a worker");
    let status = ended(&cluster);
    let reason = status["parked_slices"][0]["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("too strange"), "{reason}");
    cluster.relaunch();
    cluster.await_listening();
    let again = cluster.json("status last");
    assert_eq!(again["state"], "finished_with_parked");
    assert_eq!(again["parked_slices"][0]["reason"], reason.as_str());
    cluster.coordinator().terminate();
    assert_eq!(cluster.coordinator().code(), 0);
    // Also without a coordinator.
    assert_eq!(scene.json("retry last --data-dir data")["retried"], serde_json::json!([0]));
    let whole = scene.json(&format!("run {} --data-dir data", HOLDEM));
    assert_eq!(whole["artifact_digest"], HOLDEM_DIGEST);
    assert_eq!(whole["computed_slices"], 1);
}
