//! The definition of `T` and `D`, computed directly: every board class in turn. It is what hold'em uses, whose matrix
//! is small, and the twin against which the engine for Omaha is tested.

use fulldeck_cards::{RANKS, RankMultiset, RankMultisets};
use fulldeck_eval::{Strength, Strengths};

use super::rank_pair::{Block, RankHand, WantedSizes};
use super::tally::Tally;

/// Which cards play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The best five of seven.
    Holdem,
    /// Exactly two hole cards and three board cards.
    Omaha,
}

/// Sets of suited board ranks with the multisets that complete them to five cards.
struct Set {
    mask: u16,
    /// Number of other cards, and the five-card multiset that each choice of them gives.
    others: usize,
    boards: Vec<u16>,
}

/// Tables of the direct engine.
pub(crate) struct Direct {
    rule: Rule,
    strengths: Strengths,
    others: [RankMultisets; 2],
    sets: Vec<Set>,
}

impl Direct {
    pub(crate) fn new(rule: Rule) -> Self {
        let strengths = Strengths::new();
        let others = [RankMultisets::new(1), RankMultisets::new(2)];
        let boards = strengths.five_ranks();
        let sets = (0..1u16 << RANKS)
            .filter(|mask| (3..=5).contains(&mask.count_ones()))
            .map(|mask| {
                let members: Vec<u8> =
                    (0..RANKS as u8).filter(|rank| mask >> rank & 1 == 1).collect();
                let missing = 5 - members.len();
                let count = if missing == 0 { 1 } else { others[missing - 1].len() };
                let boards = (0..count)
                    .map(|index| {
                        let extra =
                            if missing == 0 { &[][..] } else { others[missing - 1].ranks(index) };
                        let mut ranks = [&members[..], extra].concat();
                        ranks.sort_unstable();
                        boards.index_of(&ranks).expect("a suited rank and two more") as u16
                    })
                    .collect();
                Set { mask, others: missing, boards }
            })
            .collect();
        Self { rule, strengths, others, sets }
    }

    /// Strength of a hand by ranks alone, for each of the 6,175 boards.
    fn by_ranks(&self, hand: &RankMultiset) -> Vec<Strength> {
        let boards = self.strengths.five_ranks();
        let own = ascending(hand);
        (0..boards.len())
            .map(|board| {
                let mut cards: Vec<(u8, bool)> = own.iter().map(|rank| (*rank, true)).collect();
                cards.extend(boards.ranks(board).iter().map(|rank| (*rank, false)));
                let mut best = Strength::NONE;
                for mask in (0..1u32 << cards.len()).filter(|mask| mask.count_ones() == 5) {
                    let taken = cards.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
                    let from_hand = taken.clone().filter(|(_, (_, hole))| *hole).count();
                    if self.rule == Rule::Omaha && from_hand != 2 {
                        continue;
                    }
                    let mut five: Vec<u8> = taken.map(|(_, (rank, _))| *rank).collect();
                    five.sort_unstable();
                    if five[0] != five[4] {
                        let five: [u8; 5] = five.try_into().expect("five were taken");
                        best = best.max(self.strengths.of_ranks(&five));
                    }
                }
                best
            })
            .collect()
    }

    /// Best flush of the ranks `held` with the suited board ranks `set`.
    fn flush(&self, held: u16, set: u16) -> Strength {
        let all = held | set;
        let mut best = Strength::NONE;
        let mut five = all;
        while five > 0 {
            let plays = self.rule == Rule::Holdem || (five & held).count_ones() == 2;
            if plays {
                best = best.max(self.strengths.of_flush(five));
            }
            five = (five - 1) & all;
        }
        best
    }

    /// The strengths that [`Direct::block`] needs.
    pub(crate) fn load(&self, hand: &RankHand) -> DirectHand {
        DirectHand {
            by_ranks: self.by_ranks(&hand.counts),
            flushes: hand
                .subsets
                .iter()
                .map(|held| {
                    let flush = |set: &Set| {
                        if held & set.mask == 0 {
                            self.flush(*held, set.mask)
                        } else {
                            Strength::NONE
                        }
                    };
                    self.sets.iter().map(flush).collect()
                })
                .collect(),
        }
    }

