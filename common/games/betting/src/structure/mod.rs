//! General betting structures: limit games of any number of rounds and players, and heads-up no-limit.
//!
//! A structure is read from a file in the format of the Annual Computer Poker Competition ([`Structure::parse`]) or
//! built in ([`Structure::built_in`]). One pass over the public states counts decisions and ends by round and player
//! ([`Structure::count`]); hands and boards multiply them ([`Cards`]).

mod built_in;
mod cards;
mod count;
mod exponents;
mod no_limit;
mod parse;
mod public;
mod strategies;
mod totals;
mod validate;
mod wide;

pub use built_in::{BUILT_IN, BuiltInError};
pub use cards::{Cards, Hands};
pub use count::{Counts, RoundCounts};
pub use exponents::{Factored, unreduced};
pub use parse::{KEYS, ParseError};
pub use totals::{RoundTotals, Totals};

/// Most players of a general structure.
pub const MAX_PLAYERS: usize = 10;
/// Most rounds.
pub const MAX_ROUNDS: usize = 4;
/// Most raises of a round in a limit game.
pub const MAX_RAISES: u32 = 20;
/// Largest stack of a no-limit game.
pub const MAX_STACK: u32 = 2_000;

/// A betting structure with its cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    pub(crate) betting: Betting,
    /// Chips each player posts before the cards; one a player.
    pub(crate) blinds: Vec<u32>,
    /// Who acts first in each round, from 0.
    pub(crate) first: Vec<usize>,
    /// Whether a player may fold where checking costs nothing.
    pub(crate) fold_when_free: bool,
    /// Names of the seats.
    pub(crate) positions: Vec<String>,
    pub(crate) cards: Cards,
}

/// What may be bet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Betting {
    /// Bets of one size.
    Limit {
        /// Bets and raises of each round, the blinds not counted.
        max_raises: Vec<u32>,
        /// The same while only two players are left, where that differs.
        heads_up: Option<u32>,
    },
    /// Any whole bet up to the stack.
    NoLimit {
        /// Chips of each player.
        stack: u32,
    },
}

/// A structure that cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StructureError(pub String);

impl Structure {
    /// Number of players.
    #[must_use]
    pub fn players(&self) -> usize {
        self.blinds.len()
    }

    /// Number of rounds.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.first.len()
    }

    /// Names of the seats, in the order of the file.
    #[must_use]
    pub fn positions(&self) -> &[String] {
        &self.positions
    }

    /// The cards that are dealt.
    #[must_use]
    pub fn cards(&self) -> &Cards {
        &self.cards
    }

    /// Whether bets have a fixed size.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        matches!(self.betting, Betting::Limit { .. })
    }

    /// Decisions and ends of the public tree, by round and player.
    #[must_use]
    pub fn count(&self) -> Counts {
        match &self.betting {
            Betting::Limit { .. } => count::count(self),
            Betting::NoLimit { stack } => no_limit::count(self, *stack),
        }
    }

    /// The number of reduced pure strategies of a player (from 0), who sees his hand and the boards; `None` for
    /// no-limit games.
    ///
    /// # Panics
    /// If there is no such player.
    #[must_use]
    pub fn strategies(&self, player: usize) -> Option<crate::program::Program> {
        assert!(player < self.players(), "players are counted from 0");
        self.is_limit().then(|| strategies::strategies(self, player))
    }
}
