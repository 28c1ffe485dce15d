//! Results: the table of outcomes, and the way to the disk.

use fulldeck_job::Digest;

use super::checks::{Doubt, Validation, Verdict};
use super::core::{Core, Upload};
use super::history::Place;
use super::run::Run;
use super::slice::{Holders, SliceState};
use super::{Effect, Millis, Notice, Offer, Outcome, Refusal, Reply, ReplyId, SessionId, Storing};
use crate::store::{Decision, RunControl};

impl Core {
    pub(super) fn offer(&mut self, reply: ReplyId, offer: &Offer) {
        if let Some(reason) = self.store_failed.clone() {
            return self.refuse(reply, Refusal::StoreFailed(reason));
        }
        match self.judge_offer(offer) {
            Ok(run) => self.reply(reply, Reply::Proceed { run }),
            Err(outcome) => self.reply(reply, Reply::Outcome(outcome)),
        }
    }

    /// The run of a result that is worth having, or what becomes of it without looking at its bytes.
    fn judge_offer(&self, offer: &Offer) -> Result<u32, Outcome> {
        let key = self.key(&offer.token).ok_or(Outcome::Fenced)?;
        let (number, run) = self.as_planned(offer)?;
        let issued = self.place_of(key) == Some((number, offer.slice));
        match run.state(offer.slice) {
            SliceState::Committed(committed) if committed == offer.digest => {
                Err(Outcome::Duplicate)
            }
            // Another digest: the bytes must prove that they have it.
            SliceState::Committed(_) => Ok(number),
            // Whoever brought the stored result sends it again.
            SliceState::Doubted { digest, .. } if digest == offer.digest && !issued => {
                Err(Outcome::Duplicate)
            }
            _ if run.control == RunControl::Cancelled => Err(Outcome::Gone),
            _ if issued => Ok(number),
            _ => Err(Outcome::Fenced),
        }
    }

    /// The run of a result whose range is that of a slice of its plan.
    pub(super) fn as_planned(&self, offer: &Offer) -> Result<(u32, &Run), Outcome> {
        let (number, run) = self.run_of(&offer.fingerprint).ok_or(Outcome::WrongRun)?;
        let planned = run.planned(offer.slice).ok_or(Outcome::WrongRun)?;
        let as_planned = planned.job == offer.job
            && planned.first_row == offer.first_row
            && planned.rows == offer.rows
            && planned.elements == offer.elements
            && planned.raw_bytes == offer.raw_bytes;
        if as_planned { Ok((number, run)) } else { Err(Outcome::WrongRun) }
    }

    pub(super) fn result(
        &mut self,
        now: Millis,
        reply: ReplyId,
        session: SessionId,
        offer: &Offer,
        compute_ms: u64,
    ) {
        if let Some(reason) = self.store_failed.clone() {
            return self.refuse(reply, Refusal::StoreFailed(reason));
        }
        let number = match self.judge_offer(offer) {
            Ok(number) => number,
            Err(outcome) => return self.reply(reply, Reply::Outcome(outcome)),
        };
        let slice = offer.slice;
        let Some(run) = self.runs.get_mut(&number) else { return };
        match run.state(slice) {
            SliceState::Committed(committed) => {
                self.mismatch(number, session, offer, committed);
                self.reply(reply, Reply::Outcome(Outcome::Mismatch { committed }));
            }
            SliceState::Committing { upload, .. } => {
                if let Some(upload) = self.uploads.get_mut(&upload) {
                    upload.followers.push((reply, session, *offer));
                }
            }
            _ if run.doubts.contains_key(&slice) => {
                self.vote(now, reply, session, offer, compute_ms);
            }
            SliceState::Waiting
            | SliceState::Leased(_)
            | SliceState::Parked
            | SliceState::Doubted { .. } => {
                let storing = self.storing(number, session, offer);
                self.store(now, reply, session, offer, compute_ms, storing);
            }
        }
    }

    /// Whether the first result of a slice counts, or only once another host has found the same.
    pub(super) fn storing(&self, run: u32, session: SessionId, offer: &Offer) -> Storing {
        let batch = self.runs[&run].batch_position(offer.slice);
        let good = self.hosts.good_in_row(&self.host_of(session));
        let secret = &self.identity.secret;
        let doubted = self.validation.wants(secret, &offer.fingerprint, batch, good);
        if doubted { Storing::Doubted } else { Storing::Plainly }
    }

