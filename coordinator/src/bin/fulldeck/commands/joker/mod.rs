//! `fulldeck joker ...`: questions about hold'em with jokers that need no run.

mod lines;
mod plot;
mod questions;
mod show;

use clap::{Args, Subcommand};

use crate::app::App;
use crate::error::CliError;
use questions::{Best, Compare, Convert, Frequencies, OddsOf, Preflop};

/// Flags of `joker`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck joker odds 'As *' --board '2s 4s 5s'
  fulldeck joker preflop")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, Subcommand)]
enum Question {
    /// The best five of five to seven cards, what the jokers became, and where the hand stands
    #[command(after_help = "Examples:\n  fulldeck joker best As Td 9h 5c *1")]
    Best(Best),
    /// Which of two hands of five to seven cards is worth more
    #[command(after_help = "Examples:\n  fulldeck joker compare 'As Ad 9h 5c *' 'Ks Kd Kh 5d 2c'")]
    Compare(Compare),
    /// Exact win, tie and lose of two hole cards, against any hand or a given one
    #[command(
        after_help = "Examples:\n  fulldeck joker odds '3d *' --board '2s 4s 5s Ks' --estimate"
    )]
    Odds(OddsOf),
    /// Exact odds of starting hands: all as a grid, or one
    #[command(after_help = "Examples:\n  fulldeck joker preflop\n  fulldeck joker preflop 'A*'")]
    Preflop(Preflop),
    /// How many hands are of each type
    #[command(after_help = "Examples:\n  fulldeck joker frequencies --cards 7 --deck 53")]
    Frequencies(Frequencies),
    /// Draw the grid of starting hands, what jokers change, or how often types of hands occur
    #[command(
        after_help = "Examples:\n  fulldeck joker plot -o preflop.png\n  fulldeck joker plot --kind difference --minus 52 -o jokers.svg"
    )]
    Plot(plot::Arguments),
    /// Cards in all their forms: As Td *1, Chinese text, decimal key
    #[command(after_help = "Examples:\n  fulldeck joker convert 'As Td *1'")]
    Convert(Convert),
}

impl Arguments {
    /// Whether a picture is drawn.
    pub(crate) const fn draws(&self) -> bool {
        matches!(self.question, Question::Plot(_))
    }
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    match &arguments.question {
        Question::Best(asked) => lines::ask(asked, app),
        Question::Compare(asked) => lines::ask(asked, app),
        Question::Odds(asked) => lines::ask(asked, app),
        Question::Preflop(asked) => lines::ask(asked, app),
        Question::Frequencies(asked) => lines::ask(asked, app),
        Question::Plot(arguments) => plot::execute(arguments, app),
        Question::Convert(asked) => lines::ask(asked, app),
    }
}
