//! The table of a segment's records: what a seal holds, so that opening reads no more of a sealed segment.

use fulldeck_job::record::{Kind, RecordHeader};
use fulldeck_job::{Digest, Fingerprint};

/// Bytes of one entry.
const ENTRY_BYTES: usize = 104;
/// Most entries of one table: keeps a seal well below the bound of a payload.
pub(super) const MAX_ENTRIES: usize = 1 << 18;

/// What opening needs to know about a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct TableEntry {
    pub(in crate::store) kind: Kind,
    pub(in crate::store) run: u32,
    pub(in crate::store) slice: u32,
    pub(in crate::store) stored_bytes: u32,
    pub(in crate::store) offset: u64,
    pub(in crate::store) commit: u64,
    pub(in crate::store) cost: u64,
    pub(in crate::store) epoch: u64,
    pub(in crate::store) fingerprint: Fingerprint,
    pub(in crate::store) digest: Digest,
}

impl TableEntry {
    pub(in crate::store) fn of(header: &RecordHeader) -> Self {
        Self {
            kind: header.kind,
            run: header.run,
            slice: header.slice,
            stored_bytes: header.stored_bytes,
            offset: header.offset,
            commit: header.commit,
            cost: header.cost,
            epoch: header.token.epoch,
            fingerprint: header.fingerprint,
            digest: header.digest,
        }
    }
}

pub(in crate::store) fn encode(entries: &[TableEntry]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entries.len() * ENTRY_BYTES);
    for entry in entries {
        bytes.extend_from_slice(&u32::from(entry.kind.number()).to_le_bytes());
        for field in [entry.run, entry.slice, entry.stored_bytes] {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        bytes.extend_from_slice(&entry.offset.to_le_bytes());
        // A result's cost and any other record's epoch share a field: neither needs the other here.
        let value = if entry.kind.is_result() { entry.cost } else { entry.epoch };
        bytes.extend_from_slice(&entry.commit.to_le_bytes());
        bytes.extend_from_slice(&value.to_le_bytes());
        bytes.extend_from_slice(&entry.fingerprint.0);
        bytes.extend_from_slice(&entry.digest.0);
    }
    bytes
}

/// `None` unless the bytes are a whole table of known kinds.
pub(in crate::store) fn decode(bytes: &[u8]) -> Option<Vec<TableEntry>> {
    if !bytes.len().is_multiple_of(ENTRY_BYTES) {
        return None;
    }
    bytes.chunks_exact(ENTRY_BYTES).map(entry).collect()
}

fn entry(bytes: &[u8]) -> Option<TableEntry> {
    let u32_at = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let u64_at = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let kind = Kind::from_number(u8::try_from(u32_at(0)?).ok()?)?;
    let value = u64_at(32)?;
    let (cost, epoch) = if kind.is_result() { (value, 0) } else { (0, value) };
    Some(TableEntry {
        kind,
        run: u32_at(4)?,
        slice: u32_at(8)?,
        stored_bytes: u32_at(12)?,
        offset: u64_at(16)?,
        commit: u64_at(24)?,
        cost,
        epoch,
        fingerprint: Fingerprint::from_slice(&bytes[40..72])?,
        digest: Digest::from_slice(&bytes[72..104])?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_reads_back() {
        let entry = |kind, cost, epoch| TableEntry {
            kind,
            run: 1,
            slice: 2,
            stored_bytes: 3,
            offset: 4,
            commit: 5,
            cost,
            epoch,
            fingerprint: Fingerprint([6; 32]),
            digest: Digest([7; 32]),
        };
        let entries = [entry(Kind::Result, 8, 0), entry(Kind::Epoch, 0, 9)];
        let bytes = encode(&entries);
        assert_eq!(bytes.len(), 2 * ENTRY_BYTES);
        assert_eq!(decode(&bytes).as_deref(), Some(&entries[..]));
        assert_eq!(decode(&bytes[1..]), None);
    }
}
