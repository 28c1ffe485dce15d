//! Results: the table of outcomes, and the way to the disk.

use super::core::{Core, Upload};
use super::slice::{Holders, SliceState};
use super::{Effect, Millis, Notice, Offer, Outcome, Refusal, Reply, ReplyId, SessionId};

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
        let (number, run) = self.run_of(&offer.fingerprint).ok_or(Outcome::WrongRun)?;
        let planned = run.planned(offer.slice).ok_or(Outcome::WrongRun)?;
        let as_planned = planned.job == offer.job
            && planned.first_row == offer.first_row
            && planned.rows == offer.rows
            && planned.elements == offer.elements
            && planned.raw_bytes == offer.raw_bytes;
        if !as_planned {
            return Err(Outcome::WrongRun);
        }
        match run.state(offer.slice) {
            SliceState::Committed(committed) if committed == offer.digest => {
                Err(Outcome::Duplicate)
            }
            // Another digest: the bytes must prove that they have it.
            SliceState::Committed(_) => Ok(number),
            _ if self.place_of(key) == Some((number, offer.slice)) => Ok(number),
            _ => Err(Outcome::Fenced),
        }
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
        let (slice, digest) = (offer.slice, offer.digest);
        let held = self.key(&offer.token).is_some_and(|key| self.attempts.contains_key(&key));
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
            SliceState::Waiting | SliceState::Leased(_) | SliceState::Parked => {
                let holders = run.state(slice).holders();
                run.set(slice, SliceState::Committing { digest, upload: reply, holders }, now);
                let upload = Upload {
                    run: number,
                    slice,
                    session,
                    compute_ms,
                    late: !held,
                    followers: Vec::new(),
                };
                self.uploads.insert(reply, upload);
                let host_key = self
                    .workers
                    .get(&session)
                    .map(|worker| worker.about.host_key.clone())
                    .unwrap_or_default();
                self.effects.push(Effect::Persist { upload: reply, host_key });
            }
        }
    }

    fn mismatch(
        &mut self,
        number: u32,
        session: SessionId,
        offer: &Offer,
        committed: fulldeck_job::Digest,
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
        let live = self.live();
        self.drop_holders(holders);
        self.history.forget((upload.run, upload.slice));
        if let Some(run) = self.runs.get_mut(&upload.run) {
            run.committed(upload.slice, digest, upload.compute_ms, now, live);
            // Waiting calls may hear that everything is done.
            self.stirred |= !run.is_open();
        }
        if let Some(worker) = self.workers.get_mut(&upload.session) {
            worker.committed += 1;
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

    pub(super) fn persist_failed(&mut self, now: Millis, id: ReplyId, reason: String) {
        let Some((upload, _, holders)) = self.take_upload(id) else { return };
        if let Some(run) = self.runs.get_mut(&upload.run) {
            let state =
                if holders.is_empty() { SliceState::Waiting } else { SliceState::Leased(holders) };
            run.set(upload.slice, state, now);
        }
        self.fail_store(reason.clone());
        let waiting = std::iter::once(id).chain(upload.followers.iter().map(|(reply, ..)| *reply));
        for reply in waiting {
            self.refuse(reply, Refusal::StoreFailed(reason.clone()));
        }
    }

    /// Nothing more is leased or taken; heartbeats go on.
    pub(super) fn fail_store(&mut self, reason: String) {
        if self.store_failed.is_none() {
            self.refuse_polls(&Refusal::StoreFailed(reason.clone()));
            self.tell(Notice::StoreFailed { reason: reason.clone() });
            self.store_failed = Some(reason);
        }
    }

    fn take_upload(&mut self, id: ReplyId) -> Option<(Upload, fulldeck_job::Digest, Holders)> {
        let upload = self.uploads.remove(&id)?;
        match self.runs.get(&upload.run)?.state(upload.slice) {
            SliceState::Committing { digest, holders, .. } => Some((upload, digest, holders)),
            _ => None,
        }
    }
}
