//! The classes of five cards behind the values: type and ranks.

use std::fmt;

use fulldeck_cards::{RANKS, Rank};
use fulldeck_eval::{Strength, Strengths};

use super::Value;
use super::evaluator::five_of_a_kind;
use super::ranks::each_multiset;

/// Type of five cards, from the worst to the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandType {
    /// Nothing.
    HighCard,
    /// Two of a rank.
    Pair,
    /// Two pairs.
    TwoPair,
    /// Three of a rank.
    Trips,
    /// Five ranks in a row; the ace is also below the deuce.
    Straight,
    /// Five of a suit.
    Flush,
    /// Three of a rank and two of another.
    FullHouse,
    /// Four of a rank.
    Quads,
    /// A straight in one suit.
    StraightFlush,
    /// Five of a rank, with a joker at least; only [`crate::Rule::Wild`] has it.
    FiveOfAKind,
}

impl HandType {
    /// All types, the worst first.
    pub const ALL: [Self; 10] = [
        Self::HighCard,
        Self::Pair,
        Self::TwoPair,
        Self::Trips,
        Self::Straight,
        Self::Flush,
        Self::FullHouse,
        Self::Quads,
        Self::StraightFlush,
        Self::FiveOfAKind,
    ];

    /// A word for programs, e.g. `full_house`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::HighCard => "high_card",
            Self::Pair => "pair",
            Self::TwoPair => "two_pair",
            Self::Trips => "trips",
            Self::Straight => "straight",
            Self::Flush => "flush",
            Self::FullHouse => "full_house",
            Self::Quads => "quads",
            Self::StraightFlush => "straight_flush",
            Self::FiveOfAKind => "five_of_a_kind",
        }
    }
}

/// What a value means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    /// Type.
    pub hand_type: HandType,
    /// The five ranks: groups by size, then height (`KKKAA`, `AAK74`); straights from the top (`5432A`).
    pub ranks: [Rank; 5],
}

impl Class {
    /// Whether it is the royal flush.
    #[must_use]
    pub fn is_royal(&self) -> bool {
        self.hand_type == HandType::StraightFlush && self.ranks[0].index() == RANKS - 1
    }

    /// 1 (high card) to 9 (straight flush), 10 for the royal flush, 11 for five of a kind.
    #[must_use]
    pub fn type_number(&self) -> u8 {
        match self.hand_type {
            HandType::FiveOfAKind => 11,
            _ if self.is_royal() => 10,
            other => other as u8 + 1,
        }
    }
}

/// The five ranks as text.
impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ranks.iter().try_for_each(|rank| write!(f, "{rank}"))
    }
}

/// The class of every value.
#[derive(Clone, Debug)]
pub struct Classes(Vec<Class>);

impl Classes {
    /// Lists all 7,475.
    #[must_use]
    pub fn new() -> Self {
        let strengths = Strengths::new();
        let deuce = Rank::new(0).expect("there is a deuce");
        let none = Class { hand_type: HandType::HighCard, ranks: [deuce; 5] };
        let mut classes = vec![none; usize::from(Strength::BEST.0) + 1];
        each_multiset(5, 4, |counts, _| {
            let mut ascending = [0; 5];
            let held = (0..RANKS).flat_map(|r| std::iter::repeat_n(r as u8, counts[r].into()));
            ascending.iter_mut().zip(held).for_each(|(place, rank)| *place = rank);
            classes[usize::from(strengths.of_ranks(&ascending).0)] = class(ascending, false);
            let mask = ascending.iter().fold(0, |mask, rank| mask | 1 << rank);
            let flush = strengths.of_flush(mask);
            if flush != Strength::NONE {
                classes[usize::from(flush.0)] = class(ascending, true);
            }
        });
        for rank in 0..RANKS {
            assert_eq!(classes.len(), usize::from(five_of_a_kind(rank)), "values are dense");
            let rank = Rank::new(rank as u8).expect("a rank");
            classes.push(Class { hand_type: HandType::FiveOfAKind, ranks: [rank; 5] });
        }
        Self(classes)
    }

    /// What `value` means.
    #[must_use]
    pub fn of(&self, value: Value) -> Class {
        self.0[usize::from(value.0)]
    }
}

impl Default for Classes {
    fn default() -> Self {
        Self::new()
    }
}

/// The class of five natural ranks.
fn class(ascending: [u8; 5], suited: bool) -> Class {
    let count = |rank: u8| ascending.iter().filter(|other| **other == rank).count();
    let mut ranks = ascending;
    ranks.sort_by_key(|rank| std::cmp::Reverse((count(*rank), *rank)));
    let wheel = ranks == [12, 3, 2, 1, 0];
    let straight = wheel || (count(ranks[0]) == 1 && ranks[0] - ranks[4] == 4);
    if wheel {
        ranks.rotate_left(1);
    }
    let hand_type = match (count(ranks[0]), count(ranks[3]), straight, suited) {
        (1, _, true, true) => HandType::StraightFlush,
        (1, _, false, true) => HandType::Flush,
        (1, _, true, false) => HandType::Straight,
        (1, _, false, false) => HandType::HighCard,
        (4, ..) => HandType::Quads,
        (3, 2, ..) => HandType::FullHouse,
        (3, ..) => HandType::Trips,
        (_, 2, ..) => HandType::TwoPair,
        _ => HandType::Pair,
    };
    let rank = |index: u8| Rank::new(index).expect("ranks are below 13");
    Class { hand_type, ranks: ranks.map(rank) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_come_in_their_order_and_size() {
        let classes = Classes::new();
        let types: Vec<_> = classes.0[1..].iter().map(|class| class.hand_type).collect();
        assert!(types.is_sorted());
        let of = |wanted| types.iter().filter(|found| **found == wanted).count();
        let sizes = HandType::ALL.map(of);
        assert_eq!(sizes, [1277, 2860, 858, 858, 10, 1277, 156, 156, 10, 13]);
        assert_eq!(classes.0[7462].to_string(), "AKQJT");
        assert!(classes.0[7462].is_royal() && !classes.0[7461].is_royal());
        assert_eq!(classes.0[1].to_string(), "75432");
        assert_eq!(classes.0[7475].type_number(), 11);
    }
}
