//! Results into the artifact: `win.npy` and `tie.npy` hold the cells of a [`Part`], `clusters.csv` the clusters.

use std::io;

use fulldeck_cards::ClusterIndex;
use fulldeck_job::{ArrayId, ArtifactSink, CheckError, ElementType, Slice};
use serde_json::json;

use super::Matrix;
use super::layout::{JobCells, Row, Run, slice_rows};
use super::part::Part;
use super::plan::CELL_BYTES;

/// Array of wins of the row's hand.
pub(super) const WIN: &str = "win";
/// Array of ties.
pub(super) const TIE: &str = "tie";

/// Bytes of results that are written together: the more, the longer the pieces in which the arrays are written.
const GATHERED_BYTES: usize = 160 << 20;

/// Bytes of a count.
pub(super) const COUNT: usize = 4;

/// Cells of a result that lie in one matrix row or column.
struct Stretch {
    /// Whether they share their row, or their column.
    is_row: bool,
    /// The cluster they share, ...
    fixed: usize,
    /// ... the first of those they do not, which follow one another, ...
    first: usize,
    /// ... and the number of cells.
    len: usize,
}

impl Stretch {
    fn cell(&self, at: usize) -> (usize, usize) {
        let other = self.first + at;
        if self.is_row { (self.fixed, other) } else { (other, self.fixed) }
    }
}

impl Matrix {
    /// The cells of a slice in the order of its result, piece by piece.
    fn stretches(&self, slice: &Slice) -> impl Iterator<Item = Stretch> {
        let job = self.job(slice);
        let (first, second) =
            (job.first.clusters.start as usize, job.second.clusters.start as usize);
        self.rows[slice_rows(slice)].iter().flat_map(move |row| job.runs(row)).map(move |run| {
            let len = run.len();
            match run {
                Run::Row { row, columns } => {
                    Stretch { is_row: true, fixed: first + row, first: second + columns.start, len }
                }
                Run::Column { column, rows } => Stretch {
                    is_row: false,
                    fixed: second + column,
                    first: first + rows.start,
                    len,
                },
            }
        })
    }

    /// Every cell of a slice in the order of its result, as (row, column).
    pub(super) fn slice_cells(&self, slice: &Slice) -> impl Iterator<Item = (usize, usize)> {
        self.stretches(slice).flat_map(|stretch| (0..stretch.len).map(move |at| stretch.cell(at)))
    }

    fn job(&self, slice: &Slice) -> JobCells<'_> {
        JobCells::new(&self.clusters, self.pairs[slice.job.0 as usize])
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
    for_each_cell(matrix, slice, wins, ties, |cell| {
        let Counts { row, column, hands, win, tie } = cell;
        let total = hands * u64::from(matrix.boards);
        let balanced = row != column || 2 * win + tie == total;
        if win + tie > total || !balanced {
            return Err(CheckError(format!(
                "cell ({row}, {column}): {win} wins and {tie} ties of {total} are impossible"
            )));
        }
        Ok(())
    })
}

/// One cell of a result: (row, column), the number of the column's hands that are disjoint from the row's, and what is
/// stored.
struct Counts {
    row: usize,
    column: usize,
    hands: u64,
    win: u64,
    tie: u64,
}

fn for_each_cell<E>(
    matrix: &Matrix,
    slice: &Slice,
    wins: &[u8],
    ties: &[u8],
    mut visit: impl FnMut(Counts) -> Result<(), E>,
) -> Result<(), E> {
    let disjoint = matrix.disjoint();
    let mut counts = wins.chunks_exact(COUNT).zip(ties.chunks_exact(COUNT));
    let read = |bytes: &[u8]| u64::from(u32::from_le_bytes(bytes.try_into().expect("four bytes")));
    for stretch in matrix.stretches(slice) {
        let from = disjoint.from(stretch.fixed);
        for (at, (win, tie)) in counts.by_ref().take(stretch.len).enumerate() {
            let (row, column) = stretch.cell(at);
            let hands = disjoint.hands(from.placements(stretch.first + at), column).into();
            visit(Counts { row, column, hands, win: read(win), tie: read(tie) })?;
        }
    }
    Ok(())
}

/// Sums over the cells of a part; where rows and columns are the same clusters, over both orientations.
#[derive(Default)]
struct Totals {
    win: u128,
    tie: u128,
    lose: u128,
    hand_pairs: u128,
    empty: u64,
}

/// Writes the artifact of `part`, whose slices these are, in order.
pub(super) fn assemble<'a>(
    matrix: &Matrix,
    part: &Part,
    slices: impl Iterator<Item = &'a Slice>,
    payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
    sink: &mut dyn ArtifactSink,
) -> io::Result<()> {
    let win = sink.array(WIN, ElementType::U32, &part.shape())?;
    let tie = sink.array(TIE, ElementType::U32, &part.shape())?;
    let mut totals = Totals::default();
    let mut waiting: Vec<(&Slice, Vec<u8>)> = Vec::new();
    let mut waiting_bytes = 0;
    for (slice, payload) in slices.zip(&mut *payloads) {
        let payload = payload?;
        let (wins, ties) = payload.split_at(slice.elements as usize * COUNT);
        totals.add(matrix, part, slice, wins, ties);
        waiting_bytes += payload.len();
        waiting.push((slice, payload));
        if waiting_bytes >= GATHERED_BYTES {
            write_results(matrix, part, [win, tie], &waiting, sink)?;
            waiting.clear();
            waiting_bytes = 0;
        }
    }
    write_results(matrix, part, [win, tie], &waiting, sink)?;
    if payloads.next().is_some() {
        return Err(io::Error::other("more results than the plan has slices"));
    }
    write_clusters(matrix, sink)?;
    totals.record(matrix, part, sink);
    Ok(())
}

