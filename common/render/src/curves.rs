//! Lines over a common axis.

use fulldeck_job::picture::{Curves, Series};

use crate::axes::{self, Area, Span, title_height};
use crate::scene::{Item, Scene};
use crate::{colour, legend};

/// Points are marked if no line has more than so many.
const MARKED: usize = 40;

/// Draws lines into so much room, with a legend if there are several.
pub(crate) fn draw(curves: &Curves, title: &str, room: f64) -> Scene {
    let mut scene = Scene::default();
    let of_all = |part: usize| -> Vec<f64> {
        let points = curves.series.iter().flat_map(|series| &series.points);
        points.map(|point| point[part]).collect()
    };
    let height = axes::height_in(room);
    let y = Span::of(&curves.y, &of_all(1), (height / 52.0) as usize, false);
    let x = Span::of(&curves.x, &of_all(0), (room / 90.0) as usize, true);
    let legend = legend::of_lines(curves.series.iter().map(|series| series.name.as_str()));
    let legend_width = if curves.series.len() > 1 { legend.width } else { 24.0 };
    let (left, top) = (axes::left_of(&y), title_height(title));
    let area = Area { left, top, width: room - left - legend_width, height };
    axes::vertical(&mut scene, area, title, &curves.y, &y);
    axes::horizontal(&mut scene, area, &curves.x, &x);
    let marked = curves.series.iter().all(|series| series.points.len() <= MARKED);
    for (at, series) in curves.series.iter().enumerate() {
        draw_series(&mut scene, series, at, marked, |point| {
            [area.x(x.share(point[0])), area.y(y.share(point[1]))]
        });
    }
    if curves.series.len() > 1 {
        scene.place(legend, [area.right(), top + 6.0]);
    }
    (scene.width, scene.height) = (room, area.bottom() + axes::BELOW);
    scene
}

fn draw_series(
    scene: &mut Scene,
    series: &Series,
    at: usize,
    marked: bool,
    place: impl Fn(&[f64; 2]) -> [f64; 2],
) {
    let (colour, dash) = colour::of_series(at);
    let points: Vec<_> = series.points.iter().map(place).collect();
    if marked {
        let dots = points.iter().map(|at| Item::Dot { at: *at, radius: 3.5, fill: colour });
        scene.items.extend(dots);
    }
    scene.items.push(Item::Line { points, colour, width: 2.2, dash });
}
