//! Sums over all sets of suited board ranks that avoid given cards.

use fulldeck_cards::RANKS;
use fulldeck_eval::arch::RankSums;
use fulldeck_eval::lanes::{CHUNK, Lanes};

use super::tally::Tally;

/// Boards that the ranks decide, without full houses, among the boards with three or more cards of one suit: for
/// every set of ranks that the two hands may hold in that suit.
///
/// A board with a set `k` of three or more suited ranks contains C(|k|, 3) sets of three, C(|k|, 4) of four and
/// C(|k|, 5) of five; counted 1, -3 and 6 times they make it one. So the boards whose suited ranks avoid `u` number
/// the sum of 1, -3 or 6 times [`RankSums`] over the sets that avoid `u`, and what completes a set never depends
/// on `u`.
pub(crate) struct AvoidingSums {
    /// By the part of the set within the support, then summed over subsets. Even and odd lanes add to sums of their
    /// own, so that neighbours, which often meet in one place, need not wait for each other.
    sums: [Vec<Tally>; 2],
    low: [u16; 1 << LOW_BITS],
    high: [u16; 1 << (RANKS - LOW_BITS)],
}

const LOW_BITS: usize = 7;
/// Two hands of six cards hold at most twelve ranks.
const MOST: usize = 1 << 12;

impl Default for AvoidingSums {
    fn default() -> Self {
        Self {
            sums: [vec![Tally::ZERO; MOST], vec![Tally::ZERO; MOST]],
            low: [0; 1 << LOW_BITS],
            high: [0; 1 << (RANKS - LOW_BITS)],
        }
    }
}

impl AvoidingSums {
    /// Sums for all `u` within `support` (a rank mask).
    pub(crate) fn fill(&mut self, lanes: &Lanes, sums: &RankSums, support: u16) {
        let positions = support.count_ones() as usize;
        self.index_sets(support);
        for half in &mut self.sums {
            half[..1 << positions].fill(Tally::ZERO);
        }
        let threes = sums.win.threes.iter().zip(&sums.lose.threes);
        for (sets, (win, lose)) in lanes.sets[0].chunks(CHUNK).zip(threes) {
            for ((lane, set), (win, lose)) in sets.iter().enumerate().zip(win.0.iter().zip(&lose.0))
            {
                self.add(lane, *set, Tally::new(i32::from(*win), i32::from(*lose)));
            }
        }
        let fours = sums.win.fours.iter().zip(&sums.lose.fours);
        for (sets, (win, lose)) in lanes.sets[1].chunks(CHUNK).zip(fours) {
            for ((lane, set), (win, lose)) in sets.iter().enumerate().zip(win.0.iter().zip(&lose.0))
            {
                let tally = Tally::new(i32::from(*win), i32::from(*lose));
                self.add(lane, *set, -(tally + tally + tally));
            }
        }
        let fives = sums.win.fives.iter().zip(&sums.lose.fives);
        for (sets, (win, lose)) in lanes.sets[2].chunks(CHUNK).zip(fives) {
            for (lane, set) in sets.iter().enumerate() {
                let (win, lose) = ((win >> lane & 1) as i32, (lose >> lane & 1) as i32);
                self.add(lane, *set, Tally::new(6 * win, 6 * lose));
            }
        }
        let [even, odd] = &mut self.sums;
        let even = &mut even[..1 << positions];
        for (sum, more) in even.iter_mut().zip(odd) {
            *sum += *more;
        }
        for position in 0..positions {
            let step = 1 << position;
            for pair in even.chunks_exact_mut(2 * step) {
                let (without, with) = pair.split_at_mut(step);
                for (with, without) in with.iter_mut().zip(without) {
                    *with += *without;
                }
            }
        }
    }

    /// The sum for the ranks that are not at the positions `others` of a support of so many positions.
    pub(crate) fn within(&self, others: u16) -> Tally {
        self.sums[0][usize::from(others)]
    }

    #[inline]
    fn add(&mut self, lane: usize, set: u16, tally: Tally) {
        let low = self.low[usize::from(set) & ((1 << LOW_BITS) - 1)];
        let high = self.high[usize::from(set) >> LOW_BITS & ((1 << (RANKS - LOW_BITS)) - 1)];
        self.sums[lane & 1][usize::from(low | high)] += tally;
    }

    /// Tables that move the bits of a set that lie in the support together.
    fn index_sets(&mut self, support: u16) {
        let mut position = 0;
        for (table, ranks) in
            [(&mut self.low[..], 0..LOW_BITS), (&mut self.high[..], LOW_BITS..RANKS)]
        {
            let mut filled = 1;
            table[0] = 0;
            for rank in ranks {
                let bit = if support >> rank & 1 == 1 {
                    position += 1;
                    1 << (position - 1)
                } else {
                    0
                };
                let (done, open) = table.split_at_mut(filled);
                for (index, without) in open.iter_mut().zip(done) {
                    *index = *without | bit;
                }
                filled *= 2;
            }
        }
    }
}
