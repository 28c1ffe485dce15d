//! One card.

use std::fmt;

/// Number of ranks.
pub const RANKS: usize = 13;
/// Number of suits.
pub const SUITS: usize = 4;

const RANK_LETTERS: [char; RANKS] =
    ['2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K', 'A'];
const SUIT_LETTERS: [char; SUITS] = ['s', 'h', 'd', 'c'];

/// A rank: 0 is the deuce, 12 the ace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u8);

/// A suit: 0 spades, 1 hearts, 2 diamonds, 3 clubs. The order is only for printing: no suit beats another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Suit(u8);

/// A rank in a suit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card {
    /// Rank.
    pub rank: Rank,
    /// Suit.
    pub suit: Suit,
}

impl Rank {
    /// From 0 (deuce) to 12 (ace); `None` beyond.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if (index as usize) < RANKS { Some(Self(index)) } else { None }
    }

    /// 0 (deuce) to 12 (ace).
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// From its letter in any case: `2`-`9`, `T`, `J`, `Q`, `K`, `A`.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        let letter = letter.to_ascii_uppercase();
        RANK_LETTERS.iter().position(|known| *known == letter).map(|index| Self(index as u8))
    }
}

impl Suit {
    /// From 0 (spades) to 3 (clubs); `None` beyond.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if (index as usize) < SUITS { Some(Self(index)) } else { None }
    }

    /// 0 (spades) to 3 (clubs).
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// From `s`, `h`, `d`, `c` in any case, or a suit symbol, filled or hollow.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        let index = match letter.to_ascii_lowercase() {
            's' | '♠' | '♤' => 0,
            'h' | '♥' | '♡' => 1,
            'd' | '♦' | '♢' => 2,
            'c' | '♣' | '♧' => 3,
            _ => return None,
        };
        Some(Self(index))
    }
}

impl Card {
    /// All 52 cards, rank by rank.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..RANKS as u8).flat_map(|rank| {
            (0..SUITS as u8).map(move |suit| Self { rank: Rank(rank), suit: Suit(suit) })
        })
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", RANK_LETTERS[self.index()])
    }
}

impl fmt::Display for Suit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", SUIT_LETTERS[self.index()])
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.rank, self.suit)
    }
}
