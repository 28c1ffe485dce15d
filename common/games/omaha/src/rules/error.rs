//! What can be wrong with cards given to the rules.

use fulldeck_cards::{Card, CardSet};

/// Why two hands and a board cannot be played out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// A hand of the wrong size.
    #[error("hand {hand} has {found} cards, where {wanted} are needed")]
    HandSize {
        /// The hand.
        hand: CardSet,
        /// Its cards.
        found: usize,
        /// Hole cards in this game.
        wanted: usize,
    },
    /// A board that is not a flop, turn or river.
    #[error("board {board} has {found} cards, where 3, 4 or 5 are needed")]
    BoardSize {
        /// The board.
        board: CardSet,
        /// Its cards.
        found: usize,
    },
    /// A card in two places.
    #[error("{card} is in {first} and again in {second}: each card exists once")]
    Shared {
        /// The card, the highest if there are several.
        card: Card,
        /// One place.
        first: CardSet,
        /// The other place.
        second: CardSet,
    },
}

/// Fails on the first card that two sets have in common.
pub(super) fn check_disjoint(first: CardSet, second: CardSet) -> Result<(), RulesError> {
    match first.iter().find(|card| second.contains(*card)) {
        Some(card) => Err(RulesError::Shared { card, first, second }),
        None => Ok(()),
    }
}
