//! Pictures of numbers: a [`Picture`] as SVG text or PNG bytes. Both are drawn from one list of shapes and with one font, so
//! they show the same thing; equal pictures give equal bytes, everywhere.
//!
//! Main functions: [`svg`] and [`png()`]. Panels are laid out by `page`, drawn into a `scene` by one module each (`matrix`,
//! `grid`, `curves`, `bars`), and the scene is written by `svg` or `raster`.
//!
//! Deliberately absent: files, games, and what the numbers mean.

mod axes;
mod bars;
mod check;
mod colour;
mod curves;
mod font;
mod grid;
mod legend;
mod matrix;
mod page;
mod raster;
mod scene;
mod svg;
#[cfg(test)]
mod tests;
mod ticks;

pub use fulldeck_job::picture::Picture;

/// Longest side of a picture, in pixels.
pub const MAX_SIDE: u32 = 6_000;

/// Why a picture cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// Its numbers do not fit together.
    #[error("the picture is malformed: {0}")]
    Malformed(String),
    /// A side would be longer than [`MAX_SIDE`].
    #[error(
        "the picture would have {width} x {height} pixels, more than {MAX_SIDE} on a side; show less"
    )]
    TooLarge {
        /// In pixels.
        width: u64,
        /// In pixels.
        height: u64,
    },
    /// The library that draws or compresses failed.
    #[error("the picture could not be drawn: {0}")]
    Failed(String),
}

/// The picture as an SVG document, which needs no other file.
///
/// # Errors
/// [`RenderError`]
pub fn svg(picture: &Picture) -> Result<String, RenderError> {
    svg::write(&page::lay_out(picture)?, &picture.title)
}

/// The picture as a PNG file, one pixel for each unit of the SVG document.
///
/// # Errors
/// [`RenderError`]
pub fn png(picture: &Picture) -> Result<Vec<u8>, RenderError> {
    raster::png(&page::lay_out(picture)?)
}
