//! Whole pictures: what is on them, that both forms agree, and what is refused.

use fulldeck_job::picture::{
    Axis, Bars, Cell, Curves, Drawing, Grid, Mark, Matrix, Palette, Panel, Picture, Scale, Series,
};
use tiny_skia::Pixmap;

use crate::{RenderError, png, svg};

fn scale(palette: Palette) -> Scale {
    Scale { label: "equity, %".to_owned(), palette, missing: "none".to_owned() }
}

fn grid() -> Drawing {
    let names = |count: usize| (0..count).map(|at| format!("n{at}")).collect::<Vec<_>>();
    let cell = |row: usize, column: usize| {
        let value = (row * 30 + column * 10) as f64;
        (row != 1 || column != 1).then(|| Cell { value, lines: vec![format!("c{row}{column}")] })
    };
    Drawing::Grid(Grid {
        row_axis: "rows & more".to_owned(),
        column_axis: "columns".to_owned(),
        row_labels: names(2),
        column_labels: names(3),
        cells: (0..2).map(|row| (0..3).map(|column| cell(row, column)).collect()).collect(),
        scale: scale(Palette::Diverging { centre: 50.0, reach: 50.0 }),
    })
}

fn matrix() -> Drawing {
    let mark = |at: f64, name: &str| Mark { at, name: name.to_owned(), begins_stretch: true };
    Drawing::Matrix(Matrix {
        row_axis: "hand".to_owned(),
        column_axis: "opponent".to_owned(),
        columns: 4,
        values: (0..16).map(|at| if at == 5 { f64::NAN } else { f64::from(at) * 6.0 }).collect(),
        marks: vec![mark(0.0, "first"), mark(2.0, "second")],
        scale: scale(Palette::Sequential { low: 0.0, high: 100.0 }),
    })
}

fn curves() -> Drawing {
    let series = |name: &str, factor: f64| Series {
        name: name.to_owned(),
        points: (2..10).map(|x| [f64::from(x), factor * 10f64.powi(x)]).collect(),
    };
    Drawing::Curves(Curves {
        x: Axis::even("players"),
        y: Axis::logarithmic("digits"),
        series: vec![series("cap 3", 1.0), series("cap 4", 7.0)],
    })
}

fn bars() -> Drawing {
    Drawing::Bars(Bars {
        category_axis: "type".to_owned(),
        categories: ["pair", "straight flush"].map(str::to_owned).into(),
        values: Axis::even("share, %"),
        series: vec![("52".to_owned(), vec![40.0, 3.0]), ("54".to_owned(), vec![30.0, f64::NAN])],
    })
}

fn picture(drawing: Drawing) -> Picture {
    let picture = Picture::of("A title <&>", "of what", drawing);
    Picture { source: "fulldeck run a1b2c3d4e5f6".to_owned(), ..picture.note("how to read it") }
}

fn all() -> [Picture; 4] {
    [grid(), matrix(), curves(), bars()].map(picture)
}

/// Texts of an SVG document.
fn texts(svg: &str) -> Vec<String> {
    let lines = svg.lines().filter(|line| line.starts_with("<text"));
    let inner = lines.filter_map(|line| line.split_once('>')?.1.strip_suffix("</text>"));
    inner.map(str::to_owned).collect()
}

/// A number among the attributes of the first element of an SVG document.
fn attribute(svg: &str, name: &str) -> f64 {
    let (_, rest) = svg.split_once(&format!(" {name}=\"")).expect(name);
    rest.split('"').next().and_then(|number| number.parse().ok()).expect(name)
}

#[test]
fn both_forms_have_the_same_size_and_the_same_bytes_each_time() {
    for picture in all() {
        let (text, bytes) = (svg(&picture).unwrap(), png(&picture).unwrap());
        let image = Pixmap::decode_png(&bytes).unwrap();
        assert_eq!(f64::from(image.width()), attribute(&text, "width"));
        assert_eq!(f64::from(image.height()), attribute(&text, "height"));
        assert!((1_000..=1_700).contains(&image.width()) || text.contains("A title"), "{text}");
        assert_eq!(svg(&picture).unwrap(), text);
        let elsewhere = std::thread::spawn(move || png(&picture).unwrap()).join().unwrap();
        assert_eq!(elsewhere, bytes);
    }
}

