//! The fifteen ranks.

use std::fmt;

/// A rank, from 3 up to the big joker. Ordered by strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u8);

/// One character a rank, ascending: `B` is the small joker, `R` the big one.
const LETTERS: &[u8; Rank::COUNT] = b"3456789TJQKA2BR";

impl Rank {
    /// Number of ranks.
    pub const COUNT: usize = 15;
    /// Number of ranks that may be in a chain: 3 up to the ace.
    pub const CHAIN: usize = 12;
    /// Number of ranks with four cards: all but the jokers.
    pub const SUITED: usize = 13;
    /// The three, lowest of all.
    pub const THREE: Self = Self(0);
    /// The ace, highest of a chain.
    pub const ACE: Self = Self(11);
    /// The two, highest but for the jokers.
    pub const TWO: Self = Self(12);
    /// The small joker.
    pub const SMALL_JOKER: Self = Self(13);
    /// The big joker.
    pub const BIG_JOKER: Self = Self(14);

    /// The rank at a position, 0 (three) to 14 (big joker).
    ///
    /// # Panics
    /// If there is no such position.
    #[must_use]
    pub const fn new(index: usize) -> Self {
        assert!(index < Self::COUNT, "there are fifteen ranks");
        Self(index as u8)
    }

    /// All ranks, ascending.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..Self::COUNT).map(Self::new)
    }

    /// Position, 0 to 14.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The number the literature gives it: 3 to 10, J 11, Q 12, K 13, A 14, 2 15, jokers 16 and 17.
    #[must_use]
    pub const fn value(self) -> i32 {
        self.0 as i32 + 3
    }

    /// Cards of this rank in the deck: 4, or 1 for a joker.
    #[must_use]
    pub const fn copies(self) -> u32 {
        if self.index() < Self::SUITED { 4 } else { 1 }
    }

    /// Its character.
    #[must_use]
    pub const fn letter(self) -> char {
        LETTERS[self.index()] as char
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}
