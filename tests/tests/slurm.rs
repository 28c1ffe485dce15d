//! `deploy/slurm` on a real Slurm: virtual nodes of this machine, started and ended by each story.

use std::path::Path;

use fulldeck_tests::bundles::{files, held};
use fulldeck_tests::{HOLDEM, HOLDEM_DIGEST, Scene, Slurm, undisturbed, until};

/// Slices of the run.
const PLANNED: usize = 51;

/// The run, cut so that there is something to interrupt.
fn run() -> String {
    format!("{HOLDEM} --slices 48")
}

/// Variables of all jobs.
fn variables<'a>(run: &'a str, data: &'a str, out: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("FULLDECK_RUN", run),
        ("FULLDECK_DATA_DIR", data),
        ("FULLDECK_OUT", out),
        ("FULLDECK_LINGER", "5"),
        // Only this machine is to reach it.
        (
            "FULLDECK_COORDINATOR_FLAGS",
            "--listen 127.0.0.1:0 --tls-self-signed --http-listen none --validate off",
        ),
    ]
}

fn merged(scene: &Scene) {
    let artifact = scene.artifact("data");
    assert_eq!(artifact.digest(), HOLDEM_DIGEST);
    artifact.assert_is(undisturbed());
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of letters")
}

fn committed(scene: &Scene) -> u64 {
    let status = scene.fulldeck("status last --data-dir data -o json");
    let status: serde_json::Value = serde_json::from_str(&status.stdout).unwrap_or_default();
    status["slices"]["committed"].as_u64().unwrap_or_default()
}

#[test]
fn a_coordinator_and_an_array_of_workers_lose_an_element_and_a_node() {
    let scene = Scene::new();
    let Some(slurm) = Slurm::start(&scene) else { return };
    let (run, data) = (run(), scene.path("data"));
    let variables = variables(&run, text(&data), "");
    let coordinator = slurm.submit("coordinator.sbatch", &["--exclusive"], &variables);
    let workers = slurm.submit("workers.sbatch", &["--array=0-3", "--cpus-per-task=1"], &variables);
    until("first results", || (committed(&scene) > 4).then_some(()));
    slurm.ask("scancel", &[&format!("{workers}_1")]);
    slurm.ask("scontrol", &["update", "nodename=n2", "state=drain", "reason=test"]);
    let seen = slurm.ask("sinfo", &["-h", "-N", "-n", "n2", "-o", "%T"]);
    assert!(seen.starts_with("drain"), "n2 is {seen}");
    slurm.finished(&coordinator);
    slurm.finished(&workers);
    merged(&scene);
}

#[test]
fn a_coordinator_hands_over_to_its_successor_before_its_time_is_up() {
    let scene = Scene::new();
    let Some(slurm) = Slurm::start(&scene) else { return };
    let (run, data) = (run(), scene.path("data"));
    let variables = variables(&run, text(&data), "");
    let coordinator = slurm.submit("coordinator.sbatch", &[], &variables);
    let workers = slurm.submit("workers.sbatch", &["--array=0-1"], &variables);
    until("first results", || (committed(&scene) > 2).then_some(()));
    // As Slurm does it some time before the end.
    slurm.ask("scancel", &["--batch", "--signal=USR1", &coordinator]);
    slurm.finished(&coordinator);
    slurm.finished(&workers);
    until("the end of the successor", || slurm.ask("squeue", &["-h"]).is_empty().then_some(()));
    assert!(slurm.logs().contains("draining"), "{}", slurm.logs());
    merged(&scene);
}

