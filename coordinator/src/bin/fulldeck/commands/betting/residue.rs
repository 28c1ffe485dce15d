//! `fulldeck betting residue PLAYERS [SEAT] --modulus M`

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_common::betting::program::{Program, residue};
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use super::asked::Asked;
use crate::app::App;
use crate::error::CliError;
use crate::output::table::{label, pairs, plain};
use crate::output::{Answer, Style};
use crate::questions::answer_lines;

/// Flags of `betting residue`.
#[derive(Clone, Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    moduli: Moduli,
    /// Answer many: the same arguments, one question a line on standard input, one JSON line each
    #[arg(long, env = "FULLDECK_STDIN", conflicts_with = "players")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    stdin: bool,
}

/// What is divided by.
#[derive(Clone, Debug, Args)]
pub(super) struct Moduli {
    /// A modulus from 1 to 2^64 - 1; may be repeated (in the variable: separated by spaces)
    #[arg(short, long, env = "FULLDECK_MODULUS", value_name = "M", value_delimiter = ' ')]
    #[arg(default_value = "2305843009213693951", value_parser = clap::value_parser!(u64).range(1..))]
    modulus: Vec<u64>,
}

impl Moduli {
    /// `residues`: a list of `modulus` and `residue`, as texts.
    pub(super) fn of(&self, program: &Program) -> Value {
        let residue = |modulus: &u64| {
            let residue = residue(program, *modulus).to_string();
            json!({ "modulus": modulus.to_string(), "residue": residue })
        };
        self.modulus.iter().map(residue).collect()
    }
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    if arguments.stdin {
        return answer_lines(answer);
    }
    app.output.print(&Residues(answer(arguments)?))?;
    Ok(exit::OK)
}

fn answer(arguments: &Arguments) -> Result<Map<String, Value>, CliError> {
    let question = arguments.asked.question()?;
    let structure = &question.structure;
    let mut fields = Map::new();
    fields.insert("players".to_owned(), json!(structure.players()));
    fields.insert("cap".to_owned(), json!(structure.cap()));
    fields.insert("seat".to_owned(), json!(structure.number_in(question.seat, question.order)));
    fields.insert("position".to_owned(), json!(structure.position_name(question.seat)));
    fields.insert("residues".to_owned(), arguments.moduli.of(&structure.strategies(question.seat)));
    Ok(fields)
}

/// A record with a list of residues.
pub(super) struct Residues(pub(super) Map<String, Value>);

impl Answer for Residues {
    fn json(&self) -> Map<String, Value> {
        self.0.clone()
    }

    fn ids(&self) -> Vec<String> {
        self.list().map(|(_, residue)| residue).collect()
    }

    fn table(&self, style: Style) -> String {
        let fields = self.0.iter().filter(|(name, _)| *name != "residues");
        let mut lines: Vec<_> = fields.map(|(name, value)| (label(name), plain(value))).collect();
        lines.extend(self.list().map(|(modulus, residue)| (format!("mod {modulus}"), residue)));
        pairs(style, &lines)
    }
}

impl Residues {
    fn list(&self) -> impl Iterator<Item = (String, String)> {
        let list = self.0.get("residues").and_then(Value::as_array).into_iter().flatten();
        list.map(|entry| (plain(&entry["modulus"]), plain(&entry["residue"])))
    }
}
