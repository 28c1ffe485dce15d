//! A scene as SVG text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::colour::Colour;
use crate::scene::{Anchor, Item, Scene};
use crate::{RenderError, font, raster};

pub(crate) fn write(scene: &Scene, title: &str) -> Result<String, RenderError> {
    let (width, height) = (number(scene.width), number(scene.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{}\">\n<title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
        font::FAMILIES,
        escaped(title)
    );
    for item in &scene.items {
        out.push_str(&element(item)?);
        out.push('\n');
    }
    out.push_str("</svg>\n");
    Ok(out)
}

fn element(item: &Item) -> Result<String, RenderError> {
    Ok(match item {
        Item::Rect { at: [x, y], size: [width, height], fill } => format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>",
            number(*x),
            number(*y),
            number(*width),
            number(*height),
            colour(*fill)
        ),
        Item::Dot { at: [x, y], radius, fill } => format!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>",
            number(*x),
            number(*y),
            number(*radius),
            colour(*fill)
        ),
        Item::Line { points, colour: stroke, width, dash } => {
            let points: Vec<_> =
                points.iter().map(|[x, y]| format!("{},{}", number(*x), number(*y))).collect();
            let dash: Vec<_> = dash.iter().map(|length| number(*length)).collect();
            let dash = match dash.is_empty() {
                true => String::new(),
                false => format!(" stroke-dasharray=\"{}\"", dash.join(" ")),
            };
            format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{dash}/>",
                points.join(" "),
                colour(*stroke),
                number(*width)
            )
        }
        Item::Text { at, size, anchor, turned, colour, text: words } => {
            text(*at, *size, *anchor, *turned, *colour, words)
        }
        Item::Image { at: [x, y], size: [width, height], columns, pixels } => format!(
            "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" \
             style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>",
            number(x.round()),
            number(y.round()),
            number(width.round()),
            number(height.round()),
            STANDARD.encode(raster::image_png(pixels, *columns, [*width, *height])?)
        ),
    })
}

/// The width is said, so that a viewer without the font leaves everything in its place.
fn text(
    [x, y]: [f64; 2],
    size: f64,
    anchor: Anchor,
    turned: bool,
    fill: Colour,
    text: &str,
) -> String {
    let (x, y) = (number(x), number(y));
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let turned = if turned { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
    format!(
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\"{anchor}{turned} fill=\"{}\" textLength=\"{}\" \
         lengthAdjust=\"spacingAndGlyphs\">{}</text>",
        number(size),
        colour(fill),
        number(font::width(text, size)),
        escaped(text)
    )
}

fn colour(Colour([red, green, blue]): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// At most two decimals, and none that say nothing.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
