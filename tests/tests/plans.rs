//! The artifact is the same however the work is cut, shared and computed.

use fulldeck_tests::{HOLDEM, Scene, undisturbed};

#[test]
fn threads_workers_slices_and_instructions_change_no_byte() {
    let expected = undisturbed();
    for how in [
        "--threads 1 --slices 3",
        "--threads 2 --workers 3 --slices 93",
        "--threads 2 --workers 1 --slices 24 --cpu portable",
    ] {
        let scene = Scene::new();
        scene.json(&format!("run {HOLDEM} {how}"));
        scene.artifact("fulldeck-data").assert_is(expected);
    }
}
