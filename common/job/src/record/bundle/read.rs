//! Reading a bundle back, whatever happened to it.

use std::collections::HashSet;

use super::header::MAX_TEXT;
use super::{
    BundleEncoder, BundleEntry, BundleError, BundleHeader, ENTRY_BYTES, MAX_BUNDLED,
    decode_entries, identity,
};
use crate::record::{
    Found, HeaderError, Kind, RECORD_HEADER_BYTES, RecordHeader, SEGMENT_HEADER_BYTES,
    SEGMENT_TRAILER_BYTES, Scanner, SegmentHeader, SegmentHeaderError, SegmentTrailer, Source,
    framed_bytes,
};

/// A bundle without its payloads.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// What it says of itself.
    pub header: BundleHeader,
    /// Its number within the shard.
    pub sequence: u32,
    /// Results whose records are whole, in the order of the file.
    pub results: Vec<RecordHeader>,
    /// What is not whole. The torn end of a file without a seal is none.
    pub damage: Vec<BundleDamage>,
    /// Whether it ends with a seal.
    pub sealed: bool,
    /// Where the whole records at its beginning end, in bytes: there a file without a seal goes on.
    whole: u64,
}

/// Bytes of a bundle that cannot be believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleDamage {
    /// Where they start, in bytes.
    pub offset: u64,
    /// Slices whose results are lost with them, as far as that is known.
    pub slices: Vec<u32>,
    /// What is wrong.
    pub what: &'static str,
}

impl Bundle {
    /// Reads all of `source` up to `length` bytes, and believes only what its checksums prove.
    ///
    /// # Errors
    /// [`BundleError`] when it is no bundle, or does not say of which run.
    pub fn read<S: Source + ?Sized>(source: &S, length: u64) -> Result<Self, BundleError> {
        let (header, sequence, first) = beginning(source, length)?;
        let seal = seal(source, length, &header, sequence)?;
        let end = seal.as_ref().map_or(length, |(offset, _)| *offset);
        let mut bundle = Self {
            sequence,
            results: Vec::new(),
            damage: Vec::new(),
            sealed: seal.is_some(),
            whole: first,
            header,
        };
        bundle.scan(source, end)?;
        match seal {
            Some((_, entries)) => bundle.compare(&entries),
            // A kill tears the end; what lies behind was never whole.
            None => {
                bundle.damage.pop_if(|last| last.what == TORN);
            }
        }
        Ok(bundle)
    }

    /// What the seal of a bundle says, without a look at its results; `None` without a seal.
    ///
    /// # Errors
    /// As [`Bundle::read`].
    pub fn glance<S: Source + ?Sized>(
        source: &S,
        length: u64,
    ) -> Result<(BundleHeader, Option<Vec<BundleEntry>>), BundleError> {
        let (header, sequence, _) = beginning(source, length)?;
        let seal = seal(source, length, &header, sequence)?;
        Ok((header, seal.map(|(_, entries)| entries)))
    }

    /// An encoder that goes on where the whole records of a file without a seal end; that is where the file has to be
    /// cut.
    #[must_use]
    pub fn resume(&self) -> BundleEncoder {
        let kept = self.results.iter().filter(|result| result.offset < self.whole);
        let kept: Vec<_> = kept.cloned().collect();
        BundleEncoder::resume(&self.header, self.sequence, self.whole, &kept)
    }

    fn scan<S: Source + ?Sized>(&mut self, source: &S, end: u64) -> Result<(), BundleError> {
        let identity = identity(self.header.fingerprint, self.sequence);
        let mut scanner = Scanner::new(source, end, identity);
        while let Some(found) = scanner.step()? {
            match found {
                Found::Record(record) => {
                    if self.damage.is_empty() {
                        self.whole = record.offset + framed_bytes(record.stored_bytes as usize);
                    }
                    if record.kind == Kind::Result
                        && record.fingerprint == self.header.fingerprint
                        && self.results.len() < MAX_BUNDLED
                    {
                        self.results.push(record);
                    }
                }
                Found::BadPayload(record) => self.damage.push(BundleDamage {
                    offset: record.offset,
                    slices: if record.kind.is_result() { vec![record.slice] } else { Vec::new() },
                    what: "the payload is damaged",
                }),
                Found::Damage { offset, bytes } => self.damage.push(BundleDamage {
                    offset,
                    slices: Vec::new(),
                    what: if offset + bytes == end { TORN } else { "the record is damaged" },
                }),
                Found::Unsupported { offset, .. } => self.damage.push(BundleDamage {
                    offset,
                    slices: Vec::new(),
                    what: "the record is of a version that this program does not know",
                }),
            }
        }
        Ok(())
    }

