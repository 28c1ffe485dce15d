//! The whole picture: title, panels, notes and source, one below the other.

use fulldeck_job::picture::{Drawing, Picture, Scale};

use crate::check::check;
use crate::font;
use crate::scene::{Anchor, NOTE, SUBTITLE, Scene, TITLE};
use crate::{MAX_SIDE, RenderError, bars, curves, grid, matrix};

/// Empty space at the edges.
const MARGIN: f64 = 36.0;
/// Space between panels.
const GAP: f64 = 36.0;
/// Room for the panels of a row together.
const ROOM: f64 = 1_128.0;
/// The same if there are several beside each other.
const WIDE_ROOM: f64 = 1_480.0;
/// Room for the legend of colours.
const LEGEND: f64 = 110.0;
/// Height of a line of notes.
const NOTE_LINE: f64 = 21.0;

pub(crate) fn lay_out(picture: &Picture) -> Result<Scene, RenderError> {
    check(picture)?;
    let panels = draw_panels(picture);
    let headings = [(&picture.title, TITLE), (&picture.subtitle, SUBTITLE)];
    let widths = headings.iter().map(|(text, style)| font::width(text, style.size));
    let inner = widths.fold(panels.width, f64::max).ceil();
    let mut scene = Scene { width: inner + 2.0 * MARGIN, ..Scene::default() };
    scene.text(&picture.title, [MARGIN, MARGIN + 20.0], Anchor::Start, TITLE);
    scene.text(&picture.subtitle, [MARGIN, MARGIN + 46.0], Anchor::Start, SUBTITLE);
    let top = MARGIN + if picture.subtitle.is_empty() { 42.0 } else { 66.0 };
    let mut y = top + panels.height;
    scene.place(panels, [MARGIN, top]);
    y += 10.0;
    let paragraphs = picture.notes.iter().chain([&picture.source]);
    for paragraph in paragraphs.filter(|text| !text.is_empty()) {
        for line in font::wrapped(paragraph, NOTE.size, inner) {
            y += NOTE_LINE;
            scene.text(&line, [MARGIN, y - 5.0], Anchor::Start, NOTE);
        }
    }
    scene.height = (y + MARGIN * 0.75).ceil();
    let (width, height) = (scene.width as u64, scene.height as u64);
    if width.max(height) > u64::from(MAX_SIDE) {
        return Err(RenderError::TooLarge { width, height });
    }
    Ok(scene)
}

/// The panels row by row, each in a column as wide as its widest panel.
fn draw_panels(picture: &Picture) -> Scene {
    let columns = picture.columns.min(picture.panels.len());
    let shared = shared_scale(picture);
    let room = match columns {
        1 => ROOM,
        several => (WIDE_ROOM - GAP * (several - 1) as f64) / several as f64,
    };
    let beside_legend = room - if shared { LEGEND / columns as f64 } else { LEGEND };
    let count = picture.panels.len();
    let drawn: Vec<Scene> = picture
        .panels
        .iter()
        .enumerate()
        .map(|(at, panel)| {
            let last_of_row = at % columns == columns - 1 || at == count - 1;
            let with_legend = !shared || (at < columns && last_of_row);
            match &panel.drawing {
                Drawing::Matrix(drawing) => {
                    matrix::draw(drawing, &panel.title, beside_legend, with_legend)
                }
                Drawing::Grid(drawing) => {
                    grid::draw(drawing, &panel.title, beside_legend, with_legend)
                }
                Drawing::Curves(drawing) => curves::draw(drawing, &panel.title, room),
                Drawing::Bars(drawing) => bars::draw(drawing, &panel.title, room),
            }
        })
        .collect();
    let width_of = |column: usize| {
        let panels = drawn.iter().skip(column).step_by(columns);
        panels.map(|panel| panel.width).fold(0.0, f64::max)
    };
    let widths: Vec<f64> = (0..columns).map(width_of).collect();
    let mut whole = Scene::default();
    let mut rows = drawn.into_iter().peekable();
    while rows.peek().is_some() {
        let top = if whole.height > 0.0 { whole.height + GAP / 2.0 } else { 0.0 };
        let mut x = 0.0;
        for (panel, width) in rows.by_ref().take(columns).zip(&widths) {
            whole.width = whole.width.max(x + panel.width);
            whole.height = whole.height.max(top + panel.height);
            whole.place(panel, [x, top]);
            x += width + GAP;
        }
    }
    whole
}

/// Whether all panels have colours of one and the same scale: then one legend is enough.
fn shared_scale(picture: &Picture) -> bool {
    let scale = |drawing: &Drawing| -> Option<Scale> {
        match drawing {
            Drawing::Matrix(matrix) => Some(matrix.scale.clone()),
            Drawing::Grid(grid) => Some(grid.scale.clone()),
            Drawing::Curves(_) | Drawing::Bars(_) => None,
        }
    };
    let mut scales = picture.panels.iter().map(|panel| scale(&panel.drawing));
    let first = scales.next().flatten();
    first.is_some() && scales.all(|scale| scale == first)
}
