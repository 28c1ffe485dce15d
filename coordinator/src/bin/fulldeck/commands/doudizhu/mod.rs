//! `fulldeck doudizhu ...`: questions about hands, deals and endgames, contests of agents, and a game to play.

mod deal;
mod endgame;
mod hand;
mod play;
mod question;
mod reply;
mod tournament;

use clap::{Args, Subcommand};
use fulldeck_common::doudizhu::answers::QuestionError;

use crate::app::App;
use crate::error::CliError;
use question::ask;

/// Flags of `doudizhu`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck doudizhu lead 33445566899TTKKA2 --why
  fulldeck doudizhu play")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, Subcommand)]
enum Question {
    /// Every move of a hand, or everything that beats a move
    #[command(after_help = "Examples:\n  fulldeck doudizhu moves 456789 --on 34567")]
    Moves(hand::Moves),
    /// What agent seed thinks a hand is worth, and how it would play it out
    #[command(after_help = "Examples:\n  fulldeck doudizhu value 33445566899TTKKA2")]
    Value(hand::Value),
    /// What an agent leads from a hand
    #[command(after_help = "Examples:\n  fulldeck doudizhu lead 33445566899TTKKA2 --why")]
    Lead(hand::Lead),
    /// What an agent plays on a move
    #[command(after_help = "Examples:\n  fulldeck doudizhu follow 456789TJQK --on 34567")]
    Follow(hand::Follow),
    /// What agent seed bids with 17 cards
    #[command(after_help = "Examples:\n  fulldeck doudizhu bid 33445566899TTKKA2")]
    Bid(hand::Bid),
    /// Fewest moves into which a hand can be cut, and one way to do it
    #[command(after_help = "Examples:\n  fulldeck doudizhu groups 33344888999AA222B")]
    Groups(hand::Groups),
    /// Who wins an endgame with open cards, and with which moves
    #[command(after_help = "Examples:\n  fulldeck doudizhu endgame 99TK 358TJ22 367TJAA")]
    Endgame(endgame::Endgame),
    /// A deal by its number: the hands, the bids and the landlord
    #[command(after_help = "Examples:\n  fulldeck doudizhu deal --seed 1 --index 0")]
    Deal(deal::Deal),
    /// Two agents against each other, every deal in both orders
    #[command(after_help = "Examples:\n  fulldeck doudizhu tournament seed greedy --deals 500")]
    Tournament(tournament::Tournament),
    /// Play a game against two agents, with hints
    #[command(
        after_help = "Examples:\n  fulldeck doudizhu play\n  fulldeck doudizhu play --agents improved,seed --seat 1"
    )]
    Play(play::Play),
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    match &arguments.question {
        Question::Moves(asked) => ask(asked, app),
        Question::Value(asked) => ask(asked, app),
        Question::Lead(asked) => ask(asked, app),
        Question::Follow(asked) => ask(asked, app),
        Question::Bid(asked) => ask(asked, app),
        Question::Groups(asked) => ask(asked, app),
        Question::Endgame(asked) => ask(asked, app),
        Question::Deal(asked) => ask(asked, app),
        Question::Tournament(asked) => tournament::execute(asked, app),
        Question::Play(asked) => play::execute(asked, app),
    }
}

impl From<QuestionError> for CliError {
    fn from(error: QuestionError) -> Self {
        Self::usage(error.to_string())
    }
}
