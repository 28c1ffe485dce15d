//! Answers that are more than one record.

use serde_json::{Map, Value};

use crate::output::table::{columns, label, plain};
use crate::output::{Answer, Style};

/// All starting hands: as a grid for people, as a list in the wide table.
pub(super) struct Chart(pub(super) Map<String, Value>);

impl Chart {
    fn classes(&self) -> impl Iterator<Item = &Map<String, Value>> {
        self.0["classes"].as_array().into_iter().flatten().filter_map(Value::as_object)
    }

    /// A grid of numbers in percent.
    fn grid(&self, style: Style, name: &str) -> Option<String> {
        let rows = self.0.get(name)?.as_array()?;
        let labels: Vec<String> = self.0["labels"].as_array()?.iter().map(plain).collect();
        let titles: Vec<String> = std::iter::once(String::new())
            .chain(labels.iter().map(|label| format!(">{label}")))
            .collect();
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        let cell = |value: &Value| {
            value.as_f64().map_or_else(|| "-".to_owned(), |share| format!("{:.2}", 100.0 * share))
        };
        let row = |(label, cells): (&String, &Value)| {
            let cells = cells.as_array().into_iter().flatten().map(cell);
            std::iter::once(label.clone()).chain(cells).collect()
        };
        Some(columns(style, &titles, labels.iter().zip(rows).map(row).collect()))
    }
}

impl Answer for Chart {
    fn json(&self) -> Map<String, Value> {
        self.0.clone()
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        self.classes().cloned().collect()
    }

    fn ids(&self) -> Vec<String> {
        self.classes().filter_map(|class| Some(class["class"].as_str()?.to_owned())).collect()
    }

    fn table(&self, style: Style) -> String {
        if style.wide {
            let titles = ["class", ">holes", ">win", ">tie", ">lose", ">total", ">equity"];
            let row = |class: &Map<String, Value>| class.values().map(plain).collect();
            return columns(style, &titles, self.classes().map(row).collect());
        }
        let mut text = "equity in %, suited hands above the diagonal\n".to_owned();
        text.extend(self.grid(style, "equities"));
        if let Some(difference) = self.grid(style, "differences") {
            let deck = plain(&self.0["minus_deck"]);
            text.push_str(&format!("\nless the equity with {deck} cards, in percentage points\n"));
            text.push_str(&difference);
        }
        text
    }
}

/// Frequencies of several sizes: a column each.
pub(super) struct Sizes(pub(super) Map<String, Value>);

impl Answer for Sizes {
    fn json(&self) -> Map<String, Value> {
        self.0.clone()
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        let sizes = self.0["sizes"].as_array().into_iter().flatten();
        sizes.filter_map(Value::as_object).cloned().collect()
    }

    fn ids(&self) -> Vec<String> {
        self.lines().iter().map(|size| plain(&size["cards"])).collect()
    }

    fn table(&self, style: Style) -> String {
        let sizes = self.lines();
        let titles: Vec<String> = std::iter::once("type".to_owned())
            .chain(sizes.iter().map(|size| format!(">{} cards", plain(&size["cards"]))))
            .collect();
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        let names = sizes.first().into_iter().flat_map(Map::keys);
        let rows = names
            .filter(|name| !["deck", "rule", "cards"].contains(&name.as_str()))
            .map(|name| {
                let counts = sizes.iter().map(|size| plain(&size[name.as_str()]));
                std::iter::once(label(name)).chain(counts).collect()
            })
            .collect();
        columns(style, &titles, rows)
    }
}