    /// Names what the seal knows and the scan did not find.
    fn compare(&mut self, entries: &[BundleEntry]) {
        let found: HashSet<_> = self.results.iter().map(BundleEntry::of).collect();
        for entry in entries.iter().filter(|entry| !found.contains(entry)) {
            if self.damage.iter().any(|damage| damage.slices.contains(&entry.slice)) {
                continue;
            }
            // The stretch of damage that begins at or before it.
            match self.damage.iter_mut().rev().find(|damage| damage.offset <= entry.offset) {
                Some(damage) => damage.slices.push(entry.slice),
                None => self.damage.push(BundleDamage {
                    offset: entry.offset,
                    slices: vec![entry.slice],
                    what: "the record is not there",
                }),
            }
        }
    }
}

/// Damage that goes to the end of the file.
const TORN: &str = "the end is cut off or damaged";

/// What a bundle says of itself, its number, and where its first result lies.
fn beginning<S: Source + ?Sized>(
    source: &S,
    length: u64,
) -> Result<(BundleHeader, u32, u64), BundleError> {
    if length < (SEGMENT_HEADER_BYTES + RECORD_HEADER_BYTES) as u64 {
        return Err(BundleError::Head);
    }
    let mut head = [0; SEGMENT_HEADER_BYTES];
    source.read_at(&mut head, 0)?;
    let head = SegmentHeader::decode(&head).map_err(|error| match error {
        SegmentHeaderError::Damaged => BundleError::Head,
        SegmentHeaderError::Version(version) => BundleError::Version(version),
    })?;
    let offset = SEGMENT_HEADER_BYTES as u64;
    let run = record_at(source, offset, length, head)?;
    let run = run.filter(|(run, _)| run.kind == Kind::Run && run.stored_bytes as usize <= MAX_TEXT);
    let (run, payload) = run.ok_or(BundleError::Run)?;
    let text = String::from_utf8(payload).map_err(|_| BundleError::Text("no text".to_owned()))?;
    let header = BundleHeader::parse(&text)?;
    if identity(header.fingerprint, head.segment) != head || run.fingerprint != header.fingerprint {
        return Err(BundleError::Text("its head names another run".to_owned()));
    }
    Ok((header, head.segment, offset + framed_bytes(run.stored_bytes as usize)))
}

/// Where the seal lies, and its table; `None` if there is no whole one.
fn seal<S: Source + ?Sized>(
    source: &S,
    length: u64,
    header: &BundleHeader,
    sequence: u32,
) -> Result<Option<(u64, Vec<BundleEntry>)>, BundleError> {
    let Some(at) = length.checked_sub(SEGMENT_TRAILER_BYTES as u64) else { return Ok(None) };
    let mut trailer = [0; SEGMENT_TRAILER_BYTES];
    source.read_at(&mut trailer, at)?;
    let Some(SegmentTrailer { seal_offset }) = SegmentTrailer::decode(&trailer) else {
        return Ok(None);
    };
    let identity = identity(header.fingerprint, sequence);
    let seal = record_at(source, seal_offset, at, identity)?;
    let whole = seal.filter(|(seal, payload)| {
        seal.kind == Kind::Seal && payload.len() as u64 == seal.elements * ENTRY_BYTES as u64
    });
    Ok(whole.and_then(|(_, table)| Some((seal_offset, decode_entries(&table)?))))
}

/// The whole record at a place, and its payload as stored.
fn record_at<S: Source + ?Sized>(
    source: &S,
    offset: u64,
    end: u64,
    identity: SegmentHeader,
) -> Result<Option<(RecordHeader, Vec<u8>)>, BundleError> {
    if offset.saturating_add(RECORD_HEADER_BYTES as u64) > end {
        return Ok(None);
    }
    let mut bytes = [0; RECORD_HEADER_BYTES];
    source.read_at(&mut bytes, offset)?;
    let header = match RecordHeader::decode(&bytes) {
        Ok(header) => header,
        Err(HeaderError::Unsupported { version, .. }) => {
            return Err(BundleError::Version(version.into()));
        }
        Err(HeaderError::Damaged) => return Ok(None),
    };
    let belongs = header.offset == offset
        && header.segment == identity.segment
        && header.token.store_id == identity.store_id
        && offset + framed_bytes(header.stored_bytes as usize) <= end;
    if !belongs {
        return Ok(None);
    }
    let mut payload = vec![0; header.stored_bytes as usize];
    source.read_at(&mut payload, offset + RECORD_HEADER_BYTES as u64)?;
    Ok(header.matches(&payload).then_some((header, payload)))
}
