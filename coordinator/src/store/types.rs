//! What goes into a store and comes out of it.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use fulldeck_job::record::{Codec, Token};
use fulldeck_job::{
    Digest, Fingerprint, ParameterError, Parameters, RunSpec, Slice, SliceId, Workload,
};

/// Which store, and which life of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreIdentity {
    /// Chosen at random when the store was created.
    pub store_id: [u8; 16],
    /// Rises with every opening, from 1; never repeats.
    pub epoch: u64,
    /// Random, one an opening.
    pub start_id: u64,
}

/// A run as it is kept: parameters as canonical text, so that a store can be read without its workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRecord {
    /// Number, from 1, never used again.
    pub run: u32,
    /// Name of the workload.
    pub workload: String,
    /// Algorithm version of the workload.
    pub algorithm_version: u32,
    /// Canonical parameters, one `name=value` a line.
    pub parameters: String,
    /// Wanted number of slices, 0 for the planner's choice.
    pub slice_target: u32,
    /// Fingerprint of the specification.
    pub fingerprint: Fingerprint,
    /// Digest of the plan its slices belong to.
    pub plan_digest: Digest,
}

impl RunRecord {
    /// The record of a new run.
    #[must_use]
    pub fn new(run: u32, spec: &RunSpec, plan_digest: Digest) -> Self {
        Self {
            run,
            workload: spec.workload.clone(),
            algorithm_version: spec.algorithm_version,
            parameters: spec.parameters.canonical(),
            slice_target: spec.slice_target,
            fingerprint: spec.fingerprint(),
            plan_digest,
        }
    }

    /// The specification, read with the parameter table of its workload. The caller compares fingerprint and
    /// algorithm version with what it knows.
    ///
    /// # Errors
    /// [`ParameterError`] when the workload no longer takes these parameters.
    pub fn spec(&self, workload: &dyn Workload) -> Result<RunSpec, ParameterError> {
        Ok(RunSpec {
            workload: self.workload.clone(),
            algorithm_version: self.algorithm_version,
            parameters: Parameters::from_canonical(workload.parameters(), &self.parameters)?,
            slice_target: self.slice_target,
        })
    }
}

/// Where the record of a result lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Number of the segment.
    pub segment: u32,
    /// Offset of the record's header, in bytes from the start of the segment.
    pub offset: u64,
    /// Length of the payload as stored, in bytes.
    pub stored_bytes: u32,
}

/// A slice whose result is durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommittedSlice {
    /// BLAKE3 of the raw result.
    pub digest: Digest,
    /// Where it lies.
    pub place: Place,
}

/// A checked result, as it came from a worker.
#[derive(Clone, Debug)]
pub struct NewResult {
    /// Number of the run.
    pub run: u32,
    /// The slice, as the run's plan has it.
    pub slice: Slice,
    /// The attempt that computed it.
    pub token: Token,
    /// Fingerprint of the run.
    pub fingerprint: Fingerprint,
    /// How `stored` is encoded.
    pub codec: Codec,
    /// Length of the raw result in bytes.
    pub raw_bytes: u64,
    /// BLAKE3 of the raw result; the caller has verified it.
    pub digest: Digest,
    /// The payload as it is to be stored.
    pub stored: Bytes,
    /// Computing time in milliseconds.
    pub compute_ms: u64,
    /// First eight bytes of the BLAKE3 of the host's key; 0 when unknown.
    pub host: u64,
}

/// A slice given to a worker until a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseRecord {
    /// Number of the run.
    pub run: u32,
    /// The slice.
    pub slice: SliceId,
    /// The attempt. Its store id is that of the store and is not kept again.
    pub token: Token,
    /// Session of the worker.
    pub session: u64,
    /// First eight bytes of the BLAKE3 of the host's key; 0 when unknown.
    pub host: u64,
    /// When it ends, in milliseconds since 1970.
    pub deadline_ms: u64,
}

