//! The one error of the program: what a person reads in one line, and the exit code.

use std::io::Write;

use fulldeck_service::exit;
use serde_json::{Value, json};

/// Why a command did not do what was asked.
#[derive(Debug)]
pub(crate) struct CliError {
    /// A constant of [`exit`].
    pub(crate) exit: u8,
    /// Stable word for programs.
    pub(crate) kind: &'static str,
    /// What is wrong, and where.
    pub(crate) message: String,
    /// What would be right, or what to do next.
    pub(crate) hint: Option<String>,
}

impl CliError {
    fn new(exit: u8, kind: &'static str, message: impl Into<String>) -> Self {
        Self { exit, kind, message: message.into(), hint: None }
    }

    pub(crate) fn unexpected(message: impl Into<String>) -> Self {
        Self::new(exit::UNEXPECTED, "unexpected", message)
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(exit::USAGE, "usage", message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(exit::NOT_FOUND, "not_found", message)
    }

    pub(crate) fn run_failed(message: impl Into<String>) -> Self {
        Self::new(exit::RUN_FAILED, "run_failed", message)
    }

    pub(crate) fn timed_out(message: impl Into<String>) -> Self {
        Self::new(exit::TIMED_OUT, "timed_out", message)
    }

    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self::new(exit::UNREACHABLE, "unreachable", message)
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(exit::CONFLICT, "conflict", message)
    }

    pub(crate) fn damaged(message: impl Into<String>) -> Self {
        Self::new(exit::STORE_DAMAGED, "damaged", message)
    }

    pub(crate) fn incomplete(message: impl Into<String>) -> Self {
        Self::new(exit::RESUMABLE, "incomplete", message)
    }

    /// A second signal ended the command: `code` is 130 or 143.
    pub(crate) fn signalled(code: u8, message: impl Into<String>) -> Self {
        Self::new(code, "signal", message)
    }

    /// The reader of our standard output went away: nothing is said about it.
    pub(crate) fn broken_pipe() -> Self {
        Self::new(exit::OK, "broken_pipe", String::new())
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// As JSON: `{"kind", "message", "hint"}`.
    pub(crate) fn json(&self) -> Value {
        json!({ "kind": self.kind, "message": self.message, "hint": self.hint })
    }

    /// Writes the error to standard error: one line, or one JSON object. Errors of standard error itself have
    /// nowhere to go.
    pub(crate) fn report(&self, as_json: bool, colour: bool) {
        if self.message.is_empty() {
            return;
        }
        let mut stderr = std::io::stderr().lock();
        let _ = if as_json {
            writeln!(stderr, "{}", json!({ "error": self.json() }))
        } else {
            let head = if colour { "\u{1b}[1;31merror:\u{1b}[0m" } else { "error:" };
            writeln!(stderr, "{head} {}", self.line())
        };
    }

    /// Message and hint in one line.
    pub(crate) fn line(&self) -> String {
        let mut line = one_line(&self.message);
        if let Some(hint) = &self.hint {
            line.push_str("; ");
            line.push_str(&one_line(hint));
        }
        line
    }
}

/// Control characters would let a file name or a server rewrite the terminal: they become spaces.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect::<String>()
        .trim()
        .to_owned()
}

/// An error of standard output or of a file the command writes.
impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Self::broken_pipe()
        } else {
            Self::unexpected(format!("cannot write the output: {error}"))
        }
    }
}

/// An error of the command line itself, in one line: clap's first line, what it suggests, and where to read on.
impl From<&clap::Error> for CliError {
    fn from(error: &clap::Error) -> Self {
        let text = error.to_string();
        let before_usage = text.split("Usage:").next().unwrap_or_default();
        let mut parts = before_usage
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with("For more information"));
        let first = parts.next().unwrap_or("the command line is malformed");
        let mut message = first.trim_start_matches("error: ").to_owned();
        for part in parts {
            let joint = if message.ends_with(':') { " " } else { "; " };
            message.push_str(joint);
            message.push_str(part.trim_start_matches("tip: "));
        }
        Self::usage(message).hint("see --help")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_without_control_characters() {
        let error = CliError::usage("bad\nname \u{1b}[31m").hint("use a\tgood one");
        assert_eq!(error.line(), "bad name  [31m; use a good one");
    }

    #[test]
    fn errors_of_the_command_line_keep_what_would_be_right() {
        let command = clap::Command::new("x")
            .arg(clap::Arg::new("shape").long("shape").value_parser(["round", "square"]));
        let error = command.try_get_matches_from(["x", "--shape", "oval"]).unwrap_err();
        let error = CliError::from(&error);
        assert_eq!(error.exit, exit::USAGE);
        assert!(error.line().contains("'oval'"), "{}", error.line());
        assert!(error.line().contains("round, square"), "{}", error.line());
    }
}
