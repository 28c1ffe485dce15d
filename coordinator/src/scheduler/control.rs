//! What people decide: about runs, slices, workers and hosts.

use fulldeck_job::SliceId;

use super::alarms::Alarm;
use super::checks::Doubt;
use super::core::Core;
use super::slice::{Holders, SliceState};
use super::trouble::Trouble;
use super::{Millis, Notice, Refusal, Reply, ReplyId, SessionId};
use crate::store::RunControl;

impl Core {
    pub(super) fn control(
        &mut self,
        now: Millis,
        reply: ReplyId,
        number: u32,
        control: RunControl,
    ) {
        let Some(run) = self.runs.get_mut(&number) else {
            return self.refuse(reply, Refusal::NoRun(number));
        };
        let before = std::mem::replace(&mut run.control, control);
        if control == RunControl::Cancelled {
            let leased: Vec<_> = self
                .attempts
                .iter()
                .filter(|(_, attempt)| attempt.run == number)
                .map(|(key, _)| *key)
                .collect();
            for key in leased {
                self.drop_attempt(now, key);
            }
        }
        if before != control {
            self.tell(Notice::Controlled { run: number, control });
        }
        self.reopened();
        self.reply(reply, Reply::Done);
    }

    pub(super) fn retry(&mut self, now: Millis, reply: ReplyId, number: u32, slices: &[SliceId]) {
        let Some(run) = self.runs.get_mut(&number) else {
            return self.refuse(reply, Refusal::NoRun(number));
        };
        for slice in slices {
            if run.planned(*slice).is_some() && run.state(*slice) == SliceState::Parked {
                let reason = run.parked.get(slice).cloned().unwrap_or_default();
                let mut trouble = Trouble::default();
                trouble.remember(format!("parked, then retried: {reason}"));
                run.troubles.insert(*slice, trouble);
                // A disputed slice has a stored result: it is doubted again, from the beginning.
                let stored = run.doubts.get(slice).map(|doubt| doubt.votes()[0].1);
                let state = match stored {
                    Some(digest) => {
                        run.doubts.insert(*slice, Doubt::new("", digest));
                        SliceState::Doubted { digest, holders: Holders::default() }
                    }
                    None => SliceState::Waiting,
                };
                run.set(*slice, state, now);
            }
        }
        self.reopened();
        self.reply(reply, Reply::Done);
    }

    pub(super) fn drain(&mut self, reply: ReplyId, session: SessionId) {
        let Some(worker) = self.workers.get_mut(&session) else {
            return self.refuse(reply, Refusal::NoWorker(session));
        };
        worker.draining = true;
        self.reply(reply, Reply::Done);
    }

    pub(super) fn quarantine(&mut self, now: Millis, host_key: &str, reason: String) {
        let Some(until) = self.hosts.quarantine(host_key, reason.clone(), now) else { return };
        self.alarms.set(until, Alarm::Quarantine);
        let (host_key, lasts) = (host_key.to_owned(), until.since(now));
        self.tell(Notice::Quarantined { host_key, lasts, reason });
    }

    pub(super) fn release_host(&mut self, reply: ReplyId, host_key: String) {
        if self.hosts.release(&host_key) {
            self.stirred = true;
            self.reply(reply, Reply::Done);
        } else {
            self.refuse(reply, Refusal::NotQuarantined(host_key));
        }
    }
}
