//! Payloads of the records that are not results.

use fulldeck_job::{Digest, Fingerprint, MAX_PARAMETER_BYTES};
use prost::Message;

use crate::store::{Place, RunRecord};

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
pub(super) fn read_discard(payload: &[u8]) -> Option<(u32, u64)> {
    DiscardPayload::decode(payload).ok().map(|read| (read.segment, read.offset))
}
