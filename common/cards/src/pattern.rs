//! Suit patterns: how many cards a hand has in each suit, suits unnamed.

use std::fmt;

use crate::{CardSet, SUITS};

/// The number of cards in each suit, largest first: a partition of the hand's size into at most four parts.
/// Written in letters: `abcd`, `aabc`, `aabb`, `aaab`, `aaaa` for four cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SuitPattern([u8; SUITS]);

impl SuitPattern {
    /// Pattern of a hand.
    #[must_use]
    pub fn of(hand: CardSet) -> Self {
        let mut sizes = hand.suits().map(|mask| mask.count_ones() as u8);
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        Self(sizes)
    }

    /// All patterns of hands of `cards` cards: more suits first, then the smaller largest suit first.
    #[must_use]
    pub fn all(cards: usize) -> Vec<Self> {
        let mut patterns = Vec::new();
        let size = 0..=cards.min(crate::RANKS) as u8;
        for a in size.clone() {
            for b in size.clone().filter(|b| *b <= a) {
                for c in size.clone().filter(|c| *c <= b) {
                    for d in size.clone().filter(|d| *d <= c) {
                        if usize::from(a + b + c + d) == cards {
                            patterns.push(Self([a, b, c, d]));
                        }
                    }
                }
            }
        }
        patterns.sort_by_key(|pattern| (std::cmp::Reverse(pattern.suits()), pattern.0));
        patterns
    }

    /// Cards in each suit, largest first.
    #[must_use]
    pub const fn sizes(self) -> [u8; SUITS] {
        self.0
    }

    /// Number of suits held.
    #[must_use]
    pub fn suits(self) -> usize {
        self.0.iter().filter(|size| **size > 0).count()
    }

    /// Number of suits held with at least `least` cards.
    #[must_use]
    pub fn suits_with(self, least: u8) -> usize {
        self.0.iter().filter(|size| **size >= least).count()
    }
}

impl fmt::Display for SuitPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ('a'..='d')
            .zip(self.0)
            .try_for_each(|(letter, size)| (0..size).try_for_each(|_| write!(f, "{letter}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(cards: usize) -> Vec<String> {
        SuitPattern::all(cards).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn patterns_are_the_partitions_in_the_documented_order() {
        assert_eq!(names(2), ["ab", "aa"]);
        assert_eq!(names(4), ["abcd", "aabc", "aabb", "aaab", "aaaa"]);
        assert_eq!(names(5), ["aabcd", "aabbc", "aaabc", "aaabb", "aaaab", "aaaaa"]);
        assert_eq!(names(6).len(), 9);
    }
}
