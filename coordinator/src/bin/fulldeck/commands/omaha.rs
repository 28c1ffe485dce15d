//! `fulldeck omaha matchup A B`

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args, Subcommand};
use fulldeck_common::omaha::{MatchupError, Matchups};
use fulldeck_service::exit;
use serde_json::{Map, Value};

use super::query::Record;
use crate::app::App;
use crate::error::CliError;
use crate::questions;

/// Flags of `omaha`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck omaha matchup AsAhKsKh JcTc9d8d --board 2s3s4s")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, Subcommand)]
enum Question {
    /// One hand against another, exactly: win, tie and lose over all boards
    Matchup(Matchup),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck omaha matchup AsAhKsKh JcTc9d8d
  fulldeck omaha matchup AsAhKsKh JcTc9d8d --board 2s3s4s
  fulldeck omaha matchup --stdin < pairs.txt")]
struct Matchup {
    /// First hand, e.g. AsAhKsKh: 2 cards (hold'em), 4, 5 or 6
    #[arg(value_name = "A", required_unless_present = "stdin")]
    a: Option<String>,
    /// Second hand
    #[arg(value_name = "B", required_unless_present = "stdin")]
    b: Option<String>,
    /// Board so far: 3, 4 or 5 cards
    #[arg(long, env = "FULLDECK_BOARD", value_name = "CARDS")]
    board: Option<String>,
    /// Answer many: two hands and perhaps a board a line on standard input, one JSON line each
    #[arg(long, env = "FULLDECK_STDIN", conflicts_with_all = ["a", "b", "board"])]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    stdin: bool,
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let Question::Matchup(asked) = &arguments.question;
    let matchups = Matchups::new(app.backend);
    if asked.stdin {
        let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout().lock());
        return questions::answer_all(&mut input, &mut out, |words| by_words(&matchups, words));
    }
    let (a, b) = (asked.a.as_deref().unwrap_or_default(), asked.b.as_deref().unwrap_or_default());
    app.output.print(&Record(matchups.answer(a, b, asked.board.as_deref())?))?;
    Ok(exit::OK)
}

/// The words of one line: two hands, and a board or `--board` and a board.
fn by_words(matchups: &Matchups, words: &[String]) -> Result<Map<String, Value>, CliError> {
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let (a, b, board) = match words[..] {
        [a, b] => (a, b, None),
        [a, b, board] | [a, b, "--board", board] => (a, b, Some(board)),
        _ => {
            return Err(CliError::usage(format!("the line has {} words", words.len())).hint(
                "two hands and perhaps a board are right, each without spaces or in quotes",
            ));
        }
    };
    Ok(matchups.answer(a, b, board)?)
}

impl From<MatchupError> for CliError {
    fn from(error: MatchupError) -> Self {
        Self::usage(error.to_string())
    }
}
