//! The state machine: its data, the dispatch of events, and the passing of time.

use std::collections::BTreeMap;

use fulldeck_job::{Digest, Fingerprint, SliceId};

use super::alarms::{Alarm, Alarms};
use super::checks::Validation;
use super::history::History;
use super::hosts::Hosts;
use super::ids::AttemptKey;
use super::run::Run;
use super::slice::{Holders, SliceState};
use super::trouble::Care;
use super::worker::{Attempt, Poll, Worker};
use super::{
    Caller, Effect, Event, Identity, LOOK_EVERY, LeaseNote, MAX_EXPLAINED, Millis, Notice, Offer,
    Refusal, Reply, ReplyId, RunSeed, STUCK_AFTER, SessionId, Storing, Timings, Token,
};

/// A result on its way to the disk, and the equal or unequal ones that came meanwhile.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) run: u32,
    pub(super) slice: SliceId,
    pub(super) session: SessionId,
    pub(super) compute_ms: u64,
    pub(super) late: bool,
    pub(super) host_key: String,
    pub(super) storing: Storing,
    /// Digest of the stored result that this one replaces.
    pub(super) replaces: Option<Digest>,
    pub(super) followers: Vec<(ReplyId, SessionId, Offer)>,
}

/// Work that could be leased, but is not.
#[derive(Clone, Copy, Debug)]
struct Stuck {
    since: Millis,
    told: bool,
}

/// The scheduler. See the module for what it promises.
#[derive(Debug)]
pub struct Core {
    pub(super) identity: Identity,
    pub(super) timings: Timings,
    pub(super) runs: BTreeMap<u32, Run>,
    numbers: BTreeMap<Fingerprint, u32>,
    pub(super) workers: BTreeMap<SessionId, Worker>,
    pub(super) attempts: BTreeMap<AttemptKey, Attempt>,
    pub(super) history: History,
    pub(super) uploads: BTreeMap<ReplyId, Upload>,
    /// Waiting lease calls, first come first served.
    pub(super) polls: BTreeMap<ReplyId, Poll>,
    pub(super) alarms: Alarms,
    pub(super) effects: Vec<Effect>,
    /// Something may be leasable, or everything done, that was not before: waiting lease calls are looked at.
    pub(super) stirred: bool,
    /// Leases that ended in this step without a result.
    ended: Vec<LeaseNote>,
    pub(super) hosts: Hosts,
    pub(super) validation: Validation,
    /// Since when something could be leased, but is not.
    stuck: Option<Stuck>,
    watching: bool,
    pub(super) store_failed: Option<String>,
    /// Why nothing more is leased for want of space, if so.
    pub(super) leasing_held: Option<String>,
    pub(super) closing: bool,
    next_sequence: u64,
    next_session: u64,
    clock: Millis,
    /// Time during which there was at least one worker.
    live: Millis,
}

impl Core {
    /// A scheduler without runs and workers.
    #[must_use]
    pub fn new(identity: Identity, timings: Timings) -> Self {
        Self {
            // Sessions begin somewhere else at every start: one of another coordinator is never taken for ours.
            next_session: identity.start_id,
            identity,
            timings,
            runs: BTreeMap::new(),
            numbers: BTreeMap::new(),
            workers: BTreeMap::new(),
            attempts: BTreeMap::new(),
            history: History::default(),
            uploads: BTreeMap::new(),
            polls: BTreeMap::new(),
            alarms: Alarms::default(),
            effects: Vec::new(),
            stirred: false,
            ended: Vec::new(),
            hosts: Hosts::default(),
            validation: Validation::Off,
            stuck: None,
            watching: false,
            store_failed: None,
            leasing_held: None,
            closing: false,
            next_sequence: 1,
            clock: Millis::default(),
            live: Millis::default(),
        }
    }

    /// The same, with results that are computed a second time.
    #[must_use]
    pub fn with_validation(mut self, validation: Validation) -> Self {
        self.validation = validation;
        self
    }

    /// Takes one event at time `now`, which never goes back, and says what is to be done.
    pub fn step(&mut self, now: Millis, event: Event) -> Vec<Effect> {
        let now = now.max(self.clock);
        if !self.workers.is_empty() {
            self.live = self.live + now.since(self.clock);
        }
        self.clock = now;
        self.handle_alarms(now);
        self.dispatch(now, event);
        if std::mem::take(&mut self.stirred) {
            self.serve_polls(now);
        }
        if !self.ended.is_empty() {
            self.effects.push(Effect::EndLeases(std::mem::take(&mut self.ended)));
        }
        std::mem::take(&mut self.effects)
    }

