//! Results into the artifact: `win.npy` and `tie.npy` hold the upper triangle row by row, `clusters.csv` the clusters.

use std::io;

use fulldeck_cards::ClusterIndex;
use fulldeck_job::{ArrayId, ArtifactSink, CheckError, ElementType, Plan, Slice};
use serde_json::json;

use super::Matrix;
use super::layout::{JobCells, Run, slice_rows};
use super::plan::CELL_BYTES;
use crate::fast::FreeHands;

/// Array of wins of the row's hand.
pub(super) const WIN: &str = "win";
/// Array of ties.
pub(super) const TIE: &str = "tie";

/// Bytes of a count.
pub(super) const COUNT: usize = 4;

impl Matrix {
    /// Position in the packed triangle of cell (row, column), row <= column.
    pub(super) fn position(&self, row: u64, column: u64) -> u64 {
        let clusters = self.clusters.len() as u64;
        row * (2 * clusters - row + 1) / 2 + column - row
    }

    /// The cell (row, column), row <= column, at a position in the packed triangle: the inverse of
    /// [`Matrix::position`].
    pub(super) fn cell_at(&self, position: u64) -> (u64, u64) {
        let (mut low, mut high) = (0, self.clusters.len() as u64);
        // The last row that begins at or before the position.
        while high - low > 1 {
            let middle = low.midpoint(high);
            if self.position(middle, middle) <= position { low = middle } else { high = middle }
        }
        (low, low + position - self.position(low, low))
    }

    /// Number of hands of cluster `column` that share no card with the representative of `row`.
    pub(super) fn disjoint_hands(&self, row: u64, column: u64) -> u32 {
        let [row, column] =
            [row, column].map(|index| self.clusters.cluster(ClusterIndex(index as u32)));
        FreeHands::new(row).of(column)
    }

    /// Every cell of a slice in the order of its result, as (row, column).
    pub(super) fn slice_cells(&self, slice: &Slice) -> impl Iterator<Item = (u32, u32)> {
        let job = JobCells::new(&self.clusters, self.pairs[slice.job.0 as usize]);
        let (first, second) = (job.first.clusters.start, job.second.clusters.start);
        slice_rows(slice).flat_map(move |ranks| job.runs(ranks)).flat_map(move |run| {
            let (cells, fixed, is_row) = match run {
                Run::Row { row, columns } => (columns, row, true),
                Run::Column { column, rows } => (rows, column, false),
            };
            cells.map(move |other| {
                let (row, column) = if is_row { (fixed, other) } else { (other, fixed) };
                (first + row as u32, second + column as u32)
            })
        })
    }
}

pub(super) fn count_at(payload: &[u8], index: usize) -> u32 {
    let bytes = &payload[index * COUNT..][..COUNT];
    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
}

/// Cheap identities: win + tie is at most hands x boards, exactly so where nothing is lost to either side, empty
/// cells are empty, and on the diagonal wins equal losses.
pub(super) fn check(matrix: &Matrix, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
    let elements = slice.elements as usize;
    if payload.len() as u64 != slice.elements * CELL_BYTES {
        return Err(CheckError(format!(
            "{} bytes where {} cells need {}",
            payload.len(),
            elements,
            slice.elements * CELL_BYTES
        )));
    }
    let (wins, ties) = payload.split_at(elements * COUNT);
    for (at, (row, column)) in matrix.slice_cells(slice).enumerate() {
        let hands = matrix.disjoint_hands(row.into(), column.into());
        let total = u64::from(hands) * u64::from(matrix.boards);
        let (win, tie) = (u64::from(count_at(wins, at)), u64::from(count_at(ties, at)));
        let balanced = row != column || 2 * win + tie == total;
        if win + tie > total || !balanced {
            return Err(CheckError(format!(
                "cell ({row}, {column}): {win} wins and {tie} ties of {total} are impossible"
            )));
        }
    }
    Ok(())
}

/// Sums over the whole matrix, both orientations.
#[derive(Default)]
struct Totals {
    win: u128,
    tie: u128,
    lose: u128,
    hand_pairs: u128,
    empty: u64,
}

pub(super) fn assemble(
    matrix: &Matrix,
    plan: &Plan,
    payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
    sink: &mut dyn ArtifactSink,
) -> io::Result<()> {
    let cells = matrix.cells();
    let win = sink.array(WIN, ElementType::U32, &[cells])?;
    let tie = sink.array(TIE, ElementType::U32, &[cells])?;
    let mut totals = Totals::default();
    for (slice, payload) in plan.slices().iter().zip(&mut *payloads) {
        let payload = payload?;
        let (wins, ties) = payload.split_at(slice.elements as usize * COUNT);
        for (array, counts) in [(win, wins), (tie, ties)] {
            scatter(matrix, slice, counts, array, sink)?;
        }
        totals.add(matrix, slice, wins, ties);
    }
    if payloads.next().is_some() {
        return Err(io::Error::other("more results than the plan has slices"));
    }
    write_clusters(matrix, sink)?;
    totals.record(matrix, sink);
    Ok(())
}

