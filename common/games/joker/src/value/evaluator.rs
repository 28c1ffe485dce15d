//! The evaluator: tables made by letting jokers become cards once and for all.

use fulldeck_cards::RANKS;
use fulldeck_eval::{Strength, Strengths};

use super::ranks::{MAX_NATURAL, RankIndex, each_multiset};
use super::sum::{RANK_KEYS, Sum, flush_bias};
use crate::{DeckCard, Rule};

const MASKS: usize = 1 << RANKS;
/// Most jokers.
const JOKERS: usize = 2;
/// Cards that count.
const FIVE: usize = 5;

/// Worth of the best five of five, six or seven cards: 1 (7-5-4-3-2 unsuited) to 7,462 (royal flush), under
/// [`Rule::Wild`] to 7,475 (five aces). Hands of all sizes are on this one scale; equal values tie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub(crate) u16);

impl Value {
    /// From 1 to the number of values of the rule; `None` beyond.
    #[must_use]
    pub fn new(number: u16, rule: Rule) -> Option<Self> {
        (1..=rule.values()).contains(&number).then_some(Self(number))
    }

    /// The number, higher is better.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The customary rank, lower is better: 1 is the royal flush (five aces under [`Rule::Wild`]), 7,462 (7,475) the
    /// worst.
    #[must_use]
    pub const fn rank(self, rule: Rule) -> u16 {
        rule.values() + 1 - self.0
    }
}

/// Judges five to seven cards of which none, one or two are jokers, without trying what the jokers may become: that has
/// been done for every rank multiset and every suit mask when the tables were built.
#[derive(Clone, Debug)]
pub struct Evaluator {
    rule: Rule,
    index: RankIndex,
    /// By jokers, by natural cards, by number of the multiset: the best five when suits are forgotten.
    by_ranks: [Vec<Vec<u16>>; JOKERS + 1],
    /// By jokers, by ranks held in a suit: the best flush, 0 if there is none.
    by_flush: [Vec<u16>; JOKERS + 1],
}

impl Evaluator {
    /// Builds the tables, about 0.5 MB; takes some milliseconds.
    #[must_use]
    pub fn new(rule: Rule) -> Self {
        let strengths = Strengths::new();
        let index = RankIndex::new();
        let natural = natural_ranks(&strengths, &index);
        let one = one_joker(rule, &natural, &index);
        let two = one_more_joker(&one, &index);
        let flushes = natural_flushes(&strengths);
        let one_flush = one_more_in_suit(&flushes);
        let two_flush = one_more_in_suit(&one_flush);
        Self {
            rule,
            index,
            by_ranks: [natural, one, two],
            by_flush: [flushes, one_flush, two_flush],
        }
    }

    /// The rule by which jokers count.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// The value of five, six or seven different cards.
    ///
    /// # Panics
    /// If there are fewer or more.
    #[must_use]
    pub fn value(&self, cards: &[DeckCard]) -> Value {
        assert!((FIVE..=MAX_NATURAL).contains(&cards.len()), "five to seven cards are judged");
        let sum = cards.iter().fold(Sum::default(), |sum, card| sum.plus(Sum::of(*card)));
        let jokers = cards.iter().filter(|card| card.is_joker()).count();
        Value(self.judge(cards.len(), jokers).value(sum))
    }

    /// What judges hands of so many cards, jokers among them.
    pub(crate) fn judge(&self, cards: usize, jokers: usize) -> Judge<'_> {
        let natural = cards - jokers;
        Judge {
            low: self.index.low(),
            high: self.index.high(natural),
            by_ranks: &self.by_ranks[jokers][natural],
            by_flush: &self.by_flush[jokers],
            flush_bias: flush_bias((FIVE - jokers) as u8),
        }
    }

    /// Best flush of a suit of which these ranks are held, 0 if there is none.
    pub(crate) fn flush(&self, jokers: usize, mask: u16) -> u16 {
        self.by_flush[jokers][usize::from(mask)]
    }
}

/// An [`Evaluator`] for hands with a fixed number of cards and jokers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judge<'a> {
    low: &'a [u16],
    high: &'a [u32],
    by_ranks: &'a [u16],
    by_flush: &'a [u16],
    flush_bias: u64,
}

