//! Cutting the matrix into jobs and slices.

use fulldeck_cards::Clusters;
use fulldeck_job::{Job, JobIndex, MAX_SLICES, Plan, PlanError, Slice, SliceId};

use super::Matrix;
use super::layout::{GroupPair, JobCells};
use crate::rules::Family;

/// Bytes of a cell in a result: wins and ties as u32.
pub(crate) const CELL_BYTES: u64 = 8;
/// Most cells of one slice of several rows: 48 MiB of result.
const MAX_CELLS: u64 = (48 << 20) / CELL_BYTES;
/// Cost of the outcomes of one pair of rank multisets in units of one assembled cell, divided over the jobs.
const RANK_PAIR_COST: u64 = 400;
/// Cost of a batch when the planner may choose: a quarter of a second or so of one core.
const BATCH_COST: u64 = 16_000_000;

/// `aabc-aabb`: the patterns of the two groups, the earlier first.
pub(super) fn job_name(clusters: &Clusters, pair: GroupPair) -> String {
    let job = JobCells::new(clusters, pair);
    format!("{}-{}", job.first.pattern, job.second.pattern)
}

/// Cuts the rows into batches of about equal cost, and each batch into one slice a job.
pub(crate) fn plan(matrix: &Matrix, slice_target: u32) -> Result<Plan, PlanError> {
    let (clusters, rows) = (&matrix.clusters, &matrix.rows);
    let jobs: Vec<JobCells<'_>> =
        matrix.pairs.iter().map(|pair| JobCells::new(clusters, *pair)).collect();
    let cells: Vec<Vec<u64>> =
        rows.iter().map(|row| jobs.iter().map(|job| job.cells(row)).collect()).collect();
    let job_share = RANK_PAIR_COST / jobs.len() as u64;
    let cost = |row: usize, job: usize| {
        let rank_pairs = if cells[row][job] > 0 { rows[row].others.len() as u64 } else { 0 };
        1 + cells[row][job] + job_share * rank_pairs
    };
    let row_cost: Vec<u64> =
        (0..rows.len()).map(|row| (0..jobs.len()).map(|job| cost(row, job)).sum()).collect();
    let total: u64 = row_cost.iter().sum();
    // Rows are not divided, so there are a few batches more than this: a third of the bound is left to them.
    let most = u64::from(MAX_SLICES) / jobs.len() as u64 * 2 / 3;
    let batches = match slice_target {
        0 => total.div_ceil(BATCH_COST).min(most),
        target => u64::from(target).div_ceil(jobs.len() as u64),
    };
    let batch_cost = total.div_ceil(batches);

    let mut slices = Vec::new();
    let mut first = 0;
    let mut batch = 0;
    while first < rows.len() {
        let mut held = vec![0; jobs.len()];
        let mut spent = 0;
        let mut end = first;
        while end < rows.len() {
            let fits = held.iter().zip(&cells[end]).all(|(held, more)| held + more <= MAX_CELLS);
            if end > first && (!fits || spent + row_cost[end] / 2 > batch_cost) {
                break;
            }
            held.iter_mut().zip(&cells[end]).for_each(|(held, more)| *held += more);
            spent += row_cost[end];
            end += 1;
        }
        for (job, elements) in held.into_iter().enumerate() {
            slices.push(Slice {
                id: SliceId(slices.len() as u32),
                job: JobIndex(job as u32),
                first_row: first as u32,
                rows: (end - first) as u32,
                elements,
                raw_bytes: elements * CELL_BYTES,
                cost: (first..end).map(|row| cost(row, job)).sum(),
                batch,
            });
        }
        first = end;
        batch += 1;
    }
    let jobs = matrix
        .pairs
        .iter()
        .zip(&jobs)
        .map(|(pair, job)| Job {
            name: job_name(clusters, *pair),
            family: Family::of(job.first.pattern, job.second.pattern).to_string(),
            rows: rows.len() as u32,
        })
        .collect();
    Plan::new(jobs, slices)
}
