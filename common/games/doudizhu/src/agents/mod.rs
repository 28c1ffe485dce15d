//! Players.

mod greedy;
pub mod improved;
mod kind;
mod random;
pub mod seed;

pub use greedy::GreedyPlayer;
pub use kind::{AgentKind, UnknownAgent};
pub use random::RandomPlayer;

use crate::game::{Random, View};
use crate::moves::Move;

/// A player. What it decides depends on what it sees and on the randomness it is given, and on nothing else: memories
/// may save time but never change a decision.
pub trait Agent: Send {
    /// Decides a turn: a legal move, or a pass where there is something to follow.
    fn decide(&mut self, view: &View<'_>, random: &mut Random) -> Decision;
}

/// A turn decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What is played; `None` for a pass.
    pub play: Option<Move>,
    /// Whether the player's first decision broke the rules and had to be made again.
    pub illegal: bool,
}

impl Decision {
    /// A decision that is legal at once.
    #[must_use]
    pub const fn of(play: Option<Move>) -> Self {
        Self { play, illegal: false }
    }
}
