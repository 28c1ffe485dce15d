//! The record frame: header and payload of segment files, bundles and spools.
//!
//! A file is a [`SegmentHeader`] of 64 bytes, then records. A record is a [`RecordHeader`] of 256 bytes with
//! its own checksum, then its payload, padded with zeros to a multiple of 64 bytes, so that every header lies at
//! a multiple of 64 and [`Scanner`] finds the next one behind any damage. All numbers are little endian.
//!
//! A record says where it lies (store, file number, offset): a copy of a record inside another record's payload,
//! or in the wrong place, is never taken for the real one.
//!
//! Deliberately absent: writing files, fsync, and what the records mean together.

pub mod bundle;
mod header;
mod payload;
mod scan;
mod segment;
#[cfg(test)]
mod tests;

pub use header::{HeaderError, Kind, RECORD_HEADER_BYTES, RECORD_VERSION, RecordHeader, Token};
pub use payload::{Codec, PayloadError, decode_payload, encode_payload};
pub use scan::{Found, Scanner, Source};
pub use segment::{
    SEGMENT_HEADER_BYTES, SEGMENT_TRAILER_BYTES, SEGMENT_VERSION, SegmentHeader,
    SegmentHeaderError, SegmentTrailer,
};

/// Records start at multiples of this, in bytes.
pub const ALIGNMENT: usize = 64;

/// Bytes of zeros that follow `payload_bytes` of payload up to the next record.
#[must_use]
pub const fn padding(payload_bytes: usize) -> usize {
    (ALIGNMENT - payload_bytes % ALIGNMENT) % ALIGNMENT
}

/// Bytes a record takes in its file: header, payload and padding.
#[must_use]
pub const fn framed_bytes(payload_bytes: usize) -> u64 {
    (RECORD_HEADER_BYTES + payload_bytes + padding(payload_bytes)) as u64
}

/// Writes fixed-width fields one after the other.
struct FieldWriter<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl<'a> FieldWriter<'a> {
    fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn put(&mut self, field: &[u8]) {
        self.bytes[self.at..self.at + field.len()].copy_from_slice(field);
        self.at += field.len();
    }
}

/// Reads fixed-width fields one after the other.
struct FieldReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> FieldReader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut field = [0; N];
        field.copy_from_slice(&self.bytes[self.at..self.at + N]);
        self.at += N;
        field
    }

    fn u8(&mut self) -> u8 {
        self.take::<1>()[0]
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}

/// Whether the last four bytes are the CRC-32C of all before them.
fn checksum_holds(bytes: &[u8]) -> bool {
    let (body, stored) = bytes.split_at(bytes.len() - 4);
    crc32c::crc32c(body).to_le_bytes() == stored
}

/// Writes the CRC-32C of all bytes but the last four into the last four.
fn write_checksum(bytes: &mut [u8]) {
    let body = bytes.len() - 4;
    let checksum = crc32c::crc32c(&bytes[..body]);
    bytes[body..].copy_from_slice(&checksum.to_le_bytes());
}
