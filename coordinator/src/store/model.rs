//! What a store knows, in memory: the rules of the contract that do not depend on where it is kept.

use std::collections::BTreeMap;

use fulldeck_job::record::Codec;
use fulldeck_job::{
    Digest, Fingerprint, MAX_PARAMETER_BYTES, MAX_RESULT_BYTES, MAX_SLICES, SliceId,
};

use super::{
    CommittedSlice, Decided, Decision, LeaseRecord, NewResult, Place, RecoveredRun, RunRecord,
    StoreError,
};

/// Open leases kept for one slice; a slice is given to two workers at most, older leases are forgotten.
const MAX_SLICE_LEASES: usize = 2;
/// Longest workload name, in bytes.
const MAX_WORKLOAD_BYTES: usize = 256;
/// Longest reason for which a slice is parked, in bytes.
const MAX_REASON_BYTES: usize = 8 << 10;

/// A committed slice and what its record said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) digest: Digest,
    pub(super) place: Place,
    pub(super) commit: u64,
    pub(super) cost: u64,
}

/// What a store has of the slice of a new result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Present {
    Nothing,
    /// The same bytes, there.
    Equal(Place),
    Other,
}

/// The refusal of a result whose slice is committed otherwise.
pub(super) fn other_digest<T>(result: &NewResult) -> Result<T, StoreError> {
    refuse(format!(
        "slice {} of run {} is committed with another digest",
        result.slice.id.0, result.run
    ))
}

/// Summary of the committed slices of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) slices: u64,
    pub(super) cost: u64,
    /// XOR of all digests.
    pub(super) digests: [u8; 32],
}

/// Slice, epoch and sequence of a lease.
pub(super) type LeaseKey = (u32, u64, u64);

#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) record: RunRecord,
    pub(super) place: Place,
    pub(super) commit: u64,
    pub(super) slices: BTreeMap<u32, Entry>,
    pub(super) counts: Counts,
    pub(super) leases: BTreeMap<LeaseKey, LeaseRecord>,
    pub(super) decided: Decided,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) runs: BTreeMap<u32, Run>,
    pub(super) last_commit: u64,
}

impl Counts {
    pub(super) fn add(&mut self, entry: &Entry) {
        self.slices += 1;
        self.cost = self.cost.wrapping_add(entry.cost);
        self.mix(entry);
    }

    fn subtract(&mut self, entry: &Entry) {
        self.slices -= 1;
        self.cost = self.cost.wrapping_sub(entry.cost);
        self.mix(entry);
    }

    fn mix(&mut self, entry: &Entry) {
        for (sum, byte) in self.digests.iter_mut().zip(entry.digest.0) {
            *sum ^= byte;
        }
    }
}

pub(super) fn lease_key(lease: &LeaseRecord) -> LeaseKey {
    (lease.slice.0, lease.token.epoch, lease.token.sequence)
}

fn refuse<T>(reason: String) -> Result<T, StoreError> {
    Err(StoreError::Refused(reason))
}

impl Model {
    pub(super) fn check_run(&self, record: &RunRecord) -> Result<(), StoreError> {
        let RunRecord { run, workload, parameters, .. } = record;
        if *run == 0 {
            return refuse("runs are numbered from 1".to_owned());
        }
        if self.runs.contains_key(run) {
            return refuse(format!("run {run} exists already"));
        }
        if parameters.len() > MAX_PARAMETER_BYTES || workload.len() > MAX_WORKLOAD_BYTES {
            return refuse(format!(
                "the specification of run {run} is longer than {MAX_PARAMETER_BYTES} bytes"
            ));
        }
        Ok(())
    }

    /// Whether the result can be stored, and what is there of its slice.
    pub(super) fn check_result(
        &self,
        store_id: [u8; 16],
        result: &NewResult,
    ) -> Result<Present, StoreError> {
        let NewResult { run, slice, raw_bytes, stored, .. } = result;
        let name = format!("slice {} of run {run}", slice.id.0);
        let known = self.known(*run)?;
        if known.record.fingerprint != result.fingerprint {
            return refuse(format!("{name} has the fingerprint of another run"));
        }
        if result.token.store_id != store_id {
            return refuse(format!("{name} was leased by another store"));
        }
        if slice.id.0 >= MAX_SLICES || *raw_bytes > MAX_RESULT_BYTES as u64 {
            return refuse(format!("{name} exceeds the bounds of a run"));
        }
        let stored_bytes = stored.len() as u64;
        if stored_bytes > *raw_bytes || result.codec == Codec::Raw && stored_bytes < *raw_bytes {
            return refuse(format!(
                "{name} is stored in {stored_bytes} bytes, but announces {raw_bytes} raw ones"
            ));
        }
        Ok(match known.slices.get(&slice.id.0) {
            None => Present::Nothing,
            Some(entry) if entry.digest == result.digest => Present::Equal(entry.place),
            Some(_) => Present::Other,
        })
    }

