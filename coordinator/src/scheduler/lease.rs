//! Handing out work: whole batches, and calls that wait for them.

use std::collections::BTreeSet;

use fulldeck_job::SliceId;
use fulldeck_proto::MAX_LEASED_SLICES;

use super::admission::fits;
use super::alarms::Alarm;
use super::core::Core;
use super::ids::AttemptKey;
use super::trouble::Care;
use super::worker::{Attempt, Poll};
use super::{Effect, Lease, LeaseNote, MAX_LEASE_WAIT, Millis, Refusal, Reply, ReplyId, SessionId};

impl Core {
    pub(super) fn lease(
        &mut self,
        now: Millis,
        reply: ReplyId,
        session: SessionId,
        free_slots: u32,
        answer_received: u64,
        wait: Millis,
    ) {
        if let Some(reason) = self.store_failed.clone() {
            return self.refuse(reply, Refusal::StoreFailed(reason));
        }
        let Some(worker) = self.workers.get_mut(&session) else { return };
        worker.acknowledge(answer_received.min(worker.last_answer));
        // A second call means that the first one is not waited for any longer.
        if let Some(earlier) = worker.poll {
            self.poll_due(earlier);
        }
        let leases = self.grant(now, session, free_slots);
        let wait = wait.min(MAX_LEASE_WAIT);
        if !leases.is_empty() || wait == Millis(0) || self.tells_done(session) {
            return self.answer(reply, session, leases);
        }
        let until = now + wait;
        self.polls.insert(reply, Poll { session, free_slots, until });
        self.keep_watching(now);
        self.alarms.set(until, Alarm::Poll(reply));
        if let Some(worker) = self.workers.get_mut(&session) {
            worker.poll = Some(reply);
        }
    }

    /// Looks at the waiting calls again.
    pub(super) fn serve_polls(&mut self, now: Millis) {
        let waiting: Vec<_> = self.polls.iter().map(|(reply, poll)| (*reply, *poll)).collect();
        for (reply, poll) in waiting {
            let leases = self.grant(now, poll.session, poll.free_slots);
            if !leases.is_empty() || self.tells_done(poll.session) {
                self.forget_poll(reply);
                self.answer(reply, poll.session, leases);
            }
        }
    }

    /// A call has waited long enough, or is not waited for any longer.
    pub(super) fn poll_due(&mut self, reply: ReplyId) {
        if let Some(poll) = self.forget_poll(reply) {
            self.answer(reply, poll.session, Vec::new());
        }
    }

    /// Nobody is to wait any longer.
    pub(super) fn refuse_polls(&mut self, refusal: &Refusal) {
        let waiting: Vec<_> = self.polls.keys().copied().collect();
        for reply in waiting {
            self.forget_poll(reply);
            self.refuse(reply, refusal.clone());
        }
    }

    fn forget_poll(&mut self, reply: ReplyId) -> Option<Poll> {
        let poll = self.polls.remove(&reply)?;
        self.alarms.clear(poll.until, Alarm::Poll(reply));
        if let Some(worker) = self.workers.get_mut(&poll.session) {
            worker.poll = None;
        }
        Some(poll)
    }

    /// Nothing is left to lease or to wait for. Without any run there is everything to wait for.
    fn all_done(&self) -> bool {
        !self.runs.is_empty() && self.runs.values().all(|run| !run.is_open())
    }

    /// Whether this worker is to hear at once that everything is done: it has not heard it yet.
    fn tells_done(&self, session: SessionId) -> bool {
        self.all_done() && self.workers.get(&session).is_some_and(|worker| !worker.told_done)
    }

    fn answer(&mut self, reply: ReplyId, session: SessionId, leases: Vec<(AttemptKey, Lease)>) {
        let all_done = leases.is_empty() && self.all_done();
        let Some(worker) = self.workers.get_mut(&session) else {
            return self.refuse(reply, Refusal::Stale);
        };
        worker.told_done = all_done;
        worker.last_answer += 1;
        let answer = worker.last_answer;
        let (keys, slices): (Vec<_>, Vec<_>) = leases.into_iter().unzip();
        for key in &keys {
            if let Some(attempt) = self.attempts.get_mut(key) {
                attempt.answer = answer;
            }
        }
        if !keys.is_empty() {
            worker.unacknowledged.insert(answer, keys);
        }
        self.reply(reply, Reply::Leased { answer, slices, all_done });
    }

    /// Slices of answers that got lost, then new batches, as many as the worker has slots for.
    fn grant(
        &mut self,
        now: Millis,
        session: SessionId,
        free_slots: u32,
    ) -> Vec<(AttemptKey, Lease)> {
        let mut leases = self.send_again(now, session);
        if self.leasing_held.is_some() {
            return leases;
        }
        let used: BTreeSet<_> = leases.iter().map(|(_, lease)| (lease.run, lease.batch)).collect();
        let mut slots = free_slots.saturating_sub(used.len() as u32);
        let again = leases.len();
        let numbers: Vec<_> = self.runs.keys().copied().collect();
        for number in numbers {
            while slots > 0 && leases.len() < MAX_LEASED_SLICES {
                let room = MAX_LEASED_SLICES - leases.len();
                let Some((batch, _)) = self.next_for(now, session, number) else { break };
                if batch.len() > room {
                    break;
                }
                leases.extend(self.hand_out(now, session, number, &batch));
                slots -= 1;
            }
        }
        if slots > 0 && leases.is_empty() {
            leases = self.copy_straggler(now, session);
        }
        self.note(session, &leases[again.min(leases.len())..]);
        leases
    }

