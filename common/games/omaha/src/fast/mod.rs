//! The fast engine.
//!
//! With `h` a hand's rank multiset and `P` its projection on a suit (the ranks it holds there),
//!
//! ```text
//! win(A, B) = T(h_A, h_B) + sum over the four suits f of D(P_A^f, P_B^f)
//! ```
//!
//! `T` judges all boards by ranks alone; `D` corrects the boards with three or more cards of `f`, and vanishes where
//! neither hand holds two cards of `f`. All `D` of one pair of rank multisets are computed together
//! (`rank_pair`): the rank-only part by inclusion and exclusion over sets of suited board ranks, the flush part from
//! comparisons of flush codes. Cells follow from `T` and `D` by counting placements (`assembly`).

mod assembly;
mod codes;
mod direct;
mod engine;
mod rank_pair;
mod subsets;
mod tally;
#[cfg(test)]
mod twins;
mod weights;

pub(crate) use assembly::{Assembler, Cell, DISJOINT_PLACEMENTS, Suited};
pub(crate) use engine::{Engine, Loaded};
pub(crate) use rank_pair::{Block, RankHand, Scratch, WantedSizes};

use fulldeck_cards::{CardSet, Cluster};
use fulldeck_eval::arch::Backend;

use crate::Outcome;

/// The engine for hands of one size: tables, shared by all threads.
pub struct Fast {
    cards: usize,
    engine: Engine,
}

impl Fast {
    /// Builds the tables for hands of `cards` cards: 2 for hold'em, 4, 5 or 6 for Omaha.
    ///
    /// # Panics
    /// If `cards` is another number.
    #[must_use]
    pub fn new(cards: usize, backend: Backend) -> Self {
        Self { cards, engine: Engine::new(cards, backend) }
    }

    /// For one matchup after the other: keeps the working memory.
    #[must_use]
    pub fn matchups(&self) -> FastMatchups<'_> {
        FastMatchups { engine: self, scratch: Scratch::default(), block: Block::default() }
    }

    /// Outcome of one hand against another over all boards.
    ///
    /// # Panics
    /// If the hands share a card or do not have the engine's number of cards.
    #[must_use]
    pub fn matchup(&self, a: CardSet, b: CardSet) -> Outcome {
        self.matchups().play(a, b)
    }

    /// Cell of the matrix: the representative of `a` against every hand of `b` that has no card of it. How many such
    /// hands there are, and the outcomes of all of them together.
    ///
    /// # Panics
    /// If the clusters' hands do not have the engine's number of cards.
    #[must_use]
    pub fn cell(&self, a: &Cluster, b: &Cluster) -> (u32, Outcome) {
        let hands = [a, b].map(Cluster::representative);
        assert!(hands.iter().all(|hand| hand.len() == self.cards), "hands of this engine");
        let [ranks_a, ranks_b] = hands.map(|hand| self.load(hand));
        let suits = a.suits().into_iter().flat_map(|a| b.suits().map(|b| (a, b)));
        let (mut scratch, mut block) = (Scratch::default(), Block::default());
        let wanted = self.wanted(suits);
        if !self.engine.block(&ranks_a, &ranks_b, &wanted, &mut scratch, &mut block) {
            return (0, Outcome::default());
        }
        let (ranks_a, ranks_b) = (&ranks_a.hand, &ranks_b.hand);
        let suited = Suited::new(a, ranks_a);
        let cell = Assembler::new(&block, (ranks_a, ranks_b), suited).cell(Suited::new(b, ranks_b));
        let (win, lose) = (u64::from(cell.win), u64::from(cell.lose));
        let total = u64::from(cell.hands) * boards(self.cards);
        (cell.hands, Outcome { win, tie: total - win - lose, lose })
    }

    fn load(&self, hand: CardSet) -> Loaded {
        self.engine.load(RankHand::new(hand.rank_counts()))
    }

    /// The sizes of suited subsets that these pairs of suits need.
    fn wanted(&self, suits: impl Iterator<Item = (u16, u16)>) -> WantedSizes {
        let mut wanted = [0; 7];
        for (a, b) in suits {
            if self.engine.any_suit_matters() || a.count_ones() >= 2 || b.count_ones() >= 2 {
                wanted[a.count_ones() as usize] |= 1 << b.count_ones();
            }
        }
        wanted
    }
}

/// See [`Fast::matchups`].
pub struct FastMatchups<'a> {
    engine: &'a Fast,
    scratch: Scratch,
    block: Block,
}

impl FastMatchups<'_> {
    /// As [`Fast::matchup`].
    ///
    /// # Panics
    /// If the hands share a card or do not have the engine's number of cards.
    pub fn play(&mut self, a: CardSet, b: CardSet) -> Outcome {
        let fast = self.engine;
        let of_this_game = a.len() == fast.cards && b.len() == fast.cards;
        assert!(a.is_disjoint(b) && of_this_game, "two hands of this game");
        let (first, second) = (fast.load(a), fast.load(b));
        let suits = || a.suits().into_iter().zip(b.suits());
        let wanted = fast.wanted(suits());
        let possible =
            fast.engine.block(&first, &second, &wanted, &mut self.scratch, &mut self.block);
        assert!(possible, "disjoint hands leave boards");
        let mut sum = self.block.by_ranks;
        for (a, b) in suits() {
            let row = usize::from(first.hand.subset(a)) * self.block.width;
            sum += self.block.deltas[row + usize::from(second.hand.subset(b))];
        }
        let (win, lose) = (sum.win() as u64, sum.lose() as u64);
        Outcome { win, tie: boards(fast.cards) - win - lose, lose }
    }
}

/// Number of boards from the cards that two hands leave: C(52 - 2 cards, 5).
pub(crate) const fn boards(cards: usize) -> u64 {
    let n = 52 - 2 * cards as u64;
    n * (n - 1) * (n - 2) * (n - 3) * (n - 4) / 120
}

const _: () = assert!(boards(4) == 1_086_008 && boards(5) == 850_668 && boards(6) == 658_008);

#[cfg(test)]
mod tests {
    use super::*;
    use fulldeck_cards::parse_hand;

    #[test]
    fn published_matchups() {
        for backend in Backend::available() {
            let fast = [2, 4].map(|cards| Fast::new(cards, backend));
            for (a, b, win, tie, lose) in [
                ("2s2h2d2c", "3s3h3d3c", 0, 0, 1_086_008),
                ("AsAhAdAc", "KsKhKdKc", 1_086_008, 0, 0),
                ("AsAhKsKh", "JcTc9d8d", 667_649, 86, 418_273),
                ("AsAhKsKh", "AdAcKdKc", 193_992, 698_024, 193_992),
                ("AcAs", "KhKd", 1_388_072, 6_538, 317_694),
                ("AcAs", "KcKs", 1_410_336, 9_308, 292_660),
            ] {
                let [a, b] = [a, b].map(|hand| parse_hand(hand, &[2, 4]).unwrap());
                let engine = if a.len() == 2 { &fast[0] } else { &fast[1] };
                let outcome = engine.matchup(a, b);
                assert_eq!(outcome, Outcome { win, tie, lose }, "{a} {b} {backend}");
            }
        }
    }
}
