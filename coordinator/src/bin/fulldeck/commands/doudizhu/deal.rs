//! `fulldeck doudizhu deal`

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_common::doudizhu::answers::{self, Answer};

use super::question::Ask;
use crate::error::CliError;

/// `deal --seed S --index I`
#[derive(Debug, Args)]
pub(super) struct Deal {
    /// Number of the deck: the same as of a tournament's deals
    #[arg(long, env = "FULLDECK_SEED", value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of the deal
    #[arg(long, env = "FULLDECK_INDEX", value_name = "N", default_value_t = 0)]
    index: u64,
    /// How many deals of that number were thrown in before
    #[arg(long, env = "FULLDECK_REDEAL", value_name = "N", default_value_t = 0)]
    redeal: u32,
    /// Answer many: one question a line on standard input, one JSON line each
    #[arg(long, env = "FULLDECK_STDIN")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    stdin: bool,
}

impl Ask for Deal {
    fn stdin(&self) -> bool {
        self.stdin
    }

    fn answer(&self) -> Result<Answer, CliError> {
        Ok(answers::deal(self.seed, self.index, self.redeal)?)
    }
}
