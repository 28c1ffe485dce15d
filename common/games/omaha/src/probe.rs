//! The engine taken apart, for those who measure it.

use fulldeck_cards::{RANKS, RankMultisets};
use fulldeck_eval::arch::Backend;

use crate::fast::{Block, Engine, Loaded, RankHand, Scratch, WantedSizes};

/// One thread's view of the engine: outcomes of rank multisets, in numbers that add up.
pub struct Probe {
    cards: usize,
    multisets: RankMultisets,
    engine: Engine,
    scratch: Scratch,
    block: Block,
}

/// What has to be computed for all pairs of rank multisets, and what is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Pairs of rank multisets of disjoint hands, each once: as many values of `T`.
    pub rank_pairs: u64,
    /// Values of `D` that differ by what they are asked about, either side first.
    pub distinct: u64,
    /// Values of `D` that a run computes.
    pub computed: u64,
}

/// The codes of one rank multiset.
pub struct Hand(Loaded);

impl Probe {
    /// The engine for hands of `cards` cards.
    ///
    /// # Panics
    /// Unless `cards` is 2, 4, 5 or 6.
    #[must_use]
    pub fn new(cards: usize, backend: Backend) -> Self {
        Self {
            cards,
            multisets: RankMultisets::new(cards),
            engine: Engine::new(cards, backend),
            scratch: Scratch::default(),
            block: Block::default(),
        }
    }

    /// Number of rank multisets.
    #[must_use]
    pub fn multisets(&self) -> usize {
        self.multisets.len()
    }

    /// Whether two hands with these multisets can be disjoint.
    #[must_use]
    pub fn fits(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.multisets.counts(a), self.multisets.counts(b));
        (0..RANKS).all(|rank| a[rank] + b[rank] <= 4)
    }

    /// Loads a multiset.
    #[must_use]
    pub fn load(&self, multiset: usize) -> Hand {
        Hand(self.engine.load(RankHand::new(self.multisets.counts(multiset))))
    }

    /// `T` of two multisets that fit: boards that the first wins by ranks alone.
    #[must_use]
    pub fn by_ranks(&self, a: &Hand, b: &Hand) -> u64 {
        self.engine.by_ranks(&a.0, &b.0).map_or(0, |tally| tally.win() as u64)
    }

    /// `T` and every `D` of two multisets that fit. Returns the number of values of `D`.
    pub fn all(&mut self, a: &Hand, b: &Hand) -> u64 {
        let wanted = wanted(&self.engine);
        self.engine.block(&a.0, &b.0, &wanted, &mut self.scratch, &mut self.block);
        count(&wanted, &a.0.hand, &b.0.hand, |_, _| true)
    }

    /// Counts the values of the whole matrix; about a second for four cards, half a minute for five.
    #[must_use]
    pub fn census(&self) -> Census {
        let wanted = wanted(&self.engine);
        let hands: Vec<RankHand> = (0..self.multisets.len())
            .map(|index| RankHand::new(self.multisets.counts(index)))
            .collect();
        let mut census = Census::default();
        for (first, a) in hands.iter().enumerate() {
            for b in &hands[first..] {
                let held: [u8; RANKS] = std::array::from_fn(|r| a.counts[r] + b.counts[r]);
                if held.iter().any(|count| *count > 4) {
                    continue;
                }
                census.rank_pairs += 1;
                census.computed += count(&wanted, a, b, |_, _| true);
                // Three cards of a rank are outside of the suit.
                let full: u16 = (0..RANKS).filter(|rank| held[*rank] == 4).map(|r| 1 << r).sum();
                let exists = |a: u16, b: u16| (a | b) & full == full;
                let same = a.counts == b.counts;
                let once = |a: u16, b: u16| exists(a, b) && (!same || a <= b);
                census.distinct += count(&wanted, a, b, once);
            }
        }
        census
    }

    /// Hole cards.
    #[must_use]
    pub const fn cards(&self) -> usize {
        self.cards
    }
}

fn wanted(engine: &Engine) -> WantedSizes {
    let one_is_enough = engine.any_suit_matters();
    std::array::from_fn(|a| if a >= 2 || one_is_enough { 0x7f } else { 0x7f & !0b11 })
}

/// Pairs of subsets that share no rank and are wanted.
fn count(wanted: &WantedSizes, a: &RankHand, b: &RankHand, also: impl Fn(u16, u16) -> bool) -> u64 {
    let pairs = a.subsets.iter().flat_map(|a| b.subsets.iter().map(move |b| (*a, *b)));
    pairs
        .filter(|(a, b)| {
            a & b == 0 && wanted[a.count_ones() as usize] >> b.count_ones() & 1 == 1 && also(*a, *b)
        })
        .count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hardly_anything_is_computed_twice() {
        let census = Probe::new(4, Backend::best()).census();
        let Census { rank_pairs, distinct, computed } = census;
        assert!(computed >= distinct && computed * 100 < distinct * 110, "{census:?}");
        assert!((1_600_000..1_660_000).contains(&rank_pairs), "{census:?}");
        assert!((110_000_000..120_000_000).contains(&distinct), "{census:?}");
    }
}
