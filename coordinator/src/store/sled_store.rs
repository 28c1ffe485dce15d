//! The store on disk.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fulldeck_job::record::Kind;
use fulldeck_job::{Fingerprint, SliceId};

use super::disk::Disk;
use super::index::{self, ApplyError, Checked, Index, IndexBatch};
use super::layout::{Current, Layout};
use super::lock::Lock;
use super::model::{Entry, Model, Present, lease_key, other_digest};
use super::segments::{
    self, Append, Loaded, SegmentWriter, decision_payload, discard_payload, run_payload,
};
use super::traces::Traces;
use super::{
    Change, Damage, Decision, LeaseRecord, MAX_COMMIT_CHANGES, NewResult, Place, RecoveredRun,
    Recovery, ResultReader, RunRecord, Store, StoreError, StoreIdentity,
};

/// A segment is closed when the next record would make it longer than this, in bytes.
const SEGMENT_BYTES: u64 = 256 << 20;
/// How long another process may take to let go of the folder.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// How long to wait for another process to let go of the folder.
    pub lock_wait: Duration,
    /// Reads every stored result instead of the tables of closed segments. Results that cannot be read are
    /// discarded: their slices are waiting again.
    pub verify_payloads: bool,
    /// A segment is closed when the next record would make it longer than this, in bytes.
    pub segment_bytes: u64,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { lock_wait: LOCK_WAIT, verify_payloads: false, segment_bytes: SEGMENT_BYTES }
    }
}

/// The store on disk: segments and an index beside them. Holds the folder's lock while it lives.
#[derive(Debug)]
pub struct SledStore {
    identity: StoreIdentity,
    model: Model,
    writer: SegmentWriter,
    /// Gone after it panicked.
    index: Option<Index>,
    poisoned: Option<String>,
    recovery: Recovery,
    reader: ResultReader,
    /// Dropped last: nobody else may open the folder before everything above is closed.
    lock: Option<Lock>,
}

/// What a commit tells the index.
struct Draft {
    commit: u64,
    batch: IndexBatch,
    /// Runs whose counts changed.
    counted: BTreeSet<u32>,
    /// Whether any record was appended to the segments.
    appended: bool,
    places: Vec<Place>,
}

impl SledStore {
    /// Opens the store in `folder`, creating it if there is none: takes the lock, cuts the torn end of the last segment,
    /// compares the index with the segments, catches up or builds a new one, and raises the epoch durably.
    ///
    /// # Errors
    /// [`StoreError::Unusable`], [`StoreError::Locked`], [`StoreError::Format`] or [`StoreError::Damaged`] when the
    /// folder cannot be used, else what went wrong with the disk.
    pub fn open(folder: &Path, options: OpenOptions) -> Result<Self, StoreError> {
        Self::open_on(Disk::default(), folder, &options)
    }

    pub(super) fn open_on(
        disk: Disk,
        folder: &Path,
        options: &OpenOptions,
    ) -> Result<Self, StoreError> {
        let layout = Layout::new(folder);
        let traces = Traces::before(&layout);
        let locked = layout.create(&disk).and_then(|()| Lock::acquire(folder, options.lock_wait));
        let lock = locked.inspect_err(|_| traces.erase_folders(&disk))?;
        let is_new = layout.known_store_id()?.is_none();
        match Self::open_locked(disk.clone(), layout, options) {
            Ok(mut store) => {
                store.lock = Some(lock);
                Ok(store)
            }
            Err(error) => {
                if is_new {
                    traces.erase(&disk);
                }
                Err(error)
            }
        }
    }

