//! Jobs, rows and the order of cells in a result.
//!
//! A *job* is an unordered pair of groups, the earlier group's clusters being the rows of its part of the matrix.
//! Slices cut a job by *rank multisets*, not by matrix rows: the row of multiset `r` holds the cells in which the
//! lower of the two hands' multisets is `r`. So each pair of multisets, whose outcomes cost most, belongs to one
//! row of every job, and slices of all jobs over the same rows (a batch) share that work.

use std::ops::Range;

use fulldeck_cards::{Clusters, Group};
use fulldeck_job::Slice;

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

    /// Pieces of the result that belong to rank multiset `ranks`, in order: each cluster of the first group with
    /// these ranks against all of the second from these ranks on; then, if the groups differ, each cluster of the
    /// second with these ranks against all of the first with later ranks.
    pub(crate) fn runs(&self, ranks: usize) -> impl Iterator<Item = Run> + use<'a> {
        let this = *self;
        let from = this.second.with_ranks(ranks).start;
        let rows = this.first.with_ranks(ranks).map(move |row| Run::Row {
            row,
            columns: if this.is_triangle() { row } else { from }..this.second.len(),
        });
        let columns = if this.is_triangle() { 0..0 } else { this.second.with_ranks(ranks) };
        let later = this.first.with_ranks(ranks).end..this.first.len();
        rows.chain(columns.map(move |column| Run::Column { column, rows: later.clone() }))
    }

    /// Number of cells of rank multiset `ranks`.
    pub(crate) fn cells(&self, ranks: usize) -> u64 {
        self.runs(ranks).map(|run| run.len() as u64).sum()
    }
}

/// Rows of a slice.
pub(crate) fn slice_rows(slice: &Slice) -> Range<usize> {
    slice.first_row as usize..(slice.first_row + slice.rows) as usize
}
