//! A number put together from residues that several workers computed, one of which was killed.

use fulldeck_tests::{Cluster, Scene, until};

/// Ten players, the small blind: 1,063,758 digits, 447 rows of primes.
const RUN: &str = "betting -p task=residues -p players=10 -p seat=8";
/// SHA-256 of the digits, as two other programs found it.
const SHA256: &str = "7555c7966207c3368018384ec963b4b499f85c22d4aadcc196365171fb7779bd";

/// One a row.
const SLICES: u64 = 447;

#[test]
fn a_killed_worker_changes_no_digit() {
    let scene = Scene::new();
    let mut cluster = Cluster::start(&scene);
    let planned = cluster.json(&format!("submit {RUN} --slices {SLICES}"));
    assert_eq!(planned["slices"], SLICES);
    let mut victim = cluster.worker("victim", "");
    until("a committed slice", || (cluster.committed() > 0).then_some(()));
    victim.kill();
    let before = cluster.committed();
    let workers = ["second", "third"].map(|name| cluster.worker(name, ""));
    cluster.fulldeck("wait last --timeout 100").expect(0);
    let merged = cluster.json("merge last");
    assert!(before < SLICES, "the victim was killed too late: {before} slices");
    assert_eq!(merged["facts"]["sha256"], SHA256);
    assert_eq!(merged["facts"]["digits"], 1_063_758);
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