    /// Takes a decision; answers the fingerprint of its run.
    pub(super) fn decide(
        &mut self,
        run: u32,
        decision: &Decision,
    ) -> Result<Fingerprint, StoreError> {
        self.known(run)?;
        if let Decision::Park { slice, reason } = decision
            && reason.len() > MAX_REASON_BYTES
        {
            return refuse(format!(
                "the reason for which slice {} of run {run} is parked is longer than {MAX_REASON_BYTES} bytes",
                slice.0
            ));
        }
        let known = self.runs.get_mut(&run).expect("just seen");
        known.decided.take(decision);
        Ok(known.record.fingerprint)
    }

    fn known(&self, run: u32) -> Result<&Run, StoreError> {
        self.runs.get(&run).ok_or_else(|| StoreError::Refused(format!("there is no run {run}")))
    }

    pub(super) fn insert_run(&mut self, record: RunRecord, place: Place, commit: u64) -> &Run {
        self.runs.entry(record.run).or_insert(Run {
            record,
            place,
            commit,
            slices: BTreeMap::new(),
            counts: Counts::default(),
            leases: BTreeMap::new(),
            decided: Decided::default(),
        })
    }

    /// Whether a result with this fingerprint and commit number belongs to the run.
    pub(super) fn owns(&self, run: u32, fingerprint: &Fingerprint, commit: u64) -> bool {
        self.runs
            .get(&run)
            .is_some_and(|run| run.record.fingerprint == *fingerprint && run.commit <= commit)
    }

    /// Notes a committed slice, in place of an earlier one, and returns the leases that end with it.
    pub(super) fn insert_slice(&mut self, run: u32, slice: u32, entry: Entry) -> Vec<LeaseRecord> {
        let run = self.runs.get_mut(&run).expect("the caller has checked that the run exists");
        if let Some(earlier) = run.slices.insert(slice, entry) {
            run.counts.subtract(&earlier);
        }
        run.counts.add(&entry);
        run.decided.parked.remove(&SliceId(slice));
        let ended: Vec<_> = run.slice_leases(slice).collect();
        ended.iter().filter_map(|key| run.leases.remove(key)).collect()
    }

    /// Forgets a committed slice; answers what was known of it.
    pub(super) fn discard(
        &mut self,
        run: u32,
        slice: u32,
    ) -> Result<(Fingerprint, Entry), StoreError> {
        self.known(run)?;
        let known = self.runs.get_mut(&run).expect("just seen");
        match known.slices.remove(&slice) {
            Some(entry) => {
                known.counts.subtract(&entry);
                known.decided.doubted.remove(&SliceId(slice));
                Ok((known.record.fingerprint, entry))
            }
            None => refuse(format!("slice {slice} of run {run} is not committed")),
        }
    }

    /// Notes a lease and returns the keys of those that it displaces.
    pub(super) fn grant(&mut self, lease: &LeaseRecord) -> Result<Vec<LeaseKey>, StoreError> {
        self.known(lease.run)?;
        let run = self.runs.get_mut(&lease.run).expect("just seen");
        run.leases.insert(lease_key(lease), lease.clone());
        let open: Vec<_> = run.slice_leases(lease.slice.0).collect();
        let displaced = open[..open.len().saturating_sub(MAX_SLICE_LEASES)].to_vec();
        for key in &displaced {
            run.leases.remove(key);
        }
        Ok(displaced)
    }

    /// Forgets a lease; one that is not there is forgotten already.
    pub(super) fn end(&mut self, lease: &LeaseRecord) -> Result<(), StoreError> {
        self.known(lease.run)?;
        let run = self.runs.get_mut(&lease.run).expect("just seen");
        run.leases.remove(&lease_key(lease));
        Ok(())
    }

    pub(super) fn is_committed(&self, run: u32, slice: u32) -> bool {
        self.runs.get(&run).is_some_and(|run| run.slices.contains_key(&slice))
    }

    pub(super) fn recovered(&self) -> Vec<RecoveredRun> {
        let committed = |(slice, entry): (&u32, &Entry)| {
            (SliceId(*slice), CommittedSlice { digest: entry.digest, place: entry.place })
        };
        self.runs
            .values()
            .map(|run| RecoveredRun {
                record: run.record.clone(),
                committed: run.slices.iter().map(committed).collect(),
                leases: run.leases.values().cloned().collect(),
                decided: run.decided.clone(),
            })
            .collect()
    }
}

impl Run {
    fn slice_leases(&self, slice: u32) -> impl Iterator<Item = LeaseKey> + '_ {
        self.leases.range((slice, 0, 0)..=(slice, u64::MAX, u64::MAX)).map(|(key, _)| *key)
    }
}
