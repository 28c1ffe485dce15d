//! The 13 x 13 starting hands of hold'em: suited above the diagonal, offsuit below.

use fulldeck_cards::{CardSet, Clusters, RANKS, Rank};
use fulldeck_job::picture::{Cell, Drawing, Grid, Picture, Scale};

use super::{Strengths, equity_scale};

/// Distance from even of the strongest class, rounded up, in percent.
const REACH: f64 = 40.0;

/// Ranks from the ace down.
fn ranks() -> impl Iterator<Item = Rank> + Clone {
    (0..RANKS as u8).rev().filter_map(Rank::new)
}

/// A table of all classes; `cell` is given the number of the cluster and its name.
pub(crate) fn holdem(
    clusters: &Clusters,
    scale: Scale,
    cell: impl Fn(usize, String) -> Cell,
) -> Grid {
    let at = |row: Rank, column: Rank| {
        let (high, low) = (row.max(column), row.min(column));
        let (suits, name) = if row > column {
            ([1 << high.index() | 1 << low.index(), 0, 0, 0], format!("{high}{low}s"))
        } else {
            let kind = if row == column { "" } else { "o" };
            ([1 << high.index(), 1 << low.index(), 0, 0], format!("{high}{low}{kind}"))
        };
        let cluster = clusters.index_of(CardSet::from_suits(suits));
        Some(cell(cluster.0 as usize, name))
    };
    let labels: Vec<String> = ranks().map(|rank| rank.to_string()).collect();
    Grid {
        row_axis: "first card".to_owned(),
        column_axis: "second card: suited above the diagonal, offsuit below".to_owned(),
        row_labels: labels.clone(),
        column_labels: labels,
        cells: ranks().map(|row| ranks().map(|column| at(row, column)).collect()).collect(),
        scale,
    }
}

/// Equities against a random hand.
pub(super) fn equities(clusters: &Clusters, strengths: &Strengths) -> Picture {
    let cell = |cluster: usize, name: String| {
        let value = strengths.percent(cluster);
        Cell { value, lines: vec![name, format!("{value:.2}")] }
    };
    let grid = holdem(clusters, equity_scale(REACH), cell);
    Picture::of(
        "Texas hold'em: equity of starting hands before the flop",
        "against a random hand, all boards, in percent",
        Drawing::Grid(grid),
    )
}
