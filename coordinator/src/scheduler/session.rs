//! Workers come, live, fail, hand back, and leave.

use std::collections::{BTreeMap, BTreeSet};

use fulldeck_job::SliceId;

use super::alarms::Alarm;
use super::core::Core;
use super::history::Place;
use super::ids::AttemptKey;
use super::run::Run;
use super::slice::SliceState;
use super::trouble::{Care, counts};
use super::worker::{Attempt, Worker};
use super::{
    Effect, FIRST_BACKOFF, Failure, Held, HeldVerdict, MAX_BACKOFF, MAX_FAILURE_TEXT, MAX_WORKERS,
    Millis, Notice, Refusal, Registration, Reply, ReplyId, SessionId, Token,
};
use crate::store::{Decision, RunControl};

impl Core {
    pub(super) fn register(&mut self, now: Millis, reply: ReplyId, mut about: Registration) {
        if self.closing {
            return self.refuse(reply, Refusal::Closing);
        }
        let earlier = self.session_of(about.instance);
        if earlier.is_none() && self.workers.len() >= MAX_WORKERS {
            return self.refuse(reply, Refusal::TooManyWorkers);
        }
        let held = std::mem::take(&mut about.held);
        let name = about.name.clone();
        let session = self.new_session();
        self.workers.insert(session, Worker::new(about, now));
        self.alarms.set(now + self.timings.lease, Alarm::Worker(session));
        let held: Vec<_> = held.iter().map(|held| self.judge_held(now, session, held)).collect();
        let kept = held.iter().filter(|verdict| **verdict != HeldVerdict::Drop).count();
        if let Some(earlier) = earlier {
            self.end_earlier(now, earlier, session);
        }
        self.tell(Notice::WorkerJoined { session, name, kept, instead_of: earlier });
        self.reply(reply, Reply::Registered { session, held });
    }

    /// The session of the worker that is registering again, if it has one.
    fn session_of(&self, instance: u64) -> Option<SessionId> {
        let same = |worker: &Worker| instance != 0 && worker.about.instance == instance;
        self.workers.iter().find(|(_, worker)| same(worker)).map(|(session, _)| *session)
    }

    /// One worker has one session: what it did not bring along into the new one is lost.
    fn end_earlier(&mut self, now: Millis, earlier: SessionId, session: SessionId) {
        let committed = self.workers.get(&earlier).map_or(0, |worker| worker.committed);
        self.remove_worker(now, earlier, false);
        if let Some(worker) = self.workers.get_mut(&session) {
            worker.committed = committed;
        }
    }

    fn judge_held(&mut self, now: Millis, session: SessionId, held: &Held) -> HeldVerdict {
        let Some(key) = self.key(&held.token) else { return HeldVerdict::Drop };
        let Some((number, run)) = self.run_of(&held.fingerprint) else { return HeldVerdict::Drop };
        if run.planned(held.slice).is_none() {
            return HeldVerdict::Drop;
        }
        let place = (number, held.slice);
        match (run.state(held.slice), held.finished) {
            // Sent nevertheless, so that the difference comes to light.
            (SliceState::Committed(committed), Some(digest)) if committed != digest => {
                return HeldVerdict::Upload;
            }
            (SliceState::Committing { .. }, Some(_)) => return HeldVerdict::Upload,
            (SliceState::Committed(_) | SliceState::Committing { .. }, _) => {
                return HeldVerdict::Drop;
            }
            _ => {}
        }
        match self.place_of(key) {
            Some(known) if known == place => {}
            // An attempt of an earlier start is believed once it is offered here.
            None if !self.is_of_this_start(key) => self.history.add(key, place),
            _ => return HeldVerdict::Drop,
        }
        let kept = self.reclaim(now, session, key, place);
        match held.finished {
            Some(_) => HeldVerdict::Upload,
            None if kept => HeldVerdict::Keep,
            None => HeldVerdict::Drop,
        }
    }

    /// The open slice for which an attempt was handed out, if that is remembered.
    pub(super) fn place_of(&self, key: AttemptKey) -> Option<Place> {
        let current = self.attempts.get(&key).map(|attempt| (attempt.run, attempt.slice));
        current.or_else(|| self.history.place(key))
    }

