//! Computing slices: all jobs of a batch together, so that each pair of rank multisets is visited once.

use std::ops::Range;

use fulldeck_cards::Group;
use fulldeck_job::{ComputeContext, ComputeError, Slice};
use rayon::prelude::*;

use super::Matrix;
use super::artifact::COUNT;
use super::layout::{JobCells, Row, slice_rows};
use crate::fast::{Assembler, Block, Cell, Engine, Scratch, WantedSizes};

/// Rows computed by one task: the codes of as many hands stay in the cache while all others pass by.
const TASK_ROWS: usize = 8;
/// Tasks for each thread: the last ones to end leave others idle for a small part of the time only.
const TASKS_PER_THREAD: usize = 8;

/// Wins and ties of one job's cells.
#[derive(Clone, Default)]
struct Cells {
    win: Vec<u32>,
    tie: Vec<u32>,
}

impl Cells {
    fn zeros(len: usize) -> Self {
        Self { win: vec![0; len], tie: vec![0; len] }
    }

    fn put(&mut self, at: usize, cell: Cell, boards: u32) {
        self.win[at] = cell.win;
        self.tie[at] = cell.hands * boards - cell.win - cell.lose;
    }
}

/// Some rows with a part of their other multisets, and the cells of each job in the order of [`JobCells::runs`].
struct Task {
    rows: Vec<Row>,
    cells: Vec<Cells>,
}

