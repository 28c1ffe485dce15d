//! The whole matrix as points of colour, each the exact mean of a block of cells.

use fulldeck_job::picture::{Drawing, Mark, Matrix as Points, Picture, grouped};
use fulldeck_job::{ComputeContext, QueryError};
use rayon::prelude::*;

use super::{Strengths, equity_scale, game};
use crate::matrix::{Matrix, Stored};

/// Most points on a side.
const MOST_POINTS: usize = 960;
/// Rows are added up in so many parts; sums are whole numbers, so the number does not matter.
const PARTS: usize = 16;
/// Shares of all hands that are marked where clusters are sorted, in percent.
const MARKED: [u64; 6] = [0, 20, 40, 60, 80, 100];
/// Share of the points that may lie beyond the ends of the scale.
const BEYOND: f64 = 0.002;

/// Which point each cluster belongs to.
pub(super) struct Blocks {
    pub(super) of_cluster: Vec<u32>,
    /// Clusters of a full block.
    size: usize,
    pub(super) count: usize,
}

impl Blocks {
    /// Cuts stretches of clusters, given in their order, into blocks of `size`; none spans two stretches.
    pub(super) fn cut<'a>(
        stretches: impl Iterator<Item = &'a [usize]>,
        size: usize,
        clusters: usize,
    ) -> Self {
        let mut of_cluster = vec![0; clusters];
        let mut count = 0;
        for stretch in stretches {
            for block in stretch.chunks(size) {
                block.iter().for_each(|cluster| of_cluster[*cluster] = count as u32);
                count += 1;
            }
        }
        Self { of_cluster, size, count }
    }

    fn note(&self) -> String {
        match self.size {
            1 => {
                "Each point is the equity of one cluster (row) against another (column).".to_owned()
            }
            size => format!(
                "Each point is the exact mean over a block of {size} x {size} clusters: the equity of a random hand of the \
                 row's clusters against a random hand of the column's that shares no card with it."
            ),
        }
    }
}

/// Clusters in their order, patterns set off.
pub(super) fn by_pattern(
    matrix: &Matrix,
    stored: &Stored<'_>,
    context: &ComputeContext<'_>,
) -> Result<Picture, QueryError> {
    let clusters = matrix.clusters();
    let order: Vec<usize> = (0..clusters.len()).collect();
    let size = clusters.len().div_ceil(MOST_POINTS);
    let stretches = clusters
        .groups()
        .iter()
        .map(|group| &order[group.clusters.start as usize..group.clusters.end as usize]);
    let blocks = Blocks::cut(stretches, size, clusters.len());
    let marks = clusters.groups().iter().map(|group| Mark {
        at: f64::from(blocks.of_cluster[group.clusters.start as usize]),
        name: group.pattern.to_string(),
        begins_stretch: true,
    });
    let names: Vec<_> = clusters.groups().iter().map(|group| group.pattern.to_string()).collect();
    let marks = marks.collect();
    let picture =
        Heatmap { matrix, blocks, marks, order: "by suit pattern, then by ranks from low to high" }
            .draw(stored, context)?;
    Ok(picture.note(format!("Patterns in order: {}.", names.join(", "))))
}

/// Clusters by their strength, the best first.
pub(super) fn by_strength(
    matrix: &Matrix,
    stored: &Stored<'_>,
    strengths: &Strengths,
    context: &ComputeContext<'_>,
) -> Result<Picture, QueryError> {
    let clusters = matrix.clusters();
    let order = strengths.strongest_first();
    let size = clusters.len().div_ceil(MOST_POINTS);
    let blocks = Blocks::cut([&order[..]].into_iter(), size, clusters.len());
    let hands: u64 = clusters.as_slice().iter().map(|cluster| u64::from(cluster.orbit())).sum();
    let mut before = 0;
    let mut places = order.iter().enumerate().map(|(at, cluster)| {
        before += u64::from(clusters.as_slice()[*cluster].orbit());
        (at + 1, before)
    });
    let marks = MARKED.map(|percent| {
        let reached = |(_, before): &(usize, u64)| before * 100 >= percent * hands;
        let place = if percent == 0 { 0 } else { places.find(reached).map_or(0, |(at, _)| at) };
        let at = place as f64 / size as f64;
        Mark { at, name: format!("{percent} %"), begins_stretch: false }
    });
    let marks = marks.into();
    let order = "strongest first: share of all hands passed";
    let picture = Heatmap { matrix, blocks, marks, order }.draw(stored, context)?;
    Ok(picture.note("Strength is the equity against a random hand."))
}

