//! How many hands there are of each value: by combinatorics, and by dealing every hand.

use fulldeck_cards::RANKS;
use fulldeck_eval::Strength;

use crate::value::{Sum, each_multiset};
use crate::{Classes, Deck, DeckCard, Evaluator, HandType, Rule, Value};

/// Ways to choose `k` of `n`; 0 if there are not so many.
pub(crate) const fn choose(n: u64, k: u64) -> u64 {
    if k > n {
        return 0;
    }
    let (mut ways, mut i) = (1, 0);
    while i < k {
        ways = ways * (n - i) / (i + 1);
        i += 1;
    }
    ways
}

/// Number of hands of each value, among all hands of five, six or seven cards of a deck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    rule: Rule,
    cards: usize,
    deck: Deck,
    /// By value; 0 is no value.
    counts: Vec<u64>,
}

impl Histogram {
    /// Counted by rank multisets and suit masks; takes a millisecond or two.
    ///
    /// # Panics
    /// Unless `cards` is 5, 6 or 7.
    #[must_use]
    pub fn count(evaluator: &Evaluator, deck: Deck, cards: usize) -> Self {
        let mut histogram = Self::empty(evaluator.rule(), deck, cards);
        for jokers in 0..=usize::from(deck.jokers()) {
            let ways = choose(deck.jokers().into(), jokers as u64);
            histogram.count_with(evaluator, jokers, ways);
        }
        histogram
    }

    /// Adds the hands with so many jokers, each of them `ways` times.
    fn count_with(&mut self, evaluator: &Evaluator, jokers: usize, ways: u64) {
        let judge = evaluator.judge(self.cards, jokers);
        let natural = self.cards - jokers;
        let counts = &mut self.counts;
        // First as if suits did not matter ...
        each_multiset(natural, 4, |multiset, key| {
            counts[usize::from(judge.ranks(key))] += ways * suitings(multiset, 4);
        });
        // ... then every hand with a flush (in one suit only) moves to where it belongs.
        for mask in 0..1u16 << RANKS {
            let suited = mask.count_ones() as usize;
            if suited + jokers < 5 || suited > natural {
                continue;
            }
            let flush = evaluator.flush(jokers, mask);
            let suited_key = (0..RANKS).filter(|rank| mask >> rank & 1 == 1);
            let suited_key: u64 = suited_key.map(|rank| crate::value::RANK_KEYS[rank]).sum();
            each_multiset(natural - suited, 3, |multiset, key| {
                let ranks = judge.ranks(suited_key + key);
                let hands = 4 * ways * suitings(multiset, 3);
                counts[usize::from(ranks)] -= hands;
                counts[usize::from(ranks.max(flush))] += hands;
            });
        }
    }

    /// No hands.
    ///
    /// # Panics
    /// Unless `cards` is 5, 6 or 7.
    #[must_use]
    pub fn empty(rule: Rule, deck: Deck, cards: usize) -> Self {
        assert!((5..=7).contains(&cards), "hands of five, six or seven cards are counted");
        Self { rule, cards, deck, counts: vec![0; usize::from(rule.values()) + 1] }
    }

    /// Adds counts by value.
    ///
    /// # Panics
    /// If there are not as many values.
    pub fn add(&mut self, counts: impl ExactSizeIterator<Item = u64>) {
        assert_eq!(counts.len(), self.counts.len(), "counts of every value");
        self.counts.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }

    /// The rule.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// Number of hands by value; the first entry is 0.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Number of hands of the deck: C(deck, cards).
    #[must_use]
    pub const fn all_hands(&self) -> u64 {
        choose(self.deck.size() as u64, self.cards as u64)
    }

    /// Number of hands of each type, in the order of [`HandType::ALL`], and of royal flushes (which are straight flushes
    /// too).
    #[must_use]
    pub fn by_type(&self, classes: &Classes) -> ([u64; HandType::ALL.len()], u64) {
        let mut types = [0; HandType::ALL.len()];
        for (value, count) in (0..).zip(&self.counts).skip(1) {
            types[classes.of(Value(value)).hand_type as usize] += count;
        }
        (types, self.counts[usize::from(Strength::BEST.0)])
    }
}

/// Ways to give suits to a rank multiset when each rank has so many.
fn suitings(multiset: &[u8; RANKS], suits: u64) -> u64 {
    multiset.iter().map(|count| choose(suits, u64::from(*count))).product()
}

/// Where values stand among all hands of a size.
#[derive(Clone, Debug)]
pub struct Positions {
    histogram: Histogram,
    lower: Vec<u64>,
    position: Vec<u32>,
}

/// Where one value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Number of different values below: 0 is the worst hand of this size, equal hands share it.
    pub position: u32,
    /// Number of hands of the size that are strictly worse.
    pub lower: u64,
    /// Number of hands of the size.
    pub hands: u64,
}

impl Standing {
    /// Share of all hands of the size that are strictly worse. It ignores that opponents share a board: no probability of
    /// winning.
    #[must_use]
    pub fn percentile(&self) -> f64 {
        self.lower as f64 / self.hands as f64
    }
}