/// Writes the counts of one slice to their places.
fn scatter(
    matrix: &Matrix,
    slice: &Slice,
    counts: &[u8],
    array: ArrayId,
    sink: &mut dyn ArtifactSink,
) -> io::Result<()> {
    let job = JobCells::new(&matrix.clusters, matrix.pairs[slice.job.0 as usize]);
    let (first, second) =
        (u64::from(job.first.clusters.start), u64::from(job.second.clusters.start));
    let mut rest = counts;
    // Columns of the first group's later rows come one after another; a row gets them in one piece.
    let mut columns: Vec<(u64, u64, &[u8])> = Vec::new();
    for run in slice_rows(slice).flat_map(|ranks| job.runs(ranks)) {
        let (piece, after) = rest.split_at(run.len() * COUNT);
        rest = after;
        match run {
            Run::Row { row, columns } => {
                let at = matrix.position(first + row as u64, second + columns.start as u64);
                sink.write_at(array, at, piece)?;
            }
            Run::Column { column, rows } => {
                columns.push((second + column as u64, first + rows.start as u64, piece));
            }
        }
    }
    let Some((first_column, first_row, _)) = columns.first().copied() else { return Ok(()) };
    let last_row = first_row + columns[0].2.len() as u64 / COUNT as u64;
    let mut piece = Vec::with_capacity(columns.len() * COUNT);
    for row in first_row..last_row {
        piece.clear();
        // Later columns begin at later rows: those with this row are the leading ones.
        for (_, start, counts) in columns.iter().take_while(|(_, start, _)| *start <= row) {
            piece.extend_from_slice(&counts[(row - start) as usize * COUNT..][..COUNT]);
        }
        sink.write_at(array, matrix.position(row, first_column), &piece)?;
    }
    Ok(())
}

impl Totals {
    fn add(&mut self, matrix: &Matrix, slice: &Slice, wins: &[u8], ties: &[u8]) {
        for (at, (row, column)) in matrix.slice_cells(slice).enumerate() {
            let hands = matrix.disjoint_hands(row.into(), column.into());
            self.empty += u64::from(hands == 0);
            let orbit = u128::from(matrix.clusters.cluster(ClusterIndex(row)).orbit());
            let (win, tie) = (count_at(wins, at), count_at(ties, at));
            let all = u64::from(hands) * u64::from(matrix.boards);
            let lose = all - u64::from(win) - u64::from(tie);
            self.hand_pairs += orbit * u128::from(hands);
            self.win += orbit * u128::from(win);
            self.tie += orbit * u128::from(tie);
            self.lose += orbit * u128::from(lose);
            // The other orientation: orbit(i) win(i, j) = orbit(j) lose(j, i).
            if row != column {
                self.hand_pairs += orbit * u128::from(hands);
                self.win += orbit * u128::from(lose);
                self.tie += orbit * u128::from(tie);
                self.lose += orbit * u128::from(win);
            }
        }
    }

    fn record(&self, matrix: &Matrix, sink: &mut dyn ArtifactSink) {
        let exact = |count: u128| match u64::try_from(count) {
            Ok(count) => json!(count),
            Err(_) => json!(count.to_string()),
        };
        sink.fact("cards", json!(matrix.cards));
        sink.fact("clusters", json!(matrix.clusters.len()));
        sink.fact("boards", json!(matrix.boards));
        sink.fact("cells", json!(matrix.cells()));
        sink.fact("empty_cells", json!(self.empty));
        sink.fact("hand_pairs", exact(self.hand_pairs));
        sink.fact("boards_judged", exact(self.hand_pairs * u128::from(matrix.boards)));
        sink.fact("win", exact(self.win));
        sink.fact("tie", exact(self.tie));
        sink.fact("lose", exact(self.lose));
    }
}

fn write_clusters(matrix: &Matrix, sink: &mut dyn ArtifactSink) -> io::Result<()> {
    let clusters = &matrix.clusters;
    let mut rows = (0u32..).zip(clusters.as_slice()).map(|(index, cluster)| {
        let group = &clusters.groups()[clusters.group_of(ClusterIndex(index))];
        vec![
            index.to_string(),
            cluster.representative().to_string(),
            group.pattern.to_string(),
            cluster.orbit().to_string(),
        ]
    });
    sink.table("clusters", &["index", "representative", "group", "orbit"], &mut rows)
}
