//! What people and programs may see of the scheduler.

use fulldeck_job::SliceId;

use super::core::Core;
use super::run::Run;
use super::{MAX_PARKED_LISTED, Millis, SessionId, TimeLeft};
use crate::store::RunControl;

/// Where a run stands; derived from its slices, never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPhase {
    /// Nothing of it was leased or committed yet.
    Queued,
    /// Something is open.
    Running,
    /// Every slice is committed.
    Finished,
    /// Nothing is open, but slices were given up.
    FinishedWithParked,
    /// Something is open, but nothing is leased for now.
    Paused,
    /// Something was open when it was cancelled.
    Cancelled,
    /// Something is open and workers are there, but none of them may compute it.
    Stalled,
}

/// Counts of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobSnapshot {
    /// Slices of the plan.
    pub slices: u32,
    /// In the hands of workers, or on the way to the disk.
    pub leased: u32,
    /// Durable.
    pub committed: u32,
    /// Given up.
    pub parked: u32,
    /// Planned cost.
    pub cost: u64,
    /// Planned cost of what is durable.
    pub committed_cost: u64,
}

/// A run as it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSnapshot {
    /// Where it stands.
    pub phase: RunPhase,
    /// Its jobs, in plan order.
    pub jobs: Vec<JobSnapshot>,
    /// Rate and time left.
    pub time_left: TimeLeft,
    /// Results that differed from the durable one.
    pub mismatched: u64,
    /// Durable results that count only once another host has found the same.
    pub doubted: u64,
    /// Results that another host found, too.
    pub confirmed: u64,
    /// Results that only the same host found again, because there was no other.
    pub confirmed_alone: u64,
    /// Second attempts at slices that took too long.
    pub copies: u64,
    /// Since the last commit of this process.
    pub last_commit_ago: Option<Millis>,
    /// Parked slices with reasons, the first [`MAX_PARKED_LISTED`].
    pub parked: Vec<(SliceId, String)>,
    /// Workers heard of lately.
    pub workers_live: u32,
    /// Workers that missed heartbeats.
    pub workers_suspect: u32,
    /// For how long work could have been leased, but was not: a defect.
    pub stuck: Option<Millis>,
    /// Why nothing more is leased or stored, if so.
    pub store_failed: Option<String>,
    /// Why nothing more is leased for want of space, if so.
    pub leasing_held: Option<String>,
}

/// A worker as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerSnapshot {
    /// Session.
    pub session: SessionId,
    /// Name for people.
    pub name: String,
    /// Machine and user.
    pub host_key: String,
    /// Version of its program.
    pub build: String,
    /// Vector unit in use.
    pub cpu: String,
    /// Computing threads.
    pub threads: u32,
    /// Missed heartbeats.
    pub suspect: bool,
    /// Takes nothing more and leaves.
    pub draining: bool,
    /// For how long its host gets nothing, and why.
    pub quarantined: Option<(Millis, String)>,
    /// Slices in its hands.
    pub leased: u32,
    /// Results that it brought.
    pub committed: u64,
    /// Since it was last heard of.
    pub last_contact_ago: Millis,
    /// Resident memory, in bytes.
    pub rss_bytes: u64,
}

impl Core {
    /// A run as it is at `now`; `None` if there is none of this number.
    #[must_use]
    pub fn run_snapshot(&self, now: Millis, number: u32) -> Option<RunSnapshot> {
        let run = self.runs.get(&number)?;
        let suspect = self.workers.keys().filter(|session| self.is_suspect(now, **session)).count();
        let live = self.live_at(now);
        Some(RunSnapshot {
            phase: self.phase(now, run),
            jobs: run
                .jobs()
                .iter()
                .map(|job| JobSnapshot {
                    slices: job.slices,
                    leased: job.leased,
                    committed: job.committed,
                    parked: job.parked,
                    cost: job.cost,
                    committed_cost: job.committed_cost,
                })
                .collect(),
            time_left: match self.store_failed {
                Some(_) => TimeLeft { seconds: Err("the store has failed"), cost_per_second: 0.0 },
                None => run
                    .pace
                    .time_left(live, self.workers.len() - suspect, run.open_cost())
                    .at_least(self.longest_left(now, number, run)),
            },
            mismatched: run.mismatched,
            doubted: run.doubts.len() as u64,
            confirmed: run.confirmed,
            confirmed_alone: run.confirmed_alone,
            copies: run.copies,
            last_commit_ago: run.last_commit.map(|at| now.since(at)),
            parked: run
                .parked
                .iter()
                .take(MAX_PARKED_LISTED)
                .map(|(slice, reason)| (*slice, reason.clone()))
                .collect(),
            workers_live: (self.workers.len() - suspect) as u32,
            workers_suspect: suspect as u32,
            stuck: self.stuck_for(now),
            store_failed: self.store_failed.clone(),
            leasing_held: self.leasing_held.clone(),
        })
    }

