//! A scene as pixels.

use skrifa::outline::OutlinePen;
use tiny_skia::{
    FillRule, Paint, Path, PathBuilder, Pixmap, PixmapPaint, Rect, Stroke, StrokeDash, Transform,
};

use crate::colour::Colour;
use crate::scene::{Anchor, Item, Scene};
use crate::{RenderError, font};

/// The scene as a PNG file.
pub(crate) fn png(scene: &Scene) -> Result<Vec<u8>, RenderError> {
    let (width, height) = (scene.width as u32, scene.height as u32);
    let mut canvas = pixmap(width, height)?;
    canvas.fill(skia(Colour::WHITE));
    for item in &scene.items {
        draw(&mut canvas, item)?;
    }
    encoded(&canvas)
}

/// Colours row by row as a PNG file of this size: no viewer has to stretch it, or may blend it.
pub(crate) fn image_png(
    pixels: &[Colour],
    columns: usize,
    size: [f64; 2],
) -> Result<Vec<u8>, RenderError> {
    encoded(&image(pixels, columns, size)?)
}

fn encoded(canvas: &Pixmap) -> Result<Vec<u8>, RenderError> {
    canvas.encode_png().map_err(|error| RenderError::Failed(error.to_string()))
}

fn pixmap(width: u32, height: u32) -> Result<Pixmap, RenderError> {
    Pixmap::new(width, height)
        .ok_or_else(|| RenderError::Failed(format!("no picture has {width} x {height} pixels")))
}

/// Every pixel has the colour of the point it lies in.
fn image(pixels: &[Colour], columns: usize, size: [f64; 2]) -> Result<Pixmap, RenderError> {
    let [width, height] = size.map(|side| side.round() as usize);
    let mut image = pixmap(width as u32, height as u32)?;
    let rows = pixels.len() / columns;
    for (at, place) in image.data_mut().chunks_exact_mut(4).enumerate() {
        let (row, column) = (at / width * rows / height, at % width * columns / width);
        let Colour([red, green, blue]) = pixels[row * columns + column];
        place.copy_from_slice(&[red, green, blue, u8::MAX]);
    }
    Ok(image)
}

fn draw(canvas: &mut Pixmap, item: &Item) -> Result<(), RenderError> {
    let still = Transform::identity();
    match item {
        Item::Rect { at, size, fill } => {
            let [x, y, width, height] = [at[0], at[1], size[0], size[1]].map(|part| part as f32);
            if let Some(rect) = Rect::from_xywh(x, y, width, height) {
                canvas.fill_rect(rect, &paint(*fill), still, None);
            }
        }
        Item::Dot { at, radius, fill } => {
            let circle = PathBuilder::from_circle(at[0] as f32, at[1] as f32, *radius as f32);
            fill_path(canvas, circle, *fill, still);
        }
        Item::Line { points, colour, width, dash } => {
            let mut path = PathBuilder::new();
            for (at, [x, y]) in points.iter().enumerate() {
                let (x, y) = (*x as f32, *y as f32);
                if at == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
            }
            let dash = dash.iter().map(|length| *length as f32).collect();
            let dash = StrokeDash::new(dash, 0.0);
            let stroke = Stroke { width: *width as f32, dash, ..Stroke::default() };
            if let Some(path) = path.finish() {
                canvas.stroke_path(&path, &paint(*colour), &stroke, still, None);
            }
        }
        Item::Text { at, size, anchor, turned, colour, text } => {
            let width = font::width(text, *size);
            let before = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => width / 2.0,
                Anchor::End => width,
            };
            let place = Transform::from_translate(at[0] as f32, at[1] as f32);
            let place = if *turned { place.pre_rotate(-90.0) } else { place };
            let mut pen = Pen { path: PathBuilder::new(), x: 0.0 };
            font::outline(text, *size, &mut pen, |pen, x| pen.x = (x - before) as f32);
            fill_path(canvas, pen.path.finish(), *colour, place);
        }
        Item::Image { at, size, columns, pixels } => {
            let image = image(pixels, *columns, *size)?;
            let [x, y] = at.map(|part| part.round() as i32);
            canvas.draw_pixmap(x, y, image.as_ref(), &PixmapPaint::default(), still, None);
        }
    }
    Ok(())
}

fn fill_path(canvas: &mut Pixmap, path: Option<Path>, fill: Colour, place: Transform) {
    if let Some(path) = path {
        canvas.fill_path(&path, &paint(fill), FillRule::Winding, place, None);
    }
}

fn skia(Colour([red, green, blue]): Colour) -> tiny_skia::Color {
    tiny_skia::Color::from_rgba8(red, green, blue, u8::MAX)
}

fn paint(colour: Colour) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(skia(colour));
    paint
}

/// Outlines of letters, turned upside down: fonts count upwards.
struct Pen {
    path: PathBuilder,
    /// Where the letter begins.
    x: f32,
}

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.x + x, -y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.x + x, -y);
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.path.quad_to(self.x + cx, -cy, self.x + x, -y);
    }

    fn curve_to(&mut self, ax: f32, ay: f32, bx: f32, by: f32, x: f32, y: f32) {
        self.path.cubic_to(self.x + ax, -ay, self.x + bx, -by, self.x + x, -y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
