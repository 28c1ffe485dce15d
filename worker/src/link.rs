//! The state of the connection, as every task of the worker sees it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fulldeck_proto::v1;
use tokio::sync::watch;
use tokio::time::Instant;
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
    /// Why the coordinator takes nothing although it is there, as its last heartbeat answer said.
    halted: watch::Sender<Option<String>>,
    /// Since when the coordinator could neither take results nor grant work.
    idle_since: Mutex<Option<Instant>>,
    was_up: AtomicBool,
    failures: [AtomicU32; 4],
    timings: Mutex<Timings>,
}

impl Link {
    pub(crate) fn new() -> Self {
        Self {
            state: watch::Sender::new(None),
            halted: watch::Sender::new(None),
            idle_since: Mutex::default(),
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
        // Perhaps another life of it: it will tell.
        self.halted.send_replace(None);
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

    /// What a heartbeat answer says of the coordinator: why it takes nothing, or nothing if it does.
    pub(crate) fn told(&self, store_failed: String) {
        if store_failed.is_empty() {
            self.served();
            return;
        }
        self.not_served();
        self.halted.send_if_modified(|halted| {
            let is_new = halted.is_none();
            if is_new {
                tracing::warn!("the coordinator takes no results ({store_failed}): keeping them");
                *halted = Some(store_failed);
            }
            is_new
        });
    }

    /// Waits until the coordinator says that it takes nothing; why.
    pub(crate) async fn halted(&self) -> String {
        let mut halted = self.halted.subscribe();
        let reason = halted.wait_for(Option::is_some).await.expect("the link owns the sender");
        reason.clone().expect("just waited for")
    }

    /// Waits until the worker is registered with a coordinator that is not known to take nothing.
    pub(crate) async fn serving(&self) -> Connection {
        let mut halted = self.halted.subscribe();
        loop {
            halted.wait_for(Option::is_none).await.expect("the link owns the sender");
            let connection = self.registered().await;
            if halted.borrow().is_none() {
                return connection;
            }
        }
    }

    /// The coordinator could take a result or grant work just now.
    fn served(&self) {
        *self.idle_since.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if self.halted.send_replace(None).is_some() {
            tracing::info!("the coordinator takes results again");
        }
    }

    fn not_served(&self) {
        let mut since = self.idle_since.lock().unwrap_or_else(PoisonError::into_inner);
        since.get_or_insert_with(Instant::now);
    }

    /// How long the coordinator could neither take results nor grant work; from the first call on.
    pub(crate) fn idle(&self) -> Duration {
        let mut since = self.idle_since.lock().unwrap_or_else(PoisonError::into_inner);
        since.get_or_insert_with(Instant::now).elapsed()
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
            if matches!(kind, Kind::Lease | Kind::Upload) {
                self.served();
            }
            return;
        };
        let stale = match status.code() {
            // Another life of the coordinator, or another token: only a new registration helps.
            Code::Aborted | Code::Unauthenticated => true,
            // An answer of its own kind, not a failing connection.
            Code::ResourceExhausted | Code::FailedPrecondition => false,
            _ => failures.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_FAILURES,
        };
        tracing::debug!(?kind, code = ?status.code(), "call failed: {}", status.message());
        if stale {
            self.state.send_if_modified(|state| {
                let same = |up: &Connection| up.generation == connection.generation;
                let ends = state.as_ref().is_some_and(same);
                if ends {
                    self.not_served();
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
