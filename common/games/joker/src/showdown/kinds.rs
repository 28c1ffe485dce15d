//! Which cards are alike on a full board.

use fulldeck_cards::{RANKS, SUITS};

use super::Cards;
use crate::card::CARDS;
use crate::{Deck, DeckCard};

/// The kinds of cards on a board, as far as they follow from the suits in which a flush is possible: a kind for each rank
/// of each of these suits, one for each rank of all other suits together, and one for the jokers. Boards with the same
/// such suits have the same kinds with the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds {
    /// Where the kinds of each suit begin, in units of thirteen.
    slots: [u8; SUITS],
    quiet: u8,
    /// The suits in which a flush is possible, as bits.
    flush_suits: u8,
}

impl Kinds {
    /// Most kinds.
    pub(crate) const MOST: usize = CARDS;

    /// Those of a full board.
    pub(crate) fn of(board: Cards) -> Self {
        let mut kinds = Self { slots: [0; SUITS], quiet: 0, flush_suits: 0 };
        for suit in (0..SUITS).filter(|suit| board.flush_possible(*suit)) {
            kinds.slots[suit] = kinds.quiet;
            kinds.quiet += 1;
            kinds.flush_suits |= 1 << suit;
        }
        for suit in (0..SUITS).filter(|suit| !board.flush_possible(*suit)) {
            kinds.slots[suit] = kinds.quiet;
        }
        kinds
    }

    /// Tells kinds of boards apart: below 16.
    pub(crate) const fn id(self) -> usize {
        self.flush_suits as usize
    }

    /// Number of kinds; the last is the joker.
    pub(crate) const fn len(self) -> usize {
        (self.quiet as usize + 1) * RANKS + 1
    }

    /// The kind of the jokers.
    pub(crate) const fn joker(self) -> usize {
        self.len() - 1
    }

    /// The kind of a card.
    pub(crate) fn of_card(self, card: DeckCard) -> usize {
        let number = card.number();
        match self.slots.get(number / RANKS) {
            Some(slot) => usize::from(*slot) * RANKS + number % RANKS,
            None => self.joker(),
        }
    }

    /// The suit of a kind, if it is one in which a flush is possible.
    pub(crate) fn suit(self, kind: usize) -> Option<usize> {
        let slot = kind / RANKS;
        (slot < usize::from(self.quiet))
            .then(|| self.slots.iter().position(|of_suit| usize::from(*of_suit) == slot))
            .flatten()
    }

    /// How many cards of each kind are not on the board.
    pub(crate) fn left(self, deck: Deck, board: Cards) -> [u8; Self::MOST] {
        let mut left = [0; Self::MOST];
        for (suit, slot) in self.slots.iter().enumerate() {
            let first = usize::from(*slot) * RANKS;
            let mask = board.mask(suit);
            for (rank, left) in left[first..first + RANKS].iter_mut().enumerate() {
                *left += u8::from(mask >> rank & 1 == 0);
            }
        }
        left[self.joker()] = deck.jokers() - board.jokers as u8;
        left
    }
}

/// The number of a pair of kinds, `low <= high`.
#[inline]
pub(crate) const fn kind_pair(low: usize, high: usize) -> usize {
    high * (high + 1) / 2 + low
}

/// The number of a pair of kinds in any order.
#[inline]
pub(crate) const fn kind_pair_of(a: usize, b: usize) -> usize {
    if a < b { kind_pair(a, b) } else { kind_pair(b, a) }
}

/// Most pairs of kinds.
pub(crate) const MOST_KIND_PAIRS: usize = kind_pair(0, Kinds::MOST);
