//! A person's hands on a running cluster: pause, cancel, drain, quarantine, explain.

use fulldeck_tests::{Cluster, HOLDEM, HOLDEM_DIGEST, Scene, until};
use serde_json::Value;

fn state(cluster: &Cluster<'_>) -> String {
    cluster.json("status last")["state"].as_str().expect("a text").to_owned()
}

fn code(cluster: &Cluster<'_>) -> Vec<String> {
    let explained = cluster.json("explain last");
    let slices = explained["slices"].as_array().expect("a list").clone();
    slices.iter().map(|slice| slice["code"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn a_run_is_paused_cancelled_and_taken_up_again() {
    let scene = Scene::new();
    let mut cluster = Cluster::start_with(&scene, "--heartbeat 0.2 --lease 5 --validate off");
    cluster.json(&format!("submit {} --slices 24", HOLDEM));
    assert!(code(&cluster).iter().all(|code| code == "no_workers"));
    let mut worker = cluster.strange_worker("slow:300", "slow", "");
    until("something committed", || (cluster.committed() > 0).then_some(()));
    assert_eq!(cluster.json("pause last")["state"], "paused");
    until("nothing leased", || {
        (cluster.json("status last")["slices"]["leased"] == 0).then_some(())
    });
    let kept = cluster.committed();
    assert!(code(&cluster).iter().all(|code| code == "paused"));
    // It stays so over a restart.
    cluster.relaunch();
    cluster.await_listening();
    until("the worker again", || {
        let workers = cluster.json("workers")["workers"].as_array().unwrap().len();
        (workers == 1).then_some(())
    });
    assert_eq!((state(&cluster), cluster.committed()), ("paused".to_owned(), kept));
    assert_eq!(cluster.json("resume last")["state"], "running");
    until("more", || (cluster.committed() > kept).then_some(()));

    assert_eq!(cluster.json("cancel last")["state"], "cancelled");
    let kept = cluster.committed();
    assert_eq!(cluster.fulldeck("wait last").code, 4);
    assert_eq!(cluster.fulldeck("merge last").code, 10);
    assert_eq!(cluster.committed(), kept);
    // Whoever submits it again wants it after all.
    cluster.json(&format!("submit {}", HOLDEM));
    cluster.fulldeck("wait last --timeout 100").expect(0);
    assert_eq!(cluster.json("merge last")["artifact_digest"], HOLDEM_DIGEST);
    worker.terminate();
    assert_eq!(worker.code(), 0);
}

#[test]
fn a_drained_worker_leaves_and_a_host_in_quarantine_gets_nothing() {
    let scene = Scene::new();
    let cluster = Cluster::start_with(&scene, "--heartbeat 0.2 --lease 5 --validate off");
    cluster.json(&format!("submit {} --slices 24", HOLDEM));
    let mut amy = cluster.strange_worker("slow:200", "amy", "--host h1");
    until("something committed", || (cluster.committed() > 0).then_some(()));
    assert_eq!(cluster.json("drain amy")["worker"], "amy");
    assert_eq!(amy.code(), 0);
    let kept = cluster.committed();
    let slices: Value = cluster.json("status last")["slices"].clone();
    assert_eq!((slices["leased"].as_u64(), slices["parked"].as_u64()), (Some(0), Some(0)));

    let bob = cluster.strange_worker("slow:200", "bob", "--host h2");
    until("more", || (cluster.committed() > kept).then_some(()));
    assert_eq!(cluster.json("quarantine bob --reason smoke")["host_key"], "h2");
    until("nothing leased", || {
        (cluster.json("status last")["slices"]["leased"] == 0).then_some(())
    });
    assert_eq!(state(&cluster), "stalled");
    let workers = cluster.json("workers");
    assert_eq!(workers["workers"][0]["quarantined_because"], "smoke");
    let explained = cluster.fulldeck("explain last").expect(0).stdout;
    assert!(explained.contains("1: its host is in quarantine"), "{explained}");
    cluster.json("release h2");
    cluster.fulldeck("wait last --timeout 100").expect(0);
    drop(bob);
    for (words, exit) in [
        ("drain nobody", 3),
        ("release nowhere", 3),
        ("quarantine nowhere", 3),
        ("explain last 999", 3),
        ("explain 7", 3),
        ("retry last 1", 3),
        ("pause 9", 3),
        ("cancel", 2),
    ] {
        cluster.fulldeck(words).expect(exit);
    }
}

#[test]
fn a_worker_with_a_time_limit_leaves_in_time_and_nothing_is_lost() {
    let scene = Scene::new();
    let cluster = Cluster::start_with(&scene, "--heartbeat 0.2 --lease 5 --validate off");
    cluster.json(&format!("submit {} --slices 60", HOLDEM));
    // It takes half a second a batch, and keeps fifteen seconds in reserve.
    let mut short = cluster.strange_worker("slow:500", "short", "--time-limit 19");
    assert_eq!(short.code(), 0);
    let status = cluster.json("status last");
    assert!(status["slices"]["committed"].as_u64().unwrap() > 0, "{status}");
    assert_eq!(status["slices"]["leased"], 0);
    assert_eq!(status["slices"]["parked"], 0);
    let mut rest = cluster.worker("rest", "--exit-when-done");
    assert_eq!(rest.code(), 0);
    assert_eq!(cluster.json("merge last")["artifact_digest"], HOLDEM_DIGEST);
}

#[test]
fn what_takes_too_long_on_one_host_is_computed_on_another_as_well() {
    let scene = Scene::new();
    let cluster = Cluster::start_with(&scene, "--heartbeat 0.2 --validate off");
    cluster.json(&format!("submit {} --slices 240", HOLDEM));
    let mut slow = cluster.strange_worker("slow:600000", "slow", "--host h1");
    until("something leased", || {
        (cluster.json("status last")["slices"]["leased"].as_u64().unwrap() > 0).then_some(())
    });
    let _fast = cluster.worker("fast", "--host h2");
    cluster.fulldeck("wait last --timeout 100").expect(0);
    let status = cluster.json("status last");
    assert!(status["copies"].as_u64().unwrap() > 0, "{status}");
    assert_eq!(cluster.json("merge last")["artifact_digest"], HOLDEM_DIGEST);
    slow.terminate();
    assert_eq!(slow.code(), 0);
}