/// Payloads of slices that cover the same rows: wins of all cells, then ties, u32 little endian.
pub(super) fn compute(
    matrix: &Matrix,
    slices: &[Slice],
    context: &ComputeContext<'_>,
) -> Result<Vec<Vec<u8>>, ComputeError> {
    let Some(rows) = slices.first().map(slice_rows) else { return Ok(Vec::new()) };
    if slices.iter().any(|slice| slice_rows(slice) != rows) {
        return Err(ComputeError::Invalid("slices of one call cover different rows".to_owned()));
    }
    let jobs = slices
        .iter()
        .map(|slice| {
            let pair = matrix
                .pairs
                .get(slice.job.0 as usize)
                .ok_or_else(|| ComputeError::Invalid(format!("there is no job {}", slice.job.0)))?;
            Ok(JobCells::new(&matrix.clusters, *pair))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let Some(rows) = matrix.rows.get(rows.clone()) else {
        return Err(ComputeError::Invalid(format!("there is no row {}", rows.end - 1)));
    };
    let wanted_tasks = TASKS_PER_THREAD * rayon::current_num_threads();
    let chunks: Vec<Vec<Vec<Row>>> = rows
        .chunks(TASK_ROWS)
        .map(|rows| divide(rows, wanted_tasks.div_ceil(rows.len().div_ceil(TASK_ROWS))))
        .collect();
    let cells = |row: &Row| jobs.iter().map(|job| job.cells(row)).sum::<u64>();
    let all_cells: u64 = rows.iter().map(cells).sum::<u64>().max(1);
    let batch_cost: u64 = slices.iter().map(|slice| slice.cost).sum();
    let chunks = chunks
        .into_par_iter()
        .map(|parts| {
            parts
                .into_par_iter()
                .map(|rows| {
                    let done: u64 = rows.iter().map(cells).sum();
                    let cells = compute_rows(matrix, &jobs, &rows, context)?;
                    let cost = u128::from(batch_cost) * u128::from(done) / u128::from(all_cells);
                    (context.progress)(cost as u64);
                    Ok(Task { rows, cells })
                })
                .collect()
        })
        .collect::<Result<Vec<Vec<Task>>, ComputeError>>()?;
    Ok(slices
        .par_iter()
        .zip(&jobs)
        .enumerate()
        .map(|(index, (slice, job))| payload(slice, job, index, &chunks))
        .collect())
}

/// The same rows several times over, each time with one part of the others, in order.
fn divide(rows: &[Row], parts: usize) -> Vec<Vec<Row>> {
    let first = rows.iter().map(|row| row.others.start).min().unwrap_or(0);
    let end = rows.iter().map(|row| row.others.end).max().unwrap_or(0);
    let cut = |part: usize| first + (end - first) * part / parts;
    (0..parts)
        .map(|part| {
            let met = cut(part)..cut(part + 1);
            rows.iter()
                .map(|row| {
                    let start = row.others.start.clamp(met.start, met.end);
                    let end = row.others.end.clamp(start, met.end);
                    Row { ranks: row.ranks, others: start..end }
                })
                .collect()
        })
        .collect()
}

/// Puts the parts of each run together; `index` is that of the job.
fn payload(slice: &Slice, job: &JobCells<'_>, index: usize, chunks: &[Vec<Task>]) -> Vec<u8> {
    let mut payload = Vec::with_capacity(slice.raw_bytes as usize);
    for ties in [false, true] {
        for parts in chunks {
            let counts = parts.iter().map(|part| &part.cells[index]);
            let mut rest: Vec<&[u32]> =
                counts.map(|cells| if ties { &cells.tie[..] } else { &cells.win[..] }).collect();
            for row in 0..parts.first().map_or(0, |part| part.rows.len()) {
                let mut runs: Vec<_> = parts
                    .iter()
                    .map(|part| job.runs(&part.rows[row]).map(|run| run.len()))
                    .collect();
                // Every part has the same runs, each with its own stretch of them.
                while let Some(lengths) =
                    runs.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>()
                {
                    for (rest, length) in rest.iter_mut().zip(lengths) {
                        let (piece, after) = rest.split_at(length);
                        append(&mut payload, piece);
                        *rest = after;
                    }
                }
            }
        }
    }
    payload
}

/// Appends counts in little-endian order, in a loop that compiles to a copy.
fn append(payload: &mut Vec<u8>, counts: &[u32]) {
    let end = payload.len();
    payload.resize(end + counts.len() * COUNT, 0);
    for (bytes, count) in payload[end..].chunks_exact_mut(COUNT).zip(counts) {
        bytes.copy_from_slice(&count.to_le_bytes());
    }
}

/// Sizes of suited subsets that occur between the groups of the jobs, from both sides.
fn wanted_sizes(engine: &Engine, jobs: &[JobCells<'_>]) -> WantedSizes {
    let mut wanted = [0; 7];
    for job in jobs {
        for a in job.first.pattern.sizes() {
            for b in job.second.pattern.sizes() {
                if engine.any_suit_matters() || a >= 2 || b >= 2 {
                    wanted[usize::from(a)] |= 1 << b;
                    wanted[usize::from(b)] |= 1 << a;
                }
            }
        }
    }
    wanted
}

/// The cells of each job in these rows.
fn compute_rows(
    matrix: &Matrix,
    jobs: &[JobCells<'_>],
    rows: &[Row],
    context: &ComputeContext<'_>,
) -> Result<Vec<Cells>, ComputeError> {
    let engine = &matrix.computing().engine;
    let wanted = wanted_sizes(engine, jobs);
    let mut out: Vec<Cells> = Vec::with_capacity(jobs.len());
    let mut starts: Vec<Vec<usize>> = Vec::with_capacity(jobs.len());
    for job in jobs {
        let mut at = 0;
        let mut row_starts = Vec::with_capacity(rows.len());
        for row in rows {
            row_starts.push(at);
            at += job.cells(row) as usize;
        }
        starts.push(row_starts);
        out.push(Cells::zeros(at));
    }
    let others: Range<usize> = rows.iter().map(|row| row.others.start).min().unwrap_or(0)
        ..rows.iter().map(|row| row.others.end).max().unwrap_or(0);
    let mut scratch = Scratch::default();
    let mut block = Block::default();
    for other in others {
        context.poll()?;
        for (index, row) in rows.iter().enumerate() {
            let meets = |job: &JobCells<'_>| occurs(job, row.ranks, other);
            if !row.others.contains(&other) || !jobs.iter().any(meets) {
                continue;
            }
            let (first, second) = (matrix.loaded(row.ranks), matrix.loaded(other));
            if !engine.block(first, second, &wanted, &mut scratch, &mut block) {
                continue;
            }
            let place = Place { matrix, row, other, block: &block };
            for (job, (cells, starts)) in jobs.iter().zip(out.iter_mut().zip(&starts)) {
                place.assemble(job, starts[index], cells);
            }
        }
    }
    Ok(out)
}

/// Whether the job has cells between these two multisets.
fn occurs(job: &JobCells<'_>, ranks: usize, other: usize) -> bool {
    let has = |group: &Group, ranks| !group.with_ranks(ranks).is_empty();
    has(job.first, ranks) && has(job.second, other)
        || has(job.first, other) && has(job.second, ranks)
}

/// One block and where it lies.
struct Place<'a> {
    matrix: &'a Matrix,
    row: &'a Row,
    other: usize,
    block: &'a Block,
}

impl Place<'_> {
    fn assembler(&self, cluster: usize) -> Assembler<'_> {
        let hands =
            (&self.matrix.loaded(self.row.ranks).hand, &self.matrix.loaded(self.other).hand);
        Assembler::new(self.block, hands, self.matrix.computing().suited[cluster])
    }

    /// Puts the job's cells between the two rank multisets in their places; `start` is that of the row.
    fn assemble(&self, job: &JobCells<'_>, start: usize, cells: &mut Cells) {
        let suited = &self.matrix.computing().suited;
        let (first, second) = (job.first, job.second);
        let (first_at, second_at) = (first.clusters.start as usize, second.clusters.start as usize);
        let boards = self.matrix.boards;
        let ranks = self.row.ranks;
        let mut run_start = start;
        for row in first.with_ranks(ranks) {
            let assembler = self.assembler(first_at + row);
            let run = job.columns(row, self.row);
            let columns = second.with_ranks(self.other);
            for column in columns.start.max(run.start)..columns.end {
                let cell = assembler.cell(suited[second_at + column]);
                cells.put(run_start + column - run.start, cell, boards);
            }
            run_start += run.len();
        }
        if job.is_triangle() || ranks == self.other {
            return;
        }
        let run = job.later_rows(self.row);
        for column in second.with_ranks(ranks) {
            let assembler = self.assembler(second_at + column);
            for row in first.with_ranks(self.other) {
                let cell = assembler.transposed(suited[first_at + row], suited[second_at + column]);
                cells.put(run_start + row - run.start, cell, boards);
            }
            run_start += run.len();
        }
    }
}
