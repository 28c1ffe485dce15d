//! What is drawn where: a list of shapes in pixels, y downwards, later ones on top.

use crate::colour::Colour;

/// Which point of a text its place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// One shape.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    /// A filled rectangle.
    Rect { at: [f64; 2], size: [f64; 2], fill: Colour },
    /// Straight lines from point to point.
    Line { points: Vec<[f64; 2]>, colour: Colour, width: f64, dash: &'static [f64] },
    /// A filled circle.
    Dot { at: [f64; 2], radius: f64, fill: Colour },
    /// A line of text on its baseline; turned, it reads upwards.
    Text { at: [f64; 2], size: f64, anchor: Anchor, turned: bool, colour: Colour, text: String },
    /// Colours row by row, stretched over the size without blending.
    Image { at: [f64; 2], size: [f64; 2], columns: usize, pixels: Vec<Colour> },
}

/// Shapes, and the space they take.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scene {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) items: Vec<Item>,
}

/// Distance from the middle of capitals and digits to the baseline, in units of the size.
const HALF_CAPITAL: f64 = 0.36;

impl Scene {
    pub(crate) fn rect(&mut self, at: [f64; 2], size: [f64; 2], fill: Colour) {
        self.items.push(Item::Rect { at, size, fill });
    }

    pub(crate) fn line(&mut self, from: [f64; 2], to: [f64; 2], colour: Colour, width: f64) {
        self.items.push(Item::Line { points: vec![from, to], colour, width, dash: &[] });
    }

    /// A text on a baseline; an empty one is not drawn.
    pub(crate) fn text(&mut self, text: &str, at: [f64; 2], anchor: Anchor, style: Style) {
        let Style { size, colour } = style;
        let text = text.to_owned();
        if !text.is_empty() {
            self.items.push(Item::Text { at, size, anchor, turned: false, colour, text });
        }
    }

    /// A text whose capitals are centred on the height of a point.
    pub(crate) fn centred(&mut self, text: &str, at: [f64; 2], anchor: Anchor, style: Style) {
        self.text(text, [at[0], at[1] + HALF_CAPITAL * style.size], anchor, style);
    }

    /// A text that reads upwards, centred on a point.
    pub(crate) fn upwards(&mut self, text: &str, at: [f64; 2], style: Style) {
        let Style { size, colour } = style;
        let at = [at[0] + HALF_CAPITAL * size, at[1]];
        let (text, anchor) = (text.to_owned(), Anchor::Middle);
        if !text.is_empty() {
            self.items.push(Item::Text { at, size, anchor, turned: true, colour, text });
        }
    }

    /// Puts another scene into this one, its corner at `by`.
    pub(crate) fn place(&mut self, other: Self, by: [f64; 2]) {
        let moved = |at: [f64; 2]| [at[0] + by[0], at[1] + by[1]];
        self.items.extend(other.items.into_iter().map(|mut item| {
            match &mut item {
                Item::Rect { at, .. }
                | Item::Dot { at, .. }
                | Item::Text { at, .. }
                | Item::Image { at, .. } => *at = moved(*at),
                Item::Line { points, .. } => points.iter_mut().for_each(|at| *at = moved(*at)),
            }
            item
        }));
    }
}

/// Size and colour of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Style {
    pub(crate) size: f64,
    pub(crate) colour: Colour,
}

/// The title of the picture.
pub(crate) const TITLE: Style = Style { size: 24.0, colour: Colour::INK };
/// The line below it.
pub(crate) const SUBTITLE: Style = Style { size: 15.0, colour: Colour::SOFT_INK };
/// The title of a panel.
pub(crate) const PANEL_TITLE: Style = Style { size: 17.0, colour: Colour::INK };
/// The quantity of an axis or a scale.
pub(crate) const AXIS: Style = Style { size: 16.0, colour: Colour::INK };
/// Numbers and names along an axis.
pub(crate) const TICK: Style = Style { size: 14.0, colour: Colour::INK };
/// Notes below the panels.
pub(crate) const NOTE: Style = Style { size: 14.0, colour: Colour::SOFT_INK };
