//! Cutting the grid: one job a basket, slices of its positions.

use fulldeck_job::{Job, JobIndex, Plan, PlanError, Slice, SliceId};

use super::Point;
use super::artifact::PAYLOAD_BYTES;

/// Cost of a slice when the planner may choose, in units of roughly a nanosecond.
const SLICE_COST: u64 = 200_000_000;
/// Cost of a slice without its positions.
const BASE_COST: u64 = 10_000;

/// Cost of all positions of a basket: every colour is looked at in each.
pub(super) fn cost_of(point: &Point) -> u64 {
    BASE_COST + point.positions * (2 + u64::from(point.colours)) / 4
}

pub(super) fn plan(points: &[Point], slice_target: u32) -> Result<Plan, PlanError> {
    let total: u64 = points.iter().map(cost_of).sum();
    let slice_cost = match slice_target {
        0 => SLICE_COST,
        target => total.div_ceil(target.into()).max(1),
    };
    let mut slices: Vec<Slice> = Vec::new();
    for (job, point) in (0u32..).zip(points) {
        let parts = cost_of(point).div_ceil(slice_cost).min(point.positions);
        let rows = point.positions.div_ceil(parts);
        for first_row in (0..point.positions).step_by(rows as usize) {
            let id = slices.len() as u32;
            let rows = rows.min(point.positions - first_row);
            slices.push(Slice {
                id: SliceId(id),
                job: JobIndex(job),
                first_row: first_row as u32,
                rows: rows as u32,
                elements: rows,
                raw_bytes: PAYLOAD_BYTES as u64,
                cost: cost_of(&Point { positions: rows, ..*point }),
                batch: id,
            });
        }
    }
    let jobs = points.iter().map(|point| Job {
        name: format!("{}-colours-{}-balls", point.colours, point.balls),
        family: format!("{} colours", point.colours),
        rows: point.positions as u32,
    });
    Plan::new(jobs.collect(), slices)
}
