//! Results that nobody here was given to compute: those of bundles. They are never fenced, and never a vote about a
//! doubted result, for the same bundle may be brought again and again.

use super::core::Core;
use super::slice::SliceState;
use super::{Millis, Offer, Outcome, Refusal, Reply, ReplyId, SessionId};
use crate::store::RunControl;

/// Who brings them: no worker has this session.
const NOBODY: SessionId = SessionId(0);

impl Core {
    pub(super) fn import_offer(&mut self, reply: ReplyId, offer: &Offer) {
        if let Some(reason) = self.store_failed.clone() {
            return self.refuse(reply, Refusal::StoreFailed(reason));
        }
        match self.judge_import(offer) {
            Ok(run) => self.reply(reply, Reply::Proceed { run }),
            Err(outcome) => self.reply(reply, Reply::Outcome(outcome)),
        }
    }

    pub(super) fn import(&mut self, now: Millis, reply: ReplyId, offer: &Offer, compute_ms: u64) {
        if let Some(reason) = self.store_failed.clone() {
            return self.refuse(reply, Refusal::StoreFailed(reason));
        }
        let number = match self.judge_import(offer) {
            Ok(number) => number,
            Err(outcome) => return self.reply(reply, Reply::Outcome(outcome)),
        };
        let state = self.runs.get(&number).map(|run| run.state(offer.slice));
        match state {
            Some(SliceState::Committed(digest) | SliceState::Doubted { digest, .. }) => {
                self.mismatch(number, NOBODY, offer, digest);
                self.reply(reply, Reply::Outcome(Outcome::Mismatch { committed: digest }));
            }
            Some(SliceState::Committing { upload, .. }) => {
                if let Some(upload) = self.uploads.get_mut(&upload) {
                    upload.followers.push((reply, NOBODY, *offer));
                }
            }
            Some(SliceState::Waiting | SliceState::Leased(_) | SliceState::Parked) => {
                let storing = self.storing(number, NOBODY, offer);
                self.store(now, reply, NOBODY, offer, compute_ms, storing);
            }
            None => {}
        }
    }

    /// The run of a result whose bytes are worth having, or what becomes of it without looking at them.
    fn judge_import(&self, offer: &Offer) -> Result<u32, Outcome> {
        let (number, run) = self.as_planned(offer)?;
        match run.state(offer.slice) {
            SliceState::Committed(digest) | SliceState::Doubted { digest, .. }
                if digest == offer.digest =>
            {
                Err(Outcome::Duplicate)
            }
            // Another digest: the bytes must prove that they have it.
            SliceState::Committed(_) | SliceState::Doubted { .. } => Ok(number),
            _ if run.control == RunControl::Cancelled => Err(Outcome::Gone),
            _ => Ok(number),
        }
    }
}
