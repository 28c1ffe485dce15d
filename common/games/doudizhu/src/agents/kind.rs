//! The agents by name.

use std::fmt;
use std::str::FromStr;

use super::improved::ImprovedPlayer;
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
    /// Looks ahead, thinking so many times as long as usual.
    Improved {
        /// 1 to 64.
        think: u32,
    },
}

/// No agent has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no agent '{0}': the agents are random, greedy, seed, improved, and improved:2 to improved:64 that think longer"
)]
pub struct UnknownAgent(pub String);

/// Longest thinking time in units of the usual.
const MOST_THINKING: u32 = 64;

impl AgentKind {
    /// All agents, thinking so many times the usual where they do.
    #[must_use]
    pub const fn all(think: u32) -> [Self; 4] {
        [Self::Random, Self::Greedy, Self::Seed, Self::Improved { think }]
    }

    /// The same agent, thinking so many times the usual if it does.
    #[must_use]
    pub const fn thinking(self, think: u32) -> Self {
        match self {
            Self::Improved { .. } => Self::Improved { think },
            other => other,
        }
    }

    /// Its name, without its thinking time.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Greedy => "greedy",
            Self::Seed => "seed",
            Self::Improved { .. } => "improved",
        }
    }

    /// Raised whenever a decision may change.
    #[must_use]
    pub const fn version(self) -> u32 {
        1
    }

    /// Nanoseconds of one core for a game in which such a player meets others, about.
    #[must_use]
    pub const fn game_ns(self) -> u64 {
        match self {
            Self::Random => 50_000,
            Self::Greedy => 160_000,
            Self::Seed => 90_000,
            Self::Improved { think } => 25_000_000 * think as u64,
        }
    }

    /// A player of this kind.
    #[must_use]
    pub fn player(self) -> Box<dyn Agent> {
        match self {
            Self::Random => Box::new(RandomPlayer),
            Self::Greedy => Box::<GreedyPlayer>::default(),
            Self::Seed => Box::<SeedPlayer>::default(),
            Self::Improved { think } => Box::new(ImprovedPlayer::new(think)),
        }
    }
}

impl FromStr for AgentKind {
    type Err = UnknownAgent;

    fn from_str(text: &str) -> Result<Self, UnknownAgent> {
        let (name, think) = text.split_once(':').unwrap_or((text, "1"));
        let think = think.parse().ok().filter(|think| (1..=MOST_THINKING).contains(think));
        let agents = think.map(Self::all).into_iter().flatten();
        // Only what thinks has a thinking time.
        let thinks = |agent: &Self| matches!(agent, Self::Improved { .. });
        let mut named = agents.filter(|agent| agent.name() == name);
        named
            .find(|agent| name == text || thinks(agent))
            .ok_or_else(|| UnknownAgent(text.to_owned()))
    }
}

/// With its thinking time where that is not the usual: `seed`, `improved:4`.
impl fmt::Display for AgentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Improved { think } if *think > 1 => f.pad(&format!("improved:{think}")),
            other => f.pad(other.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for text in ["random", "greedy", "seed", "improved", "improved:4", "improved:64"] {
            assert_eq!(text.parse::<AgentKind>().unwrap().to_string(), text);
        }
        for text in ["", "Seed", "seed:2", "improved:0", "improved:65", "improved:x"] {
            let error = text.parse::<AgentKind>().unwrap_err().to_string();
            assert!(error.contains("the agents are random, greedy, seed, improved"), "{error}");
        }
    }
}