/// Writes results of consecutive slices, job by job.
fn write_results(
    matrix: &Matrix,
    part: &Part,
    [win, tie]: [ArrayId; 2],
    results: &[(&Slice, Vec<u8>)],
    sink: &mut dyn ArtifactSink,
) -> io::Result<()> {
    let mut jobs: Vec<_> = results.iter().map(|(slice, _)| slice.job).collect();
    jobs.sort_unstable();
    jobs.dedup();
    for job in jobs {
        for (array, ties) in [(win, false), (tie, true)] {
            let job_cells = JobCells::new(&matrix.clusters, matrix.pairs[job.0 as usize]);
            let mut scatter = Scatter::new(job_cells, part, array, sink);
            for (slice, payload) in results.iter().filter(|(slice, _)| slice.job == job) {
                let (wins, others) = payload.split_at(slice.elements as usize * COUNT);
                let rows = &matrix.rows[slice_rows(slice)];
                scatter.add(rows, if ties { others } else { wins })?;
            }
            scatter.finish()?;
        }
    }
    Ok(())
}

/// Writes counts of one job to their places in one array. Columns of the first group's later rows are kept until all
/// are there that lie side by side: then a row gets them in one piece.
struct Scatter<'a> {
    job: JobCells<'a>,
    part: &'a Part,
    array: ArrayId,
    sink: &'a mut dyn ArtifactSink,
    /// Column, its first row, and its counts: consecutive columns, each beginning at a later row than the one before,
    /// and all ending with the same.
    columns: Vec<(u64, u64, &'a [u8])>,
    last: Option<&'a Row>,
}

impl<'a> Scatter<'a> {
    fn new(
        job: JobCells<'a>,
        part: &'a Part,
        array: ArrayId,
        sink: &'a mut dyn ArtifactSink,
    ) -> Self {
        Self { job, part, array, sink, columns: Vec::new(), last: None }
    }

    /// Adds rows that come after those added before, and their counts.
    fn add(&mut self, rows: &'a [Row], counts: &'a [u8]) -> io::Result<()> {
        let (first, second) =
            (u64::from(self.job.first.clusters.start), u64::from(self.job.second.clusters.start));
        let mut rest = counts;
        for row in rows {
            if !self.last.is_none_or(|last| follows(last, row)) {
                self.write_columns()?;
            }
            self.last = Some(row);
            for run in self.job.runs(row) {
                let (piece, after) = rest.split_at(run.len() * COUNT);
                rest = after;
                match run {
                    Run::Row { row, columns } => {
                        let column = second + columns.start as u64;
                        let at = self.part.position(first + row as u64, column);
                        self.sink.write_at(self.array, at, piece)?;
                    }
                    Run::Column { column, rows } => {
                        let (column, row) = (second + column as u64, first + rows.start as u64);
                        self.columns.push((column, row, piece));
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.write_columns()
    }

    fn write_columns(&mut self) -> io::Result<()> {
        let Some((first_column, first_row, longest)) = self.columns.first().copied() else {
            return Ok(());
        };
        let mut piece = Vec::with_capacity(self.columns.len() * COUNT);
        for row in first_row..first_row + (longest.len() / COUNT) as u64 {
            piece.clear();
            // Later columns begin at later rows: those with this row are the leading ones.
            for (_, start, counts) in self.columns.iter().take_while(|(_, start, _)| *start <= row)
            {
                piece.extend_from_slice(&counts[(row - start) as usize * COUNT..][..COUNT]);
            }
            self.sink.write_at(self.array, self.part.position(row, first_column), &piece)?;
        }
        self.columns.clear();
        Ok(())
    }
}

/// Whether the columns of two rows in order can be written together.
fn follows(row: &Row, next: &Row) -> bool {
    let (met, more) = (&row.others, &next.others);
    row.ranks < next.ranks && met.start <= more.start && met.end == more.end
}

impl Totals {
    fn add(&mut self, matrix: &Matrix, part: &Part, slice: &Slice, wins: &[u8], ties: &[u8]) {
        let boards = u64::from(matrix.boards);
        let both = part.is_triangle();
        // A slice has at most 8 million cells of 24 hands against 24, each over 1.7 million boards: 64 bits hold that.
        let [mut win_sum, mut tie_sum, mut lose_sum, mut pairs] = [0u64; 4];
        let Ok(()) = for_each_cell(matrix, slice, wins, ties, |cell| {
            let Counts { row, column, hands, win, tie } = cell;
            self.empty += u64::from(hands == 0);
            let orbit = u64::from(matrix.disjoint().orbit(row));
            let lose = hands * boards - win - tie;
            // The other orientation: orbit(i) win(i, j) = orbit(j) lose(j, i).
            let other = orbit * u64::from(both && row != column);
            pairs += (orbit + other) * hands;
            win_sum += orbit * win + other * lose;
            tie_sum += (orbit + other) * tie;
            lose_sum += orbit * lose + other * win;
            Ok::<_, std::convert::Infallible>(())
        });
        self.win += u128::from(win_sum);
        self.tie += u128::from(tie_sum);
        self.lose += u128::from(lose_sum);
        self.hand_pairs += u128::from(pairs);
    }

    fn record(&self, matrix: &Matrix, part: &Part, sink: &mut dyn ArtifactSink) {
        let exact = |count: u128| match u64::try_from(count) {
            Ok(count) => json!(count),
            Err(_) => json!(count.to_string()),
        };
        sink.fact("cards", json!(matrix.cards));
        sink.fact("clusters", json!(matrix.clusters.len()));
        sink.fact("boards", json!(matrix.boards));
        sink.fact("cells", json!(part.cells()));
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
