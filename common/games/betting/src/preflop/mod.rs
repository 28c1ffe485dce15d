//! The fixed-limit betting round before the flop, without cards: any number of players, any highest bet.
//!
//! The big blind is bet level 1, so `cap - 1` raises are possible. Every player may fold, call (or check) and, below
//! the cap, raise; the hand ends when one player is left or all stand at the same level, the big blind having had his
//! option. Seats are numbered in order of action: 0 is first to act, the last is the big blind.

mod counts;
mod factors;
mod position;
mod states;
pub mod walk;

pub use counts::TreeCounts;
pub use position::{Order, PositionError, Seat};

use crate::program::Program;

/// Fewest players.
pub const MIN_PLAYERS: u8 = 2;
/// Most players: a deck of 52 deals no more hands of two cards and a board.
pub const MAX_PLAYERS: u8 = 23;
/// Highest bet level; beyond, lengths of numbers would leave 128 bits.
pub const MAX_CAP: u8 = 10;

/// One structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Preflop {
    players: u8,
    cap: u8,
    fold_when_free: bool,
}

/// A structure that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PreflopError {
    /// Too few or too many players.
    #[error("{0} players do not fit: {MIN_PLAYERS} to {MAX_PLAYERS} are right")]
    Players(u64),
    /// The blind is level 1.
    #[error("cap {0} is impossible: the highest bet is 1 (the big blind) to {MAX_CAP}")]
    Cap(u64),
    /// No such seat.
    #[error("seat {seat} does not exist: {players} players have seats 0 to {}", players - 1)]
    Seat {
        /// What was given.
        seat: u64,
        /// Players.
        players: u8,
    },
}

impl Preflop {
    /// A structure in which nothing stops a player from folding when checking is free.
    ///
    /// # Errors
    /// [`PreflopError`] for numbers out of range.
    pub fn new(players: u64, cap: u64) -> Result<Self, PreflopError> {
        if !(u64::from(MIN_PLAYERS)..=u64::from(MAX_PLAYERS)).contains(&players) {
            return Err(PreflopError::Players(players));
        }
        if !(1..=u64::from(MAX_CAP)).contains(&cap) {
            return Err(PreflopError::Cap(cap));
        }
        Ok(Self { players: players as u8, cap: cap as u8, fold_when_free: true })
    }

    /// Whether a player may fold where checking costs nothing.
    #[must_use]
    pub fn with_fold_when_free(self, fold_when_free: bool) -> Self {
        Self { fold_when_free, ..self }
    }

    /// Number of players.
    #[must_use]
    pub fn players(&self) -> u8 {
        self.players
    }

    /// Highest bet level.
    #[must_use]
    pub fn cap(&self) -> u8 {
        self.cap
    }

    /// Whether a player may fold where checking costs nothing.
    #[must_use]
    pub fn fold_when_free(&self) -> bool {
        self.fold_when_free
    }

    /// The seat with this number in order of action.
    ///
    /// # Errors
    /// [`PreflopError::Seat`] if there is none.
    pub fn seat(&self, seat: u64) -> Result<Seat, PreflopError> {
        match u8::try_from(seat) {
            Ok(number) if number < self.players => Ok(Seat(number)),
            _ => Err(PreflopError::Seat { seat, players: self.players }),
        }
    }

    /// All seats in order of action.
    pub fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..self.players).map(Seat)
    }

    /// The number of reduced pure strategies of `seat`: plans that say nothing about decisions which the player's own
    /// earlier choices exclude.
    #[must_use]
    pub fn strategies(&self, seat: Seat) -> Program {
        states::strategies(self, seat)
    }

    /// Decisions, ends and depth of the tree.
    #[must_use]
    pub fn counts(&self, seat: Seat) -> TreeCounts {
        counts::counts(self, seat)
    }

    /// How many different first decisions of `seat` there are, and how often they occur together. The number of
    /// strategies is the product of theirs, each to the power of how often it occurs.
    #[must_use]
    pub fn first_decisions(&self, seat: Seat) -> (u64, u128) {
        factors::first_decisions(self, seat)
    }
}
