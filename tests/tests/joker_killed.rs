//! The table of joker hold'em by a cluster whose coordinator and workers are killed.

use fulldeck_tests::{Cluster, Scene, until};

const RUN: &str = "joker -p stage=4";
/// After so many committed slices something is killed; the run has more.
const KILLS_AFTER: [u64; 6] = [2, 6, 11, 17, 24, 32];
const PATIENT: &str = "--reconnect-for 120";

#[test]
fn a_disturbed_cluster_gives_the_bytes_of_an_undisturbed_run() {
    let calm = Scene::new();
    calm.json(&format!("run {RUN} --slices 20"));
    let expected = calm.artifact("fulldeck-data");

    let scene = Scene::new();
    let mut cluster = Cluster::start(&scene);
    cluster.json(&format!("submit {RUN} --slices 48"));
    let names = ["first", "second"];
    let mut workers = names.map(|name| cluster.worker(name, PATIENT));
    for (turn, wanted) in KILLS_AFTER.into_iter().enumerate() {
        until("more committed slices", || (cluster.committed() >= wanted).then_some(()));
        if turn % 3 == 2 {
            cluster.relaunch();
            cluster.await_listening();
        } else {
            let worker = turn % 2;
            workers[worker].kill();
            workers[worker] = cluster.worker(names[worker], PATIENT);
        }
    }
    cluster.fulldeck("wait last --timeout 100").expect(0);
    let merged = cluster.json("merge last");
    assert_eq!(merged["artifact_digest"], expected.digest());
    scene.artifact("data").assert_is(&expected);
    for worker in &mut workers {
        worker.terminate();
        assert_eq!(worker.code(), 0, "{}", worker.stderr());
    }
}