    /// The slices of a run that were given up.
    #[must_use]
    pub fn parked(&self, number: u32) -> Vec<SliceId> {
        self.runs.get(&number).map(|run| run.parked.keys().copied().collect()).unwrap_or_default()
    }

    /// How many durable results of a run count only once another host has found the same.
    #[must_use]
    pub fn doubted(&self, number: u32) -> usize {
        self.runs.get(&number).map_or(0, |run| run.doubts.len())
    }

    /// All workers as they are at `now`, by session.
    #[must_use]
    pub fn worker_snapshots(&self, now: Millis) -> Vec<WorkerSnapshot> {
        self.workers
            .iter()
            .map(|(session, worker)| WorkerSnapshot {
                session: *session,
                name: worker.about.name.clone(),
                host_key: worker.about.host_key.clone(),
                build: worker.about.build.clone(),
                cpu: worker.about.cpu.clone(),
                threads: worker.about.threads,
                suspect: self.is_suspect(now, *session),
                draining: worker.draining,
                quarantined: self
                    .hosts
                    .quarantined(&worker.about.host_key, now)
                    .map(|(until, why)| (until.since(now), why.to_owned())),
                leased: worker.attempts.len() as u32,
                committed: worker.committed,
                last_contact_ago: now.since(worker.last_contact),
                rss_bytes: worker.rss_bytes,
            })
            .collect()
    }

    /// What is expected to be left of the batch in hand that ends last.
    fn longest_left(&self, now: Millis, number: u32, run: &Run) -> Millis {
        let of_run = self.attempts.values().filter(|attempt| attempt.run == number);
        let left = of_run.filter_map(|attempt| {
            let batch = run.batch(run.batch_position(attempt.slice));
            Some(Millis(run.expected(&batch.slices)?.0.saturating_sub(now.since(attempt.since).0)))
        });
        left.max().unwrap_or_default()
    }

    fn phase(&self, now: Millis, run: &Run) -> RunPhase {
        match (phase(run), run.control) {
            (ended @ (RunPhase::Finished | RunPhase::FinishedWithParked), _) => ended,
            (_, RunControl::Cancelled) => RunPhase::Cancelled,
            (_, RunControl::Paused) => RunPhase::Paused,
            (RunPhase::Running | RunPhase::Queued, _) if self.is_stalled(now, run) => {
                RunPhase::Stalled
            }
            (phase, _) => phase,
        }
    }

    /// Not heard of for two and a half heartbeats.
    pub(super) fn is_suspect(&self, now: Millis, session: SessionId) -> bool {
        self.workers.get(&session).is_some_and(|worker| {
            now.since(worker.last_contact).0 * 2 > self.timings.heartbeat.0 * 5
        })
    }
}

fn phase(run: &Run) -> RunPhase {
    let sum = |of: fn(&super::run::JobCounts) -> u32| run.jobs().iter().map(of).sum::<u32>();
    let (slices, committed) = (sum(|job| job.slices), sum(|job| job.committed));
    let (leased, parked) = (sum(|job| job.leased), sum(|job| job.parked));
    if committed == slices {
        RunPhase::Finished
    } else if committed + parked == slices {
        RunPhase::FinishedWithParked
    } else if committed + leased + parked == 0 && run.doubts.is_empty() {
        RunPhase::Queued
    } else {
        RunPhase::Running
    }
}