    fn open_locked(disk: Disk, layout: Layout, options: &OpenOptions) -> Result<Self, StoreError> {
        let folder = layout.folder.clone();
        let store_id = layout.store_id(&disk)?;
        let mut recovery = Recovery::default();
        let listed = layout.current()?.unwrap_or_else(|what| {
            recovery.notes.push(what.to_owned());
            None
        });
        let segments = layout.segment_numbers(listed.as_ref())?;
        let verify = options.verify_payloads;
        let loaded =
            segments::load(Some(&disk), &layout, store_id, &segments, verify, &mut recovery)?;

        let loaded = Arc::new(loaded);
        let number = match &listed {
            Some(current) => Some(current.index),
            None => layout.newest_index()?,
        };
        let opened = index::open(&disk, &layout, store_id, number, &loaded, &mut recovery)?;
        let current = Current { index: opened.number, segments };
        if listed.as_ref() != Some(&current) {
            layout.write_current(&disk, &current)?;
        }
        if let Some(old) = &opened.replaces {
            disk.rename(old, &layout.set_aside(old, "bad"))?;
            disk.sync_folder(&folder)?;
        }
        // A thread that was left behind may still look at its copy.
        let Loaded { mut model, last_epoch, unreadable, tail, .. } = Arc::unwrap_or_clone(loaded);
        let Checked { epoch: index_epoch, lost, leases, replayed } = opened.checked;
        recovery.replayed = replayed;
        name_lost(&mut recovery, &lost);
        for lease in &leases {
            model.grant(lease)?;
        }

        let written_epoch = layout.epoch()?.unwrap_or_else(|| {
            recovery.notes.push("EPOCH is damaged and was written anew".to_owned());
            0
        });
        let epoch = written_epoch.max(index_epoch).max(last_epoch) + 1;
        let start_id = random()?;
        layout.write_epoch(&disk, epoch, start_id)?;
        let identity = StoreIdentity { store_id, epoch, start_id };
        let bytes = options.segment_bytes;
        let reader = ResultReader::of_segments(layout.segments(), store_id);
        let writer = SegmentWriter::open(disk, layout, identity, current, bytes, tail, &model)?;
        let (index, poisoned) = (Some(opened.index), None);
        let mut store =
            Self { identity, model, writer, index, poisoned, recovery, reader, lock: None };
        if let Err(error) = store.begin_epoch(&unreadable) {
            store.writer.abandon();
            return Err(error);
        }
        store.recovery.forget_healed(&store.model);
        Ok(store)
    }

    /// What opening found and did.
    #[must_use]
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// The first commit of every opening: the epoch, and what turned out to be unreadable.
    fn begin_epoch(&mut self, unreadable: &[(u32, u32, Place)]) -> Result<(), StoreError> {
        let mut draft = self.draft();
        self.append(&mut draft, |identity, commit| {
            Append::new(Kind::Epoch, identity, commit, &[])
        })?;
        for (run, slice, place) in unreadable {
            let known = self.model.runs.get(run).and_then(|run| run.slices.get(slice));
            // A later record of the slice may be whole.
            if known.is_some_and(|entry| entry.place == *place) {
                self.discard(&mut draft, *run, SliceId(*slice))?;
            }
        }
        self.finish(draft).map(drop)
    }

    fn draft(&self) -> Draft {
        Draft {
            commit: self.model.last_commit + 1,
            batch: IndexBatch::default(),
            counted: BTreeSet::new(),
            appended: false,
            places: Vec::new(),
        }
    }

