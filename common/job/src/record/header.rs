//! The 256-byte header of a record.

use super::{Codec, FieldReader, FieldWriter, checksum_holds, write_checksum};
use crate::{Digest, Fingerprint, MAX_RESULT_BYTES};

/// Bytes of a [`RecordHeader`].
pub const RECORD_HEADER_BYTES: usize = 256;
/// Version of the record format.
pub const RECORD_VERSION: u16 = 1;

pub(super) const MAGIC: [u8; 8] = *b"\xF5deckrec";

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Full specification of a run.
    Run = 1,
    /// Result of a slice.
    Result = 2,
    /// Result of a slice that takes the place of another one, because the other was wrong.
    Replace = 3,
    /// What was decided about a run or a slice.
    Decision = 4,
    /// A start of the coordinator.
    Epoch = 5,
    /// Table of all records of a full file; the last record of that file.
    Seal = 6,
    /// A stored result proved damaged and counts no more.
    Discard = 7,
}

impl Kind {
    /// Whether the payload is the result of a slice.
    #[must_use]
    pub const fn is_result(self) -> bool {
        matches!(self, Self::Result | Self::Replace)
    }

    /// The number in the header.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// From the number in a header.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Run,
            2 => Self::Result,
            3 => Self::Replace,
            4 => Self::Decision,
            5 => Self::Epoch,
            6 => Self::Seal,
            7 => Self::Discard,
            _ => return None,
        })
    }
}

/// Identifies one handing-out of a slice. Never repeats, not even after a restart of the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Token {
    /// Identity of the checkpoint store.
    pub store_id: [u8; 16],
    /// Rises with every start of the coordinator, from 1.
    pub epoch: u64,
    /// Random, one a start.
    pub start_id: u64,
    /// Rises within the epoch.
    pub sequence: u64,
}

/// Everything known about a record without its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordHeader {
    /// What the record is.
    pub kind: Kind,
    /// How the payload is stored.
    pub codec: Codec,
    /// Number of the run; 0 where the record belongs to none.
    pub run: u32,
    /// Fingerprint of the run; zeros where the record belongs to none.
    pub fingerprint: Fingerprint,
    /// Job whose rows these are.
    pub job: u32,
    /// Slice within the run's plan.
    pub slice: u32,
    /// First row within the job.
    pub first_row: u32,
    /// Number of rows.
    pub rows: u32,
    /// Number of elements of a result; number of table entries of a seal.
    pub elements: u64,
    /// Length of the decoded payload in bytes.
    pub raw_bytes: u64,
    /// Length of the payload as stored, in bytes, without padding.
    pub stored_bytes: u32,
    /// CRC-32C of the payload as stored.
    pub payload_crc: u32,
    /// BLAKE3 of the decoded payload.
    pub digest: Digest,
    /// Number of the commit that wrote the record; rises by one per commit of the store.
    pub commit: u64,
    /// The attempt that computed a result; of other kinds, the start of the coordinator that wrote it.
    pub token: Token,
    /// First eight bytes of the BLAKE3 of the computing host's key; 0 when unknown.
    pub host: u64,
    /// Computing time in milliseconds; 0 when unknown.
    pub compute_ms: u64,
    /// Estimated cost of the slice, in the workload's unit.
    pub cost: u64,
    /// Number of the file the record was written to.
    pub segment: u32,
    /// Offset of the header in that file, in bytes.
    pub offset: u64,
}

/// Why 256 bytes are not the header of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// Magic, checksum, reserved bytes or a length are wrong.
    #[error("the record header is damaged")]
    Damaged,
    /// Intact, but of a version, kind or codec this program does not know.
    #[error(
        "the record has version {version}, kind {kind}, codec {codec}, which this program does not know"
    )]
    Unsupported {
        /// Record version.
        version: u16,
        /// Number of the kind.
        kind: u8,
        /// Number of the codec.
        codec: u8,
    },
}

