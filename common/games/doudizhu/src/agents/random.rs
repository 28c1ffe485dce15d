//! The agent `random`.

use super::{Agent, Decision};
use crate::game::{Random, View};

/// Any legal move, pass included, each equally likely.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomPlayer;

impl Agent for RandomPlayer {
    fn decide(&mut self, view: &View<'_>, random: &mut Random) -> Decision {
        let moves = view.moves();
        let choices = moves.len() as u32 + u32::from(view.last.is_some());
        // The choice beyond the moves is the pass.
        Decision::of(moves.get(random.below(choices) as usize).copied())
    }
}
