//! A store that nobody writes meanwhile, read without changing a byte of it: also from a disk that cannot be written.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::layout::Layout;
use super::lock::Lock;
use super::segments::{self, Loaded};
use super::{Damage, RecoveredRun, Recovery, ResultReader, StoreError};

/// What the segments of a store say. Keeps writers out while it lives.
#[derive(Debug)]
pub struct StoredRuns {
    runs: Vec<RecoveredRun>,
    damaged: Vec<Damage>,
    reader: ResultReader,
    _lock: Option<Lock>,
}

/// Who else may read a store at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Other readers.
    Readers,
    /// Nobody.
    Alone,
}

impl StoredRuns {
    /// Reads the store in `folder`, waiting for at most `wait` for another process to let go of it; `None` if there is no
    /// store. The index is left alone: everything but the leases is in the segments.
    ///
    /// # Errors
    /// [`StoreError::Unusable`], [`StoreError::Locked`], [`StoreError::Format`], [`StoreError::Damaged`] when its
    /// identity is damaged, else what went wrong with the disk.
    pub fn open(
        folder: &Path,
        sharing: Sharing,
        wait: Duration,
    ) -> Result<Option<Self>, StoreError> {
        match std::fs::metadata(folder) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => {
                let source = io::ErrorKind::NotADirectory.into();
                return Err(StoreError::unusable(folder, source));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StoreError::unusable(folder, source)),
        }
        let lock = Lock::acquire_to_read(folder, sharing, wait)?;
        let layout = Layout::new(folder);
        let Some(store_id) = layout.known_store_id()? else { return Ok(None) };
        let mut recovery = Recovery::default();
        let listed = layout.current()?.ok().flatten();
        let numbers = layout.segment_numbers(listed.as_ref())?;
        let Loaded { model, .. } =
            segments::load(None, &layout, store_id, &numbers, false, &mut recovery)?;
        recovery.forget_healed(&model);
        Ok(Some(Self {
            runs: model.recovered(),
            damaged: recovery.damaged,
            reader: ResultReader::of_segments(layout.segments(), store_id),
            _lock: lock,
        }))
    }

    /// The runs, by number.
    #[must_use]
    pub fn runs(&self) -> &[RecoveredRun] {
        &self.runs
    }

    /// What cannot be read, and has not been computed again since.
    #[must_use]
    pub fn damaged(&self) -> &[Damage] {
        &self.damaged
    }

    /// Reads the results.
    #[must_use]
    pub fn reader(&self) -> &ResultReader {
        &self.reader
    }
}