impl Positions {
    /// From the number of hands of each value.
    #[must_use]
    pub fn new(histogram: Histogram) -> Self {
        let (mut below, mut values) = (0, 0);
        let (mut lower, mut position) = (Vec::new(), Vec::new());
        for count in histogram.counts() {
            lower.push(below);
            position.push(values);
            below += count;
            values += u32::from(*count > 0);
        }
        Self { histogram, lower, position }
    }

    /// Where `value` stands; of a value that no hand of the size has, where it would.
    #[must_use]
    pub fn of(&self, value: Value) -> Standing {
        let at = usize::from(value.0);
        let hands = self.histogram.all_hands();
        Standing { position: self.position[at], lower: self.lower[at], hands }
    }

    /// The number of hands of each value.
    #[must_use]
    pub const fn histogram(&self) -> &Histogram {
        &self.histogram
    }

    /// The deck.
    #[must_use]
    pub const fn deck(&self) -> Deck {
        self.histogram.deck
    }

    /// By value: the number of hands that are strictly worse.
    pub(crate) fn lower(&self) -> &[u64] {
        &self.lower
    }

    /// Number of different values.
    #[must_use]
    pub fn distinct(&self) -> usize {
        self.histogram.counts().iter().filter(|count| **count > 0).count()
    }
}

/// All hands of a deck by their two first cards, jokers first: so the number of jokers is known before the natural cards
/// are dealt.
#[derive(Clone, Debug)]
pub(crate) struct Dealing {
    order: Vec<DeckCard>,
    cards: usize,
}

impl Dealing {
    pub(crate) fn new(deck: Deck, cards: usize) -> Self {
        let mut order: Vec<_> = deck.cards().collect();
        order.rotate_right(deck.jokers().into());
        Self { order, cards }
    }

    /// Number of pairs of first cards, also of those after which too few are left.
    pub(crate) fn rows(&self) -> u32 {
        choose(self.order.len() as u64, 2) as u32
    }

    /// Places in the order of the two first cards of a row; rows are in lexicographic order.
    fn first_two(&self, row: u32) -> (usize, usize) {
        let (mut first, mut left) = (0, row as usize);
        while left >= self.order.len() - 1 - first {
            left -= self.order.len() - 1 - first;
            first += 1;
        }
        (first, first + 1 + left)
    }

    /// Number of hands of a row.
    pub(crate) fn hands(&self, row: u32) -> u64 {
        let (_, second) = self.first_two(row);
        choose((self.order.len() - 1 - second) as u64, self.cards as u64 - 2)
    }

    /// Judges every hand of a row and counts it.
    pub(crate) fn deal(&self, evaluator: &Evaluator, row: u32, counts: &mut [u64]) {
        let (first, second) = self.first_two(row);
        let two = [self.order[first], self.order[second]];
        let jokers = two.iter().filter(|card| card.is_joker()).count();
        let judge = evaluator.judge(self.cards, jokers);
        let rest: Vec<Sum> = self.order[second + 1..]
            .iter()
            .filter(|card| !card.is_joker())
            .map(|card| Sum::of(*card))
            .collect();
        let sum = Sum::of(two[0]).plus(Sum::of(two[1]));
        // After a first joker and a natural card no joker follows; after two natural cards neither.
        deal(&rest, sum, self.cards - 2, &mut |sum| counts[usize::from(judge.value(sum))] += 1);
    }
}

/// Judges all hands of a size that begin with the two cards of `row` (jokers first, rows in lexicographic order) one by
/// one and adds them to `counts` by value; how many there were.
///
/// # Panics
/// If there is no such row, or `counts` is shorter than the number of values and one.
pub fn deal_first(
    evaluator: &Evaluator,
    deck: Deck,
    cards: usize,
    row: u32,
    counts: &mut [u64],
) -> u64 {
    let dealing = Dealing::new(deck, cards);
    assert!(row < dealing.rows(), "rows are pairs of first cards");
    dealing.deal(evaluator, row, counts);
    dealing.hands(row)
}

/// Every way to add `left` of the cards.
#[inline]
pub(crate) fn deal(cards: &[Sum], sum: Sum, left: usize, visit: &mut impl FnMut(Sum)) {
    if left == 1 {
        for card in cards {
            visit(sum.plus(*card));
        }
        return;
    }
    for (at, card) in cards.iter().enumerate() {
        deal(&cards[at + 1..], sum.plus(*card), left - 1, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_and_dealing_agree_on_all_hands_of_five() {
        for rule in Rule::ALL {
            let evaluator = Evaluator::new(rule);
            for deck in Deck::ALL {
                let counted = Histogram::count(&evaluator, deck, 5);
                let dealing = Dealing::new(deck, 5);
                let mut dealt = vec![0; counted.counts().len()];
                for row in 0..dealing.rows() {
                    let before: u64 = dealt.iter().sum();
                    dealing.deal(&evaluator, row, &mut dealt);
                    assert_eq!(dealt.iter().sum::<u64>() - before, dealing.hands(row));
                }
                assert_eq!(dealt, counted.counts(), "{deck} {rule:?}");
            }
        }
    }

    #[test]
    fn choices_are_those_of_pascal() {
        assert_eq!(choose(54, 7), 177_100_560);
        assert_eq!(choose(52, 5), 2_598_960);
        assert_eq!((choose(5, 0), choose(5, 5), choose(4, 5)), (1, 1, 0));
    }
}