    /// What this worker would get of a run.
    fn next_for(
        &self,
        now: Millis,
        session: SessionId,
        number: u32,
    ) -> Option<(Vec<SliceId>, Care)> {
        let (run, worker) = (self.runs.get(&number)?, self.workers.get(&session)?);
        self.admits(now, worker, run).ok()?;
        let has_alone = worker.attempts.iter().any(|key| self.attempts[key].care != Care::Together);
        if has_alone {
            return None;
        }
        let idle = worker.attempts.is_empty();
        let (slices, care) =
            run.next_batch(idle, |slice| self.may_check(now, run, slice, worker))?;
        fits(worker, run, &slices, now).then_some((slices, care))
    }

    /// Whether a call that waits could be answered with work: never for long.
    pub(super) fn could_lease(&self, now: Millis, session: SessionId) -> bool {
        self.store_failed.is_none()
            && self.leasing_held.is_none()
            && self.runs.keys().any(|number| self.next_for(now, session, *number).is_some())
    }

    /// Leases these slices, each with an attempt of its own.
    pub(super) fn hand_out(
        &mut self,
        now: Millis,
        session: SessionId,
        number: u32,
        slices: &[SliceId],
    ) -> Vec<(AttemptKey, Lease)> {
        let live = self.live();
        let expires = now + self.timings.lease;
        let keys: Vec<_> = slices.iter().map(|_| self.new_key()).collect();
        let (Some(run), Some(worker)) =
            (self.runs.get_mut(&number), self.workers.get_mut(&session))
        else {
            return Vec::new();
        };
        let hard_limit = run.hard_limit(slices);
        run.pace.start(live);
        let mut leases = Vec::with_capacity(slices.len());
        for (slice, key) in slices.iter().copied().zip(keys) {
            let state = run.state(slice);
            let Some(holders) = state.holders().with(key) else { continue };
            run.set(slice, state.with_holders(holders), now);
            self.history.add(key, (number, slice));
            let attempt = Attempt {
                run: number,
                slice,
                session: Some(session),
                expires,
                answer: u64::MAX,
                since: now,
                care: run.care(slice),
            };
            self.attempts.insert(key, attempt);
            worker.attempts.insert(key);
            self.alarms.set(expires, Alarm::Attempt(key));
            leases.push((key, slice));
        }
        let leases = leases
            .into_iter()
            .filter_map(|(key, slice)| Some((key, self.describe(key, number, slice, hard_limit)?)));
        leases.collect()
    }

    /// What answers held that never arrived, as far as it is still this worker's.
    fn send_again(&mut self, now: Millis, session: SessionId) -> Vec<(AttemptKey, Lease)> {
        let Some(worker) = self.workers.get_mut(&session) else { return Vec::new() };
        let lost: Vec<_> =
            std::mem::take(&mut worker.unacknowledged).into_values().flatten().collect();
        let mut leases = Vec::new();
        for key in lost {
            let Some(attempt) = self.attempts.get_mut(&key) else { continue };
            if attempt.session != Some(session) {
                continue;
            }
            attempt.expires = now + self.timings.lease;
            let (number, slice) = (attempt.run, attempt.slice);
            let Some(run) = self.runs.get(&number) else { continue };
            let hard_limit = run.hard_limit(&run.batch(run.batch_position(slice)).slices);
            if let Some(lease) = self.describe(key, number, slice, hard_limit) {
                leases.push((key, lease));
            }
        }
        leases
    }

    fn describe(
        &self,
        key: AttemptKey,
        number: u32,
        slice: fulldeck_job::SliceId,
        hard_limit: Millis,
    ) -> Option<Lease> {
        let run = self.runs.get(&number)?;
        Some(Lease {
            token: self.token(key),
            run: number,
            fingerprint: run.fingerprint,
            slice,
            batch: run.planned(slice)?.batch,
            hard_limit,
        })
    }

    fn note(&mut self, session: SessionId, leases: &[(AttemptKey, Lease)]) {
        if leases.is_empty() {
            return;
        }
        let host_key = self
            .workers
            .get(&session)
            .map(|worker| worker.about.host_key.clone())
            .unwrap_or_default();
        let notes = leases
            .iter()
            .map(|(_, lease)| LeaseNote {
                run: lease.run,
                slice: lease.slice,
                token: lease.token,
                session: Some(session),
                host_key: host_key.clone(),
            })
            .collect();
        self.effects.push(Effect::NoteLeases(notes));
    }
}
