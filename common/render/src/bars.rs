//! Bars over named categories.

use fulldeck_job::picture::Bars;

use crate::axes::{self, Area, Span, title_height};
use crate::colour::{self, Colour};
use crate::scene::{AXIS, Anchor, Scene, TICK};
use crate::{font, legend, ticks};

/// Share of a category that its bars fill.
const FILLED: f64 = 0.78;
/// Height of a line of a category's name.
const LINE: f64 = 18.0;

/// Draws bars into so much room, with a legend if there are several series.
pub(crate) fn draw(bars: &Bars, title: &str, room: f64) -> Scene {
    let mut scene = Scene::default();
    let values: Vec<f64> = bars.series.iter().flat_map(|(_, values)| values.clone()).collect();
    let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
    let height = axes::height_in(room);
    let mut axis = bars.values.clone();
    if !axis.logarithmic {
        // A bar is as long as its value only from zero.
        axis.includes.push(0.0);
    }
    let y = Span::of(&axis, &values, (height / 52.0) as usize, false);
    let legend = legend::samples(
        "",
        bars.series.iter().enumerate().map(|(at, (name, _))| (name.as_str(), fill(at))),
    );
    let several = bars.series.len() > 1;
    let legend_width = if several { legend.width } else { 12.0 };
    let (left, top) = (axes::left_of(&y), title_height(title));
    let area = Area { left, top, width: room - left - legend_width, height };
    axes::vertical(&mut scene, area, title, &axis, &y);
    let slot = area.width / bars.categories.len() as f64;
    let width = slot * FILLED / bars.series.len() as f64;
    for (at, (_, values)) in bars.series.iter().enumerate() {
        let shown = values.iter().enumerate().filter(|(_, value)| value.is_finite());
        for (category, value) in shown {
            let x = area.left + (category as f64 + (1.0 - FILLED) / 2.0) * slot + at as f64 * width;
            let (from, to) =
                (area.y(y.share(0.0f64.max(f64::MIN_POSITIVE))), area.y(y.share(*value)));
            let (upper, tall) = (from.min(to), (from - to).abs());
            scene.rect([x, upper], [width - 1.0, tall], fill(at));
            if !several && *value > 0.0 {
                let above = [x + width / 2.0, upper - 6.0];
                scene.text(&ticks::short(*value), above, Anchor::Middle, TICK);
            }
        }
    }
    let lines = name_categories(&mut scene, bars, area, slot);
    let below = area.bottom() + 8.0 + lines as f64 * LINE;
    scene.text(&bars.category_axis, [area.x(0.5), below + 24.0], Anchor::Middle, AXIS);
    if several {
        scene.place(legend, [area.right(), top + 6.0]);
    }
    (scene.width, scene.height) = (room, below + 34.0);
    scene
}

fn fill(at: usize) -> Colour {
    colour::of_series(at).0
}

/// Names below the bars, in lines where they are wide; the most lines of a name.
fn name_categories(scene: &mut Scene, bars: &Bars, area: Area, slot: f64) -> usize {
    let mut most = 1;
    for (category, name) in bars.categories.iter().enumerate() {
        let lines = font::wrapped(name, TICK.size, slot - 6.0);
        most = most.max(lines.len());
        for (line, text) in lines.iter().enumerate() {
            let x = area.left + (category as f64 + 0.5) * slot;
            let y = area.bottom() + 20.0 + line as f64 * LINE;
            scene.text(text, [x, y], Anchor::Middle, TICK);
        }
    }
    most
}
