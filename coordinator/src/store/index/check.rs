//! Compares an index with the segments: what it knew at its last commit must be exactly what they said then.

use super::values::{
    CountsValue, INDEX_VERSION, LeaseValue, META_KEY, MetaValue, RunValue, SliceValue,
    parse_lease_key, parse_slice_key, run_key, slice_key, unseal,
};
use super::{COUNTS, Index, IndexBatch, LEASES, META, RUNS, SLED_DEFAULT, SLICES};
use crate::store::model::{Counts, Model};
use crate::store::{LeaseRecord, Place, StoreIdentity};

/// More than this many records to be replayed: building a new index is safer than catching up.
const MAX_REPLAY: usize = 4096;

/// What the comparison found.
#[derive(Default)]
pub(in crate::store) struct Checked {
    /// Epoch of the last commit.
    pub(in crate::store) epoch: u64,
    /// Committed slices that the index knew and the segments do not: run, slice, and where the result was.
    pub(in crate::store) lost: Vec<(u32, u32, Place)>,
    /// Open leases.
    pub(in crate::store) leases: Vec<LeaseRecord>,
    /// Records that were not in the index yet.
    pub(in crate::store) replayed: usize,
}

/// Why an index is not used.
pub(super) enum Unusable {
    /// Something is wrong with it: build a new one.
    Wrong(String),
    /// It was written by another version: leave it alone.
    Version(String),
}

impl From<sled::Error> for Unusable {
    fn from(error: sled::Error) -> Self {
        Self::Wrong(error.to_string())
    }
}

fn wrong<T>(what: impl Into<String>) -> Result<T, Unusable> {
    Err(Unusable::Wrong(what.into()))
}

impl Index {
    /// Compares the index with what the segments say, and collects what it has to be told in `replay`. Lost slices are
    /// named in `checked` even when the index turns out to be unusable.
    pub(super) fn check(
        &self,
        store_id: [u8; 16],
        model: &Model,
        last_discard: u64,
        checked: &mut Checked,
    ) -> Result<IndexBatch, Unusable> {
        self.check_trees()?;
        let Some(meta) = self.meta.get(META_KEY)? else { return wrong("it is empty") };
        let Some(meta) = unseal::<MetaValue>(META, META_KEY, &meta) else {
            return wrong("the checksum of its state is wrong");
        };
        if meta.version != INDEX_VERSION {
            return Err(Unusable::Version(format!(
                "has version {}, this program reads {INDEX_VERSION}",
                meta.version
            )));
        }
        if meta.store_id != store_id {
            return wrong("it belongs to another store");
        }
        checked.epoch = meta.epoch;
        if last_discard > meta.last_commit {
            return wrong("results were discarded after its last commit");
        }
        self.name_lost(model, checked)?;
        if meta.last_commit > model.last_commit {
            return wrong(format!(
                "it knows commit {}, the segments end with {}",
                meta.last_commit, model.last_commit
            ));
        }
        if !checked.lost.is_empty() {
            return wrong("it knows results that the segments do not hold");
        }
        self.read_leases(store_id, model, checked)?;
        let replay = self.compare(model, meta.last_commit, checked)?;
        if checked.replayed > MAX_REPLAY {
            return wrong(format!("it lacks {} records", checked.replayed));
        }
        Ok(replay)
    }

    /// What brings the index to the state of the segments, written by a commit of `identity`.
    pub(super) fn finish_replay(batch: &mut IndexBatch, identity: &StoreIdentity, model: &Model) {
        for (run, known) in &model.runs {
            batch.put_counts(*run, &known.counts);
        }
        batch.put_meta(identity, model.last_commit);
    }

    fn check_trees(&self) -> Result<(), Unusable> {
        let known = [META, RUNS, SLICES, LEASES, COUNTS].map(str::as_bytes);
        match self.db.tree_names().iter().find(|name| {
            let name: &[u8] = name;
            name != SLED_DEFAULT && !known.contains(&name)
        }) {
            None => Ok(()),
            Some(name) => Err(Unusable::Version(format!(
                "has a tree '{}' that this program does not know",
                String::from_utf8_lossy(name)
            ))),
        }
    }

    /// Iterating never proves that anything is complete; it only gives names to what the segments lost.
    fn name_lost(&self, model: &Model, checked: &mut Checked) -> Result<(), Unusable> {
        for pair in &self.slices {
            let (key, value) = pair?;
            let read = parse_slice_key(&key)
                .zip(unseal::<SliceValue>(SLICES, &key, &value).and_then(|value| value.entry()));
            let Some(((run, slice), entry)) = read else {
                return wrong("the checksum of a slice is wrong");
            };
            if !model.runs.get(&run).is_some_and(|known| known.slices.contains_key(&slice)) {
                checked.lost.push((run, slice, entry.place));
            }
        }
        Ok(())
    }

    fn read_leases(
        &self,
        store_id: [u8; 16],
        model: &Model,
        checked: &mut Checked,
    ) -> Result<(), Unusable> {
        for pair in &self.leases {
            let (key, value) = pair?;
            let read = parse_lease_key(&key).zip(unseal::<LeaseValue>(LEASES, &key, &value));
            let Some(((run, lease), value)) = read else {
                return wrong("the checksum of a lease is wrong");
            };
            // A replayed result may have ended it.
            if model.runs.get(&run).is_some_and(|run| !run.slices.contains_key(&lease.0)) {
                checked.leases.push(value.lease(store_id, run, lease));
            }
        }
        Ok(())
    }

    /// A point read of every run, every count and every slice that the index must know.
    fn compare(
        &self,
        model: &Model,
        last_commit: u64,
        checked: &mut Checked,
    ) -> Result<IndexBatch, Unusable> {
        let mut replay = IndexBatch::default();
        for (number, run) in &model.runs {
            let key = run_key(*number);
            if run.commit > last_commit {
                replay.put_run(run);
                checked.replayed += 1;
            } else if self.runs.get(key)?.as_deref().and_then(|value| unseal(RUNS, &key, value))
                != Some(RunValue::from(run))
            {
                return wrong(format!("it has run {number} otherwise than the segments"));
            }
            let mut counts = Counts::default();
            for (slice, entry) in &run.slices {
                if entry.commit > last_commit {
                    replay.put_slice(*number, *slice, entry);
                    checked.replayed += 1;
                    for pair in self.leases.scan_prefix(slice_key(*number, *slice)) {
                        replay.leases.remove(pair?.0);
                    }
                    continue;
                }
                counts.add(entry);
                let key = slice_key(*number, *slice);
                let value = self.slices.get(key)?;
                if value.as_deref().and_then(|value| unseal(SLICES, &key, value))
                    != Some(SliceValue::from(entry))
                {
                    return wrong(format!(
                        "it has slice {slice} of run {number} otherwise than the segments"
                    ));
                }
            }
            let value = self.counts.get(key)?;
            let known = match value.as_deref() {
                None => Some(CountsValue::from(&Counts::default())),
                Some(value) => unseal(COUNTS, &key, value),
            };
            if known != Some(CountsValue::from(&counts)) {
                return wrong(format!("its counts of run {number} differ from the segments"));
            }
        }
        Ok(replay)
    }
}
