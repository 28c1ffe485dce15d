//! Which cells an artifact holds, and where.

use std::ops::Range;

use fulldeck_cards::Clusters;

use super::layout::{GroupPair, JobCells};

/// The whole matrix, or one job's part of it. Where rows and columns are the same clusters only the upper triangle is
/// held, packed row by row; otherwise the whole rectangle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    rows: Range<u64>,
    columns: Range<u64>,
}

impl Part {
    pub(super) fn whole(clusters: &Clusters) -> Self {
        let all = 0..clusters.len() as u64;
        Self { rows: all.clone(), columns: all }
    }

    pub(super) fn of_job(clusters: &Clusters, pair: GroupPair) -> Self {
        let job = JobCells::new(clusters, pair);
        let [rows, columns] = [job.first, job.second]
            .map(|group| u64::from(group.clusters.start)..u64::from(group.clusters.end));
        Self { rows, columns }
    }

    /// Whether rows and columns are the same clusters.
    pub(super) fn is_triangle(&self) -> bool {
        self.rows == self.columns
    }

    /// Shape of the arrays: one dimension for a triangle, two for a rectangle.
    pub(super) fn shape(&self) -> Vec<u64> {
        match self.is_triangle() {
            true => vec![self.cells()],
            false => vec![self.height(), self.width()],
        }
    }

    /// Number of cells.
    pub(super) fn cells(&self) -> u64 {
        let width = self.width();
        if self.is_triangle() { width * (width + 1) / 2 } else { self.height() * width }
    }

    /// Position of cell (row, column) of the matrix; in a triangle row <= column.
    pub(super) fn position(&self, row: u64, column: u64) -> u64 {
        let (row, column) = (row - self.rows.start, column - self.columns.start);
        if self.is_triangle() {
            self.row_start(row) + column - row
        } else {
            row * self.width() + column
        }
    }

    /// The cell at a position: the inverse of [`Part::position`].
    pub(super) fn cell_at(&self, position: u64) -> (u64, u64) {
        let (row, column) = if self.is_triangle() {
            let (mut low, mut high) = (0, self.height());
            // The last row that begins at or before the position.
            while high - low > 1 {
                let middle = low.midpoint(high);
                if self.row_start(middle) <= position { low = middle } else { high = middle }
            }
            (low, low + position - self.row_start(low))
        } else {
            (position / self.width(), position % self.width())
        };
        (self.rows.start + row, self.columns.start + column)
    }

    /// Whether the cell (row, column) is held as it stands, not transposed.
    pub(super) fn holds(&self, row: u64, column: u64) -> bool {
        let inside = self.rows.contains(&row) && self.columns.contains(&column);
        inside && (!self.is_triangle() || row <= column)
    }

    /// Start of a row (relative to the first) in the packed triangle.
    fn row_start(&self, row: u64) -> u64 {
        row * (2 * self.width() - row + 1) / 2
    }

    fn height(&self) -> u64 {
        self.rows.end - self.rows.start
    }

    fn width(&self) -> u64 {
        self.columns.end - self.columns.start
    }
}
