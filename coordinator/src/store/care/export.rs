//! The index in a file, for a backup: what the segments must hold, and the open leases.

use std::path::Path;

use fulldeck_job::record::{Codec, Kind, Token, decode_payload, encode_payload};
use fulldeck_job::{Digest, SliceId};
use prost::Message;

use crate::store::disk::Disk;
use crate::store::model::Model;
use crate::store::segments::{TableEntry, decode_table, encode_table};
use crate::store::{LeaseRecord, StoreError};

/// Largest such file, decoded, in bytes: a million slices need 110 MB.
const MAX_BYTES: usize = 1 << 30;

#[derive(Clone, PartialEq, Eq, Message)]
struct ExportMessage {
    /// Committed slices, as a segment's table.
    #[prost(bytes = "vec", tag = "1")]
    slices: Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    leases: Vec<LeaseMessage>,
}

#[derive(Clone, PartialEq, Eq, Message)]
struct LeaseMessage {
    #[prost(uint32, tag = "1")]
    run: u32,
    #[prost(uint32, tag = "2")]
    slice: u32,
    #[prost(uint64, tag = "3")]
    epoch: u64,
    #[prost(fixed64, tag = "4")]
    start_id: u64,
    #[prost(uint64, tag = "5")]
    sequence: u64,
    #[prost(uint64, tag = "6")]
    session: u64,
    #[prost(fixed64, tag = "7")]
    host: u64,
    #[prost(uint64, tag = "8")]
    deadline_ms: u64,
}

/// What an index knew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Export {
    pub(super) slices: Vec<TableEntry>,
    pub(super) leases: Vec<LeaseRecord>,
}

impl Export {
    pub(super) fn of(model: &Model) -> Self {
        let mut export = Self::default();
        for (number, run) in &model.runs {
            export.slices.extend(run.slices.iter().map(|(slice, entry)| TableEntry {
                kind: Kind::Result,
                run: *number,
                slice: *slice,
                stored_bytes: entry.place.stored_bytes,
                offset: entry.place.offset,
                commit: entry.commit,
                cost: entry.cost,
                epoch: 0,
                fingerprint: run.record.fingerprint,
                digest: entry.digest,
            }));
            export.leases.extend(run.leases.values().cloned());
        }
        export
    }

    /// Writes it: one zstd frame, then the BLAKE3 of what was encoded; length and digest of the file.
    pub(super) fn write(&self, disk: &Disk, path: &Path) -> Result<(u64, Digest), StoreError> {
        let leases = self.leases.iter().map(|lease| LeaseMessage {
            run: lease.run,
            slice: lease.slice.0,
            epoch: lease.token.epoch,
            start_id: lease.token.start_id,
            sequence: lease.token.sequence,
            session: lease.session,
            host: lease.host,
            deadline_ms: lease.deadline_ms,
        });
        let message =
            ExportMessage { slices: encode_table(&self.slices), leases: leases.collect() };
        let raw = message.encode_to_vec();
        let (codec, mut bytes) = encode_payload(&raw, Codec::Zstd);
        bytes.push(codec.number());
        bytes.extend_from_slice(&(raw.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&Digest::of(&raw).0);
        disk.replace_file(path, &bytes)?;
        Ok((bytes.len() as u64, Digest::of(&bytes)))
    }

    /// What was written by a store with this id; `None` if the file is not as written.
    pub(super) fn read(bytes: &[u8], store_id: [u8; 16]) -> Option<Self> {
        let (rest, digest) = bytes.split_last_chunk::<32>()?;
        let (rest, raw_bytes) = rest.split_last_chunk::<8>()?;
        let (codec, stored) = rest.split_last()?;
        let codec = Codec::from_number(*codec)?;
        let raw_bytes = u64::from_le_bytes(*raw_bytes);
        let raw = decode_payload(codec, stored, raw_bytes, MAX_BYTES).ok()?;
        if Digest::of(&raw).0 != *digest {
            return None;
        }
        let message = ExportMessage::decode(&raw[..]).ok()?;
        let leases = message.leases.into_iter().map(|lease| LeaseRecord {
            run: lease.run,
            slice: SliceId(lease.slice),
            token: Token {
                store_id,
                epoch: lease.epoch,
                start_id: lease.start_id,
                sequence: lease.sequence,
            },
            session: lease.session,
            host: lease.host,
            deadline_ms: lease.deadline_ms,
        });
        Some(Self { slices: decode_table(&message.slices)?, leases: leases.collect() })
    }
}
