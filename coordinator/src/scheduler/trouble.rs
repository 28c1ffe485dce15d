//! What went wrong with a slice before, and how carefully it is leased since.

use std::collections::{BTreeSet, VecDeque};

use super::{Failure, MAX_FAILED_HOSTS, MAX_FAILURES, MAX_HISTORY};

/// How carefully a slice is leased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Care {
    /// With its batch, beside others.
    #[default]
    Together,
    /// With its batch, to a worker that has nothing else: a worker was lost that had it.
    BatchAlone,
    /// Alone, to a worker that has nothing else: only now a lost worker says something about the slice.
    SliceAlone,
}

/// Failures of one slice while it is open.
#[derive(Clone, Debug, Default)]
pub(super) struct Trouble {
    /// Workers lost while they had it beside others.
    marks: u8,
    /// Failures that are its own.
    counted: u8,
    /// Hosts of those.
    hosts: BTreeSet<String>,
    /// What happened, newest last.
    history: VecDeque<String>,
    /// Older entries that were dropped.
    dropped: u32,
    /// Copies that were leased because the first attempt took too long.
    pub(super) copies: u8,
}

impl Trouble {
    pub(super) fn care(&self) -> Care {
        match (self.counted, self.marks) {
            (0, 0) => Care::Together,
            (0, 1) => Care::BatchAlone,
            _ => Care::SliceAlone,
        }
    }

    /// A worker was lost that had it, which may have another reason.
    pub(super) fn mark(&mut self) {
        self.marks = self.marks.saturating_add(1);
        self.remember("lost with its worker, beside others: not counted".to_owned());
    }

    /// It failed by itself on a host; how often it did in all.
    pub(super) fn count(&mut self, host: &str, what: String) -> u8 {
        self.counted = self.counted.saturating_add(1);
        if self.hosts.len() < MAX_FAILED_HOSTS {
            self.hosts.insert(host.to_owned());
        }
        self.remember(what);
        self.counted
    }

    pub(super) fn remember(&mut self, what: String) {
        if self.history.len() == MAX_HISTORY {
            self.history.pop_front();
            self.dropped += 1;
        }
        self.history.push_back(what);
    }

    pub(super) fn counted(&self) -> u8 {
        self.counted
    }

    pub(super) fn is_poison(&self) -> bool {
        self.counted >= MAX_FAILURES || self.hosts.len() >= MAX_FAILED_HOSTS
    }

    pub(super) fn hosts(&self) -> impl Iterator<Item = &str> {
        self.hosts.iter().map(String::as_str)
    }

    /// What happened, oldest first.
    pub(super) fn history(&self) -> impl Iterator<Item = String> + '_ {
        let dropped =
            (self.dropped > 0).then(|| format!("{} older entries are left out", self.dropped));
        dropped.into_iter().chain(self.history.iter().cloned())
    }

    /// Why it is given up.
    pub(super) fn verdict(&self) -> String {
        let hosts = self.hosts.len();
        let on = if hosts > 1 { format!(" on {hosts} hosts") } else { String::new() };
        let last = self.history.back().map_or("", String::as_str);
        format!("{} failures{on}, the last one: {last}", self.counted)
    }
}

/// Whether a failure says something about the slice.
pub(super) fn counts(failure: Failure) -> bool {
    failure != Failure::Refused
}
