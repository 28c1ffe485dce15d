//! Which plays are worth thinking about.

use std::cmp::{Ordering, Reverse};

use super::{ImprovedPlayer, MOST_CANDIDATES};
use crate::game::View;
use crate::moves::Move;

/// A play and how it did.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// The play; `None` for a pass.
    pub play: Option<Move>,
    /// Worlds in which it was played.
    pub games: u64,
    /// Those in which the own side won.
    pub wins: u64,
}

impl Estimate {
    const fn new(play: Option<Move>) -> Self {
        Self { play, games: 0, wins: 0 }
    }

    /// Compares win rates; what was played more often counts more when they are equal.
    pub(super) fn cmp_wins(&self, other: &Self) -> Ordering {
        let rates = (self.wins * other.games.max(1)).cmp(&(other.wins * self.games.max(1)));
        rates.then(self.games.cmp(&other.games))
    }
}

impl ImprovedPlayer {
    /// Plays worth thinking about, the one `seed` makes first: a move that ends the game alone, else the moves that leave the
    /// fewest groups, then the most value, and the pass.
    pub(super) fn candidates(&mut self, view: &View<'_>) -> Vec<Estimate> {
        let moves = view.moves();
        let ends = moves.iter().find(|mv| mv.cards == view.hand);
        if let Some(mv) = ends {
            return vec![Estimate::new(Some(*mv))];
        }
        let may_pass = view.last.is_some();
        let usual = self.seed.decide(view).play;
        let mut ranked: Vec<_> = moves
            .into_iter()
            .map(|mv| {
                let left = view.hand - mv.cards;
                let groups = u32::from(self.groups.fewest(left)) + u32::from(mv.doubles());
                (groups, Reverse(self.seed.evaluator().value(left).score()), mv)
            })
            .collect();
        ranked.sort_by_key(|(groups, value, mv)| (*groups, *value, mv.key, mv.cards));
        let ranked = ranked.into_iter().map(|(_, _, mv)| Some(mv));
        let plays = [usual].into_iter().chain(may_pass.then_some(None)).chain(ranked);
        let mut estimates: Vec<Estimate> = Vec::with_capacity(MOST_CANDIDATES);
        for play in plays {
            if estimates.len() < MOST_CANDIDATES && !estimates.iter().any(|one| one.play == play) {
                estimates.push(Estimate::new(play));
            }
        }
        estimates
    }
}
