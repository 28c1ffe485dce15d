//! Pictures of a finished matrix.

pub(crate) mod grid;
mod heatmap;
mod spread;
mod strengths;
#[cfg(test)]
mod tests;

use fulldeck_job::picture::{Palette, Picture, PictureKind, Scale};
use fulldeck_job::{ArtifactSource, ComputeContext, QueryError};

use crate::matrix::{Matrix, Stored};
pub(crate) use strengths::Strengths;

const HEATMAP: PictureKind = PictureKind {
    name: "heatmap",
    summary: "equity of every cluster against every other, in the order of the clusters",
};
const SORTED: PictureKind =
    PictureKind { name: "sorted", summary: "the same, strongest clusters first" };
const SPREAD: PictureKind = PictureKind {
    name: "strength",
    summary: "how strong hands are against a random one, by suit pattern",
};
const GRID: PictureKind = PictureKind {
    name: "grid",
    summary: "13 x 13 starting hands with their equity against a random one",
};

/// Kinds for hands of so many cards.
pub(crate) const fn kinds(cards: usize) -> &'static [PictureKind] {
    match cards {
        2 => &[GRID, HEATMAP, SORTED, SPREAD],
        _ => &[HEATMAP, SORTED, SPREAD],
    }
}

/// Makes a picture of `kind` from an artifact of the whole matrix.
pub(crate) fn picture(
    matrix: &Matrix,
    artifact: &dyn ArtifactSource,
    kind: &str,
    context: &ComputeContext<'_>,
) -> Result<Picture, QueryError> {
    let cards = matrix.clusters().cards();
    let Some(kind) = kinds(cards).iter().find(|known| known.name == kind) else {
        return Err(QueryError::no_picture(kind, kinds(cards)));
    };
    let stored = Stored::open(matrix, artifact)?;
    let strengths = || Strengths::of_matrix(matrix, &stored, context);
    Ok(match kind.name {
        "heatmap" => heatmap::by_pattern(matrix, &stored, context)?,
        "sorted" => heatmap::by_strength(matrix, &stored, &strengths()?, context)?,
        "grid" => grid::equities(matrix.clusters(), &strengths()?),
        _ => spread::picture(matrix.clusters(), &strengths()?),
    })
}

/// The game by its name.
pub(crate) fn game(cards: usize) -> String {
    match cards {
        2 => "Texas hold'em".to_owned(),
        4 => "Omaha".to_owned(),
        _ => format!("Omaha with {cards} hole cards"),
    }
}

/// Equity in percent, 50 being even.
pub(crate) fn equity_scale(reach: f64) -> Scale {
    Scale {
        label: "equity, %".to_owned(),
        palette: Palette::Diverging { centre: 50.0, reach },
        missing: String::new(),
    }
}
