//! Known answers: CSV files with one header line, commas and no quotes.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// One line, by the names of the header.
pub(crate) struct Row {
    fields: HashMap<String, String>,
}

impl Row {
    pub(crate) fn text(&self, column: &str) -> &str {
        self.fields.get(column).unwrap_or_else(|| panic!("no column {column}"))
    }

    pub(crate) fn number(&self, column: &str) -> u64 {
        self.text(column).parse().unwrap_or_else(|error| panic!("column {column}: {error}"))
    }
}

/// All lines of a file in `tests/cases`; fails unless there are `count`.
pub(crate) fn rows(file: &str, count: usize) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(file);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines();
    let header: Vec<_> = lines.next().expect("a header line").split(',').collect();
    let rows: Vec<Row> = lines
        .map(|line| {
            let fields: Vec<_> = line.split(',').collect();
            assert_eq!(fields.len(), header.len(), "{file}: {line}");
            let named = header.iter().zip(fields);
            Row {
                fields: named.map(|(name, field)| (name.to_string(), field.to_owned())).collect(),
            }
        })
        .collect();
    assert_eq!(rows.len(), count, "rows of {file}");
    rows
}
