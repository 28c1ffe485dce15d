//! Cutting rows of known cost into slices.

use std::ops::Range;

use fulldeck_job::{JobIndex, Slice, SliceId};

/// What the slices of a job have in common.
pub(super) struct Cut {
    /// The job.
    pub(super) job: JobIndex,
    /// Cost that a slice should have.
    pub(super) cost: u64,
    /// Most rows of a slice.
    pub(super) most_rows: u32,
}

impl Cut {
    /// Appends slices over `costs` of rows; `size` tells elements and bytes of a range of rows.
    pub(super) fn append(
        &self,
        slices: &mut Vec<Slice>,
        costs: &[u64],
        size: impl Fn(Range<u32>) -> (u64, u64),
    ) {
        let rows = costs.len() as u32;
        let mut first = 0;
        while first < rows {
            let mut end = first;
            let mut cost = 0;
            while end < rows && end - first < self.most_rows {
                let next = costs[end as usize];
                // Half of a row may be too much: so slices are about right on average.
                if end > first && cost + next / 2 > self.cost {
                    break;
                }
                cost += next;
                end += 1;
            }
            let (elements, raw_bytes) = size(first..end);
            let id = slices.len() as u32;
            slices.push(Slice {
                id: SliceId(id),
                job: self.job,
                first_row: first,
                rows: end - first,
                elements,
                raw_bytes,
                cost: cost.max(1),
                batch: id,
            });
            first = end;
        }
    }
}

/// Rows of a slice.
pub(super) const fn rows(slice: &Slice) -> Range<u32> {
    slice.first_row..slice.first_row + slice.rows
}

/// Cost of a slice: what the planner likes, or the share of `wanted` slices.
pub(super) fn cost_of_slice(total: u64, usual: u64, wanted: u32) -> u64 {
    if wanted == 0 { usual } else { total.div_ceil(u64::from(wanted)).max(1) }
}
