//! `fulldeck doudizhu endgame`

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args, ValueEnum};
use fulldeck_common::doudizhu::answers::{self, Answer, EndgameQuestion};
use fulldeck_common::doudizhu::game::Role;
use fulldeck_common::doudizhu::moves::RuleSet;

use super::question::Ask;
use crate::error::CliError;

/// Most nodes of a search: some gigabytes of memory.
const MOST_NODES: i64 = 1 << 28;

/// A player by role.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Player {
    /// Alone against two
    Landlord,
    /// The farmer who plays after the landlord
    Down,
    /// The farmer who plays before the landlord
    Up,
}

impl From<Player> for Role {
    fn from(player: Player) -> Self {
        match player {
            Player::Landlord => Self::Landlord,
            Player::Down => Self::Down,
            Player::Up => Self::Up,
        }
    }
}

/// `endgame LANDLORD DOWN UP`
#[derive(Debug, Args)]
pub(super) struct Endgame {
    /// Hand of the landlord
    #[arg(value_name = "LANDLORD", required_unless_present = "stdin")]
    landlord: Option<String>,
    /// Hand of the farmer who plays after the landlord
    #[arg(value_name = "DOWN", required_unless_present = "stdin")]
    down: Option<String>,
    /// Hand of the farmer who plays before the landlord
    #[arg(value_name = "UP", required_unless_present = "stdin")]
    up: Option<String>,
    /// Whose turn it is
    #[arg(long, env = "FULLDECK_TO_MOVE", value_name = "PLAYER", default_value = "landlord")]
    to_move: Player,
    /// Move to be beaten; without it the mover leads
    #[arg(long, env = "FULLDECK_ON", value_name = "MOVE", requires = "by")]
    on: Option<String>,
    /// Who made that move; the players between have passed
    #[arg(long, env = "FULLDECK_BY", value_name = "PLAYER", requires = "on")]
    by: Option<Player>,
    /// Nodes that the search may take
    #[arg(long, env = "FULLDECK_BUDGET", value_name = "N", default_value_t = 20_000_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=MOST_NODES as u64))]
    budget: u64,
    /// Rules of the wings: strict, wide, or some of both-jokers, four-alike, neighbours, four-as-pairs
    #[arg(long, env = "FULLDECK_RULES", value_name = "RULES", default_value = "strict")]
    rules: RuleSet,
    /// Answer many: one question a line on standard input, one JSON line each
    #[arg(long, env = "FULLDECK_STDIN", conflicts_with = "landlord")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    stdin: bool,
}

impl Ask for Endgame {
    fn stdin(&self) -> bool {
        self.stdin
    }

    fn answer(&self) -> Result<Answer, CliError> {
        let hand = |hand: &'_ Option<String>| hand.clone().unwrap_or_default();
        let [landlord, down, up] = [&self.landlord, &self.down, &self.up].map(hand);
        let last = self.on.as_deref().zip(self.by.map(Role::from));
        Ok(answers::endgame(&EndgameQuestion {
            hands: [&landlord, &down, &up],
            to_move: self.to_move.into(),
            last,
            rules: self.rules,
            budget: self.budget,
        })?)
    }
}
