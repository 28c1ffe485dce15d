//! A coordinator and three workers that are killed at random and started again, until the run is finished.

use fulldeck_tests::checkpoint::{Results, assert_kept, results};
use fulldeck_tests::{Cluster, FULLDECK, HOLDEM, Process, Scene, faults, undisturbed, until};

/// Kills of coordinators and workers together, in as many runs as that takes.
const KILLS: u32 = 26;
/// Merges that are started to be killed.
const MERGE_KILLS: u32 = 8;
/// A worker waits so long for the next coordinator.
const PATIENT: &str = "--reconnect-for 120";

/// How often a worker says that it has registered.
fn registrations(worker: &Process) -> usize {
    worker.stderr().matches("registered").count()
}

/// Starts the coordinator and workers of a story, kills at random until the run is complete or `wanted` kills are
/// done; how many there were.
fn disturb(scene: &Scene, cluster: &mut Cluster<'_>, wanted: u32) -> u32 {
    let mut survivor = cluster.worker("survivor", PATIENT);
    let names = ["second", "third"];
    let mut others = names.map(|name| cluster.worker(name, PATIENT));
    let slices = cluster.json("status last")["slices"]["total"].as_u64().expect("slices") as usize;
    let mut kept = Results::new();
    let mut kills = 0;
    let mut coordinator_kills = 0;
    while kills < wanted && kept.len() < slices {
        let moment = scene.random(|random| random.moment(20..900));
        assert_eq!(cluster.coordinator().code_within(moment), None, "the coordinator ended");
        match scene.random(|random| random.number(0..5)) {
            worker @ 0..2 => {
                let worker = worker as usize;
                assert!(others[worker].runs(), "a worker ended by itself");
                others[worker].kill();
                others[worker] = cluster.worker(names[worker], PATIENT);
            }
            _ => {
                cluster.coordinator().kill();
                coordinator_kills += 1;
                let now = results(&cluster.data());
                assert_kept(&kept, &now);
                kept = now;
                cluster.relaunch();
            }
        }
        kills += 1;
    }
    cluster.await_listening();
    assert_kept(&kept, &results(&cluster.data()));
    cluster.fulldeck("wait last --timeout 100").expect(0);
    assert!(survivor.runs(), "the survivor outlives every restart of the coordinator");
    until("a survivor that has registered again", || {
        let live = cluster.json("workers")["workers"].to_string().contains("\"survivor\"");
        live.then_some(())
    });
    assert!(coordinator_kills == 0 || registrations(&survivor) > 1, "{}", survivor.stderr());
    for worker in others.iter_mut().chain([&mut survivor]) {
        worker.terminate();
        assert_eq!(worker.code(), 0, "{}", worker.stderr());
    }
    kills
}

#[test]
fn coordinator_and_workers_are_killed_and_the_bytes_are_the_same() {
    let expected = undisturbed();
    let mut kills = 0;
    let wanted = faults("FULLDECK_KILLS", KILLS);
    while kills < wanted {
        let scene = Scene::new();
        let mut cluster = Cluster::start(&scene);
        let submit = format!("submit {HOLDEM} --slices 93");
        assert_eq!(cluster.json(&submit)["existed"], false);
        kills += disturb(&scene, &mut cluster, wanted - kills);
        let before = results(&cluster.data());
        let submitted = cluster.json(&submit);
        assert_eq!((&submitted["existed"], &submitted["run"]), (&true.into(), &1.into()));
        let status = cluster.json("status last");
        assert_eq!((&status["state"], &status["artifact"]), (&"finished".into(), &().into()));
        assert_eq!(status["slices"]["committed"], before.len());
        assert_eq!(status["mismatched"], 0);
        cluster.coordinator().kill();

        killed_while_merging(&scene, &mut cluster);
        scene.artifact("data").assert_is(expected);
        assert_eq!(results(&cluster.data()), before, "merging changes no result");
    }
    eprintln!("{kills} kills");
}

/// An artifact is there whole or not at all, whenever the merge is killed.
fn killed_while_merging(scene: &Scene, cluster: &mut Cluster<'_>) {
    for _ in 0..MERGE_KILLS {
        let mut merge = scene.start(FULLDECK, "merge last --data-dir data -o json");
        let moment = scene.random(|random| random.moment(1..60));
        match merge.code_within(moment) {
            Some(code) => assert_eq!(code, 0, "{}", merge.stderr()),
            None => merge.kill(),
        }
        if !scene.merged("data").is_empty() {
            scene.artifact("data").assert_is(undisturbed());
        }
    }
    cluster.relaunch();
    cluster.await_listening();
    let merged = cluster.json("merge last");
    assert_eq!(merged["artifact_digest"], undisturbed().digest());
    let left = scene.artifacts("data");
    assert_eq!(left.len(), 1, "killed merges left something behind: {left:?}");
    cluster.coordinator().terminate();
    assert_eq!(cluster.coordinator().code(), 0);
    assert_eq!(scene.json("merge 1 --data-dir data"), merged, "merged is merged");
}
