//! Bundles: files of results that somebody computed without a coordinator, and that say themselves of which run.
//!
//! A bundle is a file of records: its head, a [`super::Kind::Run`] record with a [`BundleHeader`] as text, results, and
//! at the end a seal with the table of all results. Its store id is the beginning of the run's fingerprint. Without a
//! seal it was cut off; its whole records are good all the same.

mod encode;
mod header;
mod read;
#[cfg(test)]
mod tests;

pub use encode::{BundleEncoder, BundledResult};
pub use header::{BundleError, BundleHeader};
pub use read::{Bundle, BundleDamage};

use super::{RecordHeader, SegmentHeader};
use crate::{Digest, Fingerprint};

/// Bytes of one entry of a seal's table.
const ENTRY_BYTES: usize = 48;
/// Most results of one bundle: keeps its seal below the bound of a payload.
pub const MAX_BUNDLED: usize = 1 << 18;

/// What a seal says of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BundleEntry {
    /// The slice.
    pub slice: u32,
    /// Length of its payload as stored, in bytes.
    pub stored_bytes: u32,
    /// Where its record starts, in bytes from the start of the file.
    pub offset: u64,
    /// BLAKE3 of the raw result.
    pub digest: Digest,
}

impl BundleEntry {
    fn of(header: &RecordHeader) -> Self {
        Self {
            slice: header.slice,
            stored_bytes: header.stored_bytes,
            offset: header.offset,
            digest: header.digest,
        }
    }
}

/// Whose records a bundle holds: the file's place in the sense of [`super::Scanner`].
fn identity(fingerprint: Fingerprint, sequence: u32) -> SegmentHeader {
    let mut store_id = [0; 16];
    store_id.copy_from_slice(&fingerprint.0[..16]);
    SegmentHeader { store_id, segment: sequence }
}

fn encode_entries(entries: &[BundleEntry]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entries.len() * ENTRY_BYTES);
    for entry in entries {
        bytes.extend_from_slice(&entry.slice.to_le_bytes());
        bytes.extend_from_slice(&entry.stored_bytes.to_le_bytes());
        bytes.extend_from_slice(&entry.offset.to_le_bytes());
        bytes.extend_from_slice(&entry.digest.0);
    }
    bytes
}

fn decode_entries(bytes: &[u8]) -> Option<Vec<BundleEntry>> {
    let (entries, rest) = bytes.as_chunks::<ENTRY_BYTES>();
    rest.is_empty().then(|| {
        entries
            .iter()
            .map(|entry| {
                let mut fields = super::FieldReader::new(entry);
                BundleEntry {
                    slice: fields.u32(),
                    stored_bytes: fields.u32(),
                    offset: fields.u64(),
                    digest: Digest(fields.take()),
                }
            })
            .collect()
    })
}
