//! The one font of all pictures, which comes with the program: widths of texts, and outlines of letters.

use std::sync::LazyLock;

use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};

/// DejaVu Sans, reduced to the characters that pictures use; `font/LICENSE` has its terms.
static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    FontRef::new(include_bytes!("../font/DejaVuSans-subset.ttf"))
        .expect("the font is part of the program")
});

/// Families by which a viewer of SVG finds this font, or one with the same widths.
pub(crate) const FAMILIES: &str = "DejaVu Sans, Verdana, sans-serif";

fn glyph(letter: char) -> GlyphId {
    let charmap = FONT.charmap();
    charmap.map(letter).or_else(|| charmap.map('?')).unwrap_or(GlyphId::NOTDEF)
}

/// Width of a text in pixels.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let metrics = FONT.glyph_metrics(Size::new(size as f32), LocationRef::default());
    let advance = |letter| f64::from(metrics.advance_width(glyph(letter)).unwrap_or_default());
    text.chars().map(advance).sum()
}

/// Draws the outlines of a text with `pen`, y upwards; before each letter `start` is told where it begins.
pub(crate) fn outline<P: OutlinePen>(
    text: &str,
    size: f64,
    pen: &mut P,
    mut start: impl FnMut(&mut P, f64),
) {
    let (size, location) = (Size::new(size as f32), LocationRef::default());
    let (glyphs, metrics) = (FONT.outline_glyphs(), FONT.glyph_metrics(size, location));
    let mut at = 0.0;
    for letter in text.chars().map(glyph) {
        start(pen, at);
        if let Some(shape) = glyphs.get(letter) {
            // Only a damaged font fails, and a test draws every letter of this one.
            let _ = shape.draw(DrawSettings::unhinted(size, location), pen);
        }
        at += f64::from(metrics.advance_width(letter).unwrap_or_default());
    }
}

/// A text in lines of at most `room` pixels; a word that is longer has a line of its own.
pub(crate) fn wrapped(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(&format!(" {word}"), size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_every_character_that_pictures_use() {
        let letters = (' '..='~').chain("±·×–−≤≥…→⁰¹²³⁴⁵⁶⁷⁸⁹⁻".chars());
        for letter in letters {
            let found = FONT.charmap().map(letter).expect("a character of the font");
            let shape = FONT.outline_glyphs().get(found).expect("an outline");
            let settings = DrawSettings::unhinted(Size::new(16.0), LocationRef::default());
            shape.draw(settings, &mut skrifa::outline::pen::NullPen).expect("it can be drawn");
            assert!(width(&letter.to_string(), 16.0) > 1.0, "{letter}");
        }
    }

    #[test]
    fn lines_fit_the_room() {
        let text = "each point is the exact mean of a block of 17 x 17 clusters";
        let lines = wrapped(text, 14.0, 150.0);
        assert!(lines.len() > 2 && lines.iter().all(|line| width(line, 14.0) <= 150.0));
        assert_eq!(lines.join(" "), text);
        assert_eq!(wrapped("unbreakable", 14.0, 1.0), ["unbreakable"]);
    }
}
