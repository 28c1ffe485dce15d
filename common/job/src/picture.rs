//! What a picture shows, in numbers and words: a workload describes it, the crate `render` draws it. Nothing here has
//! a colour, a size or a file format.

/// A whole number with its thousands set off.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A kind of picture that a computation offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureKind {
    /// Name, as on the command line.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
}

/// A picture: panels under one title.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What is shown.
    pub title: String,
    /// Of what: the parameters in words.
    pub subtitle: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// Panels beside each other, at least 1.
    pub columns: usize,
    /// How to read it; a paragraph each.
    pub notes: Vec<String>,
    /// Where the numbers come from, such as the run and its fingerprint; may be empty.
    pub source: String,
}

impl Picture {
    /// A picture of one panel, without notes and source.
    #[must_use]
    pub fn of(title: impl Into<String>, subtitle: impl Into<String>, drawing: Drawing) -> Self {
        Self {
            title: title.into(),
            subtitle: subtitle.into(),
            panels: vec![Panel { title: String::new(), drawing }],
            columns: 1,
            notes: Vec::new(),
            source: String::new(),
        }
    }

    /// With one more paragraph that says how to read it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// One drawing with a title of its own, which may be empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What this panel shows.
    pub title: String,
    /// The drawing.
    pub drawing: Drawing,
}

/// What a panel can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawing {
    /// A large matrix, a point of colour each.
    Matrix(Matrix),
    /// A small table, a labelled cell of colour each.
    Grid(Grid),
    /// Lines over a common axis.
    Curves(Curves),
    /// Bars over named categories.
    Bars(Bars),
}

/// What a colour means.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Quantity and unit, e.g. `equity, %`.
    pub label: String,
    /// The colours.
    pub palette: Palette,
    /// What is not there, e.g. `no such hand`; empty if nothing is missing.
    pub missing: String,
}

/// Colours of a scale. Values beyond an end have the colour of that end.
#[derive(Clone, Debug, PartialEq)]
pub enum Palette {
    /// From dark (low) to light (high).
    Sequential {
        /// The darkest value.
        low: f64,
        /// The lightest value.
        high: f64,
    },
    /// Blue below the centre, orange above.
    Diverging {
        /// The neutral value.
        centre: f64,
        /// Distance of both ends from it, above 0.
        reach: f64,
    },
    /// Value k has name k: a few kinds without an order.
    Classes(Vec<String>),
}

/// A matrix of numbers; a value that is not finite is missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// What a row is.
    pub row_axis: String,
    /// What a column is.
    pub column_axis: String,
    /// Number of columns.
    pub columns: usize,
    /// Row by row; a whole number of rows.
    pub values: Vec<f64>,
    /// Marks at the edge before a row or column; the same for both.
    pub marks: Vec<Mark>,
    /// What the colours mean.
    pub scale: Scale,
}

/// A named place on both axes of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Rows (and columns) before it; may be fractional.
    pub at: f64,
    /// Its name.
    pub name: String,
    /// Whether a stretch begins here, which a line sets off and whose name stands in its middle; else a tick.
    pub begins_stretch: bool,
}

/// A table of labelled cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// What a row is.
    pub row_axis: String,
    /// What a column is.
    pub column_axis: String,
    /// Names of the rows.
    pub row_labels: Vec<String>,
    /// Names of the columns.
    pub column_labels: Vec<String>,
    /// The cells, one list a row; `None` where there is none.
    pub cells: Vec<Vec<Option<Cell>>>,
    /// What the colours mean.
    pub scale: Scale,
}

/// A cell of a [`Grid`].
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Decides the colour.
    pub value: f64,
    /// What is written in it, line by line.
    pub lines: Vec<String>,
}

/// Lines over a common axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines.
    pub series: Vec<Series>,
}

/// An axis of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Quantity and unit, e.g. `stack, big blinds`.
    pub label: String,
    /// Whether powers of ten are evenly spaced; then all values are above 0.
    pub logarithmic: bool,
    /// Values that must be on the axis, whatever the data.
    pub includes: Vec<f64>,
}

impl Axis {
    /// An even axis that fits the data.
    #[must_use]
    pub fn even(label: impl Into<String>) -> Self {
        Self { label: label.into(), logarithmic: false, includes: Vec::new() }
    }

    /// An axis of powers of ten that fits the data.
    #[must_use]
    pub fn logarithmic(label: impl Into<String>) -> Self {
        Self { logarithmic: true, ..Self::even(label) }
    }

    /// The same with these values on it.
    #[must_use]
    pub fn including(self, includes: impl Into<Vec<f64>>) -> Self {
        Self { includes: includes.into(), ..self }
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Points (x, y) by rising x.
    pub points: Vec<[f64; 2]>,
}

/// Bars over named categories, side by side where there are several series.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// What a category is.
    pub category_axis: String,
    /// Names of the categories.
    pub categories: Vec<String>,
    /// The vertical axis.
    pub values: Axis,
    /// Name of each series and a value for each category; not finite where there is none.
    pub series: Vec<(String, Vec<f64>)>,
}
