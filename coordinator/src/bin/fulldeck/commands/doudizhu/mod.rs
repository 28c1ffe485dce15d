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
pub(crate) struct Arguments {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, Subcommand)]
enum Question {
    /// Every move of a hand, or everything that beats a move
    Moves(hand::Moves),
    /// What agent seed thinks a hand is worth, and how it would play it out
    Value(hand::Value),
    /// What an agent leads from a hand
    Lead(hand::Lead),
    /// What an agent plays on a move
    Follow(hand::Follow),
    /// What agent seed bids with 17 cards
    Bid(hand::Bid),
    /// Fewest moves into which a hand can be cut, and one way to do it
    Groups(hand::Groups),
    /// Who wins an endgame with open cards, and with which moves
    Endgame(endgame::Endgame),
    /// A deal by its number: the hands, the bids and the landlord
    Deal(deal::Deal),
    /// Two agents against each other, every deal in both orders
    Tournament(tournament::Tournament),
    /// Play a game against two agents, with hints
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
