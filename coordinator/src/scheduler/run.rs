//! A run's slices, counted and indexed so that the next batch to lease is found without looking at them all.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fulldeck_job::{Digest, Fingerprint, JobIndex, Plan, Slice, SliceId};
use fulldeck_proto::MAX_LEASED_SLICES;

use super::pace::Pace;
use super::slice::{Entry, Phase, SliceState};
use super::{HARD_LIMIT_FACTOR, MIN_HARD_LIMIT, Millis, RunSeed, UNMEASURED_HARD_LIMIT};

/// Slices that share work. Numbered here by position, in the order of their first slices.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) slices: Vec<SliceId>,
    /// Some of it came back: it goes first.
    pub(super) put_back: bool,
    /// Not leased before this.
    pub(super) not_before: Millis,
}

/// Position of a batch in the order of leasing: what was put back first, then plan order.
type Rank = (bool, u32);

/// Counts of one job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct JobCounts {
    pub(super) slices: u32,
    pub(super) leased: u32,
    pub(super) committed: u32,
    pub(super) parked: u32,
    pub(super) cost: u64,
    pub(super) committed_cost: u64,
    pub(super) parked_cost: u64,
}

#[derive(Debug)]
pub(super) struct Run {
    pub(super) fingerprint: Fingerprint,
    pub(super) workload: String,
    pub(super) algorithm_version: u32,
    pub(super) plan: Arc<Plan>,
    slices: Vec<Entry>,
    batches: Vec<Batch>,
    batch_of: Vec<u32>,
    ready: BTreeSet<Rank>,
    focus: BTreeSet<JobIndex>,
    jobs: Vec<JobCounts>,
    /// Reasons of the parked slices.
    pub(super) parked: BTreeMap<SliceId, String>,
    pub(super) mismatched: u64,
    pub(super) pace: Pace,
    pub(super) last_commit: Option<Millis>,
    measured_ms: u64,
    measured_cost: u64,
}

impl Run {
    pub(super) fn new(seed: &RunSeed) -> Self {
        let plan = Arc::clone(&seed.plan);
        let mut positions = BTreeMap::new();
        let mut batches: Vec<Batch> = Vec::new();
        let mut batch_of = Vec::with_capacity(plan.slices().len());
        let mut jobs = vec![JobCounts::default(); plan.jobs().len()];
        for slice in plan.slices() {
            let position = *positions.entry(slice.batch).or_insert_with(|| {
                batches.push(Batch {
                    slices: Vec::new(),
                    put_back: false,
                    not_before: Millis::default(),
                });
                batches.len() as u32 - 1
            });
            batches[position as usize].slices.push(slice.id);
            batch_of.push(position);
            let job = &mut jobs[slice.job.0 as usize];
            job.slices += 1;
            job.cost += slice.cost;
        }
        let slices = vec![Entry { state: SliceState::Waiting, failures: 0 }; batch_of.len()];
        let mut run = Self {
            fingerprint: seed.fingerprint,
            workload: seed.workload.clone(),
            algorithm_version: seed.algorithm_version,
            plan,
            slices,
            ready: (0..batches.len() as u32).map(|position| (true, position)).collect(),
            batches,
            batch_of,
            focus: BTreeSet::new(),
            jobs,
            parked: BTreeMap::new(),
            mismatched: 0,
            pace: Pace::default(),
            last_commit: None,
            measured_ms: 0,
            measured_cost: 0,
        };
        for (slice, digest) in &seed.committed {
            run.set(*slice, SliceState::Committed(*digest), Millis::default());
        }
        run
    }

    /// The slice as planned.
    pub(super) fn planned(&self, slice: SliceId) -> Option<&Slice> {
        self.plan.slice(slice)
    }

    pub(super) fn state(&self, slice: SliceId) -> SliceState {
        self.slices[slice.0 as usize].state
    }

    pub(super) fn failures(&self, slice: SliceId) -> u8 {
        self.slices[slice.0 as usize].failures
    }

    /// One more counted failure; returns how many there are.
    pub(super) fn count_failure(&mut self, slice: SliceId) -> u8 {
        let failures = &mut self.slices[slice.0 as usize].failures;
        *failures = failures.saturating_add(1);
        *failures
    }

    pub(super) fn batch_position(&self, slice: SliceId) -> u32 {
        self.batch_of[slice.0 as usize]
    }

    pub(super) fn batch(&self, position: u32) -> &Batch {
        &self.batches[position as usize]
    }

    /// Changes a slice's state and everything that is counted or indexed by it.
    pub(super) fn set(&mut self, slice: SliceId, state: SliceState, now: Millis) {
        let planned = self.plan.slices()[slice.0 as usize];
        let entry = &mut self.slices[slice.0 as usize];
        let (before, after) = (entry.state.phase(), state.phase());
        entry.state = state;
        let job = &mut self.jobs[planned.job.0 as usize];
        match before {
            Phase::Waiting => {}
            Phase::Leased => job.leased -= 1,
            Phase::Committed => {
                job.committed -= 1;
                job.committed_cost -= planned.cost;
            }
            Phase::Parked => {
                job.parked -= 1;
                job.parked_cost -= planned.cost;
                self.parked.remove(&slice);
            }
        }
        match after {
            Phase::Waiting => {}
            Phase::Leased => job.leased += 1,
            Phase::Committed => {
                job.committed += 1;
                job.committed_cost += planned.cost;
            }
            Phase::Parked => {
                job.parked += 1;
                job.parked_cost += planned.cost;
            }
        }
        let position = self.batch_position(slice);
        if after == Phase::Waiting && before != Phase::Waiting {
            self.ready.remove(&self.rank(position));
            self.batches[position as usize].put_back = true;
        }
        self.refresh(position, now);
    }