    /// Gives an attempt (back) to a worker that says it has it, unless its slice is done or has enough attempts.
    fn reclaim(&mut self, now: Millis, session: SessionId, key: AttemptKey, place: Place) -> bool {
        let (number, slice) = place;
        let expires = now + self.timings.lease;
        let (Some(run), Some(worker)) =
            (self.runs.get_mut(&number), self.workers.get_mut(&session))
        else {
            return false;
        };
        if let Some(attempt) = self.attempts.get_mut(&key) {
            worker.attempts.insert(key);
            let earlier = attempt.session.replace(session);
            attempt.expires = expires;
            attempt.answer = 0;
            if let Some(earlier) = earlier.filter(|earlier| *earlier != session)
                && let Some(earlier) = self.workers.get_mut(&earlier)
            {
                earlier.attempts.remove(&key);
            }
            return true;
        }
        let state = run.state(slice);
        let holders = match state {
            SliceState::Waiting | SliceState::Leased(_) | SliceState::Doubted { .. } => {
                state.holders().with(key)
            }
            SliceState::Committing { .. } | SliceState::Committed(_) | SliceState::Parked => None,
        };
        let Some(holders) = holders.filter(|_| run.control != RunControl::Cancelled) else {
            return false;
        };
        run.set(slice, state.with_holders(holders), now);
        worker.attempts.insert(key);
        let attempt = Attempt {
            run: number,
            slice,
            session: Some(session),
            expires,
            answer: 0,
            since: now,
            care: Care::Together,
        };
        self.attempts.insert(key, attempt);
        self.alarms.set(expires, Alarm::Attempt(key));
        true
    }

    pub(super) fn heartbeat(
        &mut self,
        now: Millis,
        reply: ReplyId,
        session: SessionId,
        answer_received: u64,
        attempts: &[Token],
    ) {
        let mut named = BTreeSet::new();
        let mut cancel = Vec::new();
        for token in attempts {
            let renewed = self.key(token).is_some_and(|key| {
                named.insert(key);
                self.renew(now, session, key)
            });
            if !renewed {
                cancel.push(*token);
            }
        }
        let Some(worker) = self.workers.get_mut(&session) else { return };
        let received = answer_received.min(worker.last_answer);
        worker.acknowledge(received);
        // What arrived and is not named any more got lost over there.
        let lost: Vec<_> = worker
            .attempts
            .iter()
            .copied()
            .filter(|key| !named.contains(key) && self.attempts[key].answer <= received)
            .collect();
        for key in lost {
            self.drop_attempt(now, key);
        }
        let drain = self.shall_leave(now, session);
        let store_failed = self.store_failed.clone();
        self.reply(reply, Reply::Beat { cancel, drain, store_failed });
    }

    fn renew(&mut self, now: Millis, session: SessionId, key: AttemptKey) -> bool {
        match self.attempts.get_mut(&key) {
            Some(attempt) if attempt.session == Some(session) => {
                attempt.expires = now + self.timings.lease;
                true
            }
            // Somebody else brought it along since.
            Some(Attempt { session: Some(_), .. }) => false,
            _ => self.place_of(key).is_some_and(|place| self.reclaim(now, session, key, place)),
        }
    }

    pub(super) fn release(&mut self, now: Millis, session: SessionId, tokens: &[Token]) {
        for token in tokens {
            if let Some(key) = self.key(token)
                && self.attempts.get(&key).is_some_and(|attempt| attempt.session == Some(session))
            {
                self.drop_attempt(now, key);
            }
        }
    }

    pub(super) fn failed(
        &mut self,
        now: Millis,
        session: SessionId,
        token: &Token,
        failure: Failure,
        text: &str,
    ) {
        let Some(key) = self.key(token) else { return };
        let Some(attempt) = self.attempts.get(&key).copied() else { return };
        if attempt.session != Some(session) {
            return;
        }
        self.drop_attempt(now, key);
        let name = self.workers.get(&session).map_or("", |worker| worker.about.name.as_str());
        let reason = format!("{failure} on {name}: {}", cut(text));
        self.note_failure(now, (attempt.run, attempt.slice), session, failure, reason);
    }

    /// Takes an attempt away from a worker that was lost. Only where the worker had nothing else this counts against the
    /// slice.
    pub(super) fn lose_attempt(&mut self, now: Millis, key: AttemptKey) {
        let Some(attempt) = self.attempts.get(&key).copied() else { return };
        self.drop_attempt(now, key);
        let place = (attempt.run, attempt.slice);
        match attempt.session {
            Some(session) if attempt.care == Care::SliceAlone => {
                let name = self.workers.get(&session).map_or("", |one| one.about.name.as_str());
                let reason = format!("{} with {name}, alone", Failure::Lost);
                self.note_failure(now, place, session, Failure::Lost, reason);
            }
            _ => {
                let Some(run) = self.runs.get_mut(&attempt.run) else { return };
                let open =
                    matches!(run.state(attempt.slice), SliceState::Waiting | SliceState::Leased(_));
                if open {
                    run.troubles.entry(attempt.slice).or_default().mark();
                }
            }
        }
    }

