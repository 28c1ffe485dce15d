//! One question by the arguments, or many on standard input in the same words.

use clap::{Args, Command};
use fulldeck_common::doudizhu::answers::Answer;
use fulldeck_service::exit;

use super::reply::Reply;
use crate::app::App;
use crate::error::CliError;
use crate::questions;

/// A question whose words can be given as arguments or as a line.
pub(super) trait Ask: Args {
    /// Whether the questions come on standard input.
    fn stdin(&self) -> bool;
    /// The answer to this one.
    fn answer(&self) -> Result<Answer, CliError>;
}

/// Answers the question, or every line of standard input.
pub(super) fn ask<Q: Ask>(asked: &Q, app: &App) -> Result<u8, CliError> {
    if asked.stdin() {
        let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout().lock());
        return questions::answer_all(&mut input, &mut out, |words| parse::<Q>(words)?.answer());
    }
    app.output.print(&Reply(asked.answer()?))?;
    Ok(exit::OK)
}

/// The words of a line as the arguments of the command.
fn parse<Q: Ask>(words: &[String]) -> Result<Q, CliError> {
    let command =
        Q::augment_args(Command::new("line").no_binary_name(true).disable_help_flag(true));
    let mut matches =
        command.try_get_matches_from(words).map_err(|error| CliError::from(&error))?;
    let asked = Q::from_arg_matches_mut(&mut matches).map_err(|error| CliError::from(&error))?;
    if asked.stdin() {
        return Err(CliError::usage("--stdin in a line: a line is one question"));
    }
    Ok(asked)
}
