//! Against how many opponents every pair wins and ties.

use super::Cards;
use super::kinds::{Kinds, MOST_KIND_PAIRS, kind_pair};
use super::values::KindValues;
use crate::{Deck, DeckCard, Evaluator};

/// More than any value.
const VALUES: usize = 7_476;

/// Against how many opponents' hands a pair wins and ties, 16 bits each: a full board has at most 1,081, and all boards
/// of one card more than a given board at most 50 times as many (51,888 without those that a hole blocks). So such counts
/// can be added, and multiplied by a small number, as one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Won(u32);

impl Won {
    pub(crate) const fn new(win: u16, tie: u16) -> Self {
        Self(win as u32 | (tie as u32) << 16)
    }

    /// Opponents' hands that lose.
    #[must_use]
    pub const fn win(self) -> u16 {
        self.0 as u16
    }

    /// Opponents' hands of the same value.
    #[must_use]
    pub const fn tie(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// Both together; neither part may exceed 16 bits.
    #[inline]
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// `times` as many.
    #[inline]
    pub(crate) const fn times(self, times: u32) -> Self {
        Self(self.0 * times)
    }

    /// Without a part of it.
    #[inline]
    pub(crate) const fn minus(self, part: Self) -> Self {
        Self(self.0 - part.0)
    }
}

/// Places for live kinds, a power of two.
const PLACES: usize = 64;

/// A pair of live kinds.
#[derive(Clone, Copy, Debug, Default)]
struct LivePair {
    low: u8,
    high: u8,
}

impl LivePair {
    #[inline]
    fn places(&self) -> (usize, usize) {
        (usize::from(self.low) % PLACES, usize::from(self.high) % PLACES)
    }
}

/// Sweeps over full boards, one after another.
///
/// Pairs are visited from the worst value up. `below` counts the pairs of cards of worse value, `below_with` those of
/// them that hold a given card of a kind: a pair (a, b) beats all that are below and hold neither a nor b. The pairs of
/// its own value are counted in the same way; the pair itself has been subtracted twice, hence the one.
pub(crate) struct Sweep<'a> {
    pairs: KindValues<'a>,
    /// By value: how many pairs of kinds, then where the next of them goes.
    counts: Vec<u16>,
    /// Pairs of live kinds by value.
    order: Vec<LivePair>,
    /// Where the pairs of each occurring value end in `order`.
    ends: Vec<u16>,
    /// By number of the pair of kinds.
    won: Vec<Won>,
}

impl<'a> Sweep<'a> {
    pub(crate) fn new(evaluator: &'a Evaluator, deck: Deck) -> Self {
        Self {
            pairs: KindValues::new(evaluator, deck),
            counts: vec![0; VALUES],
            order: vec![LivePair::default(); MOST_KIND_PAIRS],
            ends: Vec::with_capacity(MOST_KIND_PAIRS),
            won: vec![Won::default(); MOST_KIND_PAIRS],
        }
    }

    /// Sweeps a board: the kinds on it, and the counts by number of the pair of kinds; 0 where there is no such pair.
    pub(crate) fn board(&mut self, board: Cards) -> (Kinds, &[Won]) {
        self.pairs.judge(board);
        self.sort();
        let kinds = self.pairs.kinds();
        self.won[..kind_pair(0, kinds.len())].fill(Won::default());
        self.compare();
        (kinds, &self.won[..kind_pair(0, kinds.len())])
    }

    /// Sweeps a board and appends the counts of every pair of the `unseen` cards, by pair number.
    pub(crate) fn rows(&mut self, board: Cards, unseen: &[DeckCard], row: &mut Vec<Won>) {
        let (kinds, won) = self.board(board);
        let of_card: Vec<usize> = unseen.iter().map(|card| kinds.of_card(*card)).collect();
        for (at, high) in of_card.iter().enumerate() {
            row.extend(
                of_card[..at].iter().map(|low| won[super::kinds::kind_pair_of(*low, *high)]),
            );
        }
    }

    /// Counting sort of the pairs of live kinds by value. A kind of which one card is left makes no pair with itself.
    fn sort(&mut self) {
        let Self { pairs, counts, order, ends, .. } = self;
        let live = pairs.live();
        let mut occurring = [0u64; VALUES.div_ceil(64)];
        let mut values = pairs.values().iter();
        for (high, second) in live.iter().enumerate() {
            let itself = usize::from(second.left > 1);
            for value in values.by_ref().take(high + itself) {
                counts[usize::from(*value)] += 1;
                occurring[usize::from(value / 64)] |= 1 << (value % 64);
            }
            if itself == 0 {
                values.next();
            }
        }
        ends.clear();
        let mut end = 0;
        for (word, bits) in occurring.iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                let count = &mut counts[64 * word + bits.trailing_zeros() as usize];
                let start = end;
                end += *count;
                *count = start;
                ends.push(end);
                bits &= bits - 1;
            }
        }
        let mut values = pairs.values().iter();
        for (high, second) in live.iter().enumerate() {
            for low in 0..=high {
                let Some(value) = values.next() else { break };
                if low < high || second.left > 1 {
                    let next = &mut counts[usize::from(*value)];
                    order[usize::from(*next)] = LivePair { low: low as u8, high: high as u8 };
                    *next += 1;
                }
            }
        }
        for value in pairs.values() {
            counts[usize::from(*value)] = 0;
        }
    }

    fn compare(&mut self) {
        let live = self.pairs.live();
        let mut left = [0u16; PLACES];
        left.iter_mut().zip(live).for_each(|(left, live)| *left = live.left.into());
        let mut below = 0u16;
        let mut below_with = [0u16; PLACES];
        let mut same_with = [0u16; PLACES];
        let mut start = 0;
        for end in &self.ends {
            let group = &self.order[start..usize::from(*end)];
            let mut same = 0;
            for (low, high) in group.iter().map(LivePair::places) {
                if low == high {
                    same += left[low] * (left[low] - 1) / 2;
                    same_with[low] += left[low] - 1;
                } else {
                    same += left[low] * left[high];
                    same_with[low] += left[high];
                    same_with[high] += left[low];
                }
            }
            for (low, high) in group.iter().map(LivePair::places) {
                let pair = kind_pair(live[low].kind.into(), live[high].kind.into());
                self.won[pair] = Won::new(
                    below - below_with[low] - below_with[high],
                    same + 1 - same_with[low] - same_with[high],
                );
            }
            below += same;
            // What is added to `below_with` is taken out of `same_with`: a place that comes twice adds nothing more.
            for (low, high) in group.iter().map(LivePair::places) {
                for place in [low, high] {
                    below_with[place] += std::mem::take(&mut same_with[place]);
                }
            }
            start = usize::from(*end);
        }
    }
}
