//! A run's slices, counted and indexed so that the next batch to lease is found without looking at them all.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use fulldeck_job::{Digest, Fingerprint, JobIndex, Plan, Slice, SliceId};
use fulldeck_proto::MAX_LEASED_SLICES;

use super::checks::Doubt;
use super::pace::Pace;
use super::slice::{Holders, Phase, SliceState};
use super::trouble::{Care, Trouble};
use super::{
    HARD_LIMIT_FACTOR, MIN_HARD_LIMIT, Millis, PACES_REMEMBERED, RunSeed,
    STRAGGLER_FINISHED_PERCENT, UNMEASURED_HARD_LIMIT,
};
use crate::store::RunControl;

/// Slices that share work. Numbered here by position, in the order of their first slices.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) slices: Vec<SliceId>,
    /// Some of it came back: it goes first.
    pub(super) put_back: bool,
    /// Not leased before this.
    pub(super) not_before: Millis,
    /// Where it stands among those that can be leased, if it does.
    listed: Option<Rank>,
}

/// Position of a batch in the order of leasing: by urgency, then by plan.
type Rank = (Urgency, u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    PutBack,
    Planned,
    /// Only results that are to be found again.
    Checks,
}

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
    pub(super) control: RunControl,
    slices: Vec<SliceState>,
    batches: Vec<Batch>,
    batch_of: Vec<u32>,
    ready: BTreeSet<Rank>,
    focus: BTreeSet<JobIndex>,
    jobs: Vec<JobCounts>,
    /// Reasons of the parked slices.
    pub(super) parked: BTreeMap<SliceId, String>,
    /// Results that were found for doubted slices.
    pub(super) doubts: BTreeMap<SliceId, Doubt>,
    /// Slices that rest on the word of one host alone, if results are checked at all.
    pub(super) unchecked: BTreeMap<SliceId, String>,
    /// Results that another host confirmed, and those that only the same host did.
    pub(super) confirmed: u64,
    pub(super) confirmed_alone: u64,
    /// Copies that were leased of slices that took too long.
    pub(super) copies: u64,
    /// How long the last finished slices of each job took from lease to result.
    paces: Vec<VecDeque<Millis>>,
    /// What went wrong with slices that are open.
    pub(super) troubles: BTreeMap<SliceId, Trouble>,
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
                    listed: Some((Urgency::Planned, batches.len() as u32)),
                });
                batches.len() as u32 - 1
            });
            batches[position as usize].slices.push(slice.id);
            batch_of.push(position);
            let job = &mut jobs[slice.job.0 as usize];
            job.slices += 1;
            job.cost += slice.cost;
        }
        let slices = vec![SliceState::Waiting; batch_of.len()];
        let mut run = Self {
            fingerprint: seed.fingerprint,
            workload: seed.workload.clone(),
            algorithm_version: seed.algorithm_version,
            plan,
            control: seed.decided.control,
            slices,
            ready: batches.iter().filter_map(|batch| batch.listed).collect(),
            batches,
            batch_of,
            focus: BTreeSet::new(),
            jobs,
            parked: BTreeMap::new(),
            doubts: BTreeMap::new(),
            unchecked: BTreeMap::new(),
            confirmed: 0,
            confirmed_alone: 0,
            copies: 0,
            paces: vec![VecDeque::new(); seed.plan.jobs().len()],
            troubles: BTreeMap::new(),
            mismatched: 0,
            pace: Pace::default(),
            last_commit: None,
            measured_ms: 0,
            measured_cost: 0,
        };
        for (slice, digest) in &seed.committed {
            run.set(*slice, SliceState::Committed(*digest), Millis::default());
        }
        for (slice, reason) in &seed.decided.parked {
            if run.planned(*slice).is_some() && run.state(*slice) == SliceState::Waiting {
                run.park(*slice, reason.clone(), Millis::default());
            }
        }
        run
    }

    /// The slice as planned.
    pub(super) fn planned(&self, slice: SliceId) -> Option<&Slice> {
        self.plan.slice(slice)
    }

    pub(super) fn state(&self, slice: SliceId) -> SliceState {
        self.slices[slice.0 as usize]
    }

    /// How carefully a slice is leased.
    pub(super) fn care(&self, slice: SliceId) -> Care {
        self.troubles.get(&slice).map_or(Care::Together, Trouble::care)
    }

    /// Gives a slice up.
    pub(super) fn park(&mut self, slice: SliceId, reason: String, now: Millis) {
        if self.state(slice) != SliceState::Parked {
            self.set(slice, SliceState::Parked, now);
        }
        self.parked.insert(slice, reason);
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
        let held = &mut self.slices[slice.0 as usize];
        let (before, after) = (held.phase(), state.phase());
        *held = state;
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
        // Checks come last, whatever came back first.
        let is_check = matches!(state, SliceState::Doubted { .. });
        if after == Phase::Waiting && before != Phase::Waiting && !is_check {
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
        let batch = &self.batches[position as usize];
        let waiting = || batch.slices.iter().copied().filter(|slice| self.is_leasable(*slice));
        let urgency = match waiting().any(|slice| self.state(slice) == SliceState::Waiting) {
            true if batch.put_back => Urgency::PutBack,
            true => Urgency::Planned,
            false => Urgency::Checks,
        };
        let rank =
            (batch.not_before <= now && waiting().next().is_some()).then_some((urgency, position));
        let before = std::mem::replace(&mut self.batches[position as usize].listed, rank);
        if before != rank {
            before.iter().for_each(|rank| _ = self.ready.remove(rank));
            self.ready.extend(rank);
        }
    }

    fn is_leasable(&self, slice: SliceId) -> bool {
        self.state(slice).phase() == Phase::Waiting && self.is_wanted(slice)
    }

    /// Whether the job of a slice is computed now.
    pub(super) fn is_wanted(&self, slice: SliceId) -> bool {
        self.in_focus(self.plan.slices()[slice.0 as usize].job)
    }

    fn in_focus(&self, job: JobIndex) -> bool {
        self.focus.is_empty() || self.focus.contains(&job)
    }

    /// Doubts of an earlier start: it is not known any more who found the stored results.
    pub(super) fn doubt_again(&mut self, slices: &BTreeSet<SliceId>, now: Millis) {
        for slice in slices {
            if self.planned(*slice).is_some()
                && let SliceState::Committed(digest) = self.state(*slice)
            {
                self.doubts.insert(*slice, Doubt::new("", digest));
                self.set(*slice, SliceState::Doubted { digest, holders: Holders::default() }, now);
            }
        }
    }

    /// Leases only slices of these jobs from now on; of all jobs if there are none.
    pub(super) fn set_focus(&mut self, jobs: BTreeSet<JobIndex>, now: Millis) {
        self.focus = jobs;
        for position in 0..self.batches.len() as u32 {
            self.refresh(position, now);
        }
    }

    /// The slices to lease next: of the first batch those that need the least care (what brought one down must not
    /// bring down the others again). To a worker that has something else, only those that need none.
    /// Only slices that `may` be leased to it.
    pub(super) fn next_batch(
        &self,
        idle: bool,
        may: impl Fn(SliceId) -> bool,
    ) -> Option<(Vec<SliceId>, Care)> {
        self.ready.iter().find_map(|(_, position)| {
            let slices = &self.batch(*position).slices;
            let leasable = |slice: &SliceId| self.is_leasable(*slice) && may(*slice);
            let waiting = || slices.iter().copied().filter(leasable);
            let care = waiting().map(|slice| self.care(slice)).min()?;
            if care != Care::Together && !idle {
                return None;
            }
            let most = if care == Care::SliceAlone { 1 } else { MAX_LEASED_SLICES };
            Some((waiting().filter(|slice| self.care(*slice) == care).take(most).collect(), care))
        })
    }

    /// Whether anything can be leased now, to whomever.
    pub(super) fn has_ready(&self) -> bool {
        self.control == RunControl::Open && !self.ready.is_empty()
    }

    /// Until when the batch of a slice is held back, if it is.
    pub(super) fn held_back(&self, slice: SliceId, now: Millis) -> Option<Millis> {
        let until = self.batch(self.batch_position(slice)).not_before;
        (until > now).then_some(until)
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
        self.control != RunControl::Cancelled
            && self.focused().any(|job| job.committed + job.parked < job.slices)
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
        self.troubles.remove(&slice);
        self.doubts.remove(&slice);
        self.unchecked.remove(&slice);
        let cost = self.plan.slices()[slice.0 as usize].cost;
        self.last_commit = Some(now);
        self.pace.commit(live, cost);
        self.measured_ms = self.measured_ms.saturating_add(compute_ms);
        self.measured_cost = self.measured_cost.saturating_add(cost);
    }

    /// A slice was computed so long after it had been leased.
    pub(super) fn note_pace(&mut self, slice: SliceId, took: Millis) {
        let job = self.plan.slices()[slice.0 as usize].job.0 as usize;
        let paces = &mut self.paces[job];
        if paces.len() == PACES_REMEMBERED {
            paces.pop_front();
        }
        paces.push_back(took);
    }

    /// How long slices of a job take from lease to result, once enough of them are finished to say so.
    pub(super) fn median_pace(&self, job: JobIndex) -> Option<Millis> {
        let counts = &self.jobs[job.0 as usize];
        let finished = u64::from(counts.committed) * 100;
        if finished < u64::from(counts.slices) * STRAGGLER_FINISHED_PERCENT {
            return None;
        }
        let mut paces: Vec<_> = self.paces[job.0 as usize].iter().copied().collect();
        let middle = paces.len() / 2;
        (!paces.is_empty()).then(|| *paces.select_nth_unstable(middle).1)
    }

    /// How long these slices may be computed together.
    pub(super) fn hard_limit(&self, slices: &[SliceId]) -> Millis {
        let Some(Millis(expected)) = self.expected(slices) else { return UNMEASURED_HARD_LIMIT };
        Millis(expected.saturating_mul(HARD_LIMIT_FACTOR)).max(MIN_HARD_LIMIT)
    }

    /// How long these slices take together, by what was measured so far.
    pub(super) fn expected(&self, slices: &[SliceId]) -> Option<Millis> {
        if self.measured_cost == 0 {
            return None;
        }
        let cost: u128 =
            slices.iter().map(|slice| u128::from(self.plan.slices()[slice.0 as usize].cost)).sum();
        let expected = cost * u128::from(self.measured_ms) / u128::from(self.measured_cost);
        Some(Millis(u64::try_from(expected).unwrap_or(u64::MAX)))
    }

    /// Recounts everything from the slices' states and compares.
    #[cfg(test)]
    pub(super) fn check(&self, now: Millis) {
        let mut jobs = vec![JobCounts::default(); self.jobs.len()];
        for (slice, state) in self.plan.slices().iter().zip(&self.slices) {
            let job = &mut jobs[slice.job.0 as usize];
            job.slices += 1;
            job.cost += slice.cost;
            match state.phase() {
                Phase::Waiting => {}
                Phase::Leased => job.leased += 1,
                Phase::Committed => {
                    job.committed += 1;
                    job.committed_cost += slice.cost;
                    assert!(!self.troubles.contains_key(&slice.id), "trouble of a durable slice");
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
            let listed = batch.listed.is_some_and(|rank| self.ready.contains(&rank));
            assert!(!listed || waits, "batch {position} is listed with nothing to lease");
            assert!(listed || !waits || batch.not_before > now, "batch {position} is forgotten");
        }
        let listed: BTreeSet<_> = self.ready.iter().map(|(_, position)| *position).collect();
        assert_eq!(listed.len(), self.ready.len(), "a batch is listed twice");
    }
}
