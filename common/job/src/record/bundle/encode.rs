//! The bytes of a bundle, piece by piece, in the order in which they are appended to the file.

use super::{BundleEntry, BundleHeader, MAX_BUNDLED, encode_entries, identity};
use crate::record::{
    Codec, Kind, RecordHeader, SEGMENT_HEADER_BYTES, SegmentHeader, SegmentTrailer, Token,
    framed_bytes, padding,
};
use crate::{Digest, Fingerprint, Slice};

/// Makes the bytes of one bundle.
#[derive(Clone, Debug)]
pub struct BundleEncoder {
    identity: SegmentHeader,
    fingerprint: Fingerprint,
    offset: u64,
    entries: Vec<BundleEntry>,
}

/// A checked and encoded result.
#[derive(Clone, Copy, Debug)]
pub struct BundledResult<'a> {
    /// The slice, as planned.
    pub slice: &'a Slice,
    /// BLAKE3 of the raw result.
    pub digest: Digest,
    /// How `stored` is encoded.
    pub codec: Codec,
    /// The payload as it is to be stored.
    pub stored: &'a [u8],
    /// Computing time in milliseconds; 0 when unknown.
    pub compute_ms: u64,
    /// First eight bytes of the BLAKE3 of the computing host's key; 0 when unknown.
    pub host: u64,
}

impl BundleEncoder {
    /// A new bundle, number `sequence` of its shard, and the bytes it begins with.
    #[must_use]
    pub fn begin(header: &BundleHeader, sequence: u32) -> (Self, Vec<u8>) {
        let identity = identity(header.fingerprint, sequence);
        let mut encoder = Self {
            identity,
            fingerprint: header.fingerprint,
            offset: SEGMENT_HEADER_BYTES as u64,
            entries: Vec::new(),
        };
        let text = header.text();
        let mut bytes = identity.encode().to_vec();
        bytes.extend(encoder.record(Kind::Run, None, Digest::of(text.as_bytes()), text.as_bytes()));
        (encoder, bytes)
    }

    /// Goes on behind results that a bundle holds already.
    pub(super) fn resume(
        header: &BundleHeader,
        sequence: u32,
        offset: u64,
        results: &[RecordHeader],
    ) -> Self {
        Self {
            identity: identity(header.fingerprint, sequence),
            fingerprint: header.fingerprint,
            offset,
            entries: results.iter().map(BundleEntry::of).collect(),
        }
    }

    /// Length of the file so far, in bytes.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.offset
    }

    /// Number of results so far.
    #[must_use]
    pub fn results(&self) -> usize {
        self.entries.len()
    }

    /// Whether no further result fits.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.entries.len() >= MAX_BUNDLED
    }

    /// The bytes of one more result.
    #[must_use]
    pub fn result(&mut self, result: &BundledResult<'_>) -> Vec<u8> {
        self.record(Kind::Result, Some(result), result.digest, result.stored)
    }

    /// The bytes that end the bundle.
    #[must_use]
    pub fn seal(mut self) -> Vec<u8> {
        let table = encode_entries(&self.entries);
        let seal_offset = self.offset;
        let mut bytes = self.record(Kind::Seal, None, Digest::of(&table), &table);
        bytes.extend_from_slice(&SegmentTrailer { seal_offset }.encode());
        bytes
    }

    fn record(
        &mut self,
        kind: Kind,
        result: Option<&BundledResult<'_>>,
        digest: Digest,
        stored: &[u8],
    ) -> Vec<u8> {
        let slice = result.map(|result| result.slice);
        let header = RecordHeader {
            kind,
            codec: result.map_or(Codec::Raw, |result| result.codec),
            run: 0,
            fingerprint: self.fingerprint,
            job: slice.map_or(0, |slice| slice.job.0),
            slice: slice.map_or(0, |slice| slice.id.0),
            first_row: slice.map_or(0, |slice| slice.first_row),
            rows: slice.map_or(0, |slice| slice.rows),
            elements: match (kind, slice) {
                (Kind::Seal, _) => self.entries.len() as u64,
                (_, slice) => slice.map_or(0, |slice| slice.elements),
            },
            raw_bytes: slice.map_or(stored.len() as u64, |slice| slice.raw_bytes),
            stored_bytes: stored.len() as u32,
            payload_crc: crc32c::crc32c(stored),
            digest,
            commit: 0,
            token: Token { store_id: self.identity.store_id, ..Token::default() },
            host: result.map_or(0, |result| result.host),
            compute_ms: result.map_or(0, |result| result.compute_ms),
            cost: slice.map_or(0, |slice| slice.cost),
            segment: self.identity.segment,
            offset: self.offset,
        };
        if kind.is_result() {
            self.entries.push(BundleEntry::of(&header));
        }
        self.offset += framed_bytes(stored.len());
        let mut bytes = header.encode().to_vec();
        bytes.extend_from_slice(stored);
        bytes.resize(bytes.len() + padding(stored.len()), 0);
        bytes
    }
}