impl RecordHeader {
    /// The 256 bytes of the header.
    #[must_use]
    pub fn encode(&self) -> [u8; RECORD_HEADER_BYTES] {
        let mut bytes = [0; RECORD_HEADER_BYTES];
        let mut fields = FieldWriter::new(&mut bytes);
        fields.put(&MAGIC);
        fields.put(&[self.kind.number(), self.codec.number()]);
        fields.put(&RECORD_VERSION.to_le_bytes());
        fields.put(&self.run.to_le_bytes());
        fields.put(&self.fingerprint.0);
        for field in [self.job, self.slice, self.first_row, self.rows] {
            fields.put(&field.to_le_bytes());
        }
        fields.put(&self.elements.to_le_bytes());
        fields.put(&self.raw_bytes.to_le_bytes());
        fields.put(&self.stored_bytes.to_le_bytes());
        fields.put(&self.payload_crc.to_le_bytes());
        fields.put(&self.digest.0);
        fields.put(&self.commit.to_le_bytes());
        for field in [self.token.epoch, self.token.start_id, self.token.sequence] {
            fields.put(&field.to_le_bytes());
        }
        fields.put(&self.host.to_le_bytes());
        fields.put(&self.compute_ms.to_le_bytes());
        fields.put(&self.token.store_id);
        fields.put(&self.cost.to_le_bytes());
        fields.put(&self.offset.to_le_bytes());
        fields.put(&self.segment.to_le_bytes());
        write_checksum(&mut bytes);
        bytes
    }

    /// Reads a header back.
    ///
    /// # Errors
    /// [`HeaderError::Damaged`] when the checksum does not hold or the lengths cannot be,
    /// [`HeaderError::Unsupported`] when it is intact but of another version.
    pub fn decode(bytes: &[u8; RECORD_HEADER_BYTES]) -> Result<Self, HeaderError> {
        let mut fields = FieldReader::new(bytes);
        if fields.take() != MAGIC || !checksum_holds(bytes) {
            return Err(HeaderError::Damaged);
        }
        let (kind, codec, version) = (fields.u8(), fields.u8(), fields.u16());
        let unsupported = HeaderError::Unsupported { version, kind, codec };
        if version != RECORD_VERSION {
            return Err(unsupported);
        }
        let kind = Kind::from_number(kind).ok_or(unsupported)?;
        let codec = Codec::from_number(codec).ok_or(unsupported)?;
        let run = fields.u32();
        let fingerprint = Fingerprint(fields.take());
        let [job, slice, first_row, rows] = [0; 4].map(|_: u32| fields.u32());
        let (elements, raw_bytes) = (fields.u64(), fields.u64());
        let (stored_bytes, payload_crc) = (fields.u32(), fields.u32());
        let digest = Digest(fields.take());
        let commit = fields.u64();
        let [epoch, start_id, sequence] = [0; 3].map(|_: u32| fields.u64());
        let (host, compute_ms) = (fields.u64(), fields.u64());
        let store_id = fields.take();
        let (cost, offset, segment) = (fields.u64(), fields.u64(), fields.u32());
        let token = Token { store_id, epoch, start_id, sequence };
        if u64::from(stored_bytes) > raw_bytes || raw_bytes > MAX_RESULT_BYTES as u64 {
            return Err(HeaderError::Damaged);
        }
        Ok(Self {
            kind,
            codec,
            run,
            fingerprint,
            job,
            slice,
            first_row,
            rows,
            elements,
            raw_bytes,
            stored_bytes,
            payload_crc,
            digest,
            commit,
            token,
            host,
            compute_ms,
            cost,
            segment,
            offset,
        })
    }

    /// Whether `stored` is the payload this header was written for.
    #[must_use]
    pub fn matches(&self, stored: &[u8]) -> bool {
        stored.len() == self.stored_bytes as usize && crc32c::crc32c(stored) == self.payload_crc
    }
}
