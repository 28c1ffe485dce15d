//! The definition of `T` and `D`, computed directly: every board class in turn. It is what hold'em uses, whose matrix
//! is small, and the twin against which the engine for Omaha is tested.

use std::ops::Range;

use fulldeck_cards::{RANKS, RankMultiset, RankMultisets};
use fulldeck_eval::{Strength, Strengths};

use super::rank_pair::{Block, RankHand, WantedSizes, held};
use super::tally::Tally;

/// Which cards play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The best five of seven.
    Holdem,
    /// Exactly two hole cards and three board cards.
    #[cfg_attr(not(test), expect(dead_code, reason = "the twin that tests compare with"))]
    Omaha,
}

/// Boards of one set are padded to a multiple of this, so that they fill whole registers.
const PAD: usize = 8;

/// A set of suited board ranks and the boards that complete it.
struct Set {
    mask: u16,
    /// Number of other cards: which of the three lists of weights goes with the boards.
    others: usize,
    /// Where its boards stand in [`Direct::completed`].
    boards: Range<usize>,
}

/// Tables of the direct engine.
pub(crate) struct Direct {
    rule: Rule,
    strengths: Strengths,
    /// Multisets of one and of two other ranks.
    others: [RankMultisets; 2],
    sets: Vec<Set>,
    /// For each set the boards that its completions make, [`Direct::others`] by [`Direct::others`], padded.
    completed: Vec<u16>,
    /// Hold'em: the best five of seven ranks.
    sevens: Option<(RankMultisets, Vec<Strength>)>,
}

impl Direct {
    pub(crate) fn new(rule: Rule) -> Self {
        let strengths = Strengths::new();
        let others = [RankMultisets::new(1), RankMultisets::new(2)];
        let mut completed = Vec::new();
        let sets = (0..1u16 << RANKS)
            .filter(|mask| (3..=5).contains(&mask.count_ones()))
            .map(|mask| {
                let members: Vec<u8> =
                    (0..RANKS as u8).filter(|rank| mask >> rank & 1 == 1).collect();
                let missing = 5 - members.len();
                let first = completed.len();
                let count = if missing == 0 { 1 } else { others[missing - 1].len() };
                completed.extend((0..count).map(|index| {
                    let extra =
                        if missing == 0 { &[][..] } else { others[missing - 1].ranks(index) };
                    let mut ranks = [&members[..], extra].concat();
                    ranks.sort_unstable();
                    let board = strengths.five_ranks().index_of(&ranks);
                    board.expect("a suited rank and two more") as u16
                }));
                completed.resize(completed.len().next_multiple_of(PAD), 0);
                Set { mask, others: missing, boards: first..completed.len() }
            })
            .collect();
        let sevens = (rule == Rule::Holdem).then(|| best_of_sevens(&strengths));
        Self { rule, strengths, others, sets, completed, sevens }
    }

    /// Strength of a hand by ranks alone, for each of the 6,175 boards; none on boards with which it would hold a rank
    /// five times.
    fn by_ranks(&self, hand: &RankMultiset) -> Vec<i16> {
        let boards = self.strengths.five_ranks();
        let own = ascending(hand);
        (0..boards.len())
            .map(|board| {
                let board = boards.ranks(board);
                let best = match &self.sevens {
                    Some((sevens, best)) => {
                        let mut seven = [&own, board].concat();
                        seven.sort_unstable();
                        sevens.index_of(&seven).map_or(Strength::NONE, |index| best[index])
                    }
                    None => self.two_with_three(&own, board),
                };
                best.0 as i16
            })
            .collect()
    }

