//! The agents by name.

use std::fmt;
use std::str::FromStr;

use super::seed::SeedPlayer;
use super::{Agent, GreedyPlayer, RandomPlayer};

/// An agent by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AgentKind {
    /// Any legal move.
    Random,
    /// Leaves as few groups as it can.
    Greedy,
    /// The articles' player.
    Seed,
}

/// No agent has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no agent '{0}': the agents are random, greedy, seed")]
pub struct UnknownAgent(pub String);

impl AgentKind {
    /// All agents.
    pub const ALL: [Self; 3] = [Self::Random, Self::Greedy, Self::Seed];

    /// All agents, thinking so many times the usual where they do.
    #[must_use]
    pub fn all(_think: u32) -> Vec<Self> {
        Self::ALL.to_vec()
    }

    /// The agent called `name`.
    ///
    /// # Errors
    /// [`UnknownAgent`].
    pub fn with_thinking(name: &str, _think: u32) -> Result<Self, UnknownAgent> {
        name.parse()
    }

    /// Its name, with its thinking time where that is not the usual.
    #[must_use]
    pub fn label(self) -> String {
        self.name().to_owned()
    }

    /// Nanoseconds of one core for a game of such players, about.
    #[must_use]
    pub const fn game_ns(self) -> u64 {
        match self {
            Self::Random => 50_000,
            Self::Greedy => 160_000,
            Self::Seed => 90_000,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Greedy => "greedy",
            Self::Seed => "seed",
        }
    }

    /// Raised whenever a decision may change.
    #[must_use]
    pub const fn version(self) -> u32 {
        1
    }

    /// A player of this kind.
    #[must_use]
    pub fn player(self) -> Box<dyn Agent> {
        match self {
            Self::Random => Box::new(RandomPlayer),
            Self::Greedy => Box::<GreedyPlayer>::default(),
            Self::Seed => Box::new(SeedPlayer::default()),
        }
    }
}

impl FromStr for AgentKind {
    type Err = UnknownAgent;

    fn from_str(text: &str) -> Result<Self, UnknownAgent> {
        Self::ALL
            .into_iter()
            .find(|agent| agent.name() == text)
            .ok_or_else(|| UnknownAgent(text.to_owned()))
    }
}

impl fmt::Display for AgentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
