//! Games played out by `seed`, as fast as can be.

use crate::agents::seed::{Evaluator, Group, Unwatched};
use crate::cards::Hand;
use crate::endgame::Position;
use crate::game::View;
use crate::moves::{Move, RuleSet};

/// A table with open cards, by role.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    hands: [Hand; 3],
    turn: usize,
    last: Option<(Move, usize)>,
}

/// More turns than any game has: three seats, 54 cards, two passes each.
const MOST_TURNS: u64 = 200;

impl Table {
    /// What the player sees, with these hands by seat.
    pub(super) fn of(view: &View<'_>, hands: [Hand; 3]) -> Self {
        let by_role = |role: usize| hands[view.landlord.after(role).index()];
        Self {
            hands: [0, 1, 2].map(by_role),
            turn: view.role() as usize,
            last: view.last.map(|last| (last.mv, last.by.role(view.landlord) as usize)),
        }
    }

    pub(super) fn after(mut self, play: Option<Move>) -> Self {
        if let Some(mv) = play {
            self.hands[self.turn] -= mv.cards;
            self.last = Some((mv, self.turn));
        }
        self.turn = (self.turn + 1) % 3;
        if self.last.is_some_and(|(_, by)| by == self.turn) {
            self.last = None;
        }
        self
    }

    pub(super) fn cards_left(&self) -> u32 {
        self.hands.iter().map(|hand| hand.len()).sum()
    }

    pub(super) fn winner(&self) -> Option<usize> {
        self.hands.iter().position(|hand| hand.is_empty())
    }

    pub(super) fn position(&self, rules: RuleSet) -> Position {
        Position { hands: self.hands, to_move: self.turn, last: self.last, rules }
    }

    /// Plays to the end; whether the landlord wins, and the number of turns.
    pub(super) fn play_out(mut self, evaluator: &mut Evaluator) -> (bool, u64) {
        for turns in 0..MOST_TURNS {
            if let Some(winner) = self.winner() {
                return (winner == 0, turns);
            }
            let play = self.decide(evaluator);
            self = self.after(play);
        }
        unreachable!("somebody plays a card at least every third turn")
    }

    fn decide(&self, evaluator: &mut Evaluator) -> Option<Move> {
        let hand = self.hands[self.turn];
        let group = match &self.last {
            None => evaluator.lead(hand, &mut Unwatched),
            Some((last, _)) => evaluator.follow(hand, last, &mut Unwatched),
        };
        group.map(|Group { kind, key, cards }| Move { kind, key, cards })
    }
}