#[test]
fn an_array_of_shards_is_cancelled_started_again_and_imported() {
    let scene = Scene::new();
    let Some(slurm) = Slurm::start(&scene) else { return };
    let (run, data, out) = (run(), scene.path("data"), scene.path("bundles"));
    let variables = variables(&run, text(&data), text(&out));
    let first = slurm.submit("shards.sbatch", &["--array=0-3"], &variables);
    until("first results", || (held(&out).len() > 4).then_some(()));
    slurm.ask("scancel", &[&format!("{first}_2")]);
    slurm.ask("scontrol", &["update", "nodename=n2", "state=drain", "reason=test"]);
    slurm.finished(&first);
    slurm.ask("scontrol", &["update", "nodename=n2", "state=resume"]);
    let looked = scene.json("import bundles --salvage --dry-run --of 4")["runs"][0].clone();
    let missing = looked["missing_shards"].as_str().expect("a text").to_owned();
    let before = held(&out).len();
    if !missing.is_empty() {
        let mut more = variables.clone();
        more.push(("FULLDECK_OF", "4"));
        let again = slurm.submit("shards.sbatch", &[&format!("--array={missing}")], &more);
        slurm.finished(&again);
    }
    let after = held(&out);
    assert_eq!(after.len(), PLANNED, "{before} before, missing {missing}: {}", slurm.logs());
    assert!(after.values().all(|times| *times == 1), "nothing is computed twice");
    let import = slurm.submit("import.sbatch", &[], &variables);
    slurm.finished(&import);
    merged(&scene);
}

#[test]
fn shards_whose_time_is_up_keep_what_they_have_and_go_on() {
    let scene = Scene::new();
    let Some(slurm) = Slurm::start(&scene) else { return };
    let (run, data, out) = ("omaha".to_owned(), scene.path("data"), scene.path("bundles"));
    let mut variables = variables(&run, text(&data), text(&out));
    variables.extend([("FULLDECK_REQUEUE", "no"), ("FULLDECK_OF", "1")]);
    let array = |time| ["--array=0-0", time];
    let mut slow = variables.clone();
    slow.push(("FULLDECK_CPU", "portable"));
    // One minute is the shortest limit, and much less than the whole takes.
    let first = slurm.submit("shards.sbatch", &array("--time=1"), &slow);
    slurm.finished(&first);
    // It stops by itself, or is told to some seconds before the end: whichever comes first.
    let logs = slurm.logs();
    let ends = ["does not fit into the time", "the time will soon be up"];
    assert!(ends.iter().any(|end| logs.contains(end)), "{logs}");
    assert!(files(&out, "part").is_empty(), "it was not killed");
    let kept = held(&out).len();
    assert!(kept > 0);
    let second = slurm.submit("shards.sbatch", &array("--time=10"), &variables);
    slurm.finished(&second);
    let all = held(&out);
    assert!(all.len() > kept && all.values().all(|times| *times == 1), "{}", slurm.logs());
    let imported = scene.json("import bundles --data-dir data")["runs"][0].clone();
    assert_eq!(imported["imported"], imported["slices"], "{imported}");
    // A job of it as an undisturbed run computes it.
    let part = scene.json("merge last --only aaaa-aaaa --data-dir data");
    scene.json("run omaha --only aaaa-aaaa --data-dir alone");
    let alone = scene.json("merge last --only aaaa-aaaa --data-dir alone");
    assert_eq!(part["artifact_digest"], alone["artifact_digest"]);
}

#[test]
fn the_launcher_submits_both_modes_and_says_so_in_a_dry_run() {
    let scene = Scene::new();
    let Some(slurm) = Slurm::start(&scene) else { return };
    let words = HOLDEM.split_whitespace().collect::<Vec<_>>();
    let dry = [&["--dry-run", "shards", "3", "where"], &words[..]].concat();
    let told = slurm.deployed("launch.sh", &dry, &[]);
    assert_eq!(told, "shards 0\nimport 0\n");
    assert!(slurm.ask("squeue", &["-h"]).is_empty());
    let folder = scene.path("");
    let whole = [&["shards", "3", text(&folder)], &words[..]].concat();
    let told = slurm.deployed("launch.sh", &whole, &[]);
    let import = told.lines().find_map(|line| line.strip_prefix("import ")).expect("a job");
    slurm.finished(import);
    merged(&scene);
}