    /// Best of two hole cards with three board cards, by ranks alone.
    fn two_with_three(&self, own: &[u8], board: &[u8]) -> Strength {
        let mut best = Strength::NONE;
        let hole = u32::MAX >> (32 - own.len());
        for mask in (0..1u32 << (own.len() + board.len())).filter(|mask| mask.count_ones() == 5) {
            if (mask & hole).count_ones() == 2 {
                let cards = own.iter().chain(board).enumerate();
                let mut five: Vec<u8> =
                    cards.filter(|(at, _)| mask >> at & 1 == 1).map(|(_, rank)| *rank).collect();
                five.sort_unstable();
                if five[0] != five[4] {
                    let five: [u8; 5] = five.try_into().expect("five were taken");
                    best = best.max(self.strengths.of_ranks(&five));
                }
            }
        }
        best
    }

    /// Best flush of the ranks `held` with the suited board ranks `set`.
    fn flush(&self, held: u16, set: u16) -> Strength {
        let all = held | set;
        let mut best = Strength::NONE;
        let mut five = all;
        while five > 0 {
            let plays = self.rule == Rule::Holdem || (five & held).count_ones() == 2;
            if plays && five.count_ones() == 5 {
                best = best.max(self.strengths.of_flush(five));
            }
            five = (five - 1) & all;
        }
        best
    }

    /// The strengths that [`Direct::block`] needs.
    pub(crate) fn load(&self, hand: &RankHand) -> DirectHand {
        let by_ranks = self.by_ranks(&hand.counts);
        let completed = self.completed.iter().map(|board| by_ranks[usize::from(*board)]).collect();
        let flush = |held: u16, set: &Set| {
            let free = held & set.mask == 0;
            if free { self.flush(held, set.mask).0 as i16 } else { 0 }
        };
        let flushes = hand
            .subsets
            .iter()
            .map(|held| self.sets.iter().map(|set| flush(*held, set)).collect())
            .collect();
        DirectHand { by_ranks, completed, flushes }
    }

    /// As [`super::rank_pair::Tables::block`].
    pub(crate) fn block(
        &self,
        (a, loaded_a): (&RankHand, &DirectHand),
        (b, loaded_b): (&RankHand, &DirectHand),
        wanted: &WantedSizes,
        block: &mut Block,
    ) -> bool {
        let Some(held) = held(a, b) else { return false };
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
                    let left: [i16; RANKS] = std::array::from_fn(|rank| {
                        3 - i16::from(held[rank]) + (suited >> rank & 1) as i16
                    });
                    let flushes = (&loaded_a.flushes[index_a][..], &loaded_b.flushes[index_b][..]);
                    block.deltas[index_a * block.width + index_b] =
                        self.delta(suited, &left, loaded_a, loaded_b, flushes);
                }
            }
        }
        true
    }

    /// As [`super::rank_pair::Tables::by_ranks`].
    pub(crate) fn by_ranks_of(
        &self,
        (a, loaded_a): (&RankHand, &DirectHand),
        (b, loaded_b): (&RankHand, &DirectHand),
    ) -> Option<Tally> {
        Some(self.count_by_ranks(&held(a, b)?, loaded_a, loaded_b))
    }

    fn count_by_ranks(&self, held: &[u8; RANKS], a: &DirectHand, b: &DirectHand) -> Tally {
        let boards = self.strengths.five_ranks();
        let left = held.map(|held| 4 - i16::from(held));
        let (mut win, mut lose) = (0, 0);
        for (board, (a, b)) in a.by_ranks.iter().zip(&b.by_ranks).enumerate() {
            let weight = i32::from(weight(&left, boards.ranks(board)));
            win += weight * i32::from(a > b);
            lose += weight * i32::from(a < b);
        }
        Tally::new(win, lose)
    }

    /// True comparison less the one by ranks, over boards with three or more cards of the suit.
    fn delta(
        &self,
        suited: u16,
        left: &[i16; RANKS],
        a: &DirectHand,
        b: &DirectHand,
        (flush_a, flush_b): (&[i16], &[i16]),
    ) -> Tally {
        let weigh = |multisets: &RankMultisets| -> Vec<i16> {
            let weights = (0..multisets.len()).map(|index| weight(left, multisets.ranks(index)));
            let padding = multisets.len().next_multiple_of(PAD) - multisets.len();
            weights.chain(std::iter::repeat_n(0, padding)).collect()
        };
        let mut alone = vec![0; PAD];
        alone[0] = 1;
        let weights = [alone, weigh(&self.others[0]), weigh(&self.others[1])];
        let (mut win, mut lose) = (0i32, 0i32);
        for (set, (flush_a, flush_b)) in self.sets.iter().zip(flush_a.iter().zip(flush_b)) {
            if set.mask & suited != 0 || (*flush_a == 0 && *flush_b == 0) {
                continue;
            }
            let (ranks_a, ranks_b) =
                (&a.completed[set.boards.clone()], &b.completed[set.boards.clone()]);
            // At most 91 weights of at most 9.
            let (mut win_here, mut lose_here) = (0i16, 0i16);
            for ((rank_a, rank_b), weight) in ranks_a.iter().zip(ranks_b).zip(&weights[set.others])
            {
                let (true_a, true_b) = (*rank_a.max(flush_a), *rank_b.max(flush_b));
                win_here += weight * (i16::from(true_a > true_b) - i16::from(rank_a > rank_b));
                lose_here += weight * (i16::from(true_a < true_b) - i16::from(rank_a < rank_b));
            }
            win += i32::from(win_here);
            lose += i32::from(lose_here);
        }
        Tally::new(win, lose)
    }
}

