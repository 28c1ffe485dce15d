//! `fulldeck betting size PLAYERS [SEAT]`

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_service::exit;

use super::asked::Asked;
use crate::app::App;
use crate::commands::query::Record;
use crate::error::CliError;
use crate::questions::answer_lines;

/// Flags of `betting size`.
#[derive(Clone, Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// Answer many: the same arguments, one question a line on standard input, one JSON line each
    #[arg(long, env = "FULLDECK_STDIN", conflicts_with = "players")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    stdin: bool,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    if arguments.stdin {
        return answer_lines(|line: &Arguments| Ok(line.asked.question()?.size()?));
    }
    app.output.print(&Record(arguments.asked.question()?.size()?))?;
    Ok(exit::OK)
}
