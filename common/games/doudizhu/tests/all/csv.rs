//! Known answers: CSV files with one header line, commas and no quotes.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use fulldeck_doudizhu::cards::Hand;
use fulldeck_doudizhu::moves::{Kind, Move, RuleSet, identify};

/// One line, by the names of the header.
pub(crate) struct Row(HashMap<String, String>);

impl Row {
    pub(crate) fn text(&self, column: &str) -> &str {
        self.0.get(column).unwrap_or_else(|| panic!("no column {column}"))
    }

    pub(crate) fn number<N: std::str::FromStr>(&self, column: &str) -> N {
        self.text(column).parse().unwrap_or_else(|_| panic!("column {column}: no number"))
    }

    pub(crate) fn hand(&self, column: &str) -> Hand {
        self.text(column).parse().unwrap_or_else(|error| panic!("column {column}: {error}"))
    }

    /// A move, or `None` where the column is empty.
    pub(crate) fn play(&self, column: &str, kind: Option<Kind>) -> Option<Move> {
        (!self.text(column).is_empty()).then(|| {
            identify(self.hand(column), kind, RuleSet::STRICT)
                .unwrap_or_else(|error| panic!("column {column}: {error}"))
        })
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
            let fields: Vec<_> = line.split(',').map(str::to_owned).collect();
            assert_eq!(fields.len(), header.len(), "{file}: {line}");
            Row(header.iter().map(|name| (*name).to_owned()).zip(fields).collect())
        })
        .collect();
    assert_eq!(rows.len(), count, "rows of {file}");
    rows
}
