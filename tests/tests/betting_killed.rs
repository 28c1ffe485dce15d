//! A number put together from residues that several workers computed, one of which was killed.

use fulldeck_tests::{Cluster, Scene, until};

/// Ten players, the big blind: 1,367,685 digits, 575 rows of primes.
const RUN: &str = "betting -p task=residues -p players=10";
/// SHA-256 of the digits, as two other programs found it.
const SHA256: &str = "";

#[test]
fn a_killed_worker_changes_no_digit() {
    let scene = Scene::new();
    let mut cluster = Cluster::start(&scene);
    cluster.json(&format!("submit {RUN} --slices 575"));
    let mut victim = cluster.worker("victim", "");
    until("a committed slice", || (cluster.committed() > 0).then_some(()));
    victim.kill();
    let before = cluster.committed();
    let workers = ["second", "third"].map(|name| cluster.worker(name, ""));
    cluster.fulldeck("wait last --timeout 100").expect(0);
    let merged = cluster.json("merge last");
    assert!(before < 575, "the victim was killed too late: {before} slices");
    assert_eq!(merged["facts"]["sha256"], SHA256);
    assert_eq!(merged["facts"]["digits"], 1_367_685);
    for mut worker in workers {
        worker.terminate();
        assert_eq!(worker.code(), 0, "{}", worker.stderr());
    }
    cluster.coordinator().kill();

    // Cut otherwise, on other threads: the same artifact.
    let other = Scene::new();
    other.json(&format!("run {RUN} --threads 2 --slices 7"));
    other.artifact("fulldeck-data").assert_is(&scene.artifact("data"));
}