/// What was decided about a run or one of its slices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The run is computed.
    Open,
    /// Nothing more of the run is leased for now.
    Pause,
    /// The run is given up; what is stored stays.
    Cancel,
    /// A slice is given up until somebody says retry.
    Park {
        /// The slice.
        slice: SliceId,
        /// Why.
        reason: String,
    },
    /// A slice that was given up is computed again.
    Retry {
        /// The slice.
        slice: SliceId,
    },
    /// The result of a slice counts only once another host has found the same.
    Doubt {
        /// The slice.
        slice: SliceId,
    },
    /// It does now.
    Confirm {
        /// The slice.
        slice: SliceId,
    },
}

/// Whether a run is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunControl {
    /// It is.
    #[default]
    Open,
    /// Not now.
    Paused,
    /// Not any more.
    Cancelled,
}

/// The decisions about a run that hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// Whether it is computed.
    pub control: RunControl,
    /// Slices that were given up, with reasons.
    pub parked: BTreeMap<SliceId, String>,
    /// Slices whose results wait for an equal one of another host.
    pub doubted: BTreeSet<SliceId>,
}

impl Decided {
    /// Takes one more decision.
    pub(crate) fn take(&mut self, decision: &Decision) {
        match decision {
            Decision::Open => self.control = RunControl::Open,
            Decision::Pause => self.control = RunControl::Paused,
            Decision::Cancel => self.control = RunControl::Cancelled,
            Decision::Park { slice, reason } => {
                self.parked.insert(*slice, reason.clone());
            }
            Decision::Retry { slice } => {
                self.parked.remove(slice);
            }
            Decision::Doubt { slice } => {
                self.doubted.insert(*slice);
            }
            Decision::Confirm { slice } => {
                self.doubted.remove(slice);
            }
        }
    }

    /// The decisions that lead from nothing to this.
    pub(crate) fn decisions(&self) -> impl Iterator<Item = Decision> + '_ {
        let control = match self.control {
            RunControl::Open => None,
            RunControl::Paused => Some(Decision::Pause),
            RunControl::Cancelled => Some(Decision::Cancel),
        };
        let parked = self
            .parked
            .iter()
            .map(|(slice, reason)| Decision::Park { slice: *slice, reason: reason.clone() });
        let doubted = self.doubted.iter().map(|slice| Decision::Doubt { slice: *slice });
        control.into_iter().chain(parked).chain(doubted)
    }
}

/// One thing to be remembered.
#[derive(Clone, Debug)]
pub enum Change {
    /// A run was submitted.
    NewRun(RunRecord),
    /// A slice was computed.
    Result(NewResult),
    /// A slice was computed again, and the result that was stored before is wrong.
    Replace(NewResult),
    /// Something was decided.
    Decision {
        /// Number of the run.
        run: u32,
        /// What.
        decision: Decision,
    },
    /// Slices were leased, or leases prolonged.
    Leases(Vec<LeaseRecord>),
    /// Leases ended without a result (released, expired, failed). A committed result ends those of its slice.
    EndLeases(Vec<LeaseRecord>),
    /// The stored result of a committed slice proved damaged: the slice is waiting again.
    Discard {
        /// Number of the run.
        run: u32,
        /// The slice.
        slice: SliceId,
    },
}

/// What a store knows of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveredRun {
    /// The run.
    pub record: RunRecord,
    /// Its committed slices, by id.
    pub committed: Vec<(SliceId, CommittedSlice)>,
    /// Its open leases, by slice and token. Lost when the index had to be rebuilt.
    pub leases: Vec<LeaseRecord>,
    /// What was decided about it.
    pub decided: Decided,
}

/// The number under which records keep a host: the first eight bytes of the BLAKE3 of its key.
#[must_use]
pub fn host_number(host_key: &str) -> u64 {
    let digest = Digest::of(host_key.as_bytes()).0;
    u64::from_le_bytes(std::array::from_fn(|at| digest[at]))
}
