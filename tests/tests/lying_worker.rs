//! Workers whose results are wrong, but pass every identity and carry the right digest.

use fulldeck_tests::{Cluster, HOLDEM, HOLDEM_DIGEST, Scene, until};

fn quarantined(cluster: &Cluster<'_>) -> Vec<String> {
    let workers = cluster.json("workers")["workers"].as_array().expect("a list").clone();
    let of = |worker: &serde_json::Value| worker["host_key"].as_str().expect("a text").to_owned();
    workers.iter().filter(|worker| worker["state"] == "quarantined").map(of).collect()
}

#[test]
fn with_a_quorum_every_lie_is_found_out() {
    let scene = Scene::new();
    let cluster = Cluster::start_with(&scene, "--validate quorum:2");
    cluster.json(&format!("submit {} --slices 24", HOLDEM));
    let _liar = cluster.strange_worker("lie:40", "liar", "--host liar");
    until("results of the liar", || {
        (cluster.json("status last")["checks"]["doubted"].as_u64().unwrap() > 3).then_some(())
    });
    let _honest = ["h1", "h2"].map(|host| cluster.worker(host, &format!("--host {host}")));
    assert_eq!(cluster.fulldeck("wait last --timeout 100").expect(0).code, 0);
    let status = cluster.json("status last");
    assert!(status["mismatched"].as_u64().unwrap() > 0, "{status}");
    assert_eq!(quarantined(&cluster), ["liar"]);
    assert_eq!(cluster.json("merge last")["artifact_digest"], HOLDEM_DIGEST);
    // A person may believe it again.
    cluster.fulldeck("release liar").expect(0);
    assert!(quarantined(&cluster).is_empty());
}

#[test]
fn without_checks_a_lie_gets_into_the_artifact_and_verify_finds_it() {
    let scene = Scene::new();
    let cluster = Cluster::start_with(&scene, "--validate off");
    cluster.json(&format!("submit {} --slices 24", HOLDEM));
    let mut liar = cluster.strange_worker("lie:100", "liar", "--host liar --exit-when-done");
    assert_eq!(liar.code(), 0);
    assert_ne!(cluster.json("merge last")["artifact_digest"], HOLDEM_DIGEST);
    let report = scene.fulldeck("verify last --sample 1% --data-dir data -o json").expect(6).json();
    assert!(report["mismatched"].as_u64().unwrap() > 0, "{report}");
}

#[test]
fn a_single_host_confirms_itself_and_that_is_said() {
    let scene = Scene::new();
    let cluster = Cluster::start_with(&scene, "--validate spot:30%");
    cluster.json(&format!("submit {} --slices 24", HOLDEM));
    let mut worker = cluster.worker("alone", "--exit-when-done");
    assert_eq!(worker.code(), 0);
    let status = cluster.json("status last");
    assert_eq!(status["state"], "finished");
    assert_eq!(status["checks"]["confirmed"], 0);
    assert!(status["checks"]["confirmed_alone"].as_u64().unwrap() > 0, "{status}");
    let shown = cluster.fulldeck("status last").expect(0).stdout;
    assert!(shown.contains("confirmed by the same host only"), "{shown}");
    assert_eq!(cluster.json("merge last")["artifact_digest"], HOLDEM_DIGEST);
}
