//! The index: small records in sled beside the segments. It tells at once what a start must know, names slices that a
//! damaged segment has lost, keeps the leases, and is disposable: everything but the leases is in the segments.

mod batch;
mod check;
mod open;
mod values;

pub(super) use batch::IndexBatch;
pub(super) use check::Checked;
pub(super) use open::{build, examine, open};

use std::convert::Infallible;
use std::fs::File;
use std::path::{Path, PathBuf};

use sled::transaction::{ConflictableTransactionError, TransactionError, Transactional};
use sled::{Db, Tree};

use super::StoreError;
use super::disk::Disk;
use super::guard::guarded;

/// Memory that sled may use for its cache, in bytes.
const CACHE_BYTES: u64 = 64 << 20;

/// Names of the trees. A changed value gets a new name.
const META: &str = "meta.v1";
const RUNS: &str = "runs.v1";
const SLICES: &str = "slices.v1";
const LEASES: &str = "leases.v1";
const COUNTS: &str = "counts.v1";
/// The tree that sled makes by itself.
const SLED_DEFAULT: &[u8] = b"__sled__default";

/// An open index.
pub(super) struct Index {
    path: PathBuf,
    db: Db,
    meta: Tree,
    runs: Tree,
    slices: Tree,
    leases: Tree,
    counts: Tree,
    /// Our own handle of sled's file: its `flush` does not reach the disk, `sync_all` does.
    file: File,
    disk: Disk,
}

/// Why an index did not take a batch.
pub(super) struct ApplyError {
    pub(super) error: StoreError,
    /// Whether sled panicked; then it must not even be dropped.
    pub(super) panicked: bool,
}

impl Index {
    /// Opens or creates the database in the folder `path`.
    fn open_sled(path: &Path, disk: &Disk) -> Result<Self, sled::Error> {
        let db = sled::Config::new()
            .path(path)
            .cache_capacity(CACHE_BYTES)
            .flush_every_ms(None)
            .open()?;
        let tree = |name: &str| db.open_tree(name);
        let (meta, runs, slices) = (tree(META)?, tree(RUNS)?, tree(SLICES)?);
        let (leases, counts) = (tree(LEASES)?, tree(COUNTS)?);
        let file = File::open(path.join("db"))?;
        let (path, disk) = (path.to_owned(), disk.clone());
        Ok(Self { path, db, meta, runs, slices, leases, counts, file, disk })
    }

    /// Makes all changes of the batch or none; they are durable when it returns.
    pub(super) fn apply(&self, batch: &IndexBatch) -> Result<(), ApplyError> {
        let outcome = guarded(|| self.apply_unguarded(batch));
        let (error, panicked) = match outcome {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => (error, false),
            Err(_) => (self.failed("it panicked"), true),
        };
        Err(ApplyError { error, panicked })
    }

    fn apply_unguarded(&self, batch: &IndexBatch) -> Result<(), StoreError> {
        let injected = |source| StoreError::io("write", &self.path, source);
        self.disk.announce().map_err(injected)?;
        let trees = (&self.meta, &self.runs, &self.slices, &self.leases, &self.counts);
        let outcome: Result<(), TransactionError<Infallible>> =
            trees.transaction(|(meta, runs, slices, leases, counts)| {
                meta.apply_batch(&batch.meta)?;
                runs.apply_batch(&batch.runs)?;
                slices.apply_batch(&batch.slices)?;
                leases.apply_batch(&batch.leases)?;
                counts.apply_batch(&batch.counts)?;
                Ok::<_, ConflictableTransactionError<Infallible>>(())
            });
        match outcome {
            Ok(()) => {}
            Err(TransactionError::Storage(error)) => return Err(self.storage(error)),
            Err(TransactionError::Abort(never)) => match never {},
        }
        self.disk.announce().map_err(injected)?;
        self.db.flush().map_err(|error| self.storage(error))?;
        self.disk.sync_all(&self.file, &self.path)
    }

    /// Closes it. sled writes what it still holds in memory; when the disk is full or something is wrong, it may panic
    /// even then. Everything that was acknowledged is durable before.
    pub(super) fn close(self) {
        let path = self.path.clone();
        if guarded(|| drop(self)).is_err() {
            tracing::debug!(index = %path.display(), "the index was not closed in order");
        }
    }

    fn storage(&self, error: sled::Error) -> StoreError {
        match error {
            sled::Error::Io(source) => StoreError::io("write", &self.path, source),
            other => self.failed(other.to_string()),
        }
    }

    fn failed(&self, what: impl Into<String>) -> StoreError {
        StoreError::Index { path: self.path.clone(), what: what.into() }
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("path", &self.path).finish_non_exhaustive()
    }
}