/// A hand's strengths on everything; 0 for none.
pub(crate) struct DirectHand {
    by_ranks: Vec<i16>,
    /// The same in the order of [`Direct::completed`].
    completed: Vec<i16>,
    /// For each subset of the ranks the flush it makes with each set.
    flushes: Vec<Vec<i16>>,
}

/// Strength of seven cards by ranks alone: each card left out in turn, down to five.
fn best_of_sevens(strengths: &Strengths) -> (RankMultisets, Vec<Strength>) {
    let five = strengths.five_ranks();
    let by_five: Vec<Strength> = (0..five.len())
        .map(|index| strengths.of_ranks(five.ranks(index).try_into().expect("five ranks")))
        .collect();
    let (six, seven) = (RankMultisets::new(6), RankMultisets::new(7));
    let by_six = best_without_one(&six, five, &by_five);
    let by_seven = best_without_one(&seven, &six, &by_six);
    (seven, by_seven)
}

fn best_without_one(
    of: &RankMultisets,
    smaller: &RankMultisets,
    best: &[Strength],
) -> Vec<Strength> {
    let strongest = |ranks: &[u8]| {
        let without = (0..ranks.len()).map(|out| [&ranks[..out], &ranks[out + 1..]].concat());
        without.filter_map(|rest| Some(best[smaller.index_of(&rest)?])).max()
    };
    (0..of.len()).map(|index| strongest(of.ranks(index)).unwrap_or(Strength::NONE)).collect()
}

fn ascending(counts: &RankMultiset) -> Vec<u8> {
    (0..RANKS as u8)
        .flat_map(|rank| std::iter::repeat_n(rank, usize::from(counts[usize::from(rank)])))
        .collect()
}

/// Ways to take these ranks (ascending) when so many cards of each are left; none is left, or less than none where a
/// blocked suited card was not taken out.
fn weight(left: &[i16; RANKS], ranks: &[u8]) -> i16 {
    ranks
        .chunk_by(|a, b| a == b)
        .map(|same| choose(left[usize::from(same[0])], same.len()))
        .product()
}

fn choose(left: i16, taken: usize) -> i16 {
    if left < taken as i16 {
        return 0;
    }
    match taken {
        0 => 1,
        1 => left,
        2 => left * (left - 1) / 2,
        3 => left * (left - 1) * (left - 2) / 6,
        4 => left * (left - 1) * (left - 2) * (left - 3) / 24,
        _ => 0,
    }
}
