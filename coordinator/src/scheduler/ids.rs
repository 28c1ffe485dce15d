//! Identities and time of the scheduler.

use std::fmt;
use std::ops::Add;

/// Monotonic milliseconds since the coordinator started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millis(pub u64);

impl Millis {
    /// Time from `earlier` to here; zero if it is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }

    /// In seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1_000.0
    }
}

impl Add for Millis {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// A call that waits for its [`super::Reply`]. Never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReplyId(pub u64);

/// One registration of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionId(pub u64);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.0)
    }
}

/// A token of this store: the store id is known and left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AttemptKey {
    pub(super) epoch: u64,
    pub(super) start_id: u64,
    pub(super) sequence: u64,
}

/// Who this coordinator is, and which starts of it came before.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The store.
    pub store_id: [u8; 16],
    /// This start.
    pub epoch: u64,
    /// Random number of this start.
    pub start_id: u64,
    /// Known to nobody else: which results are checked depends on it.
    pub secret: [u8; 32],
    /// Epoch and start id of the earlier starts on this store.
    pub earlier: Vec<(u64, u64)>,
}