#[test]
fn every_picture_has_its_words() {
    for picture in all() {
        let text = svg(&picture).unwrap();
        let texts = texts(&text);
        for word in
            ["A title &lt;&amp;&gt;", "of what", "how to read it", "fulldeck run a1b2c3d4e5f6"]
        {
            assert!(texts.iter().any(|text| text == word), "{word}: {texts:?}");
        }
        assert!(text.starts_with("<svg xmlns=") && text.ends_with("</svg>\n"));
    }
    let words = |drawing: Drawing| texts(&svg(&picture(drawing)).unwrap());
    let has = |found: &[String], wanted: &[&str]| {
        wanted.iter().all(|word| found.iter().any(|text| text == word))
    };
    assert!(has(&words(grid()), &["rows &amp; more", "n2", "c00", "c12", "equity, %", "none"]));
    assert!(!has(&words(grid()), &["c11"]), "a cell that is missing has no text");
    assert!(has(&words(matrix()), &["first", "second", "opponent", "20", "100"]));
    assert!(has(&words(curves()), &["cap 3", "cap 4", "players", "10⁹", "9"]));
    assert!(has(&words(bars()), &["pair", "straight flush", "52", "54", "share, %"]));
}

#[test]
fn a_cell_has_its_colour_in_both_forms() {
    let picture = picture(grid());
    let (text, bytes) = (svg(&picture).unwrap(), png(&picture).unwrap());
    let image = Pixmap::decode_png(&bytes).unwrap();
    let rects: Vec<&str> = text.lines().filter(|line| line.starts_with("<rect x=")).collect();
    // Six cells, and the sample of what is missing.
    assert_eq!(rects.len(), 7, "{rects:?}");
    for rect in rects {
        let at = ["x", "y"].map(|name| attribute(rect, name) as u32 + 2);
        let pixel = image.pixel(at[0], at[1]).unwrap();
        let colour = format!("#{:02x}{:02x}{:02x}", pixel.red(), pixel.green(), pixel.blue());
        assert!(rect.contains(&colour), "{rect} is {colour}");
    }
}

#[test]
fn points_of_a_matrix_are_whole_pixels() {
    let text = svg(&picture(matrix())).unwrap();
    let image = text.lines().find(|line| line.starts_with("<image")).unwrap();
    let (width, height) = (attribute(image, "width"), attribute(image, "height"));
    assert!(width > 400.0 && width % 4.0 == 0.0 && width == height, "{image}");
}

#[test]
fn panels_with_one_scale_share_a_legend() {
    let two = |other: Drawing| {
        let panels = [grid(), other].map(|drawing| Panel { title: "panel".to_owned(), drawing });
        let picture = Picture { panels: panels.into(), columns: 2, ..picture(grid()) };
        let text = svg(&picture).unwrap();
        texts(&text).iter().filter(|text| *text == "equity, %").count()
    };
    assert_eq!(two(grid()), 1);
    assert_eq!(two(matrix()), 2);
}

#[test]
fn nothing_is_drawn_beyond_the_edges() {
    for picture in all() {
        let image = Pixmap::decode_png(&png(&picture).unwrap()).unwrap();
        let (width, height) = (image.width(), image.height());
        let is_white = |x, y| image.pixel(x, y).is_some_and(|p| p.red().min(p.blue()) == 255);
        let edge = (0..width).flat_map(|x| [(x, 3), (x, height - 4)]);
        let sides = (0..height).flat_map(|y| [(3, y), (width - 4, y)]);
        assert!(edge.chain(sides).all(|(x, y)| is_white(x, y)), "{}", picture.title);
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let refused = |drawing: Drawing, part: &str| {
        let error = svg(&picture(drawing)).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    let Drawing::Grid(good) = grid() else { unreachable!("a grid") };
    refused(Drawing::Grid(Grid { row_labels: vec![], ..good.clone() }), "rows of cells");
    let column_labels = vec![String::new()];
    refused(Drawing::Grid(Grid { column_labels, ..good.clone() }), "cells of a row");
    let flat = scale(Palette::Sequential { low: 1.0, high: 1.0 });
    refused(Drawing::Grid(Grid { scale: flat, ..good }), "has no range");
    let Drawing::Matrix(good) = matrix() else { unreachable!("a matrix") };
    refused(Drawing::Matrix(Matrix { columns: 5, ..good }), "no rows of 5");
    let Drawing::Curves(mut curves) = curves() else { unreachable!("curves") };
    curves.series[0].points[0][1] = 0.0;
    refused(Drawing::Curves(curves), "0 has no place on the axis 'digits'");
    let Drawing::Bars(mut bars) = bars() else { unreachable!("bars") };
    bars.series[0].1.pop();
    refused(Drawing::Bars(bars), "1 values of '52'");
    let none = Picture { panels: Vec::new(), ..picture(grid()) };
    assert!(matches!(png(&none), Err(RenderError::Malformed(_))));
    let values = vec![0.0; 9_000];
    let Drawing::Matrix(good) = matrix() else { unreachable!("a matrix") };
    let large = picture(Drawing::Matrix(Matrix { columns: 9_000, values, ..good }));
    assert!(matches!(png(&large), Err(RenderError::TooLarge { .. })));
}
