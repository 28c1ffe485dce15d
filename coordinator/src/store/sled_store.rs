//! The store on disk.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use fulldeck_job::record::Kind;
use fulldeck_job::{Fingerprint, SliceId};

use super::disk::Disk;
use super::index::{ApplyError, Index, IndexBatch};
use super::layout::Layout;
use super::lock::Lock;
use super::model::{Entry, Model, Present, lease_key, other_digest};
use super::opening::{self, Distrust, Found};
use super::segments::{Append, SegmentWriter, decision_payload, discard_payload, run_payload};
use super::traces::Traces;
use super::{
    Change, Decision, LeaseRecord, MAX_COMMIT_CHANGES, NewResult, Place, RecoveredRun, Recovery,
    ResultReader, RunRecord, Store, StoreError, StoreIdentity, place, reserve,
};

/// A segment is closed when the next record would make it longer than this, in bytes.
const SEGMENT_BYTES: u64 = 256 << 20;
/// Space kept for opening on a full disk, in bytes.
const RESERVE_BYTES: u64 = 64 << 20;
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
    /// Space that is kept allocated, to be able to open the store on a full disk, in bytes; 0 for none.
    pub reserve_bytes: u64,
    /// Use a folder on a network filesystem all the same.
    pub allow_network: bool,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            lock_wait: LOCK_WAIT,
            verify_payloads: false,
            segment_bytes: SEGMENT_BYTES,
            reserve_bytes: RESERVE_BYTES,
            allow_network: false,
        }
    }
}

