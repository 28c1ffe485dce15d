//! Small tables of labelled cells.

use fulldeck_job::picture::{Cell, Grid};

use crate::axes::title_height;
use crate::colour::{self, Colour};
use crate::scene::{AXIS, Anchor, PANEL_TITLE, Scene, Style, TICK};
use crate::{font, legend};

/// Letters in a cell.
const CELL: f64 = 14.0;
/// Height of a line in a cell.
const LINE: f64 = 18.0;
/// Widest cell.
const WIDEST: f64 = 180.0;

/// Draws a table into so much room; the legend only if the panels beside it do not share it.
pub(crate) fn draw(grid: &Grid, title: &str, room: f64, with_legend: bool) -> Scene {
    let mut scene = Scene::default();
    let columns = grid.column_labels.len() as f64;
    let cells = || grid.cells.iter().flatten().flatten();
    let widest = |texts: &mut dyn Iterator<Item = &String>, size: f64| {
        texts.map(|text| font::width(text, size)).fold(0.0, f64::max)
    };
    let text_width = widest(&mut cells().flat_map(|cell| &cell.lines), CELL)
        .max(widest(&mut grid.column_labels.iter(), TICK.size));
    let lines = cells().map(|cell| cell.lines.len()).max().unwrap_or(1) as f64;
    let left = widest(&mut grid.row_labels.iter(), TICK.size) + 42.0;
    let width = (text_width + 14.0).max(((room - left) / columns).min(WIDEST)).floor();
    let height = (lines * LINE + 10.0).max((width * 0.62).floor());
    let top = title_height(title);
    let (inner_width, inner_height) = (width * columns, height * grid.row_labels.len() as f64);
    scene.text(title, [left, top - 14.0], Anchor::Start, PANEL_TITLE);
    for (row, cells) in grid.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let at = [left + column as f64 * width, top + row as f64 * height];
            draw_cell(&mut scene, grid, cell.as_ref(), at, [width, height]);
        }
        let y = top + (row as f64 + 0.5) * height;
        scene.centred(&grid.row_labels[row], [left - 8.0, y], Anchor::End, TICK);
    }
    for (column, label) in grid.column_labels.iter().enumerate() {
        let x = left + (column as f64 + 0.5) * width;
        scene.text(label, [x, top + inner_height + 19.0], Anchor::Middle, TICK);
    }
    scene.upwards(&grid.row_axis, [10.0, top + inner_height / 2.0], AXIS);
    let middle = left + inner_width / 2.0;
    scene.text(&grid.column_axis, [middle, top + inner_height + 44.0], Anchor::Middle, AXIS);
    (scene.width, scene.height) = (left + inner_width, top + inner_height + 54.0);
    if with_legend {
        let legend = legend::of_scale(&grid.scale, inner_height);
        let (legend_width, right) = (legend.width, scene.width);
        scene.place(legend, [right, top]);
        scene.width += legend_width;
    }
    scene
}

fn draw_cell(scene: &mut Scene, grid: &Grid, cell: Option<&Cell>, at: [f64; 2], size: [f64; 2]) {
    let Some(cell) = cell else {
        let inner = [size[0] - 1.0, size[1] - 1.0];
        scene.rect(at, inner, Colour::MISSING);
        return;
    };
    let fill = colour::of(&grid.scale.palette, cell.value);
    scene.rect(at, [size[0] - 1.0, size[1] - 1.0], fill);
    let style = Style { size: CELL, colour: fill.ink_on_it() };
    let first = at[1] + size[1] / 2.0 - (cell.lines.len() as f64 - 1.0) * LINE / 2.0;
    for (line, text) in cell.lines.iter().enumerate() {
        let at = [at[0] + (size[0] - 1.0) / 2.0, first + line as f64 * LINE];
        scene.centred(text, at, Anchor::Middle, style);
    }
}
