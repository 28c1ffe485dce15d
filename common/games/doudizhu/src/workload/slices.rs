//! Cutting jobs of equal rows into slices.

use fulldeck_job::{Job, JobIndex, Plan, PlanError, Slice, SliceId};

/// A job whose rows cost the same.
pub(super) struct EvenJob {
    pub(super) name: String,
    pub(super) family: &'static str,
    pub(super) rows: u32,
    /// Bytes of a row's result.
    pub(super) row_bytes: u64,
    /// Cost of a row in nanoseconds of one core.
    pub(super) row_cost: u64,
}

/// Cost of a slice when the planner may choose: a third of a second of one core.
const SLICE_COST: u64 = 333_000_000;
/// Largest result of a slice.
const MAX_SLICE_BYTES: u64 = 4 << 20;

/// One slice after the other, the jobs in order; `slice_target` slices if that is possible and not 0.
pub(super) fn cut(jobs: Vec<EvenJob>, slice_target: u32) -> Result<Plan, PlanError> {
    let total: u64 = jobs.iter().map(|job| u64::from(job.rows) * job.row_cost).sum();
    let wanted = match slice_target {
        0 => SLICE_COST,
        target => total.div_ceil(target.into()).max(1),
    };
    let mut slices = Vec::new();
    for (index, job) in jobs.iter().enumerate() {
        let most = (MAX_SLICE_BYTES / job.row_bytes).min(u64::from(job.rows));
        let rows = (wanted / job.row_cost).clamp(1, most.max(1)) as u32;
        let mut first_row = 0;
        while first_row < job.rows {
            let rows = rows.min(job.rows - first_row);
            slices.push(Slice {
                id: SliceId(slices.len() as u32),
                job: JobIndex(index as u32),
                first_row,
                rows,
                elements: rows.into(),
                raw_bytes: u64::from(rows) * job.row_bytes,
                cost: u64::from(rows) * job.row_cost,
                batch: slices.len() as u32,
            });
            first_row += rows;
        }
    }
    let jobs = jobs
        .into_iter()
        .map(|job| Job { name: job.name, family: job.family.to_owned(), rows: job.rows })
        .collect();
    Plan::new(jobs, slices)
}
