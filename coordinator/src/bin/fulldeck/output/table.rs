//! Tables for people.

use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, Table, presets};
use serde_json::{Map, Value};

use super::Style;
use super::units::{grouped, share};

/// Field of a record that is a share of the boards; null where there are none.
pub(crate) const EQUITY: &str = "equity";

/// A table with one line a thing. A column whose title starts with `>` is set to the right.
pub(crate) fn columns(style: Style, titles: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = bare(style);
    table.set_header(titles.iter().map(|title| {
        Cell::new(title.trim_start_matches('>').to_uppercase()).add_attribute(Attribute::Bold)
    }));
    table.add_rows(rows);
    for (position, title) in titles.iter().enumerate() {
        if title.starts_with('>')
            && let Some(column) = table.column_mut(position)
        {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    finish(&table)
}

/// Name and value, one pair a line.
pub(crate) fn pairs<N: AsRef<str>>(style: Style, pairs: &[(N, String)]) -> String {
    let mut table = bare(style);
    for (name, value) in pairs {
        table.add_row(vec![
            Cell::new(name.as_ref()).add_attribute(Attribute::Bold),
            Cell::new(value),
        ]);
    }
    finish(&table)
}

/// A flat record as name and value; an equity as percent.
pub(crate) fn record(style: Style, fields: &Map<String, Value>) -> String {
    let shown = |name: &str, value: &Value| match value.as_f64() {
        Some(equity) if name == EQUITY => share(equity),
        _ => plain(value),
    };
    let fields: Vec<_> =
        fields.iter().map(|(name, value)| (label(name), shown(name, value))).collect();
    pairs(style, &fields)
}

/// A JSON value as a person reads it.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_u64().map_or_else(|| number.to_string(), grouped),
        other => other.to_string(),
    }
}

/// A field name as a person reads it.
pub(crate) fn label(name: &str) -> String {
    name.replace('_', " ")
}

/// A bar of `width` characters.
pub(crate) fn bar(percent: f64, width: usize) -> String {
    let full = (percent / 100.0 * width as f64).floor().clamp(0.0, width as f64) as usize;
    format!("{}{}", "#".repeat(full), ".".repeat(width - full))
}

fn bare(style: Style) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    if style.terminal {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    if style.colour {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table
}

/// Without the spaces that pad the last column.
fn finish(table: &Table) -> String {
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style = Style { wide: false, colour: false, terminal: false };

    #[test]
    fn tables_are_plain_text_when_piped() {
        let text = columns(
            PLAIN,
            &["job", ">slices"],
            vec![vec!["aabc-aabb".into(), "7".into()], vec!["x".into(), "12".into()]],
        );
        assert_eq!(text, " JOB        SLICES\n aabc-aabb       7\n x              12\n");
    }

    #[test]
    fn colour_is_used_only_when_wanted() {
        let rows = || vec![vec!["a".to_owned()]];
        assert!(!columns(PLAIN, &["job"], rows()).contains('\u{1b}'));
        assert!(columns(Style { colour: true, ..PLAIN }, &["job"], rows()).contains('\u{1b}'));
    }

    #[test]
    fn records_are_labelled_and_bars_never_overflow() {
        let fields = crate::output::object(serde_json::json!({ "win_count": 1388072, "x": null }));
        assert_eq!(record(PLAIN, &fields), " win count  1,388,072\n x          -\n");
        let equity = |value: Value| Map::from_iter([(EQUITY.to_owned(), value)]);
        assert_eq!(record(PLAIN, &equity(0.715_263_049.into())), " equity  71.526 %\n");
        assert_eq!(bar(250.0, 4), "####");
        assert_eq!(bar(99.9, 4), "###.");
    }
}
