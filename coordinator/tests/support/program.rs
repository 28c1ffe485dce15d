//! The program in an empty folder and without variables of its own.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

pub(crate) struct Answer(pub(crate) Output);

/// Runs the words, separated by spaces, with `input` on standard input.
pub(crate) fn run_in(folder: &Path, words: &[&str], input: &str) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fulldeck"));
    let ours = std::env::vars_os().map(|(name, _)| name);
    for name in ours.filter(|name| name.to_string_lossy().starts_with("FULLDECK_")) {
        command.env_remove(name);
    }
    command.env_remove("NO_COLOR").current_dir(folder).args(words).write_stdin(input);
    Answer(command.output().unwrap())
}

/// The same in a folder of its own, in which nothing may be left.
pub(crate) fn run(words: &str, input: &str) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    let answer = run_in(folder.path(), &words.split(' ').collect::<Vec<_>>(), input);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{words} left something");
    answer
}

impl Answer {
    pub(crate) fn code(&self) -> i32 {
        self.0.status.code().unwrap()
    }

    pub(crate) fn out(&self) -> &str {
        std::str::from_utf8(&self.0.stdout).unwrap()
    }

    pub(crate) fn err(&self) -> &str {
        std::str::from_utf8(&self.0.stderr).unwrap()
    }

    /// Standard output, after success.
    #[track_caller]
    pub(crate) fn good(&self) -> &str {
        assert_eq!((self.code(), self.err()), (0, ""));
        self.out()
    }

    /// Standard output as JSON, after success.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(self.good()).unwrap()
    }

    /// Standard output as one JSON document a line.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// One line on standard error that has all parts, nothing on standard output, exit code 2, nothing left behind.
#[track_caller]
pub(crate) fn refused(words: &str, parts: &[&str]) {
    let answer = run(words, "");
    let text = answer.err();
    assert_eq!((answer.code(), answer.out()), (2, ""), "{words}: {text}");
    assert_eq!(text.lines().count(), 1, "{words}: {text}");
    for part in parts {
        assert!(text.contains(part), "{words} lacks '{part}': {text}");
    }
}
