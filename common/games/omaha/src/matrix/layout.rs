//! Jobs, rows and the order of cells in a result.
//!
//! A *job* is an unordered pair of groups, the earlier group's clusters being the rows of its part of the matrix.
//! Slices cut a job by *rank multisets*, not by matrix rows: the row of multiset `r` holds the cells in which the
//! lower of the two hands' multisets is `r`. So each pair of multisets, whose outcomes cost most, belongs to one
//! row of every job, and slices of all jobs over the same rows (a batch) share that work. With six hole cards one
//! multiset has too many cells for a batch: there its row is divided by the higher multiset.

use std::ops::Range;

use fulldeck_cards::{Clusters, Group};
use fulldeck_job::Slice;

/// Most cells of one row over all jobs. What is larger is divided; only six hole cards have such rows.
const MAX_ROW_CELLS: u64 = 1 << 24;

/// An unordered pair of groups, `first <= second`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupPair {
    pub(crate) first: usize,
    pub(crate) second: usize,
}

/// All pairs of groups in the order of the plan's jobs.
pub(crate) fn group_pairs(clusters: &Clusters) -> Vec<GroupPair> {
    let groups = clusters.groups().len();
    (0..groups)
        .flat_map(|first| (first..groups).map(move |second| GroupPair { first, second }))
        .collect()
}

/// A row of every job: the lower of the two rank multisets, and which higher ones (or the same) it meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) ranks: usize,
    pub(crate) others: Range<usize>,
}

/// The rows in order.
pub(crate) fn rows(clusters: &Clusters, jobs: &[JobCells<'_>]) -> Vec<Row> {
    let multisets = clusters.ranks().len();
    let mut rows = Vec::with_capacity(multisets);
    for ranks in 0..multisets {
        let whole = Row { ranks, others: ranks..multisets };
        let cells: u64 = jobs.iter().map(|job| job.cells(&whole)).sum();
        let parts = (cells.div_ceil(MAX_ROW_CELLS) as usize).clamp(1, whole.others.len());
        let cut = |part: usize| ranks + whole.others.len() * part / parts;
        rows.extend((0..parts).map(|part| Row { ranks, others: cut(part)..cut(part + 1) }));
    }
    rows
}

/// A contiguous piece of a result: cells that share a matrix row, or a matrix column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// One row of the matrix (relative to the first group), columns relative to the second group.
    Row {
        /// Row.
        row: usize,
        /// Columns.
        columns: Range<usize>,
    },
    /// One column of the matrix, and its rows.
    Column {
        /// Column.
        column: usize,
        /// Rows.
        rows: Range<usize>,
    },
}

impl Run {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Row { columns, .. } => columns.len(),
            Self::Column { rows, .. } => rows.len(),
        }
    }
}

/// The two groups of a job with what the order of its cells needs.
#[derive(Clone, Copy)]
pub(crate) struct JobCells<'a> {
    pub(crate) pair: GroupPair,
    pub(crate) first: &'a Group,
    pub(crate) second: &'a Group,
}

impl<'a> JobCells<'a> {
    pub(crate) fn new(clusters: &'a Clusters, pair: GroupPair) -> Self {
        let groups = clusters.groups();
        Self { pair, first: &groups[pair.first], second: &groups[pair.second] }
    }

    /// Whether both groups are one: then only cells with row <= column exist.
    pub(crate) fn is_triangle(&self) -> bool {
        self.pair.first == self.pair.second
    }

    /// Columns in which cluster `row` of the first group, whose ranks are the lower ones, has cells.
    pub(crate) fn columns(&self, row: usize, of: &Row) -> Range<usize> {
        let columns = within(self.second, &of.others);
        if self.is_triangle() { columns.start.max(row)..columns.end } else { columns }
    }

    /// Rows in which a cluster of the second group that has the lower ranks has cells. Equal ranks are among
    /// [`JobCells::columns`], and so is everything if both groups are one.
    pub(crate) fn later_rows(&self, of: &Row) -> Range<usize> {
        if self.is_triangle() {
            return 0..0;
        }
        within(self.first, &(of.others.start.max(of.ranks + 1)..of.others.end))
    }

    /// Pieces of the result that belong to a row, in order: each cluster of the first group with the lower ranks
    /// against all of the second with the others; then, if the groups differ, each cluster of the second with the
    /// lower ranks against all of the first with later ones.
    pub(crate) fn runs(&self, of: &Row) -> impl Iterator<Item = Run> + use<'a> {
        let (this, of) = (*self, of.clone());
        let columns = if this.is_triangle() { 0..0 } else { this.second.with_ranks(of.ranks) };
        let rows = this.later_rows(&of);
        this.first
            .with_ranks(of.ranks)
            .map(move |row| Run::Row { row, columns: this.columns(row, &of) })
            .chain(columns.map(move |column| Run::Column { column, rows: rows.clone() }))
    }

    /// Number of cells of a row.
    pub(crate) fn cells(&self, of: &Row) -> u64 {
        self.runs(of).map(|run| run.len() as u64).sum()
    }
}

/// Clusters of a group whose ranks are among `ranks`.
fn within(group: &Group, ranks: &Range<usize>) -> Range<usize> {
    match ranks.is_empty() {
        true => 0..0,
        false => group.with_ranks(ranks.start).start..group.with_ranks(ranks.end - 1).end,
    }
}

/// Rows of a slice.
pub(crate) fn slice_rows(slice: &Slice) -> Range<usize> {
    slice.first_row as usize..(slice.first_row + slice.rows) as usize
}
