//! Large matrices: a point of colour each.

use fulldeck_job::picture::{Mark, Matrix};

use crate::axes::title_height;
use crate::colour::{self, Colour};
use crate::scene::{AXIS, Anchor, Item, PANEL_TITLE, Scene, TICK};
use crate::{font, legend};

/// Draws a matrix, every value so many whole pixels wide that the room is used.
pub(crate) fn draw(matrix: &Matrix, title: &str, room: f64, with_legend: bool) -> Scene {
    let mut scene = Scene::default();
    let rows = matrix.values.len() / matrix.columns;
    let names = matrix.marks.iter().map(|mark| font::width(&mark.name, TICK.size));
    let (left, top) = ((names.fold(0.0, f64::max) + 46.0).ceil(), title_height(title));
    let point = ((room - left) / matrix.columns.max(rows) as f64).floor().max(1.0);
    let size = [matrix.columns as f64 * point, rows as f64 * point];
    let pixels = matrix.values.iter().map(|value| colour::of(&matrix.scale.palette, *value));
    let (at, columns) = ([left, top], matrix.columns);
    scene.text(title, [left, top - 14.0], Anchor::Start, PANEL_TITLE);
    scene.items.push(Item::Image { at, size, columns, pixels: pixels.collect() });
    for (index, mark) in matrix.marks.iter().enumerate() {
        let next = matrix.marks[index + 1..].iter().find(|next| next.begins_stretch);
        let end = next.map(|next| next.at);
        let ends = [end.unwrap_or(rows as f64), end.unwrap_or(matrix.columns as f64)];
        draw_mark(&mut scene, mark, ends.map(|end| end * point), at, size, point);
    }
    let below = top + size[1];
    scene.upwards(&matrix.row_axis, [10.0, top + size[1] / 2.0], AXIS);
    scene.text(&matrix.column_axis, [left + size[0] / 2.0, below + 46.0], Anchor::Middle, AXIS);
    (scene.width, scene.height) = (left + size[0], below + 56.0);
    if with_legend {
        let legend = legend::of_scale(&matrix.scale, size[1]);
        let (legend_width, right) = (legend.width, scene.width);
        scene.place(legend, [right, top]);
        scene.width += legend_width;
    }
    scene
}

/// A stretch is set off by lines and named in its middle where its name has room; a tick is named where it is.
fn draw_mark(
    scene: &mut Scene,
    mark: &Mark,
    [row_end, column_end]: [f64; 2],
    [left, top]: [f64; 2],
    [width, height]: [f64; 2],
    point: f64,
) {
    let start = mark.at * point;
    let below = top + height;
    if !mark.begins_stretch {
        scene.line([left - 5.0, top + start], [left, top + start], Colour::INK, 1.2);
        scene.line([left + start, below], [left + start, below + 5.0], Colour::INK, 1.2);
        scene.centred(&mark.name, [left - 9.0, top + start], Anchor::End, TICK);
        scene.text(&mark.name, [left + start, below + 21.0], Anchor::Middle, TICK);
        return;
    }
    if start > 0.0 {
        scene.rect([left - 14.0, top + start.floor()], [width + 14.0, 1.0], Colour::INK);
        scene.rect([left + start.floor(), top], [1.0, height + 14.0], Colour::INK);
    }
    if row_end - start >= TICK.size {
        let y = top + (start + row_end) / 2.0;
        scene.centred(&mark.name, [left - 9.0, y], Anchor::End, TICK);
    }
    if column_end - start >= font::width(&mark.name, TICK.size) + 4.0 {
        let x = left + (start + column_end) / 2.0;
        scene.text(&mark.name, [x, below + 20.0], Anchor::Middle, TICK);
    }
}
