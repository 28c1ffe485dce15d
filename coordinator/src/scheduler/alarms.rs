//! When the scheduler wants to be woken.

use std::collections::BTreeSet;

use super::ids::AttemptKey;
use super::{Millis, ReplyId, SessionId};

/// What is to be looked at. An alarm may be early: whoever handles it looks at the real deadline and sets it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Alarm {
    /// A lease may have ended.
    Attempt(AttemptKey),
    /// A worker may be lost.
    Worker(SessionId),
    /// The back-off of a batch (by its position in the run) may be over.
    Backoff(u32, u32),
    /// A lease call has waited long enough.
    Poll(ReplyId),
    /// A host may have work again.
    Quarantine,
    /// Is anything stuck?
    Watchdog,
}

#[derive(Debug, Default)]
pub(super) struct Alarms(BTreeSet<(Millis, Alarm)>);

impl Alarms {
    pub(super) fn set(&mut self, at: Millis, alarm: Alarm) {
        self.0.insert((at, alarm));
    }

    pub(super) fn clear(&mut self, at: Millis, alarm: Alarm) {
        self.0.remove(&(at, alarm));
    }

    pub(super) fn next(&self) -> Option<Millis> {
        self.0.first().map(|(at, _)| *at)
    }

    /// Takes the first alarm that is due.
    pub(super) fn due(&mut self, now: Millis) -> Option<Alarm> {
        let (at, alarm) = *self.0.first()?;
        if at > now {
            return None;
        }
        self.0.pop_first();
        Some(alarm)
    }
}
