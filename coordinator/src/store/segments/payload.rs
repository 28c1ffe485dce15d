//! Payloads of the records that are not results.

use fulldeck_job::{Digest, Fingerprint, MAX_PARAMETER_BYTES, SliceId};
use prost::Message;

use crate::store::{Decision, Place, RunRecord};

/// Longest payload of such a record, in bytes.
pub(super) const MAX_SMALL_PAYLOAD: usize = MAX_PARAMETER_BYTES + 1024;

/// Payload of a run record.
#[derive(Clone, PartialEq, Eq, Message)]
struct RunPayload {
    #[prost(string, tag = "1")]
    workload: String,
    #[prost(uint32, tag = "2")]
    algorithm_version: u32,
    #[prost(string, tag = "3")]
    parameters: String,
    #[prost(uint32, tag = "4")]
    slice_target: u32,
    #[prost(bytes = "vec", tag = "5")]
    plan_digest: Vec<u8>,
}

/// Payload of a discard record: which record counts no more.
#[derive(Clone, PartialEq, Eq, Message)]
struct DiscardPayload {
    #[prost(uint32, tag = "1")]
    segment: u32,
    #[prost(uint64, tag = "2")]
    offset: u64,
}

/// Payload of a decision record; the slice is in the header.
#[derive(Clone, PartialEq, Eq, Message)]
struct DecisionPayload {
    #[prost(uint32, tag = "1")]
    what: u32,
    #[prost(string, tag = "2")]
    reason: String,
}

/// The slice in the header of a decision about the whole run.
const WHOLE_RUN: u32 = u32::MAX;

/// The payload of a decision, and the slice for the header.
pub(in crate::store) fn decision_payload(decision: &Decision) -> (u32, Vec<u8>) {
    let (what, slice, reason) = match decision {
        Decision::Open => (1, None, ""),
        Decision::Pause => (2, None, ""),
        Decision::Cancel => (3, None, ""),
        Decision::Park { slice, reason } => (4, Some(slice), reason.as_str()),
        Decision::Retry { slice } => (5, Some(slice), ""),
        Decision::Doubt { slice } => (6, Some(slice), ""),
        Decision::Confirm { slice } => (7, Some(slice), ""),
    };
    let payload = DecisionPayload { what, reason: reason.to_owned() }.encode_to_vec();
    (slice.map_or(WHOLE_RUN, |slice| slice.0), payload)
}

pub(super) fn read_decision(slice: u32, payload: &[u8]) -> Option<Decision> {
    let DecisionPayload { what, reason } = DecisionPayload::decode(payload).ok()?;
    let slice = SliceId(slice);
    Some(match what {
        1 => Decision::Open,
        2 => Decision::Pause,
        3 => Decision::Cancel,
        4 => Decision::Park { slice, reason },
        5 => Decision::Retry { slice },
        6 => Decision::Doubt { slice },
        7 => Decision::Confirm { slice },
        _ => return None,
    })
}

pub(in crate::store) fn run_payload(record: &RunRecord) -> Vec<u8> {
    RunPayload {
        workload: record.workload.clone(),
        algorithm_version: record.algorithm_version,
        parameters: record.parameters.clone(),
        slice_target: record.slice_target,
        plan_digest: record.plan_digest.0.to_vec(),
    }
    .encode_to_vec()
}

pub(super) fn read_run(run: u32, fingerprint: Fingerprint, payload: &[u8]) -> Option<RunRecord> {
    let read = RunPayload::decode(payload).ok()?;
    Some(RunRecord {
        run,
        workload: read.workload,
        algorithm_version: read.algorithm_version,
        parameters: read.parameters,
        slice_target: read.slice_target,
        fingerprint,
        plan_digest: Digest::from_slice(&read.plan_digest)?,
    })
}

pub(in crate::store) fn discard_payload(place: &Place) -> Vec<u8> {
    DiscardPayload { segment: place.segment, offset: place.offset }.encode_to_vec()
}

/// Segment and offset of the record that counts no more.
pub(in crate::store) fn read_discard(payload: &[u8]) -> Option<(u32, u64)> {
    DiscardPayload::decode(payload).ok().map(|read| (read.segment, read.offset))
}
