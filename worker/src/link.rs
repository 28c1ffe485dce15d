//! The state of the connection, as every task of the worker sees it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fulldeck_proto::v1;
use tokio::sync::watch;
use tonic::{Code, Status};

use crate::client::Connection;

/// Failed calls of one kind in a row after which the channel is thrown away: one that lost its peer may never
/// recover by itself.
const MAX_FAILURES: u32 = 3;

/// Kinds of calls whose failures are counted apart, so that heartbeats that pass do not hide uploads that do not.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Lease,
    Heartbeat,
    Upload,
    Other,
}

/// What the coordinator wishes its workers to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timings {
    pub(crate) heartbeat: Duration,
    pub(crate) lease_wait: Duration,
    pub(crate) reconnect_cap: Duration,
}

impl Default for Timings {
    fn default() -> Self {
        Self {
            heartbeat: Duration::from_secs(3),
            lease_wait: Duration::from_secs(20),
            reconnect_cap: Duration::from_secs(5),
        }
    }
}

impl Timings {
    /// Takes over what is stated, within bounds; keeps the rest.
    fn adopt(&mut self, wire: &v1::Timings) {
        let bounded = |now: Duration, ms: u64, min: u64, max: u64| match ms {
            0 => now,
            ms => Duration::from_millis(ms.clamp(min, max)),
        };
        self.heartbeat = bounded(self.heartbeat, wire.heartbeat_ms, 10, 60_000);
        self.lease_wait = bounded(self.lease_wait, wire.lease_wait_ms, 10, 20_000);
        self.reconnect_cap = bounded(self.reconnect_cap, wire.reconnect_cap_ms, 10, 60_000);
    }
}

/// The connection, or its absence.
pub(crate) struct Link {
    state: watch::Sender<Option<Connection>>,
    was_up: AtomicBool,
    failures: [AtomicU32; 4],
    timings: Mutex<Timings>,
}

impl Link {
    pub(crate) fn new() -> Self {
        Self {
            state: watch::Sender::new(None),
            was_up: AtomicBool::new(false),
            failures: Default::default(),
            timings: Mutex::default(),
        }
    }

    /// The worker is registered.
    pub(crate) fn up(&self, connection: Connection) {
        for failures in &self.failures {
            failures.store(0, Ordering::Relaxed);
        }
        self.was_up.store(true, Ordering::Relaxed);
        self.state.send_replace(Some(connection));
    }

    /// Whether the worker was ever registered.
    pub(crate) fn was_up(&self) -> bool {
        self.was_up.load(Ordering::Relaxed)
    }

    pub(crate) fn current(&self) -> Option<Connection> {
        self.state.borrow().clone()
    }

    /// Waits until the worker is registered.
    pub(crate) async fn registered(&self) -> Connection {
        let mut state = self.state.subscribe();
        let up = state.wait_for(Option::is_some).await.expect("the link owns the sender");
        up.clone().expect("just waited for")
    }

    /// Waits until the worker is not registered.
    pub(crate) async fn lost(&self) {
        let mut state = self.state.subscribe();
        state.wait_for(Option::is_none).await.expect("the link owns the sender");
    }

    /// Every call's outcome comes past here; enough failures, or one that says so, end the connection.
    pub(crate) fn report<T>(
        &self,
        connection: &Connection,
        kind: Kind,
        outcome: &Result<T, Status>,
    ) {
        let failures = &self.failures[kind as usize];
        let Err(status) = outcome else {
            failures.store(0, Ordering::Relaxed);
            return;
        };
        let stale = match status.code() {
            // Another life of the coordinator, or another token: only a new registration helps.
            Code::Aborted | Code::Unauthenticated => true,
            // An answer of its own kind, not a failing connection.
            Code::ResourceExhausted => false,
            _ => failures.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_FAILURES,
        };
        tracing::debug!(?kind, code = ?status.code(), "call failed: {}", status.message());
        if stale {
            self.state.send_if_modified(|state| {
                let same = |up: &Connection| up.generation == connection.generation;
                let ends = state.as_ref().is_some_and(same);
                if ends {
                    tracing::warn!("connection lost ({}), computing on", status.message());
                    *state = None;
                }
                ends
            });
        }
    }

    pub(crate) fn timings(&self) -> Timings {
        *self.timings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn adopt(&self, wire: Option<&v1::Timings>) {
        if let Some(wire) = wire {
            self.timings.lock().unwrap_or_else(PoisonError::into_inner).adopt(wire);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timings_are_taken_within_bounds() {
        let mut timings = Timings::default();
        timings.adopt(&v1::Timings {
            heartbeat_ms: 1,
            lease_ms: 0,
            lease_wait_ms: u64::MAX,
            reconnect_cap_ms: 0,
        });
        assert_eq!(
            timings,
            Timings {
                heartbeat: Duration::from_millis(10),
                lease_wait: Duration::from_secs(20),
                reconnect_cap: Timings::default().reconnect_cap,
            }
        );
    }
}