/// The store on disk: segments and an index beside them. Holds the folder's lock while it lives.
#[derive(Debug)]
pub struct SledStore {
    disk: Disk,
    layout: Layout,
    options: OpenOptions,
    identity: StoreIdentity,
    model: Model,
    writer: SegmentWriter,
    /// Gone after it panicked.
    index: Option<Index>,
    poisoned: Option<String>,
    /// Leases that the results of the last commit ended: if it failed, they are open.
    ended: Vec<LeaseRecord>,
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
        Self::open_distrusting(disk, folder, options, None)
    }

    /// As [`SledStore::open`]; an index that is distrusted is not looked at but built anew.
    pub(super) fn open_distrusting(
        disk: Disk,
        folder: &Path,
        options: &OpenOptions,
        distrust: Option<Distrust>,
    ) -> Result<Self, StoreError> {
        let layout = Layout::new(folder);
        let traces = Traces::before(&layout);
        let locked = place::check(&disk, &layout, options.allow_network)
            .and_then(|()| layout.create(&disk))
            .and_then(|()| Lock::acquire(folder, options.lock_wait));
        let lock = locked.inspect_err(|_| traces.erase_folders(&disk))?;
        let is_new = layout.known_store_id()?.is_none();
        let open = || Self::open_locked(disk.clone(), layout.clone(), options, distrust);
        let opened = open().or_else(|error| match error {
            StoreError::DiskFull { .. } if reserve::release(&disk, &layout) => {
                tracing::warn!("the disk is full: the reserve was given up to open the store");
                open()
            }
            other => Err(other),
        });
        match opened {
            Ok(mut store) => {
                store.lock = Some(lock);
                store.tend();
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

    fn open_locked(
        disk: Disk,
        layout: Layout,
        options: &OpenOptions,
        distrust: Option<Distrust>,
    ) -> Result<Self, StoreError> {
        let store_id = layout.store_id(&disk)?;
        let Found { model, mut recovery, index, current, tail, unreadable, last_epoch } =
            opening::find(&disk, &layout, store_id, options, distrust)?;
        let written_epoch = layout.epoch()?.unwrap_or_else(|| {
            recovery.notes.push("EPOCH is damaged and was written anew".to_owned());
            0
        });
        let epoch = written_epoch.max(last_epoch) + 1;
        let start_id = random()?;
        layout.write_epoch(&disk, epoch, start_id)?;
        let identity = StoreIdentity { store_id, epoch, start_id };
        let bytes = options.segment_bytes;
        let reader = ResultReader::of_segments(layout.segments(), store_id);
        let writer = SegmentWriter::open(
            disk.clone(),
            layout.clone(),
            identity,
            current,
            bytes,
            tail,
            &model,
        )?;
        let (index, poisoned, options) = (Some(index), None, options.clone());
        let mut store = Self {
            disk,
            layout,
            options,
            identity,
            model,
            writer,
            index,
            poisoned,
            ended: Vec::new(),
            recovery,
            reader,
            lock: None,
        };
        store.begin(&unreadable, &[])?;
        Ok(store)
    }

    /// Opens everything again that an error has closed, without letting go of the lock. The life goes on: epoch and
    /// start id stay, for nobody else can have begun another meanwhile.
    fn try_reopen(&mut self) -> Result<(), StoreError> {
        // What the disk never got must not be believed because the page cache still shows it.
        self.writer.take_back()?;
        if let Some(index) = self.index.take() {
            index.close();
        }
        let (disk, layout) = (self.disk.clone(), self.layout.clone());
        let store_id = self.identity.store_id;
        if layout.known_store_id()? != Some(store_id) {
            let what = "it is not the file that was there before; stop and look";
            return Err(StoreError::damaged(&layout.folder.join("STORE"), what));
        }
        let distrust = Some(Distrust::Failed);
        let found = opening::find(&disk, &layout, store_id, &self.options, distrust)?;
        let open = self.model.runs.values().flat_map(|run| run.leases.values());
        let leases: Vec<_> = open.chain(&self.ended).cloned().collect();
        let Found { model, recovery, index, current, tail, unreadable, .. } = found;
        let bytes = self.options.segment_bytes;
        self.writer =
            SegmentWriter::open(disk, layout, self.identity, current, bytes, tail, &model)?;
        self.model = model;
        self.recovery = recovery;
        self.index = Some(index);
        self.begin(&unreadable, &leases)
    }

    /// Closes the index for good; nothing can be committed any more.
    pub(super) fn close_index(&mut self) {
        self.poisoned = Some("its index was closed".to_owned());
        if let Some(index) = self.index.take() {
            index.close();
        }
    }

    /// What it knows, for whoever takes care of it.
    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    /// What opening found and did.
    #[must_use]
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// The first commit of every opening: the epoch, what turned out to be unreadable, and leases that a new index does
    /// not know.
    fn begin(
        &mut self,
        unreadable: &[(u32, u32, Place)],
        leases: &[LeaseRecord],
    ) -> Result<(), StoreError> {
        if let Err(error) = self.try_begin(unreadable, leases) {
            self.abandon();
            return Err(error);
        }
        self.recovery.forget_healed(&self.model);
        Ok(())
    }

    fn try_begin(
        &mut self,
        unreadable: &[(u32, u32, Place)],
        leases: &[LeaseRecord],
    ) -> Result<(), StoreError> {
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
        for lease in leases {
            let known = self.model.runs.get(&lease.run);
            if known.is_some_and(|run| !run.slices.contains_key(&lease.slice.0)) {
                self.leases(&mut draft, std::slice::from_ref(lease))?;
            }
        }
        self.finish(draft).map(drop)
    }

    /// Takes back what is not durable, as far as the disk lets it just now.
    fn abandon(&mut self) {
        if let Err(error) = self.writer.take_back() {
            tracing::warn!(%error, "the unfinished end of the last segment stays; opening again cuts it");
        }
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
        self.ended.clear();
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
            draft.batch.remove_lease(run, lease_key(&lease));
            self.ended.push(lease);
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
            self.abandon();
        }
        outcome
    }

    fn reopen(&mut self) -> Result<(), StoreError> {
        match self.try_reopen() {
            Ok(()) => {
                self.poisoned = None;
                self.tend();
                Ok(())
            }
            Err(error) => {
                self.poisoned = Some(error.to_string());
                Err(error)
            }
        }
    }

    fn tend(&mut self) {
        reserve::keep(&self.disk, &self.layout, self.options.reserve_bytes);
    }

    fn stored_bytes(&self) -> u64 {
        self.writer.stored_bytes()
    }

    fn reader(&self) -> ResultReader {
        self.reader.clone()
    }
}
