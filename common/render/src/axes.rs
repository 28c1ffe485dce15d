//! The frame of curves and bars: both axes with their numbers, and lines that lead the eye.

use fulldeck_job::picture::Axis;

use crate::colour::Colour;
use crate::font;
use crate::scene::{AXIS, Anchor, PANEL_TITLE, Scene, TICK};
use crate::ticks::{self, Tick};

/// The numbers an axis runs over.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    low: f64,
    high: f64,
    logarithmic: bool,
    pub(crate) ticks: Vec<Tick>,
}

impl Span {
    /// Fits an axis to values, which are finite. It ends at round numbers unless it is to be `tight`.
    pub(crate) fn of(axis: &Axis, values: &[f64], most_ticks: usize, tight: bool) -> Self {
        let all = || values.iter().chain(&axis.includes).copied();
        let (low, high) =
            (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        let logarithmic = axis.logarithmic;
        let ([low, high], ticks) = match (logarithmic, tight && high > low) {
            (false, true) => ([low, high], ticks::even(low, high, most_ticks)),
            (true, true) => ([low, high], ticks::powers(low, high, most_ticks)),
            (false, false) => ticks::even_axis(low, high, most_ticks),
            (true, false) => ticks::powers_axis(low, high, most_ticks),
        };
        Self { low, high, logarithmic, ticks }
    }

    /// Where a value is between both ends, 0 to 1.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let place = |value: f64| if self.logarithmic { value.log10() } else { value };
        ((place(value) - place(self.low)) / (place(self.high) - place(self.low))).clamp(0.0, 1.0)
    }
}

/// Where the area inside the axes is within its scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    pub(crate) fn x(&self, share: f64) -> f64 {
        self.left + share * self.width
    }

    pub(crate) fn y(&self, share: f64) -> f64 {
        self.top + (1.0 - share) * self.height
    }

    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// Height of the area in so much room.
pub(crate) fn height_in(room: f64) -> f64 {
    (room * 0.54).round().clamp(320.0, 600.0)
}

/// Space for the title of a panel.
pub(crate) fn title_height(title: &str) -> f64 {
    if title.is_empty() { 10.0 } else { 34.0 }
}

/// Space beside the area for the vertical axis.
pub(crate) fn left_of(span: &Span) -> f64 {
    let widest = span.ticks.iter().map(|tick| font::width(&tick.label, TICK.size));
    widest.fold(0.0, f64::max) + 46.0
}

/// Space below the area for one line of numbers and the name of the axis.
pub(crate) const BELOW: f64 = 56.0;

/// Draws the title, the vertical axis with its lines, and the frame.
pub(crate) fn vertical(scene: &mut Scene, area: Area, title: &str, axis: &Axis, span: &Span) {
    scene.text(title, [area.left, area.top - 14.0], Anchor::Start, PANEL_TITLE);
    for tick in &span.ticks {
        let y = area.y(span.share(tick.value));
        scene.line([area.left, y], [area.right(), y], Colour::GRID_LINE, 1.0);
        scene.centred(&tick.label, [area.left - 8.0, y], Anchor::End, TICK);
    }
    scene.upwards(&axis.label, [area.left - left_of(span) + 12.0, area.y(0.5)], AXIS);
    scene.line([area.left, area.top], [area.left, area.bottom()], Colour::INK, 1.2);
    scene.line([area.left, area.bottom()], [area.right(), area.bottom()], Colour::INK, 1.2);
}

/// Draws the numbers of a horizontal axis and its name.
pub(crate) fn horizontal(scene: &mut Scene, area: Area, axis: &Axis, span: &Span) {
    for tick in &span.ticks {
        let x = area.x(span.share(tick.value));
        scene.line([x, area.bottom()], [x, area.bottom() + 5.0], Colour::INK, 1.2);
        scene.text(&tick.label, [x, area.bottom() + 21.0], Anchor::Middle, TICK);
    }
    scene.text(&axis.label, [area.x(0.5), area.bottom() + 46.0], Anchor::Middle, AXIS);
}