    /// Keeps a batch back until `until`.
    pub(super) fn hold_back(&mut self, position: u32, until: Millis, now: Millis) {
        let batch = &mut self.batches[position as usize];
        batch.not_before = batch.not_before.max(until);
        self.refresh(position, now);
    }

    /// Puts a batch into the set of those that can be leased, or takes it out.
    pub(super) fn refresh(&mut self, position: u32, now: Millis) {
        let rank = self.rank(position);
        let batch = &self.batches[position as usize];
        if batch.not_before <= now && batch.slices.iter().any(|slice| self.is_leasable(*slice)) {
            self.ready.insert(rank);
        } else {
            self.ready.remove(&rank);
        }
    }

    fn rank(&self, position: u32) -> Rank {
        (!self.batches[position as usize].put_back, position)
    }

    fn is_leasable(&self, slice: SliceId) -> bool {
        self.state(slice) == SliceState::Waiting
            && self.in_focus(self.plan.slices()[slice.0 as usize].job)
    }

    fn in_focus(&self, job: JobIndex) -> bool {
        self.focus.is_empty() || self.focus.contains(&job)
    }

    /// Leases only slices of these jobs from now on; of all jobs if there are none.
    pub(super) fn set_focus(&mut self, jobs: BTreeSet<JobIndex>, now: Millis) {
        self.focus = jobs;
        for position in 0..self.batches.len() as u32 {
            self.refresh(position, now);
        }
    }

    /// The batch to lease next, and its slices: all that wait, or one alone if all of them have failed before (what
    /// brought one down must not bring down the others again).
    pub(super) fn next_batch(&self) -> Option<(u32, Vec<SliceId>)> {
        let (_, position) = *self.ready.first()?;
        let waiting =
            || self.batch(position).slices.iter().copied().filter(|slice| self.is_leasable(*slice));
        let sound: Vec<_> =
            waiting().filter(|slice| self.failures(*slice) == 0).take(MAX_LEASED_SLICES).collect();
        let slices = if sound.is_empty() { waiting().take(1).collect() } else { sound };
        Some((position, slices))
    }

    /// The focused jobs' counts, or all of them.
    fn focused(&self) -> impl Iterator<Item = &JobCounts> {
        self.jobs
            .iter()
            .enumerate()
            .filter(|(index, _)| self.in_focus(JobIndex(*index as u32)))
            .map(|(_, job)| job)
    }

    /// Whether anything in focus is left to lease or to wait for.
    pub(super) fn is_open(&self) -> bool {
        self.focused().any(|job| job.committed + job.parked < job.slices)
    }

    /// Planned cost in focus that is neither committed nor parked.
    pub(super) fn open_cost(&self) -> u64 {
        self.focused().map(|job| job.cost - job.committed_cost - job.parked_cost).sum()
    }

    pub(super) fn jobs(&self) -> &[JobCounts] {
        &self.jobs
    }

    /// A slice was committed now: its cost and computing time are known.
    pub(super) fn committed(
        &mut self,
        slice: SliceId,
        digest: Digest,
        compute_ms: u64,
        now: Millis,
        live: Millis,
    ) {
        self.set(slice, SliceState::Committed(digest), now);
        let cost = self.plan.slices()[slice.0 as usize].cost;
        self.last_commit = Some(now);
        self.pace.commit(live, cost);
        self.measured_ms = self.measured_ms.saturating_add(compute_ms);
        self.measured_cost = self.measured_cost.saturating_add(cost);
    }

    /// How long these slices may be computed together.
    pub(super) fn hard_limit(&self, slices: &[SliceId]) -> Millis {
        if self.measured_cost == 0 {
            return UNMEASURED_HARD_LIMIT;
        }
        let cost: u128 =
            slices.iter().map(|slice| u128::from(self.plan.slices()[slice.0 as usize].cost)).sum();
        let expected = cost * u128::from(self.measured_ms) / u128::from(self.measured_cost);
        let limit = expected.saturating_mul(u128::from(HARD_LIMIT_FACTOR));
        Millis(u64::try_from(limit).unwrap_or(u64::MAX)).max(MIN_HARD_LIMIT)
    }

    /// Recounts everything from the slices' states and compares.
    #[cfg(test)]
    pub(super) fn check(&self, now: Millis) {
        let mut jobs = vec![JobCounts::default(); self.jobs.len()];
        for (slice, entry) in self.plan.slices().iter().zip(&self.slices) {
            let job = &mut jobs[slice.job.0 as usize];
            job.slices += 1;
            job.cost += slice.cost;
            match entry.state.phase() {
                Phase::Waiting => {}
                Phase::Leased => job.leased += 1,
                Phase::Committed => {
                    job.committed += 1;
                    job.committed_cost += slice.cost;
                }
                Phase::Parked => {
                    job.parked += 1;
                    job.parked_cost += slice.cost;
                    assert!(self.parked.contains_key(&slice.id), "a parked slice has a reason");
                }
            }
        }
        assert_eq!(jobs, self.jobs);
        for position in 0..self.batches.len() as u32 {
            let batch = self.batch(position);
            let waits = batch.slices.iter().any(|slice| self.is_leasable(*slice));
            // An alarm that is due now may not have been handled yet, never the other way round.
            let listed = self.ready.contains(&self.rank(position));
            assert!(!listed || waits, "batch {position} is listed with nothing to lease");
            assert!(listed || !waits || batch.not_before > now, "batch {position} is forgotten");
        }
        let listed: BTreeSet<_> = self.ready.iter().map(|(_, position)| *position).collect();
        assert_eq!(listed.len(), self.ready.len(), "a batch is listed twice");
    }
}
