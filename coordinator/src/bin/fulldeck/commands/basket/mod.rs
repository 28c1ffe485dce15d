//! `fulldeck basket ...`

mod matches;
mod play;
mod plot;
mod shape;
mod solve;
mod table;
mod totals;

use clap::{Args, Subcommand};

use crate::app::App;
use crate::error::CliError;

/// Flags of `basket`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck basket play
  fulldeck basket solve 1,1,3")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, Subcommand)]
enum Question {
    /// Play against the program
    #[command(
        after_help = "Examples:\n  fulldeck basket play\n  fulldeck basket play --depth perfect --first you"
    )]
    Play(play::Arguments),
    /// Who wins in a position, and by which moves
    #[command(
        after_help = "Examples:\n  fulldeck basket solve 1,1,3\n  fulldeck basket solve 1,1,3 --misere"
    )]
    Solve(solve::Arguments),
    /// Every position of a basket with its winner and winning moves
    #[command(after_help = "Examples:\n  fulldeck basket table -c 2 -m 3")]
    Table(table::Arguments),
    /// Lost positions and winning moves of a basket of any size, in closed form
    #[command(after_help = "Examples:\n  fulldeck basket totals -c 1000 -m 1000")]
    Totals(totals::Arguments),
    /// Draw a map of all positions of a small basket: who wins
    #[command(
        after_help = "Examples:\n  fulldeck basket plot -o map.png\n  fulldeck basket plot -c 2 -m 7 --misere -o map.svg"
    )]
    Plot(plot::Arguments),
    /// How strong the levels are: exact probabilities that who begins wins
    #[command(after_help = "Examples:\n  fulldeck basket matches")]
    Matches(matches::Arguments),
}

impl Arguments {
    /// Whether a picture is drawn.
    pub(crate) const fn draws(&self) -> bool {
        matches!(self.question, Question::Plot(_))
    }
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    match &arguments.question {
        Question::Play(arguments) => play::execute(arguments, app),
        Question::Solve(arguments) => solve::execute(arguments, app),
        Question::Table(arguments) => table::execute(arguments, app),
        Question::Totals(arguments) => totals::execute(arguments, app),
        Question::Plot(arguments) => plot::execute(arguments, app),
        Question::Matches(arguments) => matches::execute(arguments, app),
    }
}
