//! Adding the counts of full boards to the boards of fewer cards that they complete.
//!
//! With h a pair, T a board of k cards, and G the symmetries of the deck,
//!
//! ```text
//! counts(h, T) = sum over full boards F that contain T and avoid h of counts(h, F)
//! ```
//!
//! Every F is the image of a canonical board B under |Stab(B)| symmetries. So for each B, and each way to keep k of its
//! cards, which some symmetry t takes to a canonical T, `counts(h, B) |G| / |Stab(B)|` is added to `(t h, T)`. One t is
//! enough: the others that lead to T are Stab(T) t, and the sum over Stab(T) is made once, at the end, with the division
//! by |G|. Everything stays a whole number until then, so that the sums of several parts can be added in any order.

use std::ops::AddAssign;

use super::Stage;
use super::stage::{Beside, divided, images, pairs_beside};
use crate::Deck;
use crate::boards::{Board, Boards, Symmetry, pair_of, symmetries};
use crate::showdown::{BOARD, Won};

/// A number wide enough for the sums of a stage.
pub(crate) trait Sum:
    Copy + Default + From<u32> + Into<u64> + AddAssign + Send + Sync
{
}
/// Enough for boards of three and more cards.
impl Sum for u32 {}
impl Sum for u64 {}

/// Sums, |G| times too large and not yet symmetric, of win and tie of every pair beside every canonical board of one size.
#[derive(Clone, Debug)]
pub(crate) struct Scatter<T> {
    deck: Deck,
    cards: usize,
    boards: Boards,
    sums: Vec<[T; 2]>,
}

impl<T: Sum> Scatter<T> {
    /// No full boards yet; `boards` are those of the wanted size.
    pub(crate) fn new(deck: Deck, boards: Boards) -> Self {
        let cards = boards.as_slice()[0].cards().count();
        let sums = vec![[T::default(); 2]; boards.len() * pairs_beside(deck, cards)];
        Self { deck, cards, boards, sums }
    }

    /// Adds the counts of a canonical full board, given by pair number.
    pub(crate) fn add(&mut self, board: Board, won: impl Fn(usize) -> Won) {
        let weight = symmetries(self.deck) / board.stabilizer_order(self.deck);
        let cards = super::five(board);
        let unseen = board.unseen(self.deck);
        let pairs = pairs_beside(self.deck, self.cards);
        let mut places = [0; 64];
        for kept in (0..1u32 << BOARD).filter(|kept| kept.count_ones() as usize == self.cards) {
            let kept = (0..BOARD).filter(|at| kept >> at & 1 == 1).map(|at| cards[at]);
            let (canonical, symmetry) = Board::of(kept);
            let beside = Beside::new(canonical);
            for (place, card) in places.iter_mut().zip(&unseen) {
                *place = beside.place(symmetry.card(*card));
            }
            let row = self.boards.index_of(canonical) * pairs;
            let row = &mut self.sums[row..row + pairs];
            let mut pair = 0;
            for high in 1..unseen.len() {
                let high_place = places[high];
                for low_place in &places[..high] {
                    let Won { win, tie } = won(pair);
                    let sum = &mut row[pair_of(*low_place, high_place)];
                    sum[0] += T::from(weight * u32::from(win));
                    sum[1] += T::from(weight * u32::from(tie));
                    pair += 1;
                }
            }
        }
    }

    /// The counts of one board, by pair number, from its row of sums.
    fn finished(&self, board: Board, sums: &[[T; 2]]) -> Vec<[u32; 2]> {
        let scale = u64::from(symmetries(self.deck));
        let exact = |sum: [u64; 2]| sum.map(|sum| divided(sum, scale));
        let stabilizer = board.stabilizer(self.deck);
        if stabilizer == [Symmetry::IDENTITY] {
            return sums.iter().map(|sum| exact(sum.map(Into::into))).collect();
        }
        let mut whole = vec![[0u64; 2]; sums.len()];
        for symmetry in stabilizer {
            for (whole, image) in whole.iter_mut().zip(images(board, self.deck, symmetry)) {
                whole[0] += sums[image][0].into();
                whole[1] += sums[image][1].into();
            }
        }
        whole.into_iter().map(exact).collect()
    }
}

impl Scatter<u32> {
    /// The stage, in the place of the sums: memory is what large stages are short of.
    pub(crate) fn into_stage(mut self) -> Stage {
        let pairs = pairs_beside(self.deck, self.cards);
        let mut sums = std::mem::take(&mut self.sums);
        for (row, board) in sums.chunks_mut(pairs).zip(self.boards.as_slice()) {
            let finished = self.finished(*board, row);
            row.copy_from_slice(&finished);
        }
        Stage::new(self.deck, self.boards, sums)
    }
}

impl Scatter<u64> {
    /// The stage.
    pub(crate) fn to_stage(&self) -> Stage {
        let pairs = pairs_beside(self.deck, self.cards);
        let rows = self.sums.chunks(pairs).zip(self.boards.as_slice());
        let counts = rows.flat_map(|(row, board)| self.finished(*board, row)).collect();
        Stage::new(self.deck, self.boards.clone(), counts)
    }

    /// The sums, win and tie of one pair after another.
    pub(crate) fn sums(&self) -> &[[u64; 2]] {
        &self.sums
    }

    /// Adds the sums of other full boards.
    pub(crate) fn merge(&mut self, sums: impl ExactSizeIterator<Item = [u64; 2]>) {
        assert_eq!(sums.len(), self.sums.len(), "sums of the same stage");
        for (sum, more) in self.sums.iter_mut().zip(sums) {
            sum[0] += more[0];
            sum[1] += more[1];
        }
    }
}
