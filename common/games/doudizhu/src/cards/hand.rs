//! A multiset of ranks in one word.

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use super::Rank;

/// Bits of one count.
const WIDTH: u32 = 4;
/// One in every count.
const ONES: u64 = 0x0111_1111_1111_1111;
/// The top bit of every count: free, because counts end at four.
const TOPS: u64 = ONES << 3;

/// A multiset of ranks: a hand, a move, the cards seen. Four bits a rank, three lowest.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hand(u64);

/// A set of ranks: one bit in every fourth place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankSet(u64);

impl Hand {
    /// No cards.
    pub const EMPTY: Self = Self(0);
    /// All 54 cards.
    pub const DECK: Self = Self(0x0114_4444_4444_4444);
    /// Both jokers.
    pub const ROCKET: Self = Self(0x0110_0000_0000_0000);
    /// Most cards a player ever holds.
    pub const MOST: u32 = 20;

    /// `count` cards of one rank.
    #[must_use]
    pub const fn of(rank: Rank, count: u32) -> Self {
        debug_assert!(count <= rank.copies());
        Self((count as u64) << (WIDTH * rank.index() as u32))
    }

    /// From fifteen counts; `None` where a rank has more cards than the deck.
    #[must_use]
    pub fn from_counts(counts: &[u8; Rank::COUNT]) -> Option<Self> {
        Rank::all().zip(counts).try_fold(Self::EMPTY, |hand, (rank, count)| {
            let count = u32::from(*count);
            (count <= rank.copies()).then(|| hand + Self::of(rank, count))
        })
    }

    /// The word: the count of rank i in bits 4 i to 4 i + 3.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Number of cards of a rank.
    #[must_use]
    pub const fn count(self, rank: Rank) -> u32 {
        (self.0 >> (WIDTH * rank.index() as u32)) as u32 & 0xf
    }

    /// Number of cards.
    #[must_use]
    pub const fn len(self) -> u32 {
        const BYTES: u64 = 0x0f0f_0f0f_0f0f_0f0f;
        let pairs = (self.0 & BYTES) + (self.0 >> WIDTH & BYTES);
        (pairs.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
    }

    /// Whether it has no cards.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all cards of `other` are in it.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        ((self.0 | TOPS) - other.0) & TOPS == TOPS
    }

    /// Ranks with at least `count` cards, 1 to 4.
    #[must_use]
    pub const fn at_least(self, count: u32) -> RankSet {
        debug_assert!(count >= 1 && count <= 4);
        RankSet((self.0 + (8 - count as u64) * ONES) >> 3 & ONES)
    }

    /// Ranks with exactly `count` cards, 1 to 4.
    #[must_use]
    pub const fn exactly(self, count: u32) -> RankSet {
        let at_least = self.at_least(count);
        if count == 4 { at_least } else { at_least.without(self.at_least(count + 1)) }
    }

    /// Its ranks without the number of cards.
    #[must_use]
    pub const fn ranks(self) -> RankSet {
        self.at_least(1)
    }

    /// Without any card of these ranks.
    #[must_use]
    pub const fn without(self, ranks: RankSet) -> Self {
        Self(self.0 & !(ranks.0 * 0xf))
    }

    /// The cards that are in both.
    #[must_use]
    pub fn common(self, other: Self) -> Self {
        Rank::all().fold(Self::EMPTY, |hand, rank| {
            hand + Self::of(rank, self.count(rank).min(other.count(rank)))
        })
    }

    /// Fifteen counts.
    #[must_use]
    pub fn counts(self) -> [u8; Rank::COUNT] {
        std::array::from_fn(|index| self.count(Rank::new(index)) as u8)
    }

    /// Every card, ascending.
    pub fn cards(self) -> impl Iterator<Item = Rank> {
        self.ranks().iter().flat_map(move |rank| (0..self.count(rank)).map(move |_| rank))
    }
}

impl RankSet {
    /// No ranks.
    pub const EMPTY: Self = Self(0);
    /// Every rank.
    pub const ALL: Self = Self(ONES);
    /// Three up to the ace: what a chain is made of.
    pub const CHAIN: Self = Self(ONES >> (WIDTH * 3));
    /// All but the jokers.
    pub const SUITED: Self = Self(ONES >> (WIDTH * 2));

    /// `length` ranks in a row from `lowest`.
    #[must_use]
    pub const fn run(lowest: Rank, length: u32) -> Self {
        debug_assert!(lowest.index() + length as usize <= Rank::COUNT);
        let row = ONES & ((1 << (WIDTH * length)) - 1);
        Self(row << (WIDTH * lowest.index() as u32))
    }

