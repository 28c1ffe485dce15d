//! `fulldeck basket totals -c COLOURS -m BALLS`

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_common::basket::totals::closed_form;
use fulldeck_common::basket::{MAX_BALLS, MAX_COLOURS};
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::commands::query::Record;
use crate::error::CliError;
use crate::questions::answer_lines;

/// Flags of `basket totals`.
#[derive(Clone, Debug, Args)]
pub(super) struct Arguments {
    /// Number of colours
    #[arg(short, long, env = "FULLDECK_COLOURS", value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MAX_COLOURS as i64))]
    colours: u32,
    /// Balls of each colour
    #[arg(short = 'm', long, env = "FULLDECK_BALLS", value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_BALLS)))]
    balls: u32,
    /// Answer many: the same arguments, one question a line on standard input, one JSON line each
    #[arg(long, env = "FULLDECK_STDIN")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    stdin: bool,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    if arguments.stdin {
        return answer_lines(|line: &Arguments| Ok(answer(line)));
    }
    app.output.print(&Record(answer(arguments)))?;
    Ok(exit::OK)
}

/// Counts are texts: they may have thousands of digits.
fn answer(arguments: &Arguments) -> Map<String, Value> {
    let totals = closed_form(arguments.colours, arguments.balls);
    let mut fields = Map::new();
    fields.insert("colours".to_owned(), json!(arguments.colours));
    fields.insert("balls".to_owned(), json!(arguments.balls));
    for (name, count) in [
        ("positions", &totals.positions),
        ("lost_normal", &totals.lost),
        ("winning_moves_normal", &totals.winning_moves),
        ("lost_misere", &totals.lost),
        ("winning_moves_misere", &totals.winning_moves_misere),
    ] {
        fields.insert(name.to_owned(), json!(count.to_string()));
    }
    fields
}
