//! Computing slices: all jobs of a batch together, so that each pair of rank multisets is visited once.

use std::ops::Range;

use fulldeck_cards::Group;
use fulldeck_job::{ComputeContext, ComputeError, Slice};
use rayon::prelude::*;

use super::Matrix;
use super::layout::{JobCells, Row, slice_rows};
use crate::fast::{Assembler, Block, Cell, Engine, Scratch, WantedSizes};

/// Rows computed by one task: the codes of as many hands stay in the cache while all others pass by.
const TASK_ROWS: usize = 8;

/// Wins and ties of one slice's cells.
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
    if rows.end > matrix.rows.len() {
        return Err(ComputeError::Invalid(format!("there is no row {}", rows.end - 1)));
    }
    let cost_of_row = |row: usize| {
        let cells: u64 = jobs.iter().map(|job| job.cells(&matrix.rows[row])).sum();
        cells.max(1)
    };
    let row_costs: u64 = rows.clone().map(cost_of_row).sum();
    let batch_cost: u64 = slices.iter().map(|slice| slice.cost).sum();
    let engine = &matrix.computing().engine;
    let tasks: Vec<Range<usize>> = rows
        .clone()
        .step_by(TASK_ROWS)
        .map(|first| first..(first + TASK_ROWS).min(rows.end))
        .collect();
    let parts = tasks
        .into_par_iter()
        .map(|rows| {
            let cells = compute_rows(matrix, engine, &jobs, rows.clone(), context)?;
            let done: u64 = rows.map(cost_of_row).sum();
            (context.progress)(
                (u128::from(batch_cost) * u128::from(done) / u128::from(row_costs)) as u64,
            );
            Ok(cells)
        })
        .collect::<Result<Vec<_>, ComputeError>>()?;
    Ok(slices
        .par_iter()
        .enumerate()
        .map(|(index, slice)| {
            let mut payload = Vec::with_capacity(slice.raw_bytes as usize);
            let column = |of: fn(&Cells) -> &Vec<u32>, payload: &mut Vec<u8>| {
                for part in &parts {
                    payload.extend(of(&part[index]).iter().flat_map(|count| count.to_le_bytes()));
                }
            };
            column(|cells| &cells.win, &mut payload);
            column(|cells| &cells.tie, &mut payload);
            payload
        })
        .collect())
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

fn compute_rows(
    matrix: &Matrix,
    engine: &Engine,
    jobs: &[JobCells<'_>],
    rows: Range<usize>,
    context: &ComputeContext<'_>,
) -> Result<Vec<Cells>, ComputeError> {
    let wanted = wanted_sizes(engine, jobs);
    let rows = &matrix.rows[rows];
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
    let hands = &matrix.computing().hands;
    let firsts: Vec<_> = rows.iter().map(|row| engine.load(&hands[row.ranks])).collect();
    let others = rows.iter().map(|row| row.others.start).min().unwrap_or(0)
        ..rows.iter().map(|row| row.others.end).max().unwrap_or(0);
    let mut scratch = Scratch::default();
    let mut block = Block::default();
    for other in others {
        context.poll()?;
        let second = engine.load(&hands[other]);
        for (index, (first, row)) in firsts.iter().zip(rows).enumerate() {
            if !row.others.contains(&other) || !jobs.iter().any(|job| occurs(job, row.ranks, other))
            {
                continue;
            }
            if !engine.block(first, &second, &wanted, &mut scratch, &mut block) {
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
        let computing = self.matrix.computing();
        let hands = (&computing.hands[self.row.ranks], &computing.hands[self.other]);
        Assembler::new(self.block, hands, computing.suited[cluster])
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
