//! Full boards: what every pair of hole cards is worth on one, and against how many others it wins and ties.
//!
//! Cards that are alike on a board are of one *kind*: the same rank, in suits of which no flush can come. Everything is
//! done with kinds, some hundred pairs of them where there are 1,176 pairs of cards.

mod kinds;
mod sweep;
mod values;

pub(crate) use kinds::{Kinds, kind_pair_of};
pub(crate) use sweep::Sweep;
pub use sweep::Won;
pub(crate) use values::KindValues;

use crate::value::Sum;
use crate::{Deck, DeckCard};

/// Cards on a full board.
pub(crate) const BOARD: usize = 5;

/// Number of opponents' hands that each pair meets on a full board.
pub(crate) const fn opponents(deck: Deck) -> u32 {
    let left = (deck.size() - BOARD - 2) as u32;
    left * (left - 1) / 2
}

/// Cards on the table, added up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cards {
    pub(crate) natural: Sum,
    pub(crate) jokers: usize,
}

impl Cards {
    pub(crate) fn of(cards: impl IntoIterator<Item = DeckCard>) -> Self {
        cards.into_iter().fold(Self::default(), Self::with)
    }

    /// With one card more.
    pub(crate) fn with(self, card: DeckCard) -> Self {
        Self {
            natural: self.natural.plus(Sum::of(card)),
            jokers: self.jokers + usize::from(card.is_joker()),
        }
    }

    /// Ranks on the table in a suit, as bits.
    pub(crate) const fn mask(self, suit: usize) -> u16 {
        self.natural.mask(suit)
    }

    /// Whether two hole cards can make a flush of the suit with these as the full board.
    pub(crate) const fn flush_possible(self, suit: usize) -> bool {
        self.mask(suit).count_ones() as usize + self.jokers + 2 >= BOARD
    }
}
