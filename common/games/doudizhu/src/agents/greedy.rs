//! The agent `greedy`.

use std::cmp::Reverse;

use super::{Agent, Decision};
use crate::cards::{Hand, RankSet};
use crate::game::{Random, View};
use crate::groups::Solver;
use crate::moves::Move;

/// Leaves as few groups as it can; bombs only to finish.
#[derive(Debug, Default)]
pub struct GreedyPlayer {
    solver: Solver,
}

/// Most groups left after a bomb: it is played only to finish.
const LEFT_AFTER_BOMB: u8 = 1;

impl GreedyPlayer {
    /// Every legal move and the fewest groups after it, best first: fewest groups, lowest key, most cards, ASCII order. Bombs
    /// and the rocket come last.
    pub fn ranked(&mut self, view: &View<'_>) -> Vec<(Move, u8)> {
        let mut ranked: Vec<_> = view
            .moves()
            .into_iter()
            .map(|mv| (mv, self.solver.fewest(view.hand - mv.cards)))
            .collect();
        ranked.sort_by_key(|(mv, left)| {
            (mv.doubles(), *left, mv.key, Reverse(mv.cards.len()), mv.to_string())
        });
        ranked
    }

    /// What it plays; `None` for a pass.
    pub fn choose(&mut self, view: &View<'_>) -> Option<Move> {
        let ranked = self.ranked(view);
        let bombs = ranked.iter().filter(|(mv, _)| mv.doubles());
        let bomb =
            |most: u8| bombs.clone().filter(move |(_, left)| *left <= most).map(|(mv, _)| *mv);
        let lowest =
            |moves: &mut dyn Iterator<Item = Move>| moves.min_by_key(|mv| (mv.kind, mv.key));
        let plain = ranked.first().filter(|(mv, _)| !mv.doubles());
        match (view.last, plain) {
            (None, _) if only_bombs(view.hand) => lowest(&mut bomb(u8::MAX)),
            (None, Some((mv, _))) => Some(*mv),
            (Some(_), Some((mv, left))) if *left < self.solver.fewest(view.hand) => Some(*mv),
            _ => lowest(&mut bomb(LEFT_AFTER_BOMB)),
        }
    }
}

/// Whether a hand is nothing but bombs and the rocket.
fn only_bombs(hand: Hand) -> bool {
    let fours = hand.at_least(4).times(4);
    let rest = hand - fours;
    rest.is_empty() || rest == Hand::ROCKET && RankSet::SUITED.includes(fours.ranks())
}

impl Agent for GreedyPlayer {
    fn decide(&mut self, view: &View<'_>, _: &mut Random) -> Decision {
        Decision::of(self.choose(view))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Seat};
    use crate::moves::{RuleSet, identify};

    /// What is played from a hand, on `last` if that is not empty.
    fn play(hand: &str, last: &str) -> String {
        let (hand, other) = (hand.parse().unwrap(), "34567TT".parse().unwrap());
        let mut hands = [other, hand, other];
        let (first, mv) = match last {
            "" => (Seat::new(1), None),
            last => {
                let mv = identify(last.parse().unwrap(), None, RuleSet::STRICT).unwrap();
                hands[0] = mv.cards + Hand::of(crate::cards::Rank::THREE, 1);
                (Seat::new(0), Some(mv))
            }
        };
        let mut game = Game::new(hands, Hand::EMPTY, first, RuleSet::STRICT);
        if mv.is_some() {
            game.play(mv).unwrap();
        }
        let chosen = GreedyPlayer::default().choose(&game.view());
        chosen.map_or_else(|| "pass".to_owned(), |mv| mv.to_string())
    }

    #[test]
    fn it_leaves_few_groups_and_saves_bombs() {
        assert_eq!(play("3456789K", ""), "3456789");
        assert_eq!(play("3334", ""), "3334");
        assert_eq!(play("4444", ""), "4444");
        assert_eq!(play("44445555", ""), "4444");
        assert_eq!(play("4444BR", ""), "4444");
        assert_eq!(play("45678K", "Q"), "K");
        // Taking a card out of the chain would cost groups.
        assert_eq!(play("45678", "3"), "pass");
        assert_eq!(play("88889", "A"), "8888");
        assert_eq!(play("88889J", "A"), "pass");
        assert_eq!(play("9BR", "A"), "BR");
    }
}
