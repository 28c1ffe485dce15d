//! `fulldeck betting tree STRUCTURE`

use std::fs;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args, ValueEnum};
use fulldeck_common::betting::answer::tree;
use fulldeck_common::betting::structure::{Hands, Structure};
use fulldeck_service::exit;
use serde_json::{Map, Value};

use crate::app::App;
use crate::error::CliError;
use crate::output::table::{columns, label, pairs, plain};
use crate::output::{Answer, Style};
use crate::questions::answer_lines;

/// Longest structure file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Most characters of a table's cell.
const MAX_CELL: usize = 80;

/// Flags of `betting tree`.
#[derive(Clone, Debug, Args)]
pub(super) struct Arguments {
    /// A name (see 'betting structures'), or the path of a structure file
    #[arg(required_unless_present = "stdin")]
    structure: Option<String>,
    /// Which hands and boards a player tells apart
    #[arg(long, env = "FULLDECK_HANDS", value_name = "HANDS", default_value = "raw")]
    hands: HandsFlag,
    /// Instead: so many classes of hands in each round
    #[arg(long, env = "FULLDECK_BUCKETS", value_name = "N,N,..", value_delimiter = ',')]
    #[arg(conflicts_with = "hands")]
    buckets: Vec<u64>,
    /// Answer many: the same arguments, one question a line on standard input, one JSON line each
    #[arg(long, env = "FULLDECK_STDIN", conflicts_with = "structure")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    stdin: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum HandsFlag {
    /// Every hand and every board
    Raw,
    /// Up to a permutation of the suits
    Canonical,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    if arguments.stdin {
        return answer_lines(answer);
    }
    app.output.print(&Tree(answer(arguments)?))?;
    Ok(exit::OK)
}

fn answer(arguments: &Arguments) -> Result<Map<String, Value>, CliError> {
    let name = arguments.structure.as_deref().unwrap_or_default();
    let structure = read(name)?;
    let hands = match (arguments.buckets.as_slice(), arguments.hands) {
        ([], HandsFlag::Raw) => Hands::Raw,
        ([], HandsFlag::Canonical) => Hands::Canonical,
        (buckets, _) => {
            if buckets.len() != structure.rounds() || buckets.contains(&0) {
                return Err(CliError::usage(format!(
                    "--buckets has {} numbers: {} above 0 are right, one a round",
                    buckets.len(),
                    structure.rounds()
                )));
            }
            Hands::Buckets(buckets.to_vec())
        }
    };
    Ok(tree(&structure, &hands))
}

/// A file where there is one of this name, else a known name.
fn read(name: &str) -> Result<Structure, CliError> {
    let wrong = |what: &dyn std::fmt::Display| CliError::usage(what.to_string());
    let is_path = name.contains(std::path::MAIN_SEPARATOR) || name.contains('.');
    if !is_path && !std::path::Path::new(name).is_file() {
        return Structure::built_in(name)
            .map_err(|error| wrong(&error).hint("or the path of a structure file"));
    }
    let unreadable = |error: std::io::Error| wrong(&format!("cannot read {name}: {error}"));
    if fs::metadata(name).map_err(unreadable)?.len() > MAX_FILE_BYTES {
        return Err(wrong(&format!("{name} is longer than {MAX_FILE_BYTES} bytes")));
    }
    let text = fs::read_to_string(name).map_err(unreadable)?;
    Structure::parse(&text).map_err(|error| wrong(&format!("{name}: {error}")))
}

/// A record with a list of rounds and a list of players.
struct Tree(Map<String, Value>);

impl Tree {
    fn list(&self, name: &str) -> Vec<&Map<String, Value>> {
        let list = self.0.get(name).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_object).collect()
    }

    fn part(&self, name: &str, style: Style) -> String {
        let rows = self.list(name);
        let titles: Vec<String> = rows
            .first()
            .into_iter()
            .flat_map(|row| row.keys())
            .map(|key| if key == "position" { key.clone() } else { format!(">{}", label(key)) })
            .collect();
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        let cells = rows.iter().map(|row| row.values().map(cell).collect());
        columns(style, &titles, cells.collect())
    }
}

/// A value as far as a table has room for it.
fn cell(value: &Value) -> String {
    let text = plain(value);
    match text.char_indices().nth(MAX_CELL) {
        Some((end, _)) => format!("{}.. (whole with -o json)", &text[..end]),
        None => text,
    }
}

impl Answer for Tree {
    fn json(&self) -> Map<String, Value> {
        self.0.clone()
    }

    fn ids(&self) -> Vec<String> {
        vec![self.0.get("information_sets").map(plain).unwrap_or_default()]
    }

    fn table(&self, style: Style) -> String {
        let whole = self.0.iter().filter(|(_, value)| !value.is_array());
        let whole: Vec<_> = whole.map(|(name, value)| (label(name), plain(value))).collect();
        let rounds = self.part("rounds", style);
        format!("{}\n{rounds}\n{}", pairs(style, &whole), self.part("players", style))
    }
}