impl Judge<'_> {
    /// The value of the natural cards with the jokers; the number of natural cards must be the right one. With seven
    /// cards at most, only one suit can have the cards that a flush needs.
    #[inline]
    pub(crate) fn value(&self, sum: Sum) -> u16 {
        let ranks = self.ranks(sum.key());
        match sum.flush_mask(self.flush_bias) {
            None => ranks,
            Some(mask) => ranks.max(self.by_flush[usize::from(mask)]),
        }
    }

    /// The value when suits are forgotten.
    #[inline]
    pub(crate) fn ranks(&self, key: u64) -> u16 {
        let (low, high) = (super::sum::low(key), super::sum::high(key));
        self.by_ranks[self.high[high] as usize + usize::from(self.low[low])]
    }
}

/// Best five of five, six and seven natural cards when suits are forgotten.
fn natural_ranks(strengths: &Strengths, index: &RankIndex) -> Vec<Vec<u16>> {
    let mut tables: Vec<Vec<u16>> = vec![Vec::new(); MAX_NATURAL + 1];
    tables[FIVE] = filled(index, FIVE, |counts, _| {
        let mut ranks = [0; FIVE];
        let held = (0..RANKS as u8)
            .flat_map(|rank| std::iter::repeat_n(rank, usize::from(counts[usize::from(rank)])));
        ranks.iter_mut().zip(held).for_each(|(place, rank)| *place = rank);
        strengths.of_ranks(&ranks).0
    });
    for size in FIVE + 1..=MAX_NATURAL {
        tables[size] = filled(index, size, |counts, key| {
            let without = |rank: usize| tables[size - 1][index.of(size - 1, key - RANK_KEYS[rank])];
            (0..RANKS).filter(|rank| counts[*rank] > 0).map(without).max().unwrap_or_default()
        });
    }
    tables
}

/// With one joker: under the wild rule it also makes the fifth of a rank.
fn one_joker(rule: Rule, natural: &[Vec<u16>], index: &RankIndex) -> Vec<Vec<u16>> {
    let mut tables = one_more_joker(natural, index);
    if rule == Rule::Wild {
        for (size, table) in tables.iter_mut().enumerate().filter(|(_, table)| !table.is_empty()) {
            each_multiset(size, 4, |counts, key| {
                if let Some(rank) = (0..RANKS).rev().find(|rank| counts[*rank] == 4) {
                    table[index.of(size, key)] = five_of_a_kind(rank);
                }
            });
        }
    }
    tables
}

/// With one joker more than `tables`: the joker becomes a card of any rank that is not held four times.
fn one_more_joker(tables: &[Vec<u16>], index: &RankIndex) -> Vec<Vec<u16>> {
    let mut more: Vec<Vec<u16>> = tables
        .iter()
        .enumerate()
        .skip(1)
        .map(|(size, table)| {
            if table.is_empty() {
                return Vec::new();
            }
            filled(index, size - 1, |counts, key| {
                let with = |rank: usize| table[index.of(size, key + RANK_KEYS[rank])];
                (0..RANKS).filter(|rank| counts[*rank] < 4).map(with).max().unwrap_or_default()
            })
        })
        .collect();
    more.push(Vec::new());
    more
}

fn filled(
    index: &RankIndex,
    size: usize,
    value: impl Fn(&fulldeck_cards::RankMultiset, u64) -> u16,
) -> Vec<u16> {
    let mut table = vec![0; index.len(size)];
    each_multiset(size, 4, |counts, key| table[index.of(size, key)] = value(counts, key));
    table
}

/// Best flush of five or more cards of a suit.
fn natural_flushes(strengths: &Strengths) -> Vec<u16> {
    let mut table = vec![0; MASKS];
    for mask in 0..MASKS as u16 {
        table[usize::from(mask)] = match mask.count_ones() as usize {
            0..FIVE => 0,
            FIVE => strengths.of_flush(mask).0,
            // Masks with a card less are smaller numbers: they are done.
            _ => bits(mask).map(|bit| table[usize::from(mask ^ bit)]).max().unwrap_or_default(),
        };
    }
    table
}

/// With one more joker, which becomes a card of the suit that is not held.
fn one_more_in_suit(table: &[u16]) -> Vec<u16> {
    (0..MASKS as u16)
        .map(|mask| {
            let with = |bit: u16| table[usize::from(mask | bit)];
            bits(!mask & (MASKS as u16 - 1)).map(with).max().unwrap_or_default()
        })
        .collect()
}

fn bits(mask: u16) -> impl Iterator<Item = u16> {
    (0..RANKS).map(|rank| 1 << rank).filter(move |bit| mask & bit != 0)
}

/// Five of a rank: above the royal flush.
pub(super) const fn five_of_a_kind(rank: usize) -> u16 {
    Strength::BEST.0 + 1 + rank as u16
}
