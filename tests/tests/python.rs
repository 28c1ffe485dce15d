//! The artifact read by Python's own means, without a word of fulldeck.

use std::process::Command;

use fulldeck_tests::{HOLDEM, Scene};

/// The interpreter; `python3` unless this names another.
const PYTHON: &str = "FULLDECK_PYTHON";
/// What must not be skipped, separated by commas.
const REQUIRE: &str = "FULLDECK_REQUIRE";

/// An interpreter with numpy, or why there is none.
fn python() -> Result<String, String> {
    let python = std::env::var(PYTHON).unwrap_or_else(|_| "python3".to_owned());
    match Command::new(&python).args(["-c", "import numpy"]).output() {
        Ok(output) if output.status.success() => Ok(python),
        Ok(_) => Err(format!("{python} has no package numpy")),
        Err(error) => Err(format!("no {python} with the package numpy: {error}")),
    }
}

#[test]
fn numpy_and_csv_read_the_artifact() {
    let python = match python() {
        Ok(python) => python,
        Err(missing) => {
            let required = std::env::var(REQUIRE).unwrap_or_default();
            assert!(!required.split(',').any(|name| name == "python"), "{missing}");
            eprintln!("skipped: {missing}; {PYTHON} may name an interpreter that has it");
            return;
        }
    };
    let scene = Scene::new();
    scene.json(&format!("run {HOLDEM}"));
    let answers: Vec<_> =
        ["AsAh KdKc", "KdKc AsAh", "7h2d AsKs", "AsKs 7h2d", "QsJs QhJh", "9c9d 9h9s"]
            .map(|hands| scene.json(&format!("query last {hands}")))
            .into();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/artifact.py");
    let output = Command::new(python)
        .arg(script)
        .arg(&scene.merged("fulldeck-data")[0])
        .arg(serde_json::Value::from(answers).to_string())
        .output()
        .expect("the interpreter that has just run");
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    assert!(out.contains("28561 cells recounted, 6 answers compared"), "{out}");
}
