//! `fulldeck basket table`

use clap::Args;
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use super::shape::Shape;
use super::solve::solved;
use crate::app::App;
use crate::error::CliError;
use crate::output::table::{columns, label, plain};
use crate::output::{Answer, Style, object};

/// Most positions that are listed.
const MAX_POSITIONS: u64 = 100_000;

/// Flags of `basket table`.
#[derive(Clone, Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    shape: Shape,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let basket = arguments.shape.basket()?;
    let positions = basket.positions().filter(|positions| *positions <= MAX_POSITIONS);
    let positions = positions.ok_or_else(|| {
        CliError::usage(format!("the basket has more than {MAX_POSITIONS} positions"))
            .hint("'basket totals' counts those of any basket")
    })?;
    let rows = (0..positions).map(|index| solved(&basket, &basket.position_at(index)));
    app.output.print(&Positions(rows.collect()))?;
    Ok(exit::OK)
}

struct Positions(Vec<Map<String, Value>>);

impl Answer for Positions {
    fn json(&self) -> Map<String, Value> {
        object(json!({ "positions": self.0 }))
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        self.0.clone()
    }

    fn ids(&self) -> Vec<String> {
        self.0.iter().filter_map(|row| row.get("placed").map(plain)).collect()
    }

    fn table(&self, style: Style) -> String {
        let titles: Vec<_> =
            self.0.first().into_iter().flat_map(|row| row.keys()).map(|key| label(key)).collect();
        let titles: Vec<_> = titles.iter().map(String::as_str).collect();
        let rows = self.0.iter().map(|row| row.values().map(plain).collect());
        columns(style, &titles, rows.collect())
    }
}
