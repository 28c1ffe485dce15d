//! Questions that need no run, answered as flat records: what a command or a program shows.

mod contest;
mod deals;
mod endgames;
mod hands;

pub use contest::{contest, games};
pub use deals::deal;
pub use endgames::{EndgameQuestion, endgame};
pub use hands::{bid, follow, groups, lead, legal_moves, value};

use serde_json::{Map, Value};

use crate::agents::UnknownAgent;
use crate::cards::{CardsError, parse_hand};
use crate::endgame::PositionError;
use crate::game::IllegalPlay;
use crate::moves::{Kind, Move, MoveError, RuleSet, UnknownOption, identify};

/// A record: names and values in order. A list of records may be among them.
pub type Answer = Map<String, Value>;

/// Why a question has no answer: what is wrong, where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuestionError {
    /// Not a hand.
    #[error(transparent)]
    Cards(#[from] CardsError),
    /// Not a move.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// Not a play.
    #[error(transparent)]
    Play(#[from] IllegalPlay),
    /// Not a position.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// Not an agent.
    #[error(transparent)]
    Agent(#[from] UnknownAgent),
    /// Not a rule set.
    #[error(transparent)]
    Rules(#[from] UnknownOption),
    /// Something else.
    #[error("{0}")]
    Refused(String),
}

/// A move by its cards, and its type where the rules leave a choice.
///
/// # Errors
/// [`QuestionError`] when it is none.
pub fn read_move(cards: &str, kind: Option<&str>, rules: RuleSet) -> Result<Move, QuestionError> {
    let kind = kind.map(read_kind).transpose()?;
    Ok(identify(parse_hand(cards)?, kind, rules)?)
}

fn read_kind(name: &str) -> Result<Kind, QuestionError> {
    Kind::named(name).ok_or_else(|| {
        let names: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        QuestionError::Refused(format!("'{name}' is no type: types are {}", names.join(", ")))
    })
}

/// A `json!` object as a record.
fn record(value: Value) -> Answer {
    match value {
        Value::Object(fields) => fields,
        other => unreachable!("answers are objects, not {other}"),
    }
}

/// A play as text.
fn play_text(play: Option<&Move>) -> String {
    play.map_or_else(|| "pass".to_owned(), ToString::to_string)
}
