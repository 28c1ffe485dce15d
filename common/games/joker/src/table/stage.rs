//! One stage: all canonical boards of a size with the counts of all pairs beside them.

use rayon::prelude::*;

use crate::boards::{Board, Boards, pair_of};
use crate::counting::choose;
use crate::showdown::{BOARD, Won, opponents};
use crate::{Deck, DeckCard, Odds};

/// Number of pairs of cards beside a board of so many cards.
pub(crate) const fn pairs_beside(deck: Deck, board_cards: usize) -> usize {
    choose((deck.size() - board_cards) as u64, 2) as usize
}

/// Number of completions of a board, with all opponents: win + tie + lose.
pub(crate) const fn completions(deck: Deck, board_cards: usize) -> u64 {
    let left = (deck.size() - 2 - board_cards) as u64;
    choose(left, (BOARD - board_cards) as u64) * opponents(deck) as u64
}

/// The places of cards among the cards beside a board.
#[derive(Clone, Copy)]
pub(crate) struct Beside(u64);

impl Beside {
    pub(crate) fn new(board: Board) -> Self {
        Self(board.cards().fold(0, |bits, card| bits | 1 << card.number()))
    }

    /// The place of a card that is not on the board.
    #[inline]
    pub(crate) const fn place(self, card: DeckCard) -> usize {
        let number = card.number();
        number - (self.0 & ((1 << number) - 1)).count_ones() as usize
    }
}

/// Where a hole on a board is found: the number of the canonical board, and the pair beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) board: usize,
    pub(crate) pair: usize,
}

/// Finds a hole on a board of the size of `boards`; `None` if the cards are not different cards of the deck.
pub(crate) fn locate(
    boards: &Boards,
    deck: Deck,
    hole: [DeckCard; 2],
    board: &[DeckCard],
) -> Option<Place> {
    let mut cards = [&hole, board].concat();
    cards.sort_unstable();
    if cards.windows(2).any(|two| two[0] == two[1]) || !cards.iter().all(|card| deck.has(*card)) {
        return None;
    }
    let (canonical, symmetry) = Board::of(board.iter().copied());
    let beside = Beside::new(canonical);
    let [a, b] = hole.map(|card| beside.place(symmetry.card(card)));
    Some(Place { board: boards.index_of(canonical), pair: pair_of(a, b) })
}

/// Win and tie of many pairs.
#[derive(Clone, Debug)]
pub(crate) enum Counts {
    /// Two bytes each: enough for four board cards.
    Narrow(Vec<Won>),
    /// Four bytes each.
    Wide(Vec<[u32; 2]>),
}

impl Counts {
    fn len(&self) -> usize {
        match self {
            Self::Narrow(counts) => counts.len(),
            Self::Wide(counts) => counts.len(),
        }
    }

    #[inline]
    fn at(&self, at: usize) -> [u32; 2] {
        match self {
            Self::Narrow(counts) => [counts[at].win().into(), counts[at].tie().into()],
            Self::Wide(counts) => counts[at],
        }
    }
}

/// Win and tie of every pair beside every canonical board of one size.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    deck: Deck,
    cards: usize,
    boards: Boards,
    /// Row by row: a row has the pairs beside a board.
    counts: Counts,
}

impl Stage {
    /// From counts in the order of the boards.
    pub(crate) fn new(deck: Deck, boards: Boards, counts: Counts) -> Self {
        let cards = boards.as_slice()[0].cards().count();
        assert_eq!(
            counts.len(),
            boards.len() * pairs_beside(deck, cards),
            "a count for every pair"
        );
        Self { deck, cards, boards, counts }
    }

    pub(crate) const fn deck(&self) -> Deck {
        self.deck
    }

    /// Number of board cards.
    pub(crate) const fn cards(&self) -> usize {
        self.cards
    }

    pub(crate) const fn boards(&self) -> &Boards {
        &self.boards
    }

    pub(crate) const fn pairs(&self) -> usize {
        pairs_beside(self.deck, self.cards)
    }

    /// Win and tie of every pair beside a board.
    pub(crate) fn row(&self, board: usize) -> impl Iterator<Item = [u32; 2]> {
        (board * self.pairs()..(board + 1) * self.pairs()).map(|at| self.counts.at(at))
    }

    /// Win and tie of one pair beside a board.
    #[inline]
    fn at(&self, board: usize, pair: usize) -> [u32; 2] {
        self.counts.at(board * self.pairs() + pair)
    }

    pub(crate) fn odds(&self, hole: [DeckCard; 2], board: &[DeckCard]) -> Option<Odds> {
        let place = locate(&self.boards, self.deck, hole, board)?;
        let [win, tie] = self.at(place.board, place.pair).map(u64::from);
        Some(Odds { win, tie, lose: completions(self.deck, self.cards) - win - tie })
    }

    /// The stage with one board card less: the sum over the next card, which each completion of the board contains as
    /// often as it has cards yet to come.
    pub(crate) fn lift(&self, boards: Boards) -> Self {
        let pairs = pairs_beside(self.deck, self.cards - 1);
        let to_come = (BOARD + 1 - self.cards) as u64;
        let mut counts = vec![[0; 2]; boards.len() * pairs];
        counts.par_chunks_mut(pairs).zip(boards.as_slice()).for_each(|(row, board)| {
            for (count, sum) in row.iter_mut().zip(self.sums_over_next_card(*board)) {
                *count = sum.map(|sum| divided(sum, to_come));
            }
        });
        Self::new(self.deck, boards, Counts::Wide(counts))
    }

    fn sums_over_next_card(&self, board: Board) -> Vec<[u64; 2]> {
        let unseen = board.unseen(self.deck);
        let mut sums = vec![[0u64; 2]; unseen.len() * (unseen.len() - 1) / 2];
        for (skipped, next) in unseen.iter().enumerate() {
            let (canonical, symmetry) = Board::of(board.cards().chain([*next]));
            let row = self.boards.index_of(canonical);
            let beside = Beside::new(canonical);
            let places: Vec<usize> =
                unseen.iter().map(|card| beside.place(symmetry.card(*card))).collect();
            let mut sums = sums.iter_mut();
            for (high, high_place) in places.iter().enumerate() {
                for (low, sum) in sums.by_ref().take(high).enumerate() {
                    if low != skipped && high != skipped {
                        let counts = self.at(row, pair_of(places[low], *high_place));
                        sum[0] += u64::from(counts[0]);
                        sum[1] += u64::from(counts[1]);
                    }
                }
            }
        }
        sums
    }
}

/// An exact quotient.
fn divided(sum: u64, by: u64) -> u32 {
    debug_assert!(sum.is_multiple_of(by), "{sum} is no multiple of {by}");
    u32::try_from(sum / by).expect("no pair has more than 2^32 completions")
}
