//! `fulldeck joker ...`: questions about hold'em with jokers that need no run.

mod lines;
mod questions;
mod show;

use clap::{Args, Subcommand};

use crate::app::App;
use crate::error::CliError;
use questions::{Best, Compare, Convert, Frequencies, OddsOf, Preflop};

/// Flags of `joker`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, Subcommand)]
enum Question {
    /// The best five of five to seven cards, what the jokers became, and where the hand stands
    Best(Best),
    /// Which of two hands of five to seven cards is worth more
    Compare(Compare),
    /// Exact win, tie and lose of two hole cards, against any hand or a given one
    Odds(OddsOf),
    /// Exact odds of starting hands: all as a grid, or one
    Preflop(Preflop),
    /// How many hands are of each type
    Frequencies(Frequencies),
    /// Cards in all their forms: As Td *1, Chinese text, decimal key
    Convert(Convert),
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    match &arguments.question {
        Question::Best(asked) => lines::ask(asked, app),
        Question::Compare(asked) => lines::ask(asked, app),
        Question::Odds(asked) => lines::ask(asked, app),
        Question::Preflop(asked) => lines::ask(asked, app),
        Question::Frequencies(asked) => lines::ask(asked, app),
        Question::Convert(asked) => lines::ask(asked, app),
    }
}
