//! The checkpoint: what is committed survives any crash, and nothing is acknowledged before it is durable.
//!
//! Results go to append-only *segments*, which are the truth; an *index* (sled) holds small records beside them
//! and can be rebuilt from the segments at any time. [`SledStore`] is the real thing, [`MemoryStore`] its twin
//! for tests; both keep the contract of [`Store`]. [`ResultReader`] reads committed results beside the writer, and
//! [`StoredRuns`] a whole store that nobody writes.
//!
//! Deliberately absent: async, planning and scheduling. One thread owns a store; whoever wants group commit
//! collects changes and hands them over together.

pub mod care;
mod disk;
mod error;
mod guard;
mod index;
mod layout;
mod lock;
mod memory;
mod model;
mod opening;
mod place;
mod reader;
mod recovery;
mod reserve;
mod segments;
mod sled_store;
mod stored_runs;
#[cfg(test)]
mod tests;
mod text_file;
mod traces;
mod types;

pub use error::StoreError;
pub use guard::panic_is_handled;
pub use memory::{MemoryDisk, MemoryStore};
pub use reader::ResultReader;
pub use recovery::{Damage, Recovery};
pub use sled_store::{OpenOptions, SledStore};
pub use stored_runs::{Sharing, StoredRuns};
pub use types::{
    Change, CommittedSlice, Decided, Decision, LeaseRecord, NewResult, Place, RecoveredRun,
    RunControl, RunRecord, StoreIdentity, host_number,
};

/// Most changes of one commit.
pub const MAX_COMMIT_CHANGES: usize = 4096;

/// Everything a coordinator must not forget.
///
/// After any `Err` of [`Store::commit`] the store is poisoned: it answers every further call with
/// [`StoreError::Poisoned`], and only opening it again, by [`Store::reopen`] or in another process, tells what was kept.
pub trait Store: Send {
    /// Which store this is, and which life of it.
    fn identity(&self) -> StoreIdentity;

    /// Everything known: runs by number, per run its committed slices by id and its open leases.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`] after an earlier error.
    fn recover(&self) -> Result<Vec<RecoveredRun>, StoreError>;

    /// Makes the changes, in order and all or nothing; they are durable when it returns. Answers one place per
    /// [`Change::Result`] and [`Change::Replace`], in order. A result of a slice that is committed already, with an equal digest, is
    /// answered with the place of the first and stored once.
    ///
    /// # Errors
    /// [`StoreError::Refused`] for changes that contradict the store (unknown run, other digest, too large), else
    /// what went wrong with the disk. Nothing of a failed commit may be acknowledged.
    fn commit(&mut self, changes: &[Change]) -> Result<Vec<Place>, StoreError>;

    /// Opens the store again after an error, in the same life of it: identity, epoch and start id stay. What was durable
    /// is there again, also what was durable and never acknowledged; [`Store::recover`] tells. After an `Err` it is as
    /// poisoned as before and may be opened again later.
    ///
    /// # Errors
    /// What went wrong with the disk.
    fn reopen(&mut self) -> Result<(), StoreError>;

    /// Sees to what is kept for bad times, if the disk has room for it. To be called now and then.
    fn tend(&mut self) {}

    /// Bytes of all segments.
    fn stored_bytes(&self) -> u64;

    /// Reads committed results, also while the store is being written, and after it was closed.
    fn reader(&self) -> ResultReader;
}