    /// Sends a result to the disk.
    pub(super) fn store(
        &mut self,
        now: Millis,
        reply: ReplyId,
        session: SessionId,
        offer: &Offer,
        compute_ms: u64,
        storing: Storing,
    ) {
        let key = self.key(&offer.token);
        let attempt = key.and_then(|key| self.attempts.get(&key)).copied();
        let host_key = self.host_of(session);
        let Some((number, _)) = self.run_of(&offer.fingerprint) else { return };
        let Some(run) = self.runs.get_mut(&number) else { return };
        let (slice, digest) = (offer.slice, offer.digest);
        if let Some(attempt) = attempt {
            run.note_pace(slice, now.since(attempt.since));
        }
        let replaces = match run.state(slice) {
            SliceState::Doubted { digest, .. } => Some(digest),
            _ => None,
        };
        let holders = run.state(slice).holders();
        run.set(slice, SliceState::Committing { digest, upload: reply, holders }, now);
        let upload = Upload {
            run: number,
            slice,
            session,
            compute_ms,
            late: attempt.is_none(),
            host_key: host_key.clone(),
            storing,
            replaces,
            followers: Vec::new(),
        };
        self.uploads.insert(reply, upload);
        self.effects.push(Effect::Persist { upload: reply, host_key, storing });
    }

    /// A result of a slice that has a stored one already, which is doubted.
    fn vote(
        &mut self,
        now: Millis,
        reply: ReplyId,
        session: SessionId,
        offer: &Offer,
        compute_ms: u64,
    ) {
        let host = self.host_of(session);
        let needed = self.validation.needed();
        let Some((number, _)) = self.run_of(&offer.fingerprint) else { return };
        let place = (number, offer.slice);
        let key = self.key(&offer.token);
        let Some(run) = self.runs.get_mut(&number) else { return };
        let Some(doubt) = run.doubts.get_mut(&offer.slice) else { return };
        let stored = doubt.votes()[0].1;
        doubt.vote(&host, offer.digest);
        let verdict = doubt.verdict(needed);
        let equal = stored == offer.digest;
        match verdict {
            Verdict::Right(right, wrong) if right == stored => {
                self.confirm(now, place, right, compute_ms, session);
                self.blame_liars(now, place, &wrong);
            }
            Verdict::Right(_, wrong) => {
                self.blame_liars(now, place, &wrong);
                self.mismatch(number, session, offer, stored);
                // Answered when it is durable in place of the wrong one.
                return self.store(now, reply, session, offer, compute_ms, Storing::Instead);
            }
            Verdict::Open => {
                if let Some(key) = key {
                    self.drop_attempt(now, key);
                }
            }
            Verdict::Hopeless => {
                let reason = disputed(self.runs[&number].doubts[&offer.slice].votes());
                let holders = self.runs[&number].state(offer.slice).holders();
                self.drop_holders(holders);
                self.park(now, number, offer.slice, reason);
            }
        }
        if equal {
            self.reply(reply, Reply::Outcome(Outcome::Duplicate));
        } else {
            self.mismatch(number, session, offer, stored);
            self.reply(reply, Reply::Outcome(Outcome::Mismatch { committed: stored }));
        }
    }

    /// Others found the stored result, too.
    fn confirm(
        &mut self,
        now: Millis,
        (number, slice): Place,
        digest: Digest,
        compute_ms: u64,
        session: SessionId,
    ) {
        let (live, host) = (self.live(), self.host_of(session));
        let Some(run) = self.runs.get_mut(&number) else { return };
        let alone = run.doubts.get(&slice).is_some_and(Doubt::is_same_host);
        run.confirmed += u64::from(!alone);
        run.confirmed_alone += u64::from(alone);
        let holders = run.state(slice).holders();
        run.committed(slice, digest, compute_ms, now, live);
        if alone {
            run.unchecked.insert(slice, host);
        }
        self.stirred |= !run.is_open();
        self.drop_holders(holders);
        self.history.forget((number, slice));
        if let Some(worker) = self.workers.get_mut(&session) {
            worker.committed += 1;
        }
        self.effects.push(Effect::Decide { run: number, decision: Decision::Confirm { slice } });
        self.tell(Notice::Checked { run: number, slice, replaced: false });
        self.tell_if_ended(number);
    }

    fn blame_liars(&mut self, now: Millis, (number, slice): Place, hosts: &[String]) {
        for host in hosts {
            let reason = format!("its result of slice {} of run {number} proved wrong", slice.0);
            self.quarantine(now, host, reason);
            self.doubt_all_of(now, host);
        }
    }

    /// Whatever rests on the word of this host alone counts only once others have found the same.
    fn doubt_all_of(&mut self, now: Millis, host: &str) {
        if host.is_empty() {
            return;
        }
        for (number, run) in &mut self.runs {
            let of_host = run.unchecked.iter().filter(|(_, one)| *one == host);
            for slice in of_host.map(|(slice, _)| *slice).collect::<Vec<_>>() {
                run.unchecked.remove(&slice);
                if let SliceState::Committed(digest) = run.state(slice) {
                    run.doubts.insert(slice, Doubt::new(host, digest));
                    let holders = Holders::default();
                    run.set(slice, SliceState::Doubted { digest, holders }, now);
                    let decision = Decision::Doubt { slice };
                    self.effects.push(Effect::Decide { run: *number, decision });
                }
            }
        }
        self.reopened();
    }

