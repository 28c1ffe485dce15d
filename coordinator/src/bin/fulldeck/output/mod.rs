//! What commands print on standard output: one trait, five shapes.

mod shape;
pub(crate) mod table;
pub(crate) mod units;

use std::io::{IsTerminal, Write};

use clap::ValueEnum;
pub(crate) use fulldeck_coordinator::view::{SCHEMA, object, versioned};
use serde_json::{Map, Value};

use crate::error::CliError;
pub(crate) use shape::{Shape, ShapeParser};

/// Shape of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// For people, every column
    Wide,
    /// One JSON document
    Json,
    /// One JSON object a line
    Jsonl,
    /// Nothing but the name of each thing
    Id,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl ColorWhen {
    /// Whether to colour a stream that is, or is not, a terminal. NO_COLOR counts when it is not empty.
    pub(crate) fn on(self, terminal: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
        }
    }
}

/// How tables are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Every column.
    pub(crate) wide: bool,
    /// Colour and weight.
    pub(crate) colour: bool,
    /// A person watches: times are relative.
    pub(crate) terminal: bool,
}

/// Something a command answers.
pub(crate) trait Answer {
    /// The whole answer; its field names are stable.
    fn json(&self) -> Map<String, Value>;
    /// The same as one object a line: the entries of a list, or the whole.
    fn lines(&self) -> Vec<Map<String, Value>> {
        vec![self.json()]
    }
    /// The names of what it speaks about.
    fn ids(&self) -> Vec<String>;
    /// For people.
    fn table(&self, style: Style) -> String;
}

/// Standard output, in the shape that was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) format: Format,
    pub(crate) style: Style,
}

impl Output {
    pub(crate) fn new(format: Format, colour: ColorWhen) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let style = Style { wide: format == Format::Wide, colour: colour.on(terminal), terminal };
        Self { format, style }
    }

    pub(crate) fn print(&self, answer: &dyn Answer) -> Result<(), CliError> {
        let text = self.render(answer);
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()?;
        Ok(())
    }

    pub(crate) fn render(&self, answer: &dyn Answer) -> String {
        let mut text = match self.format {
            Format::Table | Format::Wide => answer.table(self.style),
            Format::Json => format!("{:#}", Value::Object(versioned(answer.json()))),
            Format::Jsonl => answer
                .lines()
                .into_iter()
                .map(|line| format!("{}\n", Value::Object(versioned(line))))
                .collect(),
            Format::Id => answer.ids().into_iter().map(|id| format!("{id}\n")).collect(),
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}