pub(super) struct Heatmap<'a> {
    pub(super) matrix: &'a Matrix,
    pub(super) blocks: Blocks,
    pub(super) marks: Vec<Mark>,
    /// How clusters are ordered, in words.
    pub(super) order: &'static str,
}

impl Heatmap<'_> {
    fn draw(
        self,
        stored: &Stored<'_>,
        context: &ComputeContext<'_>,
    ) -> Result<Picture, QueryError> {
        let sums = self.sums(stored, context)?;
        let values: Vec<f64> = sums
            .iter()
            .map(|[won, all]| if *all == 0 { f64::NAN } else { 100.0 * *won as f64 / *all as f64 })
            .collect();
        let reach = reach(&values);
        let mut scale = equity_scale(reach);
        scale.label = "equity of the row's hand, %".to_owned();
        if values.iter().any(|value| value.is_nan()) {
            scale.missing = "never meet".to_owned();
        }
        let cards = self.matrix.clusters().cards();
        let clusters = self.matrix.clusters().len();
        let note = self.blocks.note();
        let points = Points {
            row_axis: format!("hand, {}", self.order),
            column_axis: format!("opponent, {}", self.order),
            columns: self.blocks.count,
            values,
            marks: self.marks,
            scale,
        };
        let title = format!("{}: equity of every starting hand against every other", game(cards));
        let subtitle = format!(
            "{} clusters of hands that differ only in the names of suits, all boards",
            grouped(clusters as u64)
        );
        let ends = format!(
            "Values below {:.0} % or above {:.0} % have the colour of that end.",
            50.0 - reach,
            50.0 + reach
        );
        let picture = Picture::of(title, subtitle, Drawing::Matrix(points)).note(note);
        Ok(if reach < 50.0 { picture.note(ends) } else { picture })
    }

    /// For every point the half boards that its row wins, and all of them.
    pub(super) fn sums(
        &self,
        stored: &Stored<'_>,
        context: &ComputeContext<'_>,
    ) -> Result<Vec<[u64; 2]>, QueryError> {
        let (clusters, side) = (self.matrix.clusters().as_slice(), self.blocks.count);
        let block = |cluster: usize| self.blocks.of_cluster[cluster] as usize;
        let zero = || vec![[0; 2]; side * side];
        let part = |part: usize| {
            let mut sums = zero();
            for row in (part..clusters.len()).step_by(PARTS) {
                context.poll().map_err(|_| QueryError::Cancelled)?;
                let cells = stored.triangle_row(row)?;
                (context.progress)(cells.len() as u64);
                let orbit = u64::from(clusters[row].orbit());
                for (column, (_, outcome)) in (row..).zip(cells) {
                    let all = orbit * 2 * outcome.total();
                    let mut add = |at: usize, won: u64| {
                        sums[at][0] += orbit * won;
                        sums[at][1] += all;
                    };
                    add(block(row) * side + block(column), 2 * outcome.win + outcome.tie);
                    if column > row {
                        add(block(column) * side + block(row), 2 * outcome.lose + outcome.tie);
                    }
                }
            }
            Ok::<_, QueryError>(sums)
        };
        (0..PARTS).into_par_iter().map(part).try_reduce(zero, |mut sums, more| {
            for (sum, more) in sums.iter_mut().zip(more) {
                sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            }
            Ok(sums)
        })
    }
}

/// Distance from 50 % that nearly all points keep, in steps of 5.
pub(super) fn reach(values: &[f64]) -> f64 {
    let mut away: Vec<f64> =
        values.iter().filter(|v| v.is_finite()).map(|value| (value - 50.0).abs()).collect();
    away.sort_by(f64::total_cmp);
    let place = (away.len() as f64 * (1.0 - BEYOND)) as usize;
    let far = away.get(place.min(away.len().saturating_sub(1))).copied().unwrap_or(50.0);
    ((far / 5.0).ceil() * 5.0).clamp(5.0, 50.0)
}
