//! Exact tables: win and tie of every pair of hole cards on every board of none to four cards.
//!
//! Each canonical board of five cards is swept once. Its counts are added at once to the boards of fewer cards that it
//! completes ([`Scatter`]); the stages below follow by adding up over the next card ([`Stage::lift`]).

mod scatter;
mod stage;

pub(crate) use scatter::Scatter;
pub(crate) use stage::{Place, Stage, completions, locate, pairs_beside};

use crate::boards::{Board, Boards};
use crate::showdown::{BOARD, Sweep};
use crate::{Deck, DeckCard, Evaluator, Odds};

/// The stages from no board to four board cards, for one deck and rule.
#[derive(Clone, Debug)]
pub struct Table {
    deck: Deck,
    /// By number of board cards.
    stages: Vec<Stage>,
}

impl Table {
    /// Computes all stages on the present thread; each full board's counts are dropped once they are added. Takes some
    /// seconds and 200 MB.
    #[must_use]
    pub fn new(evaluator: &Evaluator, deck: Deck) -> Self {
        let mut boards = Boards::up_to(BOARD, deck);
        let rivers = boards.pop().expect("boards of five cards come last");
        let turns = boards.pop().expect("then boards of four");
        let mut scatter = Scatter::<u32>::new(deck, turns);
        let mut sweep = Sweep::new(evaluator, deck);
        for board in rivers.as_slice() {
            let won = sweep.board(five(*board));
            scatter.add(*board, |pair| won[pair]);
        }
        Self::above(scatter.into_stage(), boards)
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

/// The cards of a full board.
pub(crate) fn five(board: Board) -> [DeckCard; BOARD] {
    let mut cards = board.cards();
    std::array::from_fn(|_| cards.next().expect("a full board has five cards"))
}
