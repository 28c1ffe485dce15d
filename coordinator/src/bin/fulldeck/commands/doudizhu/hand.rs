//! Questions about one hand.

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args, ValueEnum};
use fulldeck_common::doudizhu::agents::AgentKind;
use fulldeck_common::doudizhu::agents::seed::Prune;
use fulldeck_common::doudizhu::answers::{self, Answer, read_move};
use fulldeck_common::doudizhu::cards::{Hand, parse_hand};
use fulldeck_common::doudizhu::moves::RuleSet;

use super::question::Ask;
use crate::error::CliError;

/// The hand, or many questions.
#[derive(Debug, Args)]
pub(super) struct Asked {
    /// The hand, e.g. 3334455TJQKA2BR: any order, 10 or T, jokers B or X or 小王, R or D or 大王
    #[arg(value_name = "HAND", required_unless_present = "stdin", num_args = 1..)]
    hand: Vec<String>,
    /// Answer many: one question a line on standard input, one JSON line each
    #[arg(long, env = "FULLDECK_STDIN", conflicts_with = "hand")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    stdin: bool,
}

impl Asked {
    fn hand(&self) -> Result<Hand, CliError> {
        parse_hand(&self.hand.join(" ")).map_err(|error| CliError::usage(error.to_string()))
    }
}

/// The prune of agent seed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PruneName {
    /// As in the series of articles
    Series,
    /// As in the published later variant
    NoFour,
}

impl From<PruneName> for Prune {
    fn from(name: PruneName) -> Self {
        match name {
            PruneName::Series => Self::Series,
            PruneName::NoFour => Self::NoFour,
        }
    }
}

/// Who chooses, and whether he explains himself.
#[derive(Debug, Args)]
struct Chooser {
    /// Agent that chooses: seed or greedy
    #[arg(long, env = "FULLDECK_AGENT", value_name = "AGENT", default_value = "seed")]
    agent: AgentKind,
    /// When agent seed counts a whole hand as one round
    #[arg(long, env = "FULLDECK_PRUNE", value_name = "NAME", default_value = "series")]
    prune: PruneName,
    /// Show every candidate and what it leaves
    #[arg(long, env = "FULLDECK_WHY", value_parser = BoolishValueParser::new())]
    #[arg(action = ArgAction::SetTrue)]
    why: bool,
}

/// What has to be beaten.
#[derive(Debug, Args)]
struct Beaten {
    /// Type of that move, where the rules leave a choice, e.g. plane_solo
    #[arg(long = "type", env = "FULLDECK_TYPE", value_name = "TYPE", requires = "on")]
    kind: Option<String>,
    /// Rules of the wings: strict, wide, or some of both-jokers, four-alike, neighbours, four-as-pairs
    #[arg(long, env = "FULLDECK_RULES", value_name = "RULES", default_value = "strict")]
    rules: RuleSet,
}

/// `moves HAND [--on MOVE]`
#[derive(Debug, Args)]
pub(super) struct Moves {
    #[command(flatten)]
    asked: Asked,
    /// Move to be beaten
    #[arg(long, env = "FULLDECK_ON", value_name = "MOVE")]
    on: Option<String>,
    #[command(flatten)]
    beaten: Beaten,
}

impl Ask for Moves {
    fn stdin(&self) -> bool {
        self.asked.stdin
    }

    fn answer(&self) -> Result<Answer, CliError> {
        let Beaten { kind, rules } = &self.beaten;
        let read = |on: &String| read_move(on, kind.as_deref(), *rules);
        let last = self.on.as_ref().map(read).transpose()?;
        Ok(answers::legal_moves(self.asked.hand()?, last.as_ref(), *rules))
    }
}

/// `value HAND`
#[derive(Debug, Args)]
pub(super) struct Value {
    #[command(flatten)]
    asked: Asked,
    /// When a whole hand counts as one round
    #[arg(long, env = "FULLDECK_PRUNE", value_name = "NAME", default_value = "series")]
    prune: PruneName,
}

impl Ask for Value {
    fn stdin(&self) -> bool {
        self.asked.stdin
    }

    fn answer(&self) -> Result<Answer, CliError> {
        Ok(answers::value(self.asked.hand()?, self.prune.into()))
    }
}

/// `lead HAND`
#[derive(Debug, Args)]
pub(super) struct Lead {
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    chooser: Chooser,
}

impl Ask for Lead {
    fn stdin(&self) -> bool {
        self.asked.stdin
    }

    fn answer(&self) -> Result<Answer, CliError> {
        let Chooser { agent, prune, why } = self.chooser;
        Ok(answers::lead(self.asked.hand()?, agent, prune.into(), why)?)
    }
}

/// `follow HAND --on MOVE`
#[derive(Debug, Args)]
pub(super) struct Follow {
    #[command(flatten)]
    asked: Asked,
    /// Move to be beaten
    #[arg(long, env = "FULLDECK_ON", value_name = "MOVE", required_unless_present = "stdin")]
    on: Option<String>,
    #[command(flatten)]
    beaten: Beaten,
    #[command(flatten)]
    chooser: Chooser,
}

impl Ask for Follow {
    fn stdin(&self) -> bool {
        self.asked.stdin
    }

    fn answer(&self) -> Result<Answer, CliError> {
        let Beaten { kind, rules } = &self.beaten;
        let last = read_move(self.on.as_deref().unwrap_or_default(), kind.as_deref(), *rules)?;
        let Chooser { agent, prune, why } = self.chooser;
        Ok(answers::follow(self.asked.hand()?, &last, agent, prune.into(), why)?)
    }
}

/// `bid HAND`
#[derive(Debug, Args)]
pub(super) struct Bid {
    #[command(flatten)]
    asked: Asked,
}

impl Ask for Bid {
    fn stdin(&self) -> bool {
        self.asked.stdin
    }

    fn answer(&self) -> Result<Answer, CliError> {
        Ok(answers::bid(self.asked.hand()?)?)
    }
}

/// `groups HAND`
#[derive(Debug, Args)]
pub(super) struct Groups {
    #[command(flatten)]
    asked: Asked,
}

impl Ask for Groups {
    fn stdin(&self) -> bool {
        self.asked.stdin
    }

    fn answer(&self) -> Result<Answer, CliError> {
        Ok(answers::groups(self.asked.hand()?))
    }
}
