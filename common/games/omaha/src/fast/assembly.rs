//! From rank outcomes and deltas to cells of the matrix.
//!
//! A cell is the sum over all placements of cluster j's suits that are disjoint from the fixed hand i. Ranks alone
//! count the same for every placement; a suit `g` of j that falls on suit `f` of i adds one delta. So it is enough
//! to know how many of the 24 placements put `g` on `f`: a permanent of the 4 x 4 matrix that says which suits of i
//! and j share no rank.

use std::sync::LazyLock;

use fulldeck_cards::{Cluster, SUITS};

use super::rank_pair::{Block, RankHand};
use super::tally::Tally;

/// A cluster as its block sees it.
#[derive(Clone, Copy)]
pub(crate) struct Suited {
    /// Subset of the cluster's ranks in each suit.
    subsets: [u8; SUITS],
    stabilizer: u8,
}

impl Suited {
    pub(crate) fn new(cluster: &Cluster, ranks: &RankHand) -> Self {
        Self {
            subsets: cluster.suits().map(|held| ranks.subset(held)),
            stabilizer: cluster.stabilizer(),
        }
    }
}

/// Hands of j's cluster that are disjoint from the fixed hand, and their outcome from the fixed hand's side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) hands: u32,
    pub(crate) win: u32,
    pub(crate) lose: u32,
}

impl Cell {
    /// From sums over all placements, `stabilizer` of which stand for each hand.
    fn new(placements: u64, [win, lose]: [i32; 2], stabilizer: u8) -> Self {
        let each = u32::from(stabilizer);
        Self { hands: placements as u32 / each, win: win as u32 / each, lose: lose as u32 / each }
    }
}

/// For each pattern of suit pairs that share no rank (bit `4 g + f`): how many placements use each pair, four bits
/// a pair.
static PLACEMENTS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    (0..1u32 << 16)
        .map(|free| {
            let mut uses = 0u64;
            for code in 0..256usize {
                let place = |suit: usize| code >> (2 * suit) & 3;
                let seen = (0..SUITS).fold(0, |seen, suit| seen | 1 << place(suit));
                let pairs = (0..SUITS).map(|suit| SUITS * suit + place(suit));
                if seen == 0b1111 && pairs.clone().all(|pair| free >> pair & 1 == 1) {
                    uses += pairs.map(|pair| 1 << (4 * pair)).sum::<u64>();
                }
            }
            uses
        })
        .collect()
});

/// For each pattern of suit pairs that share no rank (bit `4 g + f`): how many of the 24 placements leave the hands
/// disjoint.
pub(crate) static DISJOINT_PLACEMENTS: LazyLock<Vec<u8>> =
    LazyLock::new(|| PLACEMENTS.iter().map(|uses| placements(*uses) as u8).collect());

/// Number of placements behind the uses of their suit pairs: each uses one suit of the fixed hand for its first.
const fn placements(uses: u64) -> u32 {
    ((uses & 15) + (uses >> 4 & 15) + (uses >> 8 & 15) + (uses >> 12 & 15)) as u32
}

/// Cells of one cluster on the first side of a block against clusters on the second.
pub(crate) struct Assembler<'a> {
    placements: &'static [u64],
    block: &'a Block,
    /// For each suit of the first cluster the row of deltas it selects.
    rows: [&'a [Tally]; SUITS],
    /// For each subset of the second side, which suits of the first share no rank with it.
    free: [u8; 1 << 6],
}

impl<'a> Assembler<'a> {
    /// `first` and `second` are the hands of the block.
    pub(crate) fn new(
        block: &'a Block,
        (first, second): (&RankHand, &RankHand),
        cluster: Suited,
    ) -> Self {
        let held = cluster.subsets.map(|subset| first.subsets[usize::from(subset)]);
        let mut free = [0; 1 << 6];
        for (free, other) in free.iter_mut().zip(&second.subsets) {
            *free = (0..SUITS).map(|f| u8::from(held[f] & other == 0) << f).sum();
        }
        let rows = cluster
            .subsets
            .map(|subset| &block.deltas[usize::from(subset) * block.width..][..block.width]);
        Self { placements: &PLACEMENTS, block, rows, free }
    }

    /// Sum over all 24 permutations of suits, and how many of them leave the hands disjoint.
    fn permuted(&self, other: Suited) -> (u64, Tally) {
        let free = other
            .subsets
            .iter()
            .rev()
            .fold(0, |free, subset| free << 4 | usize::from(self.free[usize::from(*subset)]));
        let uses = self.placements[free];
        if uses == 0 {
            return (0, Tally::ZERO);
        }
        let placements = u64::from(placements(uses));
        let mut sum = self.block.by_ranks * placements;
        for (g, subset) in other.subsets.iter().enumerate() {
            let uses = uses >> (16 * g);
            for (f, row) in self.rows.iter().enumerate() {
                sum += row[usize::from(*subset)] * (uses >> (4 * f) & 15);
            }
        }
        (placements, sum)
    }

    /// The cell with the first cluster's representative fixed, over all hands of `other`.
    pub(crate) fn cell(&self, other: Suited) -> Cell {
        let (placements, sum) = self.permuted(other);
        Cell::new(placements, [sum.win(), sum.lose()], other.stabilizer)
    }

    /// The cell with `other`'s representative fixed, over all hands of the first cluster (`first`).
    pub(crate) fn transposed(&self, other: Suited, first: Suited) -> Cell {
        let (placements, sum) = self.permuted(other);
        Cell::new(placements, [sum.lose(), sum.win()], first.stabilizer)
    }
}
