//! Groups of cards and what they are worth.

use std::fmt;

use crate::cards::{Hand, Rank};
use crate::moves::{Kind, Shape};

/// A group as the articles see it: mostly a move, but a few are none under the rules (33334444 as a plane).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its type.
    pub kind: Kind,
    /// The rank that decides a comparison.
    pub key: Rank,
    /// All its cards.
    pub cards: Hand,
}

/// What a hand is worth: the sum of its groups' values and the rounds it takes to play them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HandValue {
    /// Sum of the values.
    pub sum: i32,
    /// Rounds.
    pub rounds: i32,
}

/// What a round costs.
const ROUND_COST: i32 = 7;

impl Group {
    /// Type and number of cards.
    #[must_use]
    pub fn shape(&self) -> Shape {
        Shape { kind: self.kind, cards: self.cards.len() }
    }

    /// What it is worth: above zero for what is likely to win a round.
    #[must_use]
    pub const fn value(&self) -> i32 {
        let rank = self.key.value();
        match self.kind {
            Kind::Solo | Kind::Pair | Kind::Trio | Kind::TrioSolo | Kind::TrioPair => rank - 10,
            Kind::SoloChain | Kind::PairChain => rank - 9,
            Kind::TrioChain | Kind::PlaneSolo | Kind::PlanePair => (rank - 2) / 2,
            Kind::QuadSolos | Kind::QuadPairs => (rank - 3) / 2,
            Kind::Bomb => rank + 4,
            Kind::Rocket => 20,
        }
    }
}

impl HandValue {
    /// Only this is ever compared.
    #[must_use]
    pub const fn score(self) -> i32 {
        self.sum - ROUND_COST * self.rounds
    }
}

impl fmt::Display for HandValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.sum, self.rounds)
    }
}
