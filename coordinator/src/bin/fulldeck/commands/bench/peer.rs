//! Another program that plays the same matchups.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::error::CliError;

/// Plays pairs of hands with a Python package.
const SCRIPT: &str = include_str!("peer.py");

/// What the other program said.
pub(super) struct Peer {
    pub(super) name: String,
    pub(super) played: Vec<Played>,
}

/// One matchup.
pub(super) struct Played {
    pub(super) seconds: f64,
    /// Win, tie, lose.
    pub(super) outcome: [u64; 3],
}

impl Peer {
    /// Lets it play these pairs.
    pub(super) fn play(
        python: &Path,
        cards: usize,
        pairs: &[[String; 2]],
    ) -> Result<Self, CliError> {
        let shown = python.display();
        let failed = |why: String| {
            CliError::usage(format!("{shown} cannot play: {why}"))
                .hint("a Python with the package is wanted: pip install poker-equity")
        };
        let mut child = Command::new(python)
            .args(["-c", SCRIPT, &cards.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let text: String = pairs.iter().map(|[a, b]| format!("{a} {b}\n")).collect();
        if let Some(mut input) = child.stdin.take() {
            // A program that ends early says why on its standard error.
            let _ = input.write_all(text.as_bytes());
        }
        let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(failed(said.lines().last().unwrap_or("it failed silently").to_owned()));
        }
        let said = String::from_utf8_lossy(&output.stdout);
        understood(&said, pairs.len())
            .ok_or_else(|| failed(format!("its answer is not understood: {said}")))
    }
}

fn understood(said: &str, pairs: usize) -> Option<Peer> {
    let mut lines = said.lines().map(|line| serde_json::from_str::<Value>(line).ok());
    let name = lines.next()??.get("name")?.as_str()?.to_owned();
    let played: Vec<Played> = lines
        .map(|line| {
            let line = line?;
            let outcome: Vec<u64> =
                line.get("outcome")?.as_array()?.iter().filter_map(Value::as_u64).collect();
            let seconds = line.get("seconds")?.as_f64()?;
            Some(Played { seconds, outcome: outcome.try_into().ok()? })
        })
        .collect::<Option<_>>()?;
    (played.len() == pairs).then_some(Peer { name, played })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_and_half_answers_are_not() {
        let said = "{\"name\": \"x 1\"}\n{\"seconds\": 0.5, \"outcome\": [1, 2, 3]}\n";
        let peer = understood(said, 1).unwrap();
        assert_eq!((peer.name.as_str(), peer.played[0].outcome), ("x 1", [1, 2, 3]));
        assert!(understood(said, 2).is_none());
        assert!(understood("{\"name\": \"x\"}\nnonsense\n", 1).is_none());
        assert!(understood("", 0).is_none());
    }
}
