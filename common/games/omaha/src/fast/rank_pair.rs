//! Everything about two rank multisets: the rank-only outcome, and what suits change.

use fulldeck_cards::{RANKS, RankMultiset};
use fulldeck_eval::arch::{Backend, Bytes, HandParts, RankSums, SetSummer};
use fulldeck_eval::lanes::Lanes;

use super::codes::{FlushTable, RankCodes};
use super::subsets::AvoidingSums;
use super::tally::Tally;
use super::weights::HalfWeights;

/// The ranks of a hand, and the subsets of them that it may hold in one suit.
#[derive(Clone, Default)]
pub(crate) struct RankHand {
    pub(crate) counts: RankMultiset,
    /// Rank masks of the subsets of the ranks held, by the positions of their members.
    pub(crate) subsets: Vec<u16>,
}

/// A hand's code on every board.
pub(crate) struct Row(Vec<Bytes>);

/// Outcomes of one rank multiset against another, whatever the suits.
#[derive(Default)]
pub(crate) struct Block {
    /// Boards judged by ranks alone.
    pub(crate) by_ranks: Tally,
    /// `deltas[a * width + b]`: what a suit changes in which the first hand holds its subset `a`, the second `b`.
    pub(crate) deltas: Vec<Tally>,
    /// Number of subsets of the second hand.
    pub(crate) width: usize,
}

/// Which deltas are wanted: bit `b` of entry `a` for `a` and `b` cards in the suit.
pub(crate) type WantedSizes = [u8; 7];

/// Shared tables of the engine for hands of one size.
pub(crate) struct Tables {
    pub(crate) backend: Backend,
    cards: usize,
    lanes: Lanes,
    rank_codes: RankCodes,
    flushes: FlushTable,
    weights: HalfWeights,
    summer: SetSummer,
}

/// Working memory for one thread.
#[derive(Default)]
pub(crate) struct Scratch {
    sums: Box<RankSums>,
    avoiding: AvoidingSums,
    parts: [Vec<HandParts>; 2],
}

impl RankHand {
    /// Forgets the suits.
    pub(crate) fn new(counts: RankMultiset) -> Self {
        let ranks: Vec<u16> =
            (0..RANKS).filter(|rank| counts[*rank] > 0).map(|rank| 1 << rank).collect();
        let subsets = (0..1usize << ranks.len())
            .map(|subset| {
                let member = |position: usize| subset >> position & 1 == 1;
                (0..ranks.len()).filter(|p| member(*p)).map(|p| ranks[p]).sum()
            })
            .collect();
        Self { counts, subsets }
    }

    /// Position among [`RankHand::subsets`] of the ranks `held` in one suit.
    pub(crate) fn subset(&self, held: u16) -> u8 {
        let all = *self.subsets.last().expect("the empty set is a subset");
        let mut index = 0;
        for rank in (0..RANKS).rev().filter(|rank| all >> rank & 1 == 1) {
            index = index << 1 | (held >> rank & 1) as u8;
        }
        index
    }

    fn support(&self) -> u16 {
        *self.subsets.last().expect("the empty set is a subset")
    }
}

/// Cards of each rank that two hands hold together; `None` if more than there are.
pub(super) fn held(a: &RankHand, b: &RankHand) -> Option<RankMultiset> {
    let held: RankMultiset = std::array::from_fn(|rank| a.counts[rank] + b.counts[rank]);
    held.iter().all(|count| *count <= 4).then_some(held)
}

const fn choose(n: i32, k: i32) -> i32 {
    let mut product = 1;
    let mut i = 0;
    while i < k {
        product = product * (n - i) / (i + 1);
        i += 1;
    }
    product
}

impl Tables {
    pub(crate) fn new(cards: usize, backend: Backend) -> Self {
        let strengths = fulldeck_eval::Strengths::new();
        let lanes = Lanes::new();
        Self {
            backend,
            cards,
            rank_codes: RankCodes::new(&strengths, &lanes),
            flushes: FlushTable::new(&strengths, &lanes, cards),
            weights: HalfWeights::new(&lanes, cards),
            summer: SetSummer::new(&lanes),
            lanes,
        }
    }

    /// The codes that [`Tables::block`] needs.
    pub(crate) fn row(&self, hand: &RankHand) -> Row {
        let mut row = Vec::new();
        self.rank_codes.row(self.backend, &hand.counts, &mut row);
        Row(row)
    }

    /// Boards judged by ranks alone; `None` when no two hands with these ranks are disjoint.
    pub(crate) fn by_ranks(
        &self,
        (a, row_a): (&RankHand, &Row),
        (b, row_b): (&RankHand, &Row),
    ) -> Option<Tally> {
        let weights = self.weights.of(&held(a, b)?);
        let count = self.backend.count_by_ranks(&row_a.0, &row_b.0, &weights);
        Some(Tally::new(count.win as i32, count.lose as i32))
    }