    fn append<'a>(
        &mut self,
        draft: &mut Draft,
        record: impl FnOnce(&StoreIdentity, u64) -> Append<'a>,
    ) -> Result<Place, StoreError> {
        draft.appended = true;
        self.writer.append(record(&self.identity, draft.commit), &self.model)
    }

    fn try_commit(&mut self, changes: &[Change]) -> Result<Vec<Place>, StoreError> {
        if changes.len() > MAX_COMMIT_CHANGES {
            return Err(StoreError::Refused(format!(
                "a commit of {} changes, more than {MAX_COMMIT_CHANGES}",
                changes.len()
            )));
        }
        let mut draft = self.draft();
        for change in changes {
            match change {
                Change::NewRun(record) => self.new_run(&mut draft, record)?,
                Change::Result(result) => self.result(&mut draft, result, Kind::Result)?,
                Change::Replace(result) => self.result(&mut draft, result, Kind::Replace)?,
                Change::Decision { run, decision } => self.decide(&mut draft, *run, decision)?,
                Change::Leases(leases) => self.leases(&mut draft, leases)?,
                Change::EndLeases(leases) => {
                    for lease in leases {
                        self.model.end(lease)?;
                        draft.batch.remove_lease(lease.run, lease_key(lease));
                    }
                }
                Change::Discard { run, slice } => self.discard(&mut draft, *run, *slice)?,
            }
        }
        self.finish(draft)
    }

    fn new_run(&mut self, draft: &mut Draft, record: &RunRecord) -> Result<(), StoreError> {
        self.model.check_run(record)?;
        let payload = run_payload(record);
        let place = self.append(draft, |identity, commit| {
            Append::new(Kind::Run, identity, commit, &payload).about(record.run, record.fingerprint)
        })?;
        draft.batch.put_run(self.model.insert_run(record.clone(), place, draft.commit));
        draft.counted.insert(record.run);
        Ok(())
    }

    fn decide(
        &mut self,
        draft: &mut Draft,
        run: u32,
        decision: &Decision,
    ) -> Result<(), StoreError> {
        let fingerprint = self.model.decide(run, decision)?;
        let (slice, payload) = decision_payload(decision);
        self.append(draft, |identity, commit| {
            Append::new(Kind::Decision, identity, commit, &payload)
                .about(run, fingerprint)
                .slice(slice)
        })?;
        Ok(())
    }

    fn result(
        &mut self,
        draft: &mut Draft,
        result: &NewResult,
        kind: Kind,
    ) -> Result<(), StoreError> {
        match self.model.check_result(self.identity.store_id, result)? {
            Present::Equal(place) => {
                draft.places.push(place);
                return Ok(());
            }
            Present::Other if kind == Kind::Result => return other_digest(result),
            Present::Other | Present::Nothing => {}
        }
        let (run, slice) = (result.run, result.slice.id.0);
        let place = self.append(draft, |identity, commit| match kind {
            Kind::Replace => Append::replacement(result, identity, commit),
            _ => Append::result(result, identity, commit),
        })?;
        let (digest, commit, cost) = (result.digest, draft.commit, result.slice.cost);
        let entry = Entry { digest, place, commit, cost };
        for lease in self.model.insert_slice(run, slice, entry) {
            draft.batch.remove_lease(run, lease);
        }
        draft.batch.put_slice(run, slice, &entry);
        draft.counted.insert(run);
        draft.places.push(place);
        Ok(())
    }

    fn leases(&mut self, draft: &mut Draft, leases: &[LeaseRecord]) -> Result<(), StoreError> {
        for lease in leases {
            for displaced in self.model.grant(lease)? {
                draft.batch.remove_lease(lease.run, displaced);
            }
            draft.batch.put_lease(lease, lease_key(lease));
        }
        Ok(())
    }

    fn discard(&mut self, draft: &mut Draft, run: u32, slice: SliceId) -> Result<(), StoreError> {
        let (fingerprint, entry): (Fingerprint, Entry) = self.model.discard(run, slice.0)?;
        let payload = discard_payload(&entry.place);
        self.append(draft, |identity, commit| {
            Append::new(Kind::Discard, identity, commit, &payload)
                .about(run, fingerprint)
                .slice(slice.0)
        })?;
        draft.batch.remove_slice(run, slice.0);
        draft.counted.insert(run);
        Ok(())
    }

    /// Makes a draft durable: first the segments, then the index.
    fn finish(&mut self, draft: Draft) -> Result<Vec<Place>, StoreError> {
        let Draft { commit, mut batch, counted, appended, places } = draft;
        if appended {
            self.writer.sync()?;
            self.model.last_commit = commit;
        }
        for run in counted {
            batch.put_counts(run, &self.model.runs[&run].counts);
        }
        batch.put_meta(&self.identity, self.model.last_commit);
        let index = self.index.as_ref().expect("an index is missing only in a poisoned store");
        if let Err(ApplyError { error, panicked }) = index.apply(&batch) {
            // After a panic it may hold its own locks: dropping it could wait for ever.
            if panicked {
                std::mem::forget(self.index.take());
            }
            return Err(error);
        }
        Ok(places)
    }

    fn check_poison(&self) -> Result<(), StoreError> {
        match &self.poisoned {
            Some(cause) => Err(StoreError::Poisoned { cause: cause.clone() }),
            None => Ok(()),
        }
    }
}

fn random() -> Result<u64, StoreError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::Random(error.to_string()))?;
    Ok(u64::from_le_bytes(bytes))
}

/// Names the slices that the index knew and the segments do not hold, unless the damage is listed already.
fn name_lost(recovery: &mut Recovery, lost: &[(u32, u32, Place)]) {
    for (run, slice, place) in lost {
        let slice = Some((*run, SliceId(*slice)));
        if recovery.damaged.iter().all(|damage| damage.slice != slice) {
            let Place { segment, offset, .. } = *place;
            let reason = "a committed result is gone".to_owned();
            recovery.damaged.push(Damage { segment, offset, slice, reason });
        }
    }
}

impl Drop for SledStore {
    fn drop(&mut self) {
        if let Some(index) = self.index.take() {
            index.close();
        }
    }
}

impl Store for SledStore {
    fn identity(&self) -> StoreIdentity {
        self.identity
    }

    fn recover(&self) -> Result<Vec<RecoveredRun>, StoreError> {
        self.check_poison()?;
        Ok(self.model.recovered())
    }

    fn commit(&mut self, changes: &[Change]) -> Result<Vec<Place>, StoreError> {
        self.check_poison()?;
        let outcome = self.try_commit(changes);
        if let Err(error) = &outcome {
            self.poisoned = Some(error.to_string());
            self.writer.abandon();
        }
        outcome
    }

    fn stored_bytes(&self) -> u64 {
        self.writer.stored_bytes()
    }

    fn reader(&self) -> ResultReader {
        self.reader.clone()
    }
}