    /// When [`Core::step`] wants to be called at the latest, with [`Event::Tick`] if nothing else happens.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Millis> {
        self.alarms.next()
    }

    /// Time during which there was at least one worker.
    pub(super) fn live(&self) -> Millis {
        self.live
    }

    /// As [`Core::live`], at a time after the last step.
    pub(super) fn live_at(&self, now: Millis) -> Millis {
        if self.workers.is_empty() { self.live } else { self.live + now.since(self.clock) }
    }

    fn dispatch(&mut self, now: Millis, event: Event) {
        match event {
            Event::Tick => {}
            Event::RunAdded(seed) => self.add_run(now, &seed),
            Event::Focus { reply, run, jobs } => match self.runs.get_mut(&run) {
                Some(found) => {
                    found.set_focus(jobs, now);
                    self.reopened();
                    self.reply(reply, Reply::Done);
                }
                None => self.refuse(reply, Refusal::NoRun(run)),
            },
            Event::Control { reply, run, control } => self.control(now, reply, run, control),
            Event::Retry { reply, run, slices } => self.retry(now, reply, run, &slices),
            Event::Drain { reply, session } => self.drain(reply, session),
            Event::Quarantine { reply, host_key, reason } => {
                self.quarantine(now, &host_key, reason);
                self.reply(reply, Reply::Done);
            }
            Event::ReleaseHost { reply, host_key } => self.release_host(reply, host_key),
            Event::Register { reply, registration } => self.register(now, reply, registration),
            Event::Lease { reply, caller, free_slots, answer_received, wait } => {
                if self.contact(now, reply, caller) {
                    self.lease(now, reply, caller.session, free_slots, answer_received, wait);
                }
            }
            Event::AskRun { reply, caller, run } => {
                if self.contact(now, reply, caller) {
                    if self.runs.contains_key(&run) {
                        self.reply(reply, Reply::Done);
                    } else {
                        self.refuse(reply, Refusal::NoRun(run));
                    }
                }
            }
            Event::Heartbeat { reply, caller, answer_received, attempts, rss_bytes } => {
                if self.contact(now, reply, caller) {
                    self.heartbeat(now, reply, caller.session, answer_received, &attempts);
                    if let Some(worker) = self.workers.get_mut(&caller.session) {
                        worker.rss_bytes = rss_bytes;
                    }
                }
            }
            Event::Offer { reply, caller, offer } => {
                if self.contact(now, reply, caller) {
                    self.offer(reply, &offer);
                }
            }
            Event::Result { reply, session, offer, compute_ms } => {
                self.result(now, reply, session, &offer, compute_ms);
            }
            Event::ImportOffer { reply, offer } => self.import_offer(reply, &offer),
            Event::Import { reply, offer, compute_ms } => {
                self.import(now, reply, &offer, compute_ms);
            }
            Event::Persisted { upload } => self.persisted(now, upload),
            Event::PersistFailed { upload, reason } => self.persist_failed(now, upload, reason),
            Event::StoreFailed { reason } => self.fail_store(reason),
            Event::StoreBack { found, lost } => self.store_back(now, &found, &lost),
            Event::HoldLeases { reason } => self.hold_leases(reason),
            Event::Failed { reply, caller, token, failure, text } => {
                if self.contact(now, reply, caller) {
                    self.failed(now, caller.session, &token, failure, &text);
                    self.reply(reply, Reply::Done);
                }
            }
            Event::Release { reply, caller, tokens } => {
                if self.contact(now, reply, caller) {
                    self.release(now, caller.session, &tokens);
                    self.reply(reply, Reply::Done);
                }
            }
            Event::Deregister { reply, caller } => {
                if self.contact(now, reply, caller) {
                    self.deregister(now, caller.session);
                    self.reply(reply, Reply::Done);
                }
            }
            Event::Discarded { run, slice } => self.discarded(now, run, slice),
            Event::Close => {
                self.closing = true;
                self.refuse_polls(&Refusal::Closing);
            }
        }
    }

    fn add_run(&mut self, now: Millis, seed: &RunSeed) {
        let mut run = Run::new(seed);
        for (slice, token) in &seed.unconfirmed {
            let Some(key) = self.key(token) else { continue };
            if run.planned(*slice).is_none() || run.state(*slice) != SliceState::Waiting {
                continue;
            }
            let expires = now + self.timings.lease;
            run.set(*slice, SliceState::Leased(Holders::one(key)), now);
            self.history.add(key, (seed.run, *slice));
            let attempt = Attempt {
                run: seed.run,
                slice: *slice,
                session: None,
                expires,
                answer: 0,
                since: now,
                care: Care::Together,
            };
            self.attempts.insert(key, attempt);
            self.alarms.set(expires, Alarm::Attempt(key));
        }
        self.numbers.insert(seed.fingerprint, seed.run);
        if self.validation != Validation::Off {
            run.doubt_again(&seed.decided.doubted, now);
        }
        let earlier = self.runs.insert(seed.run, run);
        debug_assert!(earlier.is_none(), "run {} was added twice", seed.run);
        self.reopened();
    }

    /// A committed result is gone: its slice waits again.
    pub(super) fn discarded(&mut self, now: Millis, run: u32, slice: SliceId) {
        if let Some(found) = self.runs.get_mut(&run)
            && let SliceState::Committed(_) | SliceState::Doubted { .. } = found.state(slice)
        {
            found.doubts.remove(&slice);
            found.set(slice, SliceState::Waiting, now);
            self.reopened();
        }
    }

    /// There is work again: workers that heard that everything is done may hear it again later.
    pub(super) fn reopened(&mut self) {
        for worker in self.workers.values_mut() {
            worker.told_done = false;
        }
        self.stirred = true;
    }

    fn handle_alarms(&mut self, now: Millis) {
        let mut expired: BTreeMap<u32, Vec<SliceId>> = BTreeMap::new();
        while let Some(alarm) = self.alarms.due(now) {
            match alarm {
                Alarm::Attempt(key) => self.attempt_due(now, key, &mut expired),
                Alarm::Worker(session) => self.worker_due(now, session),
                Alarm::Backoff(run, position) => {
                    if let Some(run) = self.runs.get_mut(&run) {
                        run.refresh(position, now);
                        self.stirred = true;
                    }
                }
                Alarm::Poll(reply) => self.poll_due(reply),
                Alarm::Quarantine => self.stirred = true,
                Alarm::Watchdog => self.watch(now),
            }
        }
        for (run, slices) in expired {
            self.tell(Notice::LeasesExpired { run, slices });
        }
    }

    fn attempt_due(
        &mut self,
        now: Millis,
        key: AttemptKey,
        expired: &mut BTreeMap<u32, Vec<SliceId>>,
    ) {
        let Some(attempt) = self.attempts.get(&key).copied() else { return };
        if attempt.expires > now {
            self.alarms.set(attempt.expires, Alarm::Attempt(key));
            return;
        }
        self.lose_attempt(now, key);
        let silent = attempt.session.filter(|session| self.is_suspect(now, *session));
        match silent.and_then(|session| self.workers.get_mut(&session)) {
            // Told of once, when it is given up.
            Some(worker) => worker.expired += 1,
            None => expired.entry(attempt.run).or_default().push(attempt.slice),
        }
    }

    /// Looks again in a while, as long as calls wait.
    pub(super) fn keep_watching(&mut self, now: Millis) {
        if !self.watching {
            self.watching = true;
            self.alarms.set(now + LOOK_EVERY, Alarm::Watchdog);
        }
    }

    /// Says so if work that could be leased is not, for too long. It never repairs: it would hide the defect.
    fn watch(&mut self, now: Millis) {
        self.watching = false;
        let able = self
            .polls
            .values()
            .any(|poll| poll.free_slots > 0 && self.could_lease(now, poll.session));
        match self.stuck {
            _ if !able => self.stuck = None,
            None => self.stuck = Some(Stuck { since: now, told: false }),
            Some(Stuck { since, told: false }) if now.since(since) >= STUCK_AFTER => {
                self.stuck = Some(Stuck { since, told: true });
                let explanations = self.explain_all(now, MAX_EXPLAINED);
                self.tell(Notice::Stuck { since: now.since(since), explanations });
            }
            Some(_) => {}
        }
        if !self.polls.is_empty() {
            // What takes too long is known only as time passes.
            self.stirred = true;
            self.keep_watching(now);
        }
    }

    /// How long work could have been leased, but was not; nothing when all is well.
    #[must_use]
    pub(super) fn stuck_for(&self, now: Millis) -> Option<Millis> {
        self.stuck.map(|stuck| now.since(stuck.since)).filter(|stuck| *stuck >= STUCK_AFTER)
    }

    /// The run with this fingerprint.
    pub(super) fn run_of(&self, fingerprint: &Fingerprint) -> Option<(u32, &Run)> {
        let number = *self.numbers.get(fingerprint)?;
        Some((number, self.runs.get(&number)?))
    }

    /// Whether the call comes from a worker we know; if not, it is refused.
    fn contact(&mut self, now: Millis, reply: ReplyId, caller: Caller) -> bool {
        if self.closing {
            self.refuse(reply, Refusal::Closing);
            return false;
        }
        match self.workers.get_mut(&caller.session) {
            Some(worker) if caller.epoch == self.identity.epoch => {
                worker.last_contact = now;
                worker.expired = 0;
                true
            }
            _ => {
                self.refuse(reply, Refusal::Stale);
                false
            }
        }
    }

    /// The token without the store, if it is of this store and of a start the store knows.
    pub(super) fn key(&self, token: &Token) -> Option<AttemptKey> {
        let start = (token.epoch, token.start_id);
        let known = start == (self.identity.epoch, self.identity.start_id)
            || self.identity.earlier.contains(&start);
        (known && token.store_id == self.identity.store_id).then_some(AttemptKey {
            epoch: token.epoch,
            start_id: token.start_id,
            sequence: token.sequence,
        })
    }

    pub(super) fn is_of_this_start(&self, key: AttemptKey) -> bool {
        (key.epoch, key.start_id) == (self.identity.epoch, self.identity.start_id)
    }

    pub(super) fn token(&self, key: AttemptKey) -> Token {
        Token {
            store_id: self.identity.store_id,
            epoch: key.epoch,
            start_id: key.start_id,
            sequence: key.sequence,
        }
    }

    pub(super) fn new_key(&mut self) -> AttemptKey {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        AttemptKey { epoch: self.identity.epoch, start_id: self.identity.start_id, sequence }
    }

    pub(super) fn new_session(&mut self) -> SessionId {
        self.next_session = self.next_session.wrapping_add(1);
        SessionId(self.next_session)
    }

    /// Takes an attempt away from whoever has it; its slice waits again if nobody else has it.
    pub(super) fn drop_attempt(&mut self, now: Millis, key: AttemptKey) {
        let Some(attempt) = self.attempts.remove(&key) else { return };
        if let Some(worker) = attempt.session.and_then(|session| self.workers.get_mut(&session)) {
            worker.attempts.remove(&key);
        }
        self.ended.push(LeaseNote {
            run: attempt.run,
            slice: attempt.slice,
            token: self.token(key),
            session: attempt.session,
            host_key: String::new(),
        });
        let Some(run) = self.runs.get_mut(&attempt.run) else { return };
        let state = run.state(attempt.slice);
        let mut holders = state.holders();
        holders.remove(key);
        run.set(attempt.slice, state.with_holders(holders), now);
        self.stirred = true;
    }

    /// Takes a slice away from all who have it.
    pub(super) fn drop_holders(&mut self, holders: Holders) {
        for key in holders.iter() {
            if let Some(attempt) = self.attempts.remove(&key)
                && let Some(worker) =
                    attempt.session.and_then(|session| self.workers.get_mut(&session))
            {
                worker.attempts.remove(&key);
            }
        }
    }

    /// Tells once when a run has nothing open any more.
    pub(super) fn tell_if_ended(&mut self, number: u32) {
        let Some(run) = self.runs.get(&number) else { return };
        if run.jobs().iter().all(|job| job.committed + job.parked == job.slices) {
            let parked = run.jobs().iter().map(|job| job.parked).sum();
            self.tell(Notice::RunEnded { run: number, parked });
        }
    }

    pub(super) fn reply(&mut self, to: ReplyId, reply: Reply) {
        self.effects.push(Effect::Reply { to, reply });
    }

    pub(super) fn refuse(&mut self, to: ReplyId, refusal: Refusal) {
        self.reply(to, Reply::Refused(refusal));
    }

    pub(super) fn tell(&mut self, notice: Notice) {
        self.effects.push(Effect::Tell(notice));
    }

    /// Lease calls that wait.
    #[cfg(test)]
    pub(crate) fn waiting_calls(&self) -> usize {
        self.polls.len()
    }

    /// What must hold between any two steps.
    #[cfg(test)]
    pub(super) fn check(&self) {
        let mut held = std::collections::BTreeSet::new();
        for (number, run) in &self.runs {
            run.check(self.clock);
            for slice in run.plan.slices() {
                for key in run.state(slice.id).holders().iter() {
                    let attempt = self.attempts.get(&key).expect("a holder is an attempt");
                    assert_eq!((attempt.run, attempt.slice), (*number, slice.id));
                    assert!(held.insert(key), "an attempt holds two slices");
                }
                if let SliceState::Committing { upload, .. } = run.state(slice.id) {
                    let upload = &self.uploads[&upload];
                    assert_eq!((upload.run, upload.slice), (*number, slice.id));
                }
            }
        }
        assert_eq!(held.len(), self.attempts.len(), "an attempt holds no slice");
        for (key, attempt) in &self.attempts {
            if let Some(session) = attempt.session {
                assert!(self.workers[&session].attempts.contains(key));
            }
        }
        for (session, worker) in &self.workers {
            for key in &worker.attempts {
                assert_eq!(self.attempts[key].session, Some(*session));
            }
            if let Some(poll) = worker.poll {
                assert_eq!(self.polls[&poll].session, *session);
            }
        }
    }
}
