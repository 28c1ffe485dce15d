//! The basket that is asked about, and how the program plays in it.

use std::fmt::Display;
use std::str::FromStr;

use clap::Args;
use clap::builder::BoolishValueParser;
use fulldeck_common::basket::matches::Player;
use fulldeck_common::basket::{Basket, Lookahead, MAX_DEPTH, Rule};

use crate::error::CliError;

/// Colours and balls.
#[derive(Clone, Debug, Args)]
pub(super) struct Shape {
    /// Number of colours
    #[arg(short, long, env = "FULLDECK_COLOURS", value_name = "N", default_value_t = 3)]
    colours: usize,
    /// Balls of each colour
    #[arg(short = 'm', long, env = "FULLDECK_BALLS", value_name = "N", default_value_t = 3)]
    balls: u32,
    /// Instead: balls of each colour, one by one
    #[arg(long, env = "FULLDECK_CAPACITIES", value_name = "N,N,..", value_delimiter = ',')]
    #[arg(conflicts_with_all = ["colours", "balls"])]
    capacities: Vec<u32>,
}

impl Shape {
    pub(super) fn basket(&self) -> Result<Basket, CliError> {
        let basket = match self.capacities.as_slice() {
            [] => Basket::even(self.colours, self.balls),
            capacities => Basket::new(capacities.to_vec()),
        };
        basket.map_err(wrong)
    }
}

/// The rule.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct RuleFlag {
    /// Whoever places the last ball loses
    #[arg(long, env = "FULLDECK_MISERE")]
    #[arg(value_parser = BoolishValueParser::new(), action = clap::ArgAction::SetTrue)]
    misere: bool,
}

impl RuleFlag {
    pub(super) fn rule(self) -> Rule {
        if self.misere { Rule::Misere } else { Rule::Normal }
    }
}

/// A level: moves that are looked ahead, or a player without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Depth(u8),
    Perfect,
    Random,
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "perfect" => Ok(Self::Perfect),
            "random" => Ok(Self::Random),
            _ => match text.parse() {
                Ok(depth) if (1..=MAX_DEPTH).contains(&depth) => Ok(Self::Depth(depth)),
                _ => Err(format!("1 to {MAX_DEPTH}, perfect or random is right")),
            },
        }
    }
}

impl Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Depth(depth) => write!(f, "{depth}"),
            Self::Perfect => f.write_str("perfect"),
            Self::Random => f.write_str("random"),
        }
    }
}

impl Level {
    pub(super) fn player(self, basket: &Basket, rule: Rule) -> Result<Player, CliError> {
        Ok(match self {
            Self::Perfect => Player::Perfect,
            Self::Random => Player::Random,
            Self::Depth(depth) => {
                Player::Lookahead(Lookahead::new(basket.clone(), rule, depth).map_err(wrong)?)
            }
        })
    }
}

/// Input that does not fit.
pub(super) fn wrong(error: impl Display) -> CliError {
    CliError::usage(error.to_string())
}
