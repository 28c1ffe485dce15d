//! Copies of slices that take too long: for workers that have nothing else to do.

use std::collections::BTreeMap;

use fulldeck_job::SliceId;
use fulldeck_proto::MAX_LEASED_SLICES;

use super::core::Core;
use super::ids::AttemptKey;
use super::slice::SliceState;
use super::worker::Attempt;
use super::{
    Lease, MAX_COPIES_PERCENT, MIN_STRAGGLER_AGE, Millis, Notice, SECOND_STRAGGLER_FACTOR,
    STRAGGLER_FACTOR, SessionId,
};

impl Core {
    /// Leases a second attempt of a batch that another host has had for too long. The first good result wins; the other
    /// attempt is cancelled with its next heartbeat.
    pub(super) fn copy_straggler(
        &mut self,
        now: Millis,
        session: SessionId,
    ) -> Vec<(AttemptKey, Lease)> {
        let Some((number, slices)) = self.straggling(now, session) else { return Vec::new() };
        if let Some(run) = self.runs.get_mut(&number) {
            run.copies += slices.len() as u64;
            for slice in &slices {
                let trouble = run.troubles.entry(*slice).or_default();
                trouble.copies = trouble.copies.saturating_add(1);
                trouble.remember("took too long: leased to a second worker".to_owned());
            }
        }
        for slice in &slices {
            self.tell(Notice::Copied { run: number, slice: *slice, session });
        }
        self.hand_out(now, session, number, &slices)
    }

    /// The slices of one batch that take too long, the longest first, and that this worker may have.
    fn straggling(&self, now: Millis, session: SessionId) -> Option<(u32, Vec<SliceId>)> {
        let worker = self.workers.get(&session)?;
        if worker.about.host_key.is_empty() || !worker.attempts.is_empty() {
            return None;
        }
        let mut batches: BTreeMap<(Millis, u32, u32), Vec<SliceId>> = BTreeMap::new();
        for attempt in self.attempts.values() {
            let Some(run) = self.runs.get(&attempt.run) else { continue };
            let host = attempt.session.map(|other| self.host_of(other)).unwrap_or_default();
            let elsewhere = !host.is_empty() && host != worker.about.host_key;
            if elsewhere && self.admits(now, worker, run).is_ok() && self.is_late(now, attempt) {
                let batch = run.batch_position(attempt.slice);
                let key = (attempt.since, attempt.run, batch);
                batches.entry(key).or_default().push(attempt.slice);
            }
        }
        let ((_, number, _), mut slices) = batches.pop_first()?;
        let run = &self.runs[&number];
        let all = run.plan.slices().len() as u64;
        let left = (all * MAX_COPIES_PERCENT / 100).max(1).saturating_sub(run.copies);
        slices.truncate(MAX_LEASED_SLICES.min(usize::try_from(left).unwrap_or(usize::MAX)));
        (!slices.is_empty()).then_some((number, slices))
    }

    fn is_late(&self, now: Millis, attempt: &Attempt) -> bool {
        let run = &self.runs[&attempt.run];
        let SliceState::Leased(holders) = run.state(attempt.slice) else { return false };
        if holders.iter().count() != 1 {
            return false;
        }
        let Some(planned) = run.planned(attempt.slice) else { return false };
        let Some(median) = run.median_pace(planned.job) else { return false };
        let copies = run.troubles.get(&attempt.slice).map_or(0, |trouble| trouble.copies);
        let factor = if copies == 0 { STRAGGLER_FACTOR } else { SECOND_STRAGGLER_FACTOR };
        now.since(attempt.since) > MIN_STRAGGLER_AGE.max(Millis(median.0.saturating_mul(factor)))
    }
}