    fn note_failure(
        &mut self,
        now: Millis,
        place: Place,
        session: SessionId,
        failure: Failure,
        reason: String,
    ) {
        let (number, slice) = place;
        let host = self.host_of(session);
        let Some(run) = self.runs.get_mut(&number) else { return };
        if let SliceState::Committed(_) | SliceState::Committing { .. } = run.state(slice) {
            return;
        }
        let trouble = run.troubles.entry(slice).or_default();
        let failures = if counts(failure) {
            self.hosts.failed(&host, place);
            trouble.count(&host, reason.clone())
        } else {
            trouble.remember(reason.clone());
            trouble.counted()
        };
        let verdict = trouble.is_poison().then(|| trouble.verdict());
        self.tell(Notice::SliceFailed { run: number, slice, failures, reason });
        let waits =
            matches!(run_state(&self.runs, place), Some(state) if state.holders().is_empty());
        match verdict {
            Some(verdict) if waits => self.park(now, number, slice, verdict),
            _ if waits => self.back_off(now, place, failures),
            _ => {}
        }
    }

    fn back_off(&mut self, now: Millis, (number, slice): Place, failures: u8) {
        let Some(run) = self.runs.get_mut(&number) else { return };
        let until = now + backoff(failures);
        let position = run.batch_position(slice);
        run.hold_back(position, until, now);
        self.alarms.set(until, Alarm::Backoff(number, position));
    }

    pub(super) fn park(&mut self, now: Millis, number: u32, slice: SliceId, reason: String) {
        let Some(run) = self.runs.get_mut(&number) else { return };
        run.park(slice, reason.clone(), now);
        self.stirred = true;
        let decision = Decision::Park { slice, reason: reason.clone() };
        self.effects.push(Effect::Decide { run: number, decision });
        self.tell(Notice::SliceParked { run: number, slice, reason });
        self.tell_if_ended(number);
    }

    /// The host of a worker; empty if it is not known.
    pub(super) fn host_of(&self, session: SessionId) -> String {
        self.workers.get(&session).map(|one| one.about.host_key.clone()).unwrap_or_default()
    }

    pub(super) fn deregister(&mut self, now: Millis, session: SessionId) {
        if let Some((name, _)) = self.remove_worker(now, session, false) {
            self.tell(Notice::WorkerLeft { session, name });
        }
    }

    pub(super) fn worker_due(&mut self, now: Millis, session: SessionId) {
        let Some(worker) = self.workers.get(&session) else { return };
        let lost_at = worker.last_contact + self.timings.lease;
        if lost_at > now {
            self.alarms.set(lost_at, Alarm::Worker(session));
            return;
        }
        if let Some((name, slices)) = self.remove_worker(now, session, true) {
            self.tell(Notice::WorkerLost { session, name, slices });
        }
    }

    /// Name of the worker, and how many attempts it had when it was last heard of.
    fn remove_worker(
        &mut self,
        now: Millis,
        session: SessionId,
        lost: bool,
    ) -> Option<(String, usize)> {
        let attempts = self.workers.get(&session)?.attempts.clone();
        for key in &attempts {
            if lost {
                self.lose_attempt(now, *key);
            } else {
                self.drop_attempt(now, *key);
            }
        }
        let worker = self.workers.remove(&session)?;
        if let Some(reply) = worker.poll
            && let Some(poll) = self.polls.remove(&reply)
        {
            self.alarms.clear(poll.until, Alarm::Poll(reply));
            self.refuse(reply, Refusal::Stale);
        }
        Some((worker.about.name, attempts.len() + worker.expired))
    }
}

fn run_state(runs: &BTreeMap<u32, Run>, (number, slice): Place) -> Option<SliceState> {
    Some(runs.get(&number)?.state(slice))
}

/// 1 s, doubled by each further failure, at most 60 s.
fn backoff(failures: u8) -> Millis {
    let doublings = u32::from(failures.saturating_sub(1)).min(16);
    Millis(FIRST_BACKOFF.0 << doublings).min(MAX_BACKOFF)
}

/// The beginning of a failure text.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_FAILURE_TEXT)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_back_off_doubles_up_to_a_minute() {
        let seconds: Vec<_> = (0..=9).map(|failures| backoff(failures).0 / 1_000).collect();
        assert_eq!(seconds, [1, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!(backoff(u8::MAX), MAX_BACKOFF);
    }

    #[test]
    fn failure_texts_are_cut_between_characters() {
        let text = "ä".repeat(MAX_FAILURE_TEXT);
        assert_eq!(cut(&text).len(), MAX_FAILURE_TEXT);
        assert_eq!(cut("short"), "short");
    }
}
