//! Changes of the index that belong together.

use sled::Batch;

use super::values::{
    CountsValue, INDEX_VERSION, LeaseValue, META_KEY, MetaValue, RunValue, SliceValue, lease_key,
    run_key, seal, slice_key,
};
use super::{COUNTS, LEASES, META, RUNS, SLICES};
use crate::store::model::{Counts, Entry, LeaseKey, Run};
use crate::store::{LeaseRecord, StoreIdentity};

/// Changes of all trees, made together or not at all.
#[derive(Default)]
pub(in crate::store) struct IndexBatch {
    pub(super) meta: Batch,
    pub(super) runs: Batch,
    pub(super) slices: Batch,
    pub(super) leases: Batch,
    pub(super) counts: Batch,
}

impl IndexBatch {
    pub(in crate::store) fn put_meta(&mut self, identity: &StoreIdentity, last_commit: u64) {
        let StoreIdentity { store_id, epoch, start_id } = *identity;
        let store_id = store_id.to_vec();
        let value = MetaValue { version: INDEX_VERSION, store_id, epoch, start_id, last_commit };
        self.meta.insert(META_KEY, seal(META, META_KEY, &value));
    }

    pub(in crate::store) fn put_run(&mut self, run: &Run) {
        let key = run_key(run.record.run);
        self.runs.insert(&key, seal(RUNS, &key, &RunValue::from(run)));
    }

    pub(in crate::store) fn put_slice(&mut self, run: u32, slice: u32, entry: &Entry) {
        let key = slice_key(run, slice);
        self.slices.insert(&key, seal(SLICES, &key, &SliceValue::from(entry)));
    }

    pub(in crate::store) fn remove_slice(&mut self, run: u32, slice: u32) {
        self.slices.remove(&slice_key(run, slice));
    }

    pub(in crate::store) fn put_lease(&mut self, lease: &LeaseRecord, key: LeaseKey) {
        let key = lease_key(lease.run, key);
        self.leases.insert(&key, seal(LEASES, &key, &LeaseValue::from(lease)));
    }

    pub(in crate::store) fn remove_lease(&mut self, run: u32, key: LeaseKey) {
        self.leases.remove(&lease_key(run, key));
    }

    pub(in crate::store) fn put_counts(&mut self, run: u32, counts: &Counts) {
        let key = run_key(run);
        self.counts.insert(&key, seal(COUNTS, &key, &CountsValue::from(counts)));
    }
}
