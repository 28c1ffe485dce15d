//! A store without a disk, for tests.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use fulldeck_job::Digest;
use fulldeck_job::record::{Codec, framed_bytes};

use super::model::{Entry, Model, Present, other_digest};
use super::{
    Change, MAX_COMMIT_CHANGES, NewResult, Place, RecoveredRun, ResultReader, Store, StoreError,
    StoreIdentity,
};

/// Stands for the folder in messages.
const NAME: &str = "memory";

/// What outlives a [`MemoryStore`]: open it again to get everything that was committed.
#[derive(Clone, Debug, Default)]
pub struct MemoryDisk(Arc<Mutex<Contents>>);

#[derive(Debug, Default)]
struct Contents {
    store_id: [u8; 16],
    epoch: u64,
    open: bool,
    fails: bool,
    model: Model,
    payloads: BTreeMap<Place, Stored>,
    bytes: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) codec: Codec,
    pub(super) raw_bytes: u64,
    pub(super) digest: Digest,
    pub(super) bytes: Bytes,
}

/// A store without a disk, for tests; keeps the same contract as [`super::SledStore`].
#[derive(Debug)]
pub struct MemoryStore {
    disk: MemoryDisk,
    identity: StoreIdentity,
    model: Model,
    poisoned: Option<String>,
}

impl MemoryDisk {
    /// An empty disk for a store with this id.
    #[must_use]
    pub fn new(store_id: [u8; 16]) -> Self {
        Self(Arc::new(Mutex::new(Contents { store_id, ..Contents::default() })))
    }

    /// Lets every commit fail as on a full disk, until called with `false`.
    pub fn set_full(&self, full: bool) {
        self.lock().fails = full;
    }

    pub(super) fn stored(&self, place: &Place) -> Option<Stored> {
        self.lock().payloads.get(place).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryStore {
    /// Opens what is on `disk` and raises the epoch.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while another store has the same disk open.
    pub fn open(disk: &MemoryDisk) -> Result<Self, StoreError> {
        let mut contents = disk.lock();
        if contents.open {
            let holder = "this process".to_owned();
            return Err(StoreError::Locked { path: NAME.into(), holder });
        }
        contents.open = true;
        contents.epoch += 1;
        let epoch = contents.epoch;
        let identity = StoreIdentity { store_id: contents.store_id, epoch, start_id: !epoch };
        let model = contents.model.clone();
        drop(contents);
        Ok(Self { disk: disk.clone(), identity, model, poisoned: None })
    }

    fn try_commit(&mut self, changes: &[Change]) -> Result<Vec<Place>, StoreError> {
        if changes.len() > MAX_COMMIT_CHANGES {
            return Err(StoreError::Refused(format!(
                "a commit of {} changes, more than {MAX_COMMIT_CHANGES}",
                changes.len()
            )));
        }
        let mut contents = self.disk.lock();
        let store_id = self.identity.store_id;
        let (places, new) = apply(&mut self.model, store_id, contents.bytes, changes)?;
        if contents.fails {
            let full = io::Error::from(io::ErrorKind::StorageFull);
            return Err(StoreError::io("write", Path::new(NAME), full));
        }
        let offset = contents.bytes;
        apply(&mut contents.model, store_id, offset, changes)?;
        for (place, stored) in new {
            contents.bytes += framed_bytes(stored.bytes.len());
            contents.payloads.insert(place, stored);
        }
        Ok(places)
    }
}

/// Places of the results, and what is to be kept at new ones.
type Applied = (Vec<Place>, Vec<(Place, Stored)>);

/// Makes the changes to `model`; answers the places of the results and what is to be kept at new ones.
fn apply(
    model: &mut Model,
    store_id: [u8; 16],
    mut offset: u64,
    changes: &[Change],
) -> Result<Applied, StoreError> {
    let (mut places, mut new) = (Vec::new(), Vec::new());
    let commit = model.last_commit + 1;
    for change in changes {
        match change {
            Change::NewRun(record) => {
                model.check_run(record)?;
                let place = Place { segment: 0, offset: 0, stored_bytes: 0 };
                model.insert_run(record.clone(), place, commit);
            }
            Change::Result(result) | Change::Replace(result) => {
                match model.check_result(store_id, result)? {
                    Present::Equal(place) => {
                        places.push(place);
                        continue;
                    }
                    Present::Other if matches!(change, Change::Result(_)) => {
                        return other_digest(result);
                    }
                    Present::Other | Present::Nothing => {}
                }
                let NewResult { run, slice, codec, raw_bytes, digest, stored, .. } = result;
                let place = Place { segment: 1, offset, stored_bytes: stored.len() as u32 };
                offset += framed_bytes(stored.len());
                let entry = Entry { digest: *digest, place, commit, cost: slice.cost };
                model.insert_slice(*run, slice.id.0, entry);
                places.push(place);
                let (codec, raw_bytes, digest) = (*codec, *raw_bytes, *digest);
                new.push((place, Stored { codec, raw_bytes, digest, bytes: stored.clone() }));
            }
            Change::Leases(leases) => {
                for lease in leases {
                    model.grant(lease)?;
                }
            }
            Change::EndLeases(leases) => leases.iter().try_for_each(|lease| model.end(lease))?,
            Change::Decision { run, decision } => {
                model.decide(*run, decision)?;
            }
            Change::Discard { run, slice } => {
                model.discard(*run, slice.0)?;
            }
        }
    }
    model.last_commit = commit;
    Ok((places, new))
}

impl Store for MemoryStore {
    fn identity(&self) -> StoreIdentity {
        self.identity
    }

    fn recover(&self) -> Result<Vec<RecoveredRun>, StoreError> {
        match &self.poisoned {
            Some(cause) => Err(StoreError::Poisoned { cause: cause.clone() }),
            None => Ok(self.model.recovered()),
        }
    }

    fn commit(&mut self, changes: &[Change]) -> Result<Vec<Place>, StoreError> {
        if let Some(cause) = &self.poisoned {
            return Err(StoreError::Poisoned { cause: cause.clone() });
        }
        let outcome = self.try_commit(changes);
        if let Err(error) = &outcome {
            self.poisoned = Some(error.to_string());
        }
        outcome
    }

    fn reopen(&mut self) -> Result<(), StoreError> {
        let contents = self.disk.lock();
        if contents.fails {
            let full = io::Error::from(io::ErrorKind::StorageFull);
            return Err(StoreError::io("write", Path::new(NAME), full));
        }
        self.model = contents.model.clone();
        self.poisoned = None;
        Ok(())
    }

    fn stored_bytes(&self) -> u64 {
        self.disk.lock().bytes
    }

    fn reader(&self) -> ResultReader {
        ResultReader::of_memory(self.disk.clone())
    }
}

impl Drop for MemoryStore {
    fn drop(&mut self) {
        self.disk.lock().open = false;
    }
}