    pub(super) fn mismatch(
        &mut self,
        number: u32,
        session: SessionId,
        offer: &Offer,
        committed: Digest,
    ) {
        if let Some(run) = self.runs.get_mut(&number) {
            run.mismatched += 1;
        }
        self.tell(Notice::Mismatch {
            run: number,
            slice: offer.slice,
            committed,
            offered: offer.digest,
            session,
        });
    }

    pub(super) fn persisted(&mut self, now: Millis, id: ReplyId) {
        let Some((upload, digest, holders)) = self.take_upload(id) else { return };
        let place = (upload.run, upload.slice);
        let live = self.live();
        self.drop_holders(holders);
        self.history.forget(place);
        self.hosts.succeeded(&upload.host_key, place);
        self.blame_for(now, place, &upload.host_key);
        if let Some(run) = self.runs.get_mut(&upload.run) {
            if upload.storing == Storing::Doubted {
                run.troubles.remove(&upload.slice);
                run.doubts.insert(upload.slice, Doubt::new(&upload.host_key, digest));
                let holders = Holders::default();
                run.set(upload.slice, SliceState::Doubted { digest, holders }, now);
                self.stirred = true;
            } else {
                run.committed(upload.slice, digest, upload.compute_ms, now, live);
                if self.validation != Validation::Off && upload.storing == Storing::Plainly {
                    run.unchecked.insert(upload.slice, upload.host_key.clone());
                }
                // Waiting calls may hear that everything is done.
                self.stirred |= !run.is_open();
            }
        }
        if let Some(worker) = self.workers.get_mut(&upload.session) {
            worker.committed += 1;
        }
        if upload.storing == Storing::Instead {
            let decision = Decision::Confirm { slice: upload.slice };
            self.effects.push(Effect::Decide { run: upload.run, decision });
            self.tell(Notice::Checked { run: upload.run, slice: upload.slice, replaced: true });
        }
        self.reply(id, Reply::Outcome(Outcome::Committed { late: upload.late }));
        for (reply, session, offer) in upload.followers {
            let outcome = if offer.digest == digest {
                Outcome::Duplicate
            } else {
                self.mismatch(upload.run, session, &offer, digest);
                Outcome::Mismatch { committed: digest }
            };
            self.reply(reply, Reply::Outcome(outcome));
        }
        self.tell_if_ended(upload.run);
    }

    /// What went well here and failed on other hosts is those hosts' own.
    fn blame_for(&mut self, now: Millis, place: Place, good_host: &str) {
        let Some(trouble) = self.runs.get(&place.0).and_then(|run| run.troubles.get(&place.1))
        else {
            return;
        };
        let failed: Vec<_> =
            trouble.hosts().filter(|host| *host != good_host).map(str::to_owned).collect();
        for host in failed {
            if self.hosts.blame(&host, place) {
                let reason = "several slices failed there that went well on other hosts".to_owned();
                self.quarantine(now, &host, reason);
            }
        }
    }

    pub(super) fn persist_failed(&mut self, now: Millis, id: ReplyId, reason: String) {
        let Some((upload, _, holders)) = self.take_upload(id) else { return };
        if let Some(run) = self.runs.get_mut(&upload.run) {
            let state = match upload.replaces {
                Some(digest) => SliceState::Doubted { digest, holders },
                None => SliceState::Waiting.with_holders(holders),
            };
            run.set(upload.slice, state, now);
        }
        self.fail_store(reason.clone());
        let waiting = std::iter::once(id).chain(upload.followers.iter().map(|(reply, ..)| *reply));
        for reply in waiting {
            self.refuse(reply, Refusal::StoreFailed(reason.clone()));
        }
    }

    fn take_upload(&mut self, id: ReplyId) -> Option<(Upload, Digest, Holders)> {
        let upload = self.uploads.remove(&id)?;
        match self.runs.get(&upload.run)?.state(upload.slice) {
            SliceState::Committing { digest, holders, .. } => Some((upload, digest, holders)),
            _ => None,
        }
    }
}

/// Why a slice is parked on which nobody agrees.
fn disputed(votes: &[(String, Digest)]) -> String {
    let found: Vec<_> = votes
        .iter()
        .map(|(host, digest)| {
            let host = if host.is_empty() { "an unknown host" } else { host };
            format!("{} on {host}", digest.short())
        })
        .collect();
    format!("disputed: {}", found.join(", "))
}