    /// As [`super::rank_pair::Tables::block`].
    pub(crate) fn block(
        &self,
        (a, loaded_a): (&RankHand, &DirectHand),
        (b, loaded_b): (&RankHand, &DirectHand),
        wanted: &WantedSizes,
        block: &mut Block,
    ) -> bool {
        let held: [u8; RANKS] = std::array::from_fn(|rank| a.counts[rank] + b.counts[rank]);
        if held.iter().any(|count| *count > 4) {
            return false;
        }
        block.width = b.subsets.len();
        block.deltas.clear();
        block.deltas.resize(a.subsets.len() * b.subsets.len(), Tally::ZERO);
        block.by_ranks = self.count_by_ranks(&held, loaded_a, loaded_b);
        for (index_a, held_a) in a.subsets.iter().enumerate() {
            for (index_b, held_b) in b.subsets.iter().enumerate() {
                let is_wanted =
                    wanted[held_a.count_ones() as usize] >> held_b.count_ones() & 1 == 1;
                if held_a & held_b == 0 && is_wanted {
                    let suited = held_a | held_b;
                    let left: [i32; RANKS] = std::array::from_fn(|rank| {
                        3 - i32::from(held[rank]) + i32::from(suited >> rank & 1)
                    });
                    let flushes = (&loaded_a.flushes[index_a][..], &loaded_b.flushes[index_b][..]);
                    block.deltas[index_a * block.width + index_b] =
                        self.delta(suited, &left, loaded_a, loaded_b, flushes);
                }
            }
        }
        true
    }

    fn count_by_ranks(&self, held: &[u8; RANKS], a: &DirectHand, b: &DirectHand) -> Tally {
        let boards = self.strengths.five_ranks();
        let mut tally = Tally::ZERO;
        for board in 0..boards.len() {
            let counts = boards.counts(board);
            let weight: i32 =
                (0..RANKS).map(|rank| choose(4 - i32::from(held[rank]), counts[rank])).product();
            let (a, b) = (a.by_ranks[board], b.by_ranks[board]);
            tally += Tally::new(weight * i32::from(a > b), weight * i32::from(a < b));
        }
        tally
    }

    /// True comparison less the one by ranks, over boards with three or more cards of the suit.
    fn delta(
        &self,
        suited: u16,
        left: &[i32; RANKS],
        a: &DirectHand,
        b: &DirectHand,
        (flush_a, flush_b): (&[Strength], &[Strength]),
    ) -> Tally {
        let weigh = |multisets: &RankMultisets| -> Vec<i32> {
            (0..multisets.len())
                .map(|index| {
                    let counts = multisets.counts(index);
                    (0..RANKS).map(|rank| choose(left[rank], counts[rank])).product()
                })
                .collect()
        };
        let weights = [vec![1], weigh(&self.others[0]), weigh(&self.others[1])];
        let (mut win, mut lose) = (0i32, 0i32);
        for (index, set) in self.sets.iter().enumerate().filter(|(_, set)| set.mask & suited == 0) {
            let (flush_a, flush_b) = (flush_a[index], flush_b[index]);
            if flush_a == Strength::NONE && flush_b == Strength::NONE {
                continue;
            }
            for (board, weight) in set.boards.iter().zip(&weights[set.others]) {
                let (rank_a, rank_b) =
                    (a.by_ranks[usize::from(*board)], b.by_ranks[usize::from(*board)]);
                let (true_a, true_b) = (rank_a.max(flush_a), rank_b.max(flush_b));
                win += weight * (i32::from(true_a > true_b) - i32::from(rank_a > rank_b));
                lose += weight * (i32::from(true_a < true_b) - i32::from(rank_a < rank_b));
            }
        }
        Tally::new(win, lose)
    }
}

/// A hand's strengths on everything.
pub(crate) struct DirectHand {
    by_ranks: Vec<Strength>,
    flushes: Vec<Vec<Strength>>,
}

fn ascending(counts: &RankMultiset) -> Vec<u8> {
    (0..RANKS as u8)
        .flat_map(|rank| std::iter::repeat_n(rank, usize::from(counts[usize::from(rank)])))
        .collect()
}

/// Binomial; 0 when fewer are left (or less than none, where a blocked suited card was not taken out).
fn choose(left: i32, taken: u8) -> i32 {
    match (left, taken) {
        (_, 0) => 1,
        (left, taken) if left < i32::from(taken) => 0,
        (left, 1) => left,
        (left, 2) => left * (left - 1) / 2,
        (left, 3) => left * (left - 1) * (left - 2) / 6,
        (left, 4) => left * (left - 1) * (left - 2) * (left - 3) / 24,
        _ => 0,
    }
}