    /// Outcomes of two hands; `false` when no two hands with these ranks are disjoint.
    pub(crate) fn block(
        &self,
        (a, row_a): (&RankHand, &Row),
        (b, row_b): (&RankHand, &Row),
        wanted: &WantedSizes,
        scratch: &mut Scratch,
        block: &mut Block,
    ) -> bool {
        let Some(held) = held(a, b) else { return false };
        let Some(by_ranks) = self.by_ranks((a, row_a), (b, row_b)) else { return false };
        block.by_ranks = by_ranks;
        block.width = b.subsets.len();
        block.deltas.clear();
        block.deltas.resize(a.subsets.len() * b.subsets.len(), Tally::ZERO);
        if wanted.iter().any(|sizes| *sizes != 0) {
            let left = held.map(|count| 4 - count);
            self.summer.sum(self.backend, &row_a.0, &row_b.0, &left, &mut scratch.sums);
            self.fill_deltas(a, b, wanted, scratch, block);
        }
        true
    }

    fn fill_deltas(
        &self,
        a: &RankHand,
        b: &RankHand,
        wanted: &WantedSizes,
        scratch: &mut Scratch,
        block: &mut Block,
    ) {
        let support = a.support() | b.support();
        scratch.avoiding.fill(&self.lanes, &scratch.sums, support);
        for (hand, parts) in [a, b].into_iter().zip(&mut scratch.parts) {
            self.fill_parts(&scratch.sums, hand, parts);
        }
        let all_positions = (1 << support.count_ones()) - 1;
        let [positions_a, positions_b] = [a, b].map(|hand| Positions::new(hand, support));
        let [parts_a, parts_b] = &scratch.parts;
        for (index_a, held_a) in a.subsets.iter().enumerate() {
            let sizes = wanted[held_a.count_ones() as usize];
            if sizes == 0 {
                continue;
            }
            let flush_a = (self.flushes.codes(*held_a), &parts_a[index_a]);
            for (index_b, held_b) in b.subsets.iter().enumerate() {
                if held_a & held_b != 0 || sizes >> held_b.count_ones() & 1 == 0 {
                    continue;
                }
                let flush_b = (self.flushes.codes(*held_b), &parts_b[index_b]);
                let (size_a, size_b) = (held_a.count_ones(), held_b.count_ones());
                let both = size_a >= 2 && size_b >= 2;
                let counts = self.backend.count_flushes(&scratch.sums, flush_a, flush_b, both);
                let held = (size_a + size_b) as i32;
                let other_suits = 39 - 2 * self.cards as i32 + held;
                let boards = |sets: [i32; 3]| {
                    sets[0] * choose(other_suits, 2) + sets[1] * other_suits + sets[2]
                };
                let all = [3, 4, 5].map(|size| choose(13 - held, size));
                let (ahead, behind) = match (size_a >= 2, size_b >= 2) {
                    (true, true) => {
                        let ahead = boards(counts.ahead.map(|sets| sets as i32));
                        (ahead, boards(all) - ahead)
                    }
                    (true, false) => (boards(all), 0),
                    (false, true) => (0, boards(all)),
                    (false, false) => continue,
                };
                let decided = Tally::new(
                    ahead - (counts.win_overruled + counts.win_by_full_house) as i32,
                    behind - (counts.lose_overruled + counts.lose_by_full_house) as i32,
                );
                let suited = positions_a.subsets[index_a] | positions_b.subsets[index_b];
                let by_ranks = scratch.avoiding.within(!suited & all_positions);
                block.deltas[index_a * block.width + index_b] = decided + -by_ranks;
            }
        }
    }

    fn fill_parts(&self, sums: &RankSums, hand: &RankHand, parts: &mut Vec<HandParts>) {
        parts.resize_with(hand.subsets.len().max(parts.len()), HandParts::default);
        parts[0] = HandParts::default();
        for subset in 1..hand.subsets.len() {
            let rest = subset & (subset - 1);
            let rank = (hand.subsets[subset] ^ hand.subsets[rest]).trailing_zeros() as usize;
            let (done, open) = parts.split_at_mut(subset);
            self.backend.add_parts(sums, rank, &done[rest], &mut open[0]);
        }
    }
}

/// A hand's subsets as positions in the support of both hands.
struct Positions {
    subsets: Vec<u16>,
}

impl Positions {
    fn new(hand: &RankHand, support: u16) -> Self {
        let position = |rank: u16| 1 << (support & (rank - 1)).count_ones();
        let mut subsets = vec![0; hand.subsets.len()];
        for subset in 1..subsets.len() {
            let rest = subset & (subset - 1);
            subsets[subset] = subsets[rest] | position(hand.subsets[subset] ^ hand.subsets[rest]);
        }
        Self { subsets }
    }
}
