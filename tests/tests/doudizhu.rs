//! Dou Dizhu across processes: whoever computes, whoever dies, the bytes are the same.

use fulldeck_tests::{Cluster, Scene, until};

/// A tournament of some seconds, endgames that need a second round, and a small table of groups.
const RUNS: [&str; 3] = [
    "doudizhu -p a=seed -p b=greedy -p deals=1500 -p landlord=bid",
    "doudizhu -p task=endgames -p each=6 -p positions=800 -p budget=512 -p rounds=3",
    "doudizhu -p task=groups -p cards=9",
];

/// Slices of each run: enough for every worker to have some when one is killed.
const SLICES: &str = "--slices 60";

#[test]
fn three_workers_one_of_them_killed_give_the_bytes_of_one() {
    for run in RUNS {
        let alone = Scene::new();
        alone.json(&format!("run {run}"));
        let expected = alone.artifact("fulldeck-data");

        let scene = Scene::new();
        let cluster = Cluster::start(&scene);
        let submitted = cluster.json(&format!("submit {run} {SLICES}"));
        assert_eq!(submitted["existed"], false);
        let mut workers = ["first", "second", "third"].map(|name| cluster.worker(name, ""));
        until("results of several workers", || (cluster.committed() >= 3).then_some(()));
        workers[1].kill();
        cluster.fulldeck("wait last --timeout 100").expect(0);
        let status = cluster.json("status last");
        assert_eq!(status["mismatched"], 0);
        cluster.json("merge last");
        scene.artifact("data").assert_is(&expected);
    }
}

#[test]
fn a_run_is_asked_and_verified() {
    let scene = Scene::new();
    scene.json("run doudizhu -p a=seed -p b=random -p deals=200");
    let answer = scene.json("query last seed random");
    assert_eq!(answer["a_landlord_games"], 200);
    let wins = |side: &str| answer[format!("{side}_landlord_wins")].as_u64().expect("wins");
    assert!(wins("a") > 150 && wins("b") < 30, "{answer}");
    let report = scene.json("verify last --sample 20%");
    assert_eq!((&report["checked"], &report["mismatched"]), (&40.into(), &0.into()));
    scene.fulldeck("query last seed greedy").expect(2).says(&["did not meet", "seed-random"]);

    scene.json("run doudizhu -p task=groups -p cards=7");
    let answer = scene.json("query last 3456733");
    assert_eq!((&answer["groups"], &answer["cards"]), (&2.into(), &7.into()));
    scene.fulldeck("query last 33333").expect(2).says(&["four of a rank"]);
    assert_eq!(scene.json("verify last --sample 1%")["mismatched"], 0);

    scene.json("run doudizhu -p task=endgames -p each=5 -p positions=100");
    let answer = scene.json("query last 17");
    let words =
        ["landlord", "farmer_down", "farmer_up"].map(|name| answer[name].as_str().expect("a hand"));
    let solved = scene.json(&format!("doudizhu endgame {}", words.join(" ")));
    assert_eq!(
        solved["landlord_wins"] == true,
        answer["winner"] == "landlord",
        "{answer} {solved}"
    );
    assert_eq!(scene.json("verify last --sample 10%")["mismatched"], 0);
}
