//! RLCard, written by others, as referee of Dou Dizhu.

use std::process::Command;

use fulldeck_tests::{FULLDECK, program};

/// The interpreter; `python3` unless this names another.
const PYTHON: &str = "FULLDECK_PYTHON";
/// What must not be skipped, separated by commas.
const REQUIRE: &str = "FULLDECK_REQUIRE";
/// Games of each role against RLCard's rule agent.
const GAMES: u32 = 1_000;

/// An interpreter with RLCard, or why there is none.
fn python() -> Result<String, String> {
    let python = std::env::var(PYTHON).unwrap_or_else(|_| "python3".to_owned());
    match Command::new(&python).args(["-c", "import rlcard.games.doudizhu"]).output() {
        Ok(output) if output.status.success() => Ok(python),
        Ok(_) => Err(format!("{python} has no package rlcard")),
        Err(error) => Err(format!("no {python} with the package rlcard: {error}")),
    }
}

#[test]
fn rlcard_allows_our_games_and_loses_as_measured() {
    let python = match python() {
        Ok(python) => python,
        Err(missing) => {
            let required = std::env::var(REQUIRE).unwrap_or_default();
            assert!(!required.split(',').any(|name| name == "rlcard"), "{missing}");
            eprintln!("skipped: {missing}; {PYTHON} may name an interpreter that has it");
            return;
        }
    };
    let output = Command::new(python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rlcard_referee.py"))
        .arg(program(FULLDECK))
        .arg(GAMES.to_string())
        .output()
        .expect("the interpreter that has just run");
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    let counted: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    eprintln!("{counted}");
    assert_eq!(counted["replayed"], 72, "{counted}");
    let rate = |name: &str| counted[name].as_f64().expect("a win rate");
    assert!(rate("seed_rule") >= 0.64, "{counted}");
    assert!(rate("rule_seed") <= 0.34, "{counted}");
    assert!(counted["illegal"].as_u64() <= Some(2), "{counted}");
}
