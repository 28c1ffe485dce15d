//! `fulldeck run`, killed at random moments and started again by the same command, as after a power cut.

use fulldeck_tests::checkpoint::{Results, assert_kept, results};
use fulldeck_tests::{FULLDECK, HOLDEM, Scene, faults, undisturbed};

/// Kills of the matrix's runs, in as many runs as that takes.
const KILLS: u32 = 25;
/// Kills of the run of one job.
const KILLS_OF_ONE_JOB: u32 = 6;
/// About how long an undisturbed run takes, in milliseconds; kills come between the first moments and then.
const WHOLE: u64 = 4_000;

/// What the program itself says of the stopped folder must be what lies there.
fn look(scene: &Scene, kept: &Results) {
    if kept.is_empty() {
        return;
    }
    let status = scene.json("status last");
    assert_eq!(status["slices"]["committed"], kept.len(), "{status}");
}

/// Starts the command again and again until it ends by itself; how often it was killed, and its last answer.
fn until_it_ends(scene: &Scene, command: &str, whole: u64) -> (u32, serde_json::Value) {
    let data = scene.path("fulldeck-data");
    let mut kept = Results::new();
    for kills in 0.. {
        let mut run = scene.start(FULLDECK, command);
        let moment = scene.random(|random| {
            let latest = random.one_of(&[whole / 8, whole / 4, whole]);
            random.moment(50..latest)
        });
        if let Some(code) = run.code_within(moment) {
            assert_eq!(code, 0, "{}", run.stderr());
            assert_kept(&kept, &results(&data));
            let answer: serde_json::Value = serde_json::from_str(&run.stdout()).expect("JSON");
            if let Some(computed) = answer["computed_slices"].as_u64() {
                let slices = answer["slices"].as_u64().expect("a number of slices");
                assert_eq!(computed, slices - kept.len() as u64, "only what was missing");
            }
            return (kills, answer);
        }
        run.kill();
        let now = results(&data);
        assert_kept(&kept, &now);
        kept = now;
        // Looking repairs nothing of what the kill left, and must see as much.
        if scene.random(|random| random.coin()) {
            look(scene, &kept);
        }
    }
    unreachable!("it ends at some time")
}

#[test]
fn a_killed_run_goes_on_and_ends_with_the_same_bytes() {
    let expected = undisturbed();
    let mut kills = 0;
    while kills < faults("FULLDECK_KILLS", KILLS) {
        let scene = Scene::new();
        let slices = scene.random(|random| random.one_of(&[24, 48, 93]));
        let workers = scene.random(|random| random.number(1..4));
        let command = format!("run {HOLDEM} --slices {slices} --workers {workers} -o json");
        let (more, _) = until_it_ends(&scene, &command, WHOLE);
        scene.artifact("fulldeck-data").assert_is(expected);
        let again = scene.json(&format!("run {HOLDEM}"));
        assert_eq!(
            (&again["already_merged"], &again["computed_slices"]),
            (&true.into(), &0.into())
        );
        kills += more;
    }
    eprintln!("{kills} kills");
}

#[test]
fn one_job_of_the_large_matrix_keeps_its_results() {
    let command = "run omaha --only aaaa-aaaa --slices 2000 -o json";
    let undisturbed = Scene::new();
    let first = undisturbed.json(command.trim_end_matches(" -o json"));
    let expected = results(&undisturbed.path("fulldeck-data"));
    assert_eq!(first["slices"]["committed"], expected.len());
    let mut kills = 0;
    while kills < KILLS_OF_ONE_JOB {
        let scene = Scene::new();
        let (more, answer) = until_it_ends(&scene, command, WHOLE / 2);
        let found = results(&scene.path("fulldeck-data"));
        assert!(found == expected, "other results than the undisturbed run's");
        assert_eq!(answer["slices"], first["slices"]);
        kills += more;
    }
}
