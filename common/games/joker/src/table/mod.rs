//! Exact tables: win and tie of every pair of hole cards on every board of none to four cards.
//!
//! The stage of four board cards comes straight from the full boards ([`Turns`]); the stages below follow by adding up
//! over the next card ([`Stage::lift`]).

mod stage;
mod turn;

pub(crate) use stage::{Counts, Place, Stage, completions, locate, pairs_beside};
pub(crate) use turn::Turns;

use rayon::prelude::*;

use crate::boards::Boards;
use crate::showdown::{BOARD, Cards, Sweep, Won};
use crate::{Deck, DeckCard, Evaluator, Odds};

/// Board cards of the last stage of a table.
pub(crate) const TURN: usize = BOARD - 1;
/// Boards that one task computes.
const TASK_BOARDS: usize = 64;

/// The stages from no board to four board cards, for one deck and rule.
#[derive(Clone, Debug)]
pub struct Table {
    deck: Deck,
    /// By number of board cards.
    stages: Vec<Stage>,
}

impl Table {
    /// Computes all stages; takes a second or two of one core, shared among the threads of the present rayon pool, and
    /// 120 MB.
    #[must_use]
    pub fn new(evaluator: &Evaluator, deck: Deck) -> Self {
        let mut boards = Boards::up_to(TURN, deck);
        let turns = boards.pop().expect("boards of four cards come last");
        let rows: Vec<Vec<Won>> = turns
            .as_slice()
            .par_chunks(TASK_BOARDS)
            .map_init(
                || Turns::new(evaluator, deck),
                |computing, boards| {
                    let mut rows = Vec::with_capacity(boards.len() * pairs_beside(deck, TURN));
                    boards.iter().for_each(|board| computing.row(*board, &mut rows));
                    rows
                },
            )
            .collect();
        Self::above(Stage::new(deck, turns, Counts::Narrow(rows.concat())), boards)
    }

    /// Visits every canonical board of five cards, given by its cards, with the counts of every pair beside it: the stage
    /// that is too large to be kept in memory. The pair of the unseen cards at `low` and `high`, in the order of their
    /// numbers, is at `high (high - 1) / 2 + low`.
    pub fn rivers(evaluator: &Evaluator, deck: Deck, mut visit: impl FnMut(&[DeckCard], &[Won])) {
        let boards = Boards::up_to(BOARD, deck).pop().expect("boards of five cards come last");
        let mut sweep = Sweep::new(evaluator, deck);
        let mut row = Vec::new();
        for board in boards.as_slice() {
            let cards: Vec<_> = board.cards().collect();
            row.clear();
            sweep.rows(Cards::of(cards.iter().copied()), &board.unseen(deck), &mut row);
            visit(&cards, &row);
        }
    }

    /// The stages from none to four board cards, from the last and the boards of the others.
    pub(crate) fn above(last: Stage, boards: Vec<Boards>) -> Self {
        let deck = last.deck();
        let mut stages = vec![last];
        for boards in boards.into_iter().rev() {
            let lifted = stages[stages.len() - 1].lift(boards);
            stages.push(lifted);
        }
        stages.reverse();
        Self { deck, stages }
    }

    /// The deck.
    #[must_use]
    pub const fn deck(&self) -> Deck {
        self.deck
    }

    pub(crate) fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Win, tie and lose of a hole on a board of none to four cards against a random opponent; `None` if the cards are not
    /// different cards of the deck.
    #[must_use]
    pub fn odds(&self, hole: [DeckCard; 2], board: &[DeckCard]) -> Option<Odds> {
        self.stages.get(board.len())?.odds(hole, board)
    }
}
