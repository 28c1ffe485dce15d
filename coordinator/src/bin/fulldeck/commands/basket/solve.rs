//! `fulldeck basket solve POSITION`

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_common::basket::{Basket, Lookahead, MAX_DEPTH, Position, Rule, theory, trace};
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use super::shape::{RuleFlag, Shape, wrong};
use crate::app::App;
use crate::commands::query::Record;
use crate::error::CliError;
use crate::questions::answer_lines;

/// Flags of `basket solve`.
#[derive(Clone, Debug, Args)]
pub(super) struct Arguments {
    /// Balls placed of each colour, e.g. 1,1,3 (red, blue, green)
    #[arg(required_unless_present = "stdin")]
    position: Option<String>,
    #[command(flatten)]
    shape: Shape,
    /// Also what an engine sees that looks so many moves ahead: value and best moves
    #[arg(long, env = "FULLDECK_DEPTH", value_name = "1..9")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=i64::from(MAX_DEPTH)))]
    depth: Option<u8>,
    #[command(flatten)]
    rule: RuleFlag,
    /// With --depth: the array of moves that fill the basket at each move ahead
    #[arg(long, env = "FULLDECK_TRACE", requires = "depth")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    trace: bool,
    /// Answer many: the same arguments, one question a line on standard input, one JSON line each
    #[arg(long, env = "FULLDECK_STDIN", conflicts_with = "position")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    stdin: bool,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    if arguments.stdin {
        return answer_lines(answer);
    }
    app.output.print(&Record(answer(arguments)?))?;
    Ok(exit::OK)
}

fn answer(arguments: &Arguments) -> Result<Map<String, Value>, CliError> {
    let basket = arguments.shape.basket()?;
    let text = arguments.position.as_deref().unwrap_or_default();
    let position = basket.read_position(text).map_err(wrong)?;
    let mut fields = solved(&basket, &position);
    if let Some(depth) = arguments.depth {
        let engine = Lookahead::new(basket.clone(), arguments.rule.rule(), depth).map_err(wrong)?;
        let best = engine.best_moves(&position);
        fields.insert("depth".to_owned(), json!(depth));
        fields.insert("value".to_owned(), json!(engine.value(&position)));
        fields.insert("best_moves".to_owned(), json!(basket.write_moves(&best)));
        if arguments.trace {
            fields.insert("trace".to_owned(), json!(trace(&basket, &position, depth)));
        }
    }
    Ok(fields)
}

/// What theory says of a position.
pub(super) fn solved(basket: &Basket, position: &Position) -> Map<String, Value> {
    let missing: Vec<_> = basket.missing(position).map(|missing| missing.to_string()).collect();
    let mut fields = Map::new();
    fields.insert("placed".to_owned(), json!(basket.write_position(position)));
    fields.insert("missing".to_owned(), json!(missing.join(",")));
    fields.insert("grundy".to_owned(), json!(theory::grundy(basket, position)));
    for (rule, name) in [(Rule::Normal, "normal"), (Rule::Misere, "misere")] {
        let wins = theory::wins(basket, position, rule);
        let moves = theory::winning_moves(basket, position, rule);
        fields.insert(name.to_owned(), json!(if wins { "win" } else { "lose" }));
        fields.insert(format!("{name}_winning_moves"), json!(basket.write_moves(&moves)));
    }
    fields
}
