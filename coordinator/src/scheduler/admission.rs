//! Who may compute what, and why not: the one place that decides it and the one that explains it.

use fulldeck_job::SliceId;

use super::core::Core;
use super::run::Run;
use super::slice::SliceState;
use super::worker::Worker;
use super::{Millis, TIME_LEFT_MARGIN, TIME_LEFT_TENTHS};
use crate::store::RunControl;

/// Why a worker may not compute slices of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hindrance {
    /// The run is paused.
    Paused,
    /// The run was cancelled.
    Cancelled,
    /// The worker does not know the workload.
    UnknownWorkload,
    /// The worker computes another version of it.
    OtherVersion,
    /// The worker leaves.
    Draining,
    /// Its host is in quarantine.
    Quarantined,
    /// What is expected to be needed does not fit into the time that is left to the worker.
    NoTimeLeft,
}

impl Hindrance {
    /// In words.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Paused => "the run is paused",
            Self::Cancelled => "the run was cancelled",
            Self::UnknownWorkload => "it does not know the workload",
            Self::OtherVersion => "it computes another version of the workload",
            Self::Draining => "it is draining",
            Self::Quarantined => "its host is in quarantine",
            Self::NoTimeLeft => "the time that is left to it is too short",
        }
    }
}

impl Core {
    /// Whether a worker may compute slices of a run.
    pub(super) fn admits(&self, now: Millis, worker: &Worker, run: &Run) -> Result<(), Hindrance> {
        match run.control {
            RunControl::Open => {}
            RunControl::Paused => return Err(Hindrance::Paused),
            RunControl::Cancelled => return Err(Hindrance::Cancelled),
        }
        let known = worker.about.workloads.iter().find(|(name, _)| *name == run.workload);
        match known {
            None => return Err(Hindrance::UnknownWorkload),
            Some((_, version)) if *version != run.algorithm_version => {
                return Err(Hindrance::OtherVersion);
            }
            Some(_) => {}
        }
        if worker.draining {
            return Err(Hindrance::Draining);
        }
        if self.hosts.quarantined(&worker.about.host_key, now).is_some() {
            return Err(Hindrance::Quarantined);
        }
        if worker.ends.is_some_and(|ends| ends <= now + TIME_LEFT_MARGIN) {
            return Err(Hindrance::NoTimeLeft);
        }
        Ok(())
    }

    /// A doubted result is found again on another host; on the same one only if no other could.
    pub(super) fn may_check(
        &self,
        now: Millis,
        run: &Run,
        slice: SliceId,
        worker: &Worker,
    ) -> bool {
        if !matches!(run.state(slice), SliceState::Doubted { .. }) {
            return true;
        }
        let Some(doubt) = run.doubts.get(&slice) else { return true };
        let host = worker.about.host_key.as_str();
        if !doubt.has_vote_of(host) {
            return true;
        }
        // A dispute is for a third host to decide.
        let other = |one: &Worker| !doubt.has_vote_of(&one.about.host_key);
        let others = || self.workers.values().filter(|one| other(one));
        !doubt.is_dispute() && !others().any(|one| self.admits(now, one, run).is_ok())
    }

    /// Whether a worker is to leave: it was told to, or nothing that waits fits into the time that is left to it.
    pub(super) fn shall_leave(&self, now: Millis, session: super::SessionId) -> bool {
        let Some(worker) = self.workers.get(&session) else { return false };
        if worker.draining {
            return true;
        }
        if worker.ends.is_none() || !worker.attempts.is_empty() {
            return false;
        }
        let mut ready = self.runs.values().filter(|run| run.has_ready()).peekable();
        ready.peek().is_some()
            && ready.all(|run| {
                run.next_batch(true, |_| true).is_some_and(|(slices, _)| {
                    matches!(self.admits(now, worker, run), Err(Hindrance::NoTimeLeft))
                        || !fits(worker, run, &slices, now)
                })
            })
    }
}

/// Whether these slices are expected to be done before the worker has to end.
pub(super) fn fits(worker: &Worker, run: &Run, slices: &[SliceId], now: Millis) -> bool {
    let Some(ends) = worker.ends else { return true };
    let expected = run.expected(slices).unwrap_or_default().0;
    let needed = Millis(expected.saturating_mul(TIME_LEFT_TENTHS) / 10) + TIME_LEFT_MARGIN;
    now + needed <= ends
}
