//! How a run is cut: jobs (what a person watches) and slices (what is leased, computed and checkpointed).

use serde::{Deserialize, Serialize};

use crate::{Digest, MAX_RESULT_BYTES, MAX_SLICES};

/// Index of a job in its plan.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct JobIndex(pub u32);

/// Index of a slice in its plan. Slices are numbered in the order in which they are best computed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct SliceId(pub u32);

/// One group combination of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Name, unique in the plan, e.g. `aabc-aabb`.
    pub name: String,
    /// The larger family it belongs to, for people, e.g. `one suit x two suits`; may be empty.
    pub family: String,
    /// Number of rows; the slices of the job tile `0..rows` in order.
    pub rows: u32,
}

/// A block of rows of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Position in the plan.
    pub id: SliceId,
    /// The job whose rows these are.
    pub job: JobIndex,
    /// First row within the job.
    pub first_row: u32,
    /// Number of rows, at least one.
    pub rows: u32,
    /// Number of elements in the result (what an element is, the workload says).
    pub elements: u64,
    /// Length of the raw result in bytes.
    pub raw_bytes: u64,
    /// Estimated cost in the workload's own unit; only ratios within a run mean anything.
    pub cost: u64,
    /// Slices of one batch share work: they are leased together and computed by one call where possible.
    pub batch: u32,
}

/// Jobs and slices of a run: a pure function of its specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    jobs: Vec<Job>,
    slices: Vec<Slice>,
    total_cost: u64,
}

/// Why a list of slices is not a plan. Every case is a defect of the workload's planner, or a run too large.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Beyond [`MAX_SLICES`].
    #[error("the plan has {0} slices, more than the {MAX_SLICES} a run may have")]
    TooManySlices(usize),
    /// Beyond [`MAX_RESULT_BYTES`].
    #[error("slice {slice} would produce {bytes} bytes, more than the {MAX_RESULT_BYTES} allowed")]
    SliceTooLarge {
        /// Slice.
        slice: u32,
        /// Its raw size.
        bytes: u64,
    },
    /// The slices of a job do not tile its rows in order.
    #[error("job {job}: slices leave a gap or overlap at row {row}")]
    NotTiled {
        /// Name of the job.
        job: String,
        /// First row at fault.
        row: u32,
    },
    /// Zero cost, zero rows, misnumbered, or a job that does not exist.
    #[error("slice {0} is malformed")]
    Malformed(u32),
}

impl Plan {
    /// Checks that `slices` are numbered in order, cost something, fit the bounds, and tile every job's rows
    /// without gap or overlap.
    ///
    /// # Errors
    /// [`PlanError`], naming the first slice or row at fault.
    pub fn new(jobs: Vec<Job>, slices: Vec<Slice>) -> Result<Self, PlanError> {
        if slices.len() > MAX_SLICES as usize {
            return Err(PlanError::TooManySlices(slices.len()));
        }
        let mut next_row = vec![0u32; jobs.len()];
        let mut total_cost = 0u64;
        for (position, slice) in slices.iter().enumerate() {
            let job = slice.job.0 as usize;
            let malformed = PlanError::Malformed(slice.id.0);
            if slice.id.0 as usize != position || slice.cost == 0 || slice.rows == 0 {
                return Err(malformed);
            }
            if slice.raw_bytes > MAX_RESULT_BYTES as u64 {
                return Err(PlanError::SliceTooLarge { slice: slice.id.0, bytes: slice.raw_bytes });
            }
            let row = next_row.get_mut(job).ok_or_else(|| malformed.clone())?;
            if slice.first_row != *row {
                return Err(PlanError::NotTiled { job: jobs[job].name.clone(), row: *row });
            }
            *row = row.checked_add(slice.rows).ok_or_else(|| malformed.clone())?;
            total_cost = total_cost.checked_add(slice.cost).ok_or(malformed)?;
        }
        for (job, row) in jobs.iter().zip(next_row) {
            if row != job.rows {
                return Err(PlanError::NotTiled { job: job.name.clone(), row });
            }
        }
        Ok(Self { jobs, slices, total_cost })
    }

    /// The jobs, by [`JobIndex`].
    #[must_use]
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// The slices, by [`SliceId`].
    #[must_use]
    pub fn slices(&self) -> &[Slice] {
        &self.slices
    }

    /// The slices of one job, in order.
    pub fn slices_of(&self, job: JobIndex) -> impl Iterator<Item = &Slice> {
        self.slices.iter().filter(move |slice| slice.job == job)
    }

    /// One slice, or `None` if the plan has no such number.
    #[must_use]
    pub fn slice(&self, id: SliceId) -> Option<&Slice> {
        self.slices.get(id.0 as usize)
    }

    /// One job, or `None` if the plan has no such number.
    #[must_use]
    pub fn job(&self, index: JobIndex) -> Option<&Job> {
        self.jobs.get(index.0 as usize)
    }

    /// Index of the job called `name`.
    #[must_use]
    pub fn job_named(&self, name: &str) -> Option<JobIndex> {
        self.jobs.iter().position(|job| job.name == name).map(|index| JobIndex(index as u32))
    }

    /// Sum of the slices' costs.
    #[must_use]
    pub fn total_cost(&self) -> u64 {
        self.total_cost
    }

    /// Digest of the whole plan: two processes with equal digests cut the run alike.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut bytes = Vec::with_capacity(64 * self.slices.len());
        for job in &self.jobs {
            for text in [&job.name, &job.family] {
                bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
                bytes.extend_from_slice(text.as_bytes());
            }
            bytes.extend_from_slice(&job.rows.to_le_bytes());
        }
        for slice in &self.slices {
            for word in [slice.job.0, slice.first_row, slice.rows, slice.batch] {
                bytes.extend_from_slice(&word.to_le_bytes());
            }
            for word in [slice.elements, slice.raw_bytes, slice.cost] {
                bytes.extend_from_slice(&word.to_le_bytes());
            }
        }
        Digest::of(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(rows: u32) -> Job {
        Job { name: "a".into(), family: String::new(), rows }
    }

    fn slice(id: u32, first_row: u32, rows: u32) -> Slice {
        Slice {
            id: SliceId(id),
            job: JobIndex(0),
            first_row,
            rows,
            elements: 1,
            raw_bytes: 8,
            cost: 5,
            batch: 0,
        }
    }

    #[test]
    fn a_plan_tiles_its_jobs() {
        let plan = Plan::new(vec![job(5)], vec![slice(0, 0, 2), slice(1, 2, 3)]).unwrap();
        assert_eq!(plan.total_cost(), 10);
        assert_eq!(plan.job_named("a"), Some(JobIndex(0)));
        let other = Plan::new(vec![job(5)], vec![slice(0, 0, 3), slice(1, 3, 2)]).unwrap();
        assert_ne!(plan.digest(), other.digest());
    }

    #[test]
    fn gaps_overlaps_and_short_jobs_are_refused() {
        for slices in [
            vec![slice(0, 0, 2), slice(1, 3, 2)],
            vec![slice(0, 0, 3), slice(1, 2, 3)],
            vec![slice(0, 0, 4)],
        ] {
            assert!(matches!(Plan::new(vec![job(5)], slices), Err(PlanError::NotTiled { .. })));
        }
        assert_eq!(Plan::new(vec![job(5)], vec![slice(1, 0, 5)]), Err(PlanError::Malformed(1)));
    }
}
