//! `fulldeck betting ...`

mod asked;
mod count;
mod dag;
mod plot;
mod residue;
mod size;
mod structures;
mod tree;

use clap::{Args, Subcommand};
use fulldeck_common::betting::answer::CountError;

use crate::app::App;
use crate::error::CliError;

/// Flags of `betting`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck betting count 3
  fulldeck betting tree leduc")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, Subcommand)]
enum Question {
    /// How many pure strategies a seat has before the flop: the number, its digest, or its digits in a file
    #[command(
        after_help = "Examples:\n  fulldeck betting count 3\n  fulldeck betting count 6 CO --cap 2"
    )]
    Count(count::Arguments),
    /// What is known of that number without computing it: length, ends, logarithm, memory and time it would take
    #[command(after_help = "Examples:\n  fulldeck betting size 9 BTN")]
    Size(size::Arguments),
    /// The number modulo others, whatever its length
    #[command(after_help = "Examples:\n  fulldeck betting residue 6 BB --modulus 1000000007")]
    Residue(residue::Arguments),
    /// The number as a list of sums and products, whatever its length
    #[command(after_help = "Examples:\n  fulldeck betting dag 3 --file count.dag")]
    Dag(dag::Arguments),
    /// Read such a list again: length and residues of what it computes
    #[command(after_help = "Examples:\n  fulldeck betting verify-dag count.dag")]
    VerifyDag(dag::VerifyArguments),
    /// Decisions, ends, information sets and strategies of a betting structure, by round and player
    #[command(after_help = "Examples:\n  fulldeck betting tree leduc")]
    Tree(tree::Arguments),
    /// Draw how the numbers of strategies grow with the players and the highest bet
    #[command(
        after_help = "Examples:\n  fulldeck betting plot -o growth.png\n  fulldeck betting plot --players 23 --cap 4 -o growth.svg"
    )]
    Plot(plot::Arguments),
    /// List the structures known by name, and the keys of structure files
    #[command(after_help = "Examples:\n  fulldeck betting structures")]
    Structures,
}

impl Arguments {
    /// Whether a picture is drawn.
    pub(crate) const fn draws(&self) -> bool {
        matches!(self.question, Question::Plot(_))
    }
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    match &arguments.question {
        Question::Count(arguments) => count::execute(arguments, app),
        Question::Size(arguments) => size::execute(arguments, app),
        Question::Residue(arguments) => residue::execute(arguments, app),
        Question::Dag(arguments) => dag::execute(arguments, app),
        Question::VerifyDag(arguments) => dag::verify(arguments, app),
        Question::Tree(arguments) => tree::execute(arguments, app),
        Question::Plot(arguments) => plot::execute(arguments, app),
        Question::Structures => structures::execute(app),
    }
}

impl From<CountError> for CliError {
    fn from(error: CountError) -> Self {
        let text = error.to_string();
        match error {
            CountError::TooLong { .. } => Self::usage(text).hint(
                "'betting size', 'betting residue' and 'betting dag' answer for any length; \
                 --max-digits allows longer numbers",
            ),
            CountError::Unknown => {
                Self::usage(text).hint("'betting residue' and 'betting dag' work")
            }
            CountError::Disagreement(_) => Self::unexpected(text),
            CountError::Write(error) => error.into(),
        }
    }
}
