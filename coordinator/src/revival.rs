//! A store that has failed is opened again when there is hope, and the coordinator goes on.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fulldeck_job::Registry;
use fulldeck_service::host;

use crate::catalog::{Catalog, RunEntry};
use crate::scheduler::{Event, Found};
use crate::store::{Change, MAX_COMMIT_CHANGES, RecoveredRun, Store, StoreError};

/// Failures that are no full disk: after so many within [`MEMORY`] nobody tries again but a person.
const MAX_FAILURES: usize = 3;
/// How long a failure is remembered.
const MEMORY: Duration = Duration::from_secs(600);
/// Space that must be free before a store is opened again, in bytes; on a small disk a twentieth of it is enough.
const WANTED_FREE: u64 = 16 << 20;
/// That twentieth.
const WANTED_SHARE: u64 = 20;

/// How and when a failed store is opened again.
pub(crate) struct Revival {
    pub(crate) data_dir: PathBuf,
    pub(crate) registry: Registry,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) attempts: Attempts,
}

impl Revival {
    /// The store has failed.
    pub(crate) fn failed(&mut self, now: Instant, error: &StoreError) {
        self.attempts.failed(now, matches!(error, StoreError::DiskFull { .. }));
        if self.attempts.next.is_none() {
            tracing::error!(
                "the store has failed {MAX_FAILURES} times: start the coordinator again"
            );
        }
    }

    /// How long to wait before the next attempt; `None` if there will be none.
    pub(crate) fn wait(&self, now: Instant) -> Option<Duration> {
        Some(self.attempts.next?.saturating_duration_since(now))
    }

    /// Opens the store, if there is space for it; what the scheduler must hear if that went well.
    /// The changes that are `kept` are made durable first.
    pub(crate) fn attempt(
        &mut self,
        store: &mut dyn Store,
        kept: &[Change],
        now: Instant,
    ) -> Option<Vec<Event>> {
        if !self.has_space() {
            self.attempts.postpone(now);
            return None;
        }
        let revived = store
            .reopen()
            .and_then(|()| {
                kept.chunks(MAX_COMMIT_CHANGES).try_for_each(|some| store.commit(some).map(drop))
            })
            .and_then(|()| store.recover())
            .map_err(|error| (matches!(error, StoreError::DiskFull { .. }), error.to_string()))
            .and_then(|runs| self.reconcile(runs).map_err(|reason| (false, reason)));
        match revived {
            Ok(events) => Some(events),
            Err((full, reason)) => {
                tracing::warn!("the store cannot be opened again: {reason}");
                self.attempts.failed(Instant::now(), full);
                None
            }
        }
    }

    fn has_space(&self) -> bool {
        // Where the system does not tell, opening does.
        host::disk_space(&self.data_dir)
            .is_none_or(|disk| disk.free >= WANTED_FREE.min(disk.total / WANTED_SHARE))
    }

    /// Brings the catalogue to the state of the store; what the scheduler must hear. A result may be durable although
    /// nobody was told, and one that was acknowledged may have been damaged since.
    fn reconcile(&self, runs: Vec<RecoveredRun>) -> Result<Vec<Event>, String> {
        let (mut events, mut found, mut lost) = (Vec::new(), Vec::new(), Vec::new());
        let mut known: BTreeMap<u32, Arc<RunEntry>> =
            self.catalog.all().into_iter().map(|entry| (entry.number, entry)).collect();
        for RecoveredRun { record, committed, decided, .. } in runs {
            let run = record.run;
            let Some(entry) = known.remove(&run) else {
                let entry = RunEntry::recovered(&self.data_dir, &self.registry, &record)
                    .map_err(|error| error.to_string())?;
                for (slice, result) in committed {
                    entry.note(slice, result.digest, result.place);
                }
                events.push(Event::RunAdded(entry.seed(&[], decided)));
                self.catalog.insert(Arc::new(entry));
                continue;
            };
            let mut before: BTreeMap<_, _> = entry.committed().into_iter().collect();
            for (slice, result) in committed {
                if before.remove(&slice) != Some(result) {
                    entry.forget(slice);
                    entry.note(slice, result.digest, result.place);
                    let doubted = decided.doubted.contains(&slice);
                    found.push(Found { run, slice, digest: result.digest, doubted });
                }
            }
            for slice in before.into_keys() {
                entry.forget(slice);
                lost.push((run, slice));
            }
        }
        match known.keys().next() {
            Some(run) => Err(format!("run {run} is gone from it")),
            None => {
                events.push(Event::StoreBack { found, lost });
                Ok(events)
            }
        }
    }
}

/// When the next attempt is due.
#[derive(Debug)]
pub(crate) struct Attempts {
    /// Between two of them.
    every: Duration,
    /// Failures that were no full disk.
    failures: VecDeque<Instant>,
    next: Option<Instant>,
}

impl Attempts {
    pub(crate) fn new(every: Duration) -> Self {
        Self { every, failures: VecDeque::new(), next: None }
    }

    fn postpone(&mut self, now: Instant) {
        self.next = Some(now + self.every);
    }

    fn failed(&mut self, now: Instant, full: bool) {
        if !full {
            self.failures.push_back(now);
        }
        self.failures.retain(|at| now.saturating_duration_since(*at) < MEMORY);
        self.next = (full || self.failures.len() < MAX_FAILURES).then(|| now + self.every);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_tried_for_ever_and_other_failures_three_times_in_ten_minutes() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut attempts = Attempts::new(Duration::from_secs(5));
        for round in 0..100 {
            attempts.failed(at(round * 5), true);
            assert_eq!(attempts.next, Some(at(round * 5 + 5)));
        }
        for second in [1000, 1005] {
            attempts.failed(at(second), false);
            assert_eq!(attempts.next, Some(at(second + 5)));
        }
        // The first one is forgotten, the third one is the second again.
        attempts.failed(at(1600), false);
        assert_eq!(attempts.next, Some(at(1605)));
        attempts.failed(at(1604), false);
        assert_eq!(attempts.next, None);
    }
}
