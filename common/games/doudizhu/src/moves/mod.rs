//! Moves: what may be played, and what it beats.

mod classify;
mod generate;
mod kind;
mod rules;

use std::fmt;

use crate::cards::{Hand, Rank};

pub use classify::{MoveError, classify, identify};
pub use generate::{moves, visit_follows, visit_leads};
pub use kind::{Kind, Shape};
pub use rules::{RuleSet, UnknownOption};

/// A legal group of cards with its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Its type.
    pub kind: Kind,
    /// What decides a comparison: the rank of the single, pair, triple or four, the highest rank of a chain.
    pub key: Rank,
    /// All its cards, wings included.
    pub cards: Hand,
}

impl Move {
    /// Type and number of cards: only moves of one shape are compared by their keys.
    #[must_use]
    pub fn shape(&self) -> Shape {
        Shape { kind: self.kind, cards: self.cards.len() }
    }

    /// Whether it may be played on `other`: same shape and a higher key, or a bomb on anything but a higher bomb or
    /// the rocket, or the rocket.
    #[must_use]
    pub fn beats(&self, other: &Self) -> bool {
        match (self.kind, other.kind) {
            (_, Kind::Rocket) => false,
            (Kind::Rocket, _) => true,
            (Kind::Bomb, Kind::Bomb) => self.key > other.key,
            (Kind::Bomb, _) => true,
            _ => self.shape() == other.shape() && self.key > other.key,
        }
    }

    /// Whether it doubles the score: a bomb or the rocket.
    #[must_use]
    pub const fn doubles(&self) -> bool {
        matches!(self.kind, Kind::Bomb | Kind::Rocket)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cards.fmt(f)
    }
}
