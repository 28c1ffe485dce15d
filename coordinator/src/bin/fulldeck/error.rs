//! The one error of the program: what a person reads in one line, and the exit code.

use std::io::Write;

use fulldeck_service::{UsageError, exit};
use serde_json::{Value, json};

use crate::output::SCHEMA;
use crate::output::units::grouped;

/// Longest quotation of what was given, in characters; of a longer one the beginning is shown.
const MAX_QUOTED: usize = 120;
/// How much of it.
const QUOTED: usize = 60;

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
    /// Errors of libraries end in what would be right, after a semicolon: that is the hint.
    fn new(exit: u8, kind: &'static str, message: impl Into<String>) -> Self {
        let text = shortened(&message.into());
        let (message, hint) = match text.split_once("; ") {
            Some((message, hint)) => (message.to_owned(), Some(hint.to_owned())),
            None => (text, None),
        };
        Self { exit, kind, message, hint }
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

    pub(crate) fn mismatch(message: impl Into<String>) -> Self {
        Self::new(exit::MISMATCH, "mismatch", message)
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

    /// Adds what would be right.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(match self.hint {
            Some(known) => format!("{known}; {}", hint.into()),
            None => hint.into(),
        });
        self
    }

    /// Says what would be right in place of what was said before.
    pub(crate) fn only_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// As JSON: `{"schema", "error": {"kind", "message", "hint"}}`.
    pub(crate) fn json(&self) -> Value {
        let error = json!({ "kind": self.kind, "message": self.message, "hint": self.hint });
        json!({ "schema": SCHEMA, "error": error })
    }

    /// Writes the error to standard error: one line, or one JSON object. Errors of standard error itself have
    /// nowhere to go.
    pub(crate) fn report(&self, as_json: bool, colour: bool) {
        if self.message.is_empty() {
            return;
        }
        let mut stderr = std::io::stderr().lock();
        let _ = if as_json {
            writeln!(stderr, "{}", self.json())
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

impl From<UsageError> for CliError {
    fn from(error: UsageError) -> Self {
        Self::usage(error.message).hint(error.hint)
    }
}

/// Words of one question among many.
impl From<&clap::Error> for CliError {
    fn from(error: &clap::Error) -> Self {
        UsageError::new(error, &clap::Command::new("fulldeck"), &[]).into()
    }
}

/// Quotations of what was given may be of any length: long ones are cut.
fn shortened(text: &str) -> String {
    let mut parts = text.split('\'');
    let mut short = parts.next().unwrap_or_default().to_owned();
    for (number, part) in parts.enumerate() {
        short.push('\'');
        let (quoted, length) = (number % 2 == 0, part.chars().count());
        if quoted && length > MAX_QUOTED {
            short.extend(part.chars().take(QUOTED));
            short.push_str(&format!("... ({} characters)", grouped(length as u64)));
        } else {
            short.push_str(part);
        }
    }
    short
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
    fn what_would_be_right_is_the_hint() {
        let error = CliError::usage("no, here; yes").hint("or perhaps");
        assert_eq!(
            (&error.message[..], error.hint.as_deref()),
            ("no, here", Some("yes; or perhaps"))
        );
        assert_eq!(error.line(), "no, here; yes; or perhaps");
        assert_eq!(error.json()["schema"], SCHEMA);
        assert_eq!(error.json()["error"]["hint"], "yes; or perhaps");
        assert_eq!(CliError::usage("no").hint, None);
    }

    #[test]
    fn what_was_given_is_not_repeated_at_any_length() {
        let line = CliError::usage(format!("unexpected '{}' found", "x".repeat(6000))).line();
        assert_eq!(line, format!("unexpected '{}... (6,000 characters)' found", "x".repeat(60)));
        let whole = format!("'{}' is no hand", "As".repeat(60));
        assert_eq!(CliError::usage(&whole).line(), whole);
    }
}
