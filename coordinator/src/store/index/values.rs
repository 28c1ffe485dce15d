//! Keys (fixed width, big endian) and values (a checksum, then a message) of the index.

use fulldeck_job::record::Token;
use fulldeck_job::{Digest, SliceId};
use prost::Message;

use crate::store::model::{Counts, Entry, LeaseKey, Run};
use crate::store::{LeaseRecord, Place};

/// Key of the only value in the tree `meta.v1`.
pub(super) const META_KEY: &[u8] = b"state";
/// Version of the index.
pub(super) const INDEX_VERSION: u32 = 1;
/// Longest value, in bytes: sled keeps larger ones in files of their own, for ever.
const MAX_VALUE_BYTES: usize = 1024;

#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct MetaValue {
    #[prost(uint32, tag = "1")]
    pub(super) version: u32,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) store_id: Vec<u8>,
    #[prost(uint64, tag = "3")]
    pub(super) epoch: u64,
    #[prost(fixed64, tag = "4")]
    pub(super) start_id: u64,
    #[prost(uint64, tag = "5")]
    pub(super) last_commit: u64,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct RunValue {
    #[prost(bytes = "vec", tag = "1")]
    fingerprint: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    plan_digest: Vec<u8>,
    #[prost(uint32, tag = "3")]
    segment: u32,
    #[prost(uint64, tag = "4")]
    offset: u64,
    #[prost(uint32, tag = "5")]
    stored_bytes: u32,
    #[prost(uint64, tag = "6")]
    commit: u64,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct SliceValue {
    #[prost(bytes = "vec", tag = "1")]
    digest: Vec<u8>,
    #[prost(uint32, tag = "2")]
    segment: u32,
    #[prost(uint64, tag = "3")]
    offset: u64,
    #[prost(uint32, tag = "4")]
    stored_bytes: u32,
    #[prost(uint64, tag = "5")]
    commit: u64,
    #[prost(uint64, tag = "6")]
    cost: u64,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct LeaseValue {
    #[prost(fixed64, tag = "1")]
    start_id: u64,
    #[prost(uint64, tag = "2")]
    session: u64,
    #[prost(fixed64, tag = "3")]
    host: u64,
    #[prost(uint64, tag = "4")]
    deadline_ms: u64,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct CountsValue {
    #[prost(uint64, tag = "1")]
    slices: u64,
    #[prost(uint64, tag = "2")]
    cost: u64,
    #[prost(bytes = "vec", tag = "3")]
    digests: Vec<u8>,
}

impl From<&Run> for RunValue {
    fn from(run: &Run) -> Self {
        Self {
            fingerprint: run.record.fingerprint.0.to_vec(),
            plan_digest: run.record.plan_digest.0.to_vec(),
            segment: run.place.segment,
            offset: run.place.offset,
            stored_bytes: run.place.stored_bytes,
            commit: run.commit,
        }
    }
}

impl From<&Entry> for SliceValue {
    fn from(entry: &Entry) -> Self {
        Self {
            digest: entry.digest.0.to_vec(),
            segment: entry.place.segment,
            offset: entry.place.offset,
            stored_bytes: entry.place.stored_bytes,
            commit: entry.commit,
            cost: entry.cost,
        }
    }
}

impl SliceValue {
    pub(super) fn entry(&self) -> Option<Entry> {
        let Self { segment, offset, stored_bytes, commit, cost, .. } = *self;
        let place = Place { segment, offset, stored_bytes };
        Some(Entry { digest: Digest::from_slice(&self.digest)?, place, commit, cost })
    }
}

impl From<&LeaseRecord> for LeaseValue {
    fn from(lease: &LeaseRecord) -> Self {
        Self {
            start_id: lease.token.start_id,
            session: lease.session,
            host: lease.host,
            deadline_ms: lease.deadline_ms,
        }
    }
}

impl LeaseValue {
    pub(super) fn lease(&self, store_id: [u8; 16], run: u32, key: LeaseKey) -> LeaseRecord {
        let (slice, epoch, sequence) = key;
        let Self { start_id, session, host, deadline_ms } = *self;
        let token = Token { store_id, epoch, start_id, sequence };
        LeaseRecord { run, slice: SliceId(slice), token, session, host, deadline_ms }
    }
}

impl From<&Counts> for CountsValue {
    fn from(counts: &Counts) -> Self {
        Self { slices: counts.slices, cost: counts.cost, digests: counts.digests.to_vec() }
    }
}

pub(super) fn run_key(run: u32) -> [u8; 4] {
    run.to_be_bytes()
}

pub(super) fn slice_key(run: u32, slice: u32) -> [u8; 8] {
    (u64::from(run) << 32 | u64::from(slice)).to_be_bytes()
}

pub(super) fn parse_slice_key(key: &[u8]) -> Option<(u32, u32)> {
    let number = u64::from_be_bytes(key.try_into().ok()?);
    Some(((number >> 32) as u32, number as u32))
}

pub(super) fn lease_key(run: u32, key: LeaseKey) -> [u8; 24] {
    let (slice, epoch, sequence) = key;
    let mut bytes = [0; 24];
    bytes[..8].copy_from_slice(&slice_key(run, slice));
    bytes[8..16].copy_from_slice(&epoch.to_be_bytes());
    bytes[16..].copy_from_slice(&sequence.to_be_bytes());
    bytes
}

pub(super) fn parse_lease_key(key: &[u8]) -> Option<(u32, LeaseKey)> {
    let (slice, rest) = key.split_at_checked(8)?;
    let (epoch, sequence) = rest.split_at_checked(8)?;
    let (run, slice) = parse_slice_key(slice)?;
    let word = |bytes: &[u8]| bytes.try_into().ok().map(u64::from_be_bytes);
    Some((run, (slice, word(epoch)?, word(sequence)?)))
}

/// A value as it is kept: CRC-32C of tree, key and message, then the message.
pub(super) fn seal(tree: &str, key: &[u8], message: &impl Message) -> Vec<u8> {
    let mut value = vec![0; 4];
    message.encode(&mut value).expect("a vector grows");
    assert!(value.len() <= MAX_VALUE_BYTES, "values of the index are small");
    let checksum = checksum(tree, key, &value[4..]);
    value[..4].copy_from_slice(&checksum.to_le_bytes());
    value
}

/// The message of a value; `None` if it is not as it was written under this key.
pub(super) fn unseal<M: Message + Default>(tree: &str, key: &[u8], value: &[u8]) -> Option<M> {
    let (stored, body) = value.split_first_chunk::<4>()?;
    if u32::from_le_bytes(*stored) != checksum(tree, key, body) {
        return None;
    }
    M::decode(body).ok()
}

fn checksum(tree: &str, key: &[u8], body: &[u8]) -> u32 {
    let checksum = crc32c::crc32c_append(crc32c::crc32c(tree.as_bytes()), key);
    crc32c::crc32c_append(checksum, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_back_and_sort_by_run_slice_and_attempt() {
        assert_eq!(parse_slice_key(&slice_key(7, 9)), Some((7, 9)));
        assert_eq!(parse_lease_key(&lease_key(7, (9, 1, 2))), Some((7, (9, 1, 2))));
        assert_eq!(parse_lease_key(&slice_key(7, 9)), None);
        assert!(lease_key(1, (u32::MAX, 9, 9)) < lease_key(2, (0, 0, 0)));
        assert!(lease_key(1, (1, 1, u64::MAX)) < lease_key(1, (1, 2, 0)));
    }

    #[test]
    fn a_value_is_believed_only_under_its_own_key() {
        let counts = CountsValue { slices: 3, cost: 5, digests: vec![1; 32] };
        let value = seal("counts.v1", b"key", &counts);
        assert_eq!(unseal("counts.v1", b"key", &value), Some(counts));
        assert_eq!(unseal::<CountsValue>("counts.v1", b"kex", &value), None);
        assert_eq!(unseal::<CountsValue>("slices.v1", b"key", &value), None);
        for at in 0..value.len() {
            let mut damaged = value.clone();
            damaged[at] ^= 32;
            assert_eq!(unseal::<CountsValue>("counts.v1", b"key", &damaged), None, "byte {at}");
        }
    }
}
