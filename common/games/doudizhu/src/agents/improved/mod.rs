//! A player that looks ahead: it deals the unseen cards at random, again and again, and plays each promising move out.
//!
//! Roll-outs are played by `seed`; when few cards are left, the endgame is searched exactly instead. What is counted is the
//! side's wins, so that farmers play together. Thinking time is counted in turns and nodes, never measured: the same decision
//! on every machine.

mod candidates;
mod rollout;
mod worlds;

use super::seed::SeedPlayer;
use super::{Agent, Decision};
use crate::endgame;
use crate::game::{Random, Role, View};
use crate::groups;
use crate::moves::Move;

pub use candidates::Estimate;
use worlds::Worlds;

/// Turns of roll-outs that one decision may take.
const USUAL_TURNS: u64 = 6_000;
/// Cards left at the table from which the endgame is searched.
const ENDGAME_CARDS: u32 = 16;
/// Nodes of one search.
const ENDGAME_NODES: u64 = 3_000;
/// Nodes that take as long as a turn.
const NODES_PER_TURN: u64 = 8;
/// Most moves that are played out.
const MOST_CANDIDATES: usize = 10;
/// Shares of the thinking time after which the worse half of the candidates is dropped, in percent.
const HALVINGS: [u64; 2] = [30, 60];
/// Fewest candidates that are kept when others are dropped.
const KEPT: usize = 2;

/// The agent `improved`.
#[derive(Debug)]
pub struct ImprovedPlayer {
    turns: u64,
    seed: SeedPlayer,
    groups: groups::Solver,
    endgame: endgame::Solver,
}

impl ImprovedPlayer {
    /// Thinking `think` times as long as usual.
    #[must_use]
    pub fn new(think: u32) -> Self {
        Self {
            turns: USUAL_TURNS * u64::from(think),
            seed: SeedPlayer::default(),
            groups: groups::Solver::default(),
            endgame: endgame::Solver::default(),
        }
    }

    /// The promising plays and how often each of them won, best first.
    pub fn estimates(&mut self, view: &View<'_>, random: &mut Random) -> Vec<Estimate> {
        let mut estimates = self.candidates(view);
        if estimates.len() > 1 {
            self.think(view, random, &mut estimates);
        }
        // Equal ones stay in the order of the first look.
        estimates.sort_by(|a, b| b.cmp_wins(a));
        estimates
    }

    fn think(&mut self, view: &View<'_>, random: &mut Random, estimates: &mut [Estimate]) {
        let worlds = Worlds::of(view);
        let mut spent = 0;
        let mut halvings = HALVINGS.iter().peekable();
        let mut alive = estimates.len();
        while spent < self.turns {
            let hands = worlds.draw(random);
            for estimate in &mut estimates[..alive] {
                let (wins, turns) = self.outcome(view, hands, estimate.play);
                estimate.games += 1;
                estimate.wins += u64::from(wins);
                spent += turns;
            }
            if halvings.next_if(|share| spent * 100 >= self.turns * **share).is_some() {
                estimates[..alive].sort_by(|a, b| b.cmp_wins(a));
                alive = alive.div_ceil(2).max(KEPT.min(alive));
            }
        }
    }

    /// Whether the own side wins in a world after a play, and how many turns of thinking that took.
    fn outcome(
        &mut self,
        view: &View<'_>,
        hands: [crate::cards::Hand; 3],
        play: Option<Move>,
    ) -> (bool, u64) {
        let after = rollout::Table::of(view, hands).after(play);
        let of_landlord = view.role() == Role::Landlord;
        let mut turns = 1;
        if after.cards_left() <= ENDGAME_CARDS && after.winner().is_none() {
            let solution = self.endgame.solve(&after.position(view.rules), ENDGAME_NODES);
            turns += solution.nodes / NODES_PER_TURN;
            if let Some(wins) = solution.landlord_wins {
                return (wins == of_landlord, turns);
            }
        }
        let (landlord_wins, played) = after.play_out(self.seed.evaluator());
        (landlord_wins == of_landlord, turns + played)
    }
}

impl Agent for ImprovedPlayer {
    fn decide(&mut self, view: &View<'_>, random: &mut Random) -> Decision {
        let best = self.estimates(view, random).first().copied();
        Decision::of(best.and_then(|estimate| estimate.play))
    }
}
