//! The value of `-o`: a shape of what is printed or, for commands that draw, the file of the picture.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};

use super::Format;

/// What `-o` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// How to print.
    Format(Format),
    /// Where to draw: whatever has a dot in it.
    File(PathBuf),
}

impl Shape {
    /// How to print; what is said about a picture is said in a table.
    pub(crate) const fn format(&self) -> Format {
        match self {
            Self::Format(format) => *format,
            Self::File(_) => Format::Table,
        }
    }
}

/// Reads a [`Shape`].
#[derive(Clone, Debug)]
pub(crate) struct ShapeParser;

impl TypedValueParser for ShapeParser {
    type Value = Shape;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Shape, clap::Error> {
        if value.to_string_lossy().contains('.') {
            return Ok(Shape::File(value.into()));
        }
        let format = EnumValueParser::<Format>::new().parse_ref(command, argument, value)?;
        Ok(Shape::Format(format))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = <Format as clap::ValueEnum>::value_variants().iter();
        Some(Box::new(names.filter_map(clap::ValueEnum::to_possible_value)))
    }
}