    /// One rank.
    #[must_use]
    pub const fn only(rank: Rank) -> Self {
        Self(1 << (WIDTH * rank.index() as u32))
    }

    /// Whether a rank is in it.
    #[must_use]
    pub const fn has(self, rank: Rank) -> bool {
        self.0 >> (WIDTH * rank.index() as u32) & 1 == 1
    }

    /// Whether all of `other` are in it.
    #[must_use]
    pub const fn includes(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// In both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// In this one only.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Number of ranks.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The lowest rank.
    #[must_use]
    pub const fn lowest(self) -> Option<Rank> {
        if self.0 == 0 { None } else { Some(Rank::new((self.0.trailing_zeros() / WIDTH) as usize)) }
    }

    /// The highest rank.
    #[must_use]
    pub const fn highest(self) -> Option<Rank> {
        if self.0 == 0 { None } else { Some(Rank::new((self.0.ilog2() / WIDTH) as usize)) }
    }

    /// Ranks from which `length` ranks in a row are in it.
    #[must_use]
    pub const fn starts(self, length: u32) -> Self {
        let mut starts = self.0;
        let mut shift = 1;
        while shift < length {
            starts &= self.0 >> (WIDTH * shift);
            shift += 1;
        }
        Self(starts)
    }

    /// How many ranks in a row from `lowest` are in it.
    #[must_use]
    pub const fn run_length(self, lowest: Rank) -> u32 {
        let gaps = !(self.0 >> (WIDTH * lowest.index() as u32)) & ONES;
        // The sixteenth place is always a gap.
        (gaps | 1 << (WIDTH * Rank::COUNT as u32)).trailing_zeros() / WIDTH
    }

    /// `count` cards of each rank.
    #[must_use]
    pub const fn times(self, count: u32) -> Hand {
        Hand(self.0 * count as u64)
    }

    /// Ascending.
    pub fn iter(self) -> impl Iterator<Item = Rank> + Clone {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let rank = Self(left).lowest()?;
            left &= left - 1;
            Some(rank)
        })
    }
}

impl Add for Hand {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Hand {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Takes cards away that are there: see [`Hand::contains`].
impl Sub for Hand {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        debug_assert!(self.contains(other), "{self} has no {other} to take away");
        Self(self.0 - other.0)
    }
}

impl SubAssign for Hand {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// Ascending, one character a card: `33344456`.
impl fmt::Display for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = self.cards().map(Rank::letter).collect();
        f.pad(&text)
    }
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hand({self})")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn hands() -> impl Strategy<Value = Hand> {
        prop::collection::vec(0u8..=4, Rank::COUNT).prop_map(|mut counts| {
            counts[13] = counts[13].min(1);
            counts[14] = counts[14].min(1);
            Hand::from_counts(&counts.try_into().unwrap()).unwrap()
        })
    }

    proptest! {
        #[test]
        fn a_word_is_fifteen_counts(a in hands(), b in hands()) {
            let (counts, others) = (a.counts(), b.counts());
            prop_assert_eq!(a.len(), counts.iter().map(|count| u32::from(*count)).sum::<u32>());
            prop_assert_eq!(a.contains(b), counts.iter().zip(others).all(|(a, b)| *a >= b));
            for least in 1..=4 {
                for rank in Rank::all() {
                    prop_assert_eq!(a.at_least(least).has(rank), a.count(rank) >= least);
                    prop_assert_eq!(a.exactly(least).has(rank), a.count(rank) == least);
                    let run = Rank::all().skip(rank.index()).take_while(|r| a.count(*r) >= least);
                    prop_assert_eq!(a.at_least(least).run_length(rank) as usize, run.count());
                    for length in 1..=5 {
                        let run = a.at_least(least).run_length(rank) >= length;
                        prop_assert_eq!(a.at_least(least).starts(length).has(rank), run);
                    }
                }
            }
            let both = a.common(b);
            prop_assert!(a.contains(both) && b.contains(both));
            prop_assert_eq!((a - both) + both, a);
            prop_assert_eq!(a.cards().fold(Hand::EMPTY, |hand, rank| hand + Hand::of(rank, 1)), a);
        }
    }

    #[test]
    fn the_deck_has_54_cards() {
        assert_eq!(Hand::DECK.len(), 54);
        assert_eq!(Hand::ROCKET.to_string(), "BR");
        assert_eq!(RankSet::CHAIN.highest(), Some(Rank::ACE));
        assert_eq!(RankSet::SUITED.highest(), Some(Rank::TWO));
        assert_eq!(RankSet::run(Rank::new(2), 3).times(3).to_string(), "555666777");
    }
}
