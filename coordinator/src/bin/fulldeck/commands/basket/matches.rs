//! `fulldeck basket matches`

use clap::Args;
use fulldeck_common::basket::matches::{Player, first_wins};
use fulldeck_common::basket::{MAX_DEPTH, Position};
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use super::shape::{Level, RuleFlag, Shape};
use crate::app::App;
use crate::error::CliError;
use crate::output::table::{columns, label, plain};
use crate::output::{Answer, Style, object};

/// Most positions of a basket whose matches are computed: the fractions grow.
const MAX_POSITIONS: u64 = 1_000;

/// Flags of `basket matches`.
#[derive(Clone, Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    shape: Shape,
    #[command(flatten)]
    rule: RuleFlag,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let basket = arguments.shape.basket()?;
    let rule = arguments.rule.rule();
    if basket.positions().is_none_or(|positions| positions > MAX_POSITIONS) {
        return Err(CliError::usage(format!("the basket has more than {MAX_POSITIONS} positions"))
            .hint("fewer colours or balls are right"));
    }
    let levels = (1..=MAX_DEPTH).map(Level::Depth).chain([Level::Perfect, Level::Random]);
    let players = levels
        .map(|level| Ok((level.to_string(), level.player(&basket, rule)?)))
        .collect::<Result<Vec<(String, Player)>, CliError>>()?;
    let rows = players.iter().map(|(name, first)| {
        let mut row = Map::new();
        row.insert("first".to_owned(), json!(name));
        for (name, second) in &players {
            let wins = first_wins(&basket, rule, first, second);
            row.insert(format!("against_{name}"), json!(wins.to_string()));
        }
        row
    });
    app.output.print(&Matches { rows: rows.collect(), start: basket.empty() })?;
    Ok(exit::OK)
}

struct Matches {
    rows: Vec<Map<String, Value>>,
    start: Position,
}

impl Answer for Matches {
    fn json(&self) -> Map<String, Value> {
        object(json!({ "placed": self.start.placed(), "first_wins": self.rows }))
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        self.rows.clone()
    }

    fn ids(&self) -> Vec<String> {
        self.rows.iter().filter_map(|row| row.get("first").map(plain)).collect()
    }

    /// Probabilities with four digits; the fractions are in the JSON.
    fn table(&self, style: Style) -> String {
        let titles: Vec<_> = self
            .rows
            .first()
            .into_iter()
            .flat_map(|row| row.keys())
            .map(|key| label(key))
            .collect();
        let titles: Vec<_> =
            titles.iter().map(|t| format!(">{}", t.replace("against", "v"))).collect();
        let titles: Vec<_> = titles.iter().map(String::as_str).collect();
        let rows = self.rows.iter().map(|row| row.values().map(|v| decimal(&plain(v))).collect());
        columns(style, &titles, rows.collect())
    }
}

/// A fraction as a decimal number; other texts as they are.
fn decimal(text: &str) -> String {
    let Some((numerator, denominator)) = text.split_once('/') else { return text.to_owned() };
    match (numerator.parse::<f64>(), denominator.parse::<f64>()) {
        (Ok(numerator), Ok(denominator)) => format!("{:.4}", numerator / denominator),
        _ => text.to_owned(),
    }
}
