//! A registered worker, and an attempt.

use std::collections::{BTreeMap, BTreeSet};

use fulldeck_job::SliceId;

use super::ids::AttemptKey;
use super::trouble::Care;
use super::{Millis, Registration, ReplyId, SessionId};

#[derive(Debug)]
pub(super) struct Worker {
    pub(super) about: Registration,
    pub(super) last_contact: Millis,
    pub(super) rss_bytes: u64,
    pub(super) committed: u64,
    pub(super) attempts: BTreeSet<AttemptKey>,
    /// Attempts whose leases ended since it was last heard of.
    pub(super) expired: usize,
    /// Number of the last lease answer.
    pub(super) last_answer: u64,
    /// Answers that may have got lost, with what they held.
    pub(super) unacknowledged: BTreeMap<u64, Vec<AttemptKey>>,
    /// It knows that there is nothing left to do: told once at once, then it waits like everybody.
    pub(super) told_done: bool,
    /// It takes nothing more, and leaves.
    pub(super) draining: bool,
    /// When it has to end.
    pub(super) ends: Option<Millis>,
    /// Its waiting lease call.
    pub(super) poll: Option<ReplyId>,
}

impl Worker {
    pub(super) fn new(about: Registration, now: Millis) -> Self {
        let ends = about.ends_in.map(|left| now + left);
        Self {
            about,
            ends,
            draining: false,
            last_contact: now,
            rss_bytes: 0,
            committed: 0,
            attempts: BTreeSet::new(),
            expired: 0,
            last_answer: 0,
            unacknowledged: BTreeMap::new(),
            told_done: false,
            poll: None,
        }
    }

    /// The answers up to `answer` arrived.
    pub(super) fn acknowledge(&mut self, answer: u64) {
        self.unacknowledged = self.unacknowledged.split_off(&answer.saturating_add(1));
    }
}

/// A slice in somebody's hands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub(super) run: u32,
    pub(super) slice: SliceId,
    /// `None`: a lease of the coordinator's earlier life, not yet confirmed by its worker.
    pub(super) session: Option<SessionId>,
    pub(super) expires: Millis,
    /// The lease answer that carried it; 0 if the worker brought it along.
    pub(super) answer: u64,
    /// When it was handed out, as far as this start knows.
    pub(super) since: Millis,
    /// How carefully it was handed out.
    pub(super) care: Care,
}

/// A lease call that waits for work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Poll {
    pub(super) session: SessionId,
    pub(super) free_slots: u32,
    pub(super) until: Millis,
}
