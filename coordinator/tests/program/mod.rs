//! The program, started in a folder without variables of its own.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

pub(crate) fn fulldeck(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fulldeck"));
    let ours = std::env::vars_os().map(|(name, _)| name);
    for name in ours.filter(|name| name.to_string_lossy().starts_with("FULLDECK_")) {
        command.env_remove(name);
    }
    // Data folders are copied.
    command.env("FULLDECK_RESERVE", "0").current_dir(folder).args(words);
    command
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The JSON answer of a command that ends with `code`; its words are separated by spaces.
pub(crate) fn json(folder: &Path, words: &str, code: i32) -> Value {
    let words: Vec<_> = words.split_whitespace().chain(["-o", "json"]).collect();
    let output = fulldeck(folder, &words).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
}
