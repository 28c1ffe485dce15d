//! Sets of cards as four 13-bit rank masks.

use std::fmt;

use crate::{Card, RANKS, Rank, SUITS, Suit};

const LANE: u32 = 16;

/// A set of cards: one 13-bit rank mask for each suit, 16 bits apart in one word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CardSet(u64);

impl CardSet {
    /// No cards.
    pub const EMPTY: Self = Self(0);

    /// From the rank masks of spades, hearts, diamonds and clubs.
    ///
    /// # Panics
    /// If a mask has a bit beyond the ace.
    #[must_use]
    pub fn from_suits(masks: [u16; SUITS]) -> Self {
        Self(masks.iter().enumerate().fold(0, |bits, (suit, mask)| {
            assert!(mask >> RANKS == 0, "a rank mask has 13 bits");
            bits | u64::from(*mask) << (LANE * suit as u32)
        }))
    }

    /// Rank masks of spades, hearts, diamonds and clubs.
    #[must_use]
    pub fn suits(self) -> [u16; SUITS] {
        std::array::from_fn(|suit| (self.0 >> (LANE * suit as u32)) as u16)
    }

    /// Number of cards.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `card` is in it.
    #[must_use]
    pub fn contains(self, card: Card) -> bool {
        self.0 & Self::bit(card) != 0
    }

    /// With `card` added.
    #[must_use]
    pub fn with(self, card: Card) -> Self {
        Self(self.0 | Self::bit(card))
    }

    /// Cards of both.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether no card is in both.
    #[must_use]
    pub const fn is_disjoint(self, other: Self) -> bool {
        self.0 & other.0 == 0
    }

    /// How many cards of each rank.
    #[must_use]
    pub fn rank_counts(self) -> [u8; RANKS] {
        let suits = self.suits();
        std::array::from_fn(|rank| suits.iter().map(|mask| (mask >> rank & 1) as u8).sum())
    }

    /// The cards from the highest rank down, spades first among equals.
    pub fn iter(self) -> impl Iterator<Item = Card> {
        (0..RANKS as u8).rev().flat_map(move |rank| {
            (0..SUITS as u8).filter_map(move |suit| {
                let card = Card { rank: Rank::new(rank)?, suit: Suit::new(suit)? };
                self.contains(card).then_some(card)
            })
        })
    }

    fn bit(card: Card) -> u64 {
        1 << (LANE as usize * card.suit.index() + card.rank.index())
    }
}

impl FromIterator<Card> for CardSet {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Self {
        cards.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Display for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|card| write!(f, "{card}"))
    }
}

impl fmt::Debug for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CardSet({self})")
    }
}
