//! Appends records; seals a full segment and begins the next.

use std::fs::{File, OpenOptions};
use std::path::PathBuf;

use fulldeck_job::record::{
    ALIGNMENT, Codec, Kind, RecordHeader, SEGMENT_HEADER_BYTES, SegmentHeader, SegmentTrailer,
    Token, encode_payload, framed_bytes, padding,
};
use fulldeck_job::{Digest, Fingerprint};

use super::table::{self, MAX_ENTRIES};
use super::{TableEntry, Tail, decision_payload, run_payload};
use crate::store::disk::Disk;
use crate::store::layout::{Current, Layout};
use crate::store::model::Model;
use crate::store::{NewResult, Place, StoreError, StoreIdentity};

/// Small pieces are gathered up to this many bytes; payloads at least this large are written as they are.
const GATHER_BYTES: usize = 64 << 10;

/// A record to be appended.
pub(in crate::store) struct Append<'a> {
    header: RecordHeader,
    payload: &'a [u8],
}

/// The end of the segments.
#[derive(Debug)]
pub(in crate::store) struct SegmentWriter {
    disk: Disk,
    layout: Layout,
    identity: StoreIdentity,
    /// What `CURRENT` says.
    current: Current,
    segment_bytes: u64,
    /// Whether the segments are to replace others: then `CURRENT` names them later, all at once.
    aside: bool,
    /// Bytes of all segments before the last.
    earlier_bytes: u64,
    last: OpenSegment,
    /// Small pieces, to be written at `last.end - gathered.len()`.
    gathered: Vec<u8>,
}

/// The segment that grows.
#[derive(Debug)]
struct OpenSegment {
    number: u32,
    path: PathBuf,
    file: File,
    /// Where the next record goes.
    end: u64,
    /// Where the file ended when it was last synced.
    durable_end: u64,
    entries: Vec<TableEntry>,
}

impl<'a> Append<'a> {
    /// A record as it was, to be written in another place.
    pub(in crate::store) fn copy(header: RecordHeader, payload: &'a [u8]) -> Self {
        Self { header, payload }
    }

    /// A record without run, slice or numbers, written by this start of the coordinator.
    pub(in crate::store) fn new(
        kind: Kind,
        identity: &StoreIdentity,
        commit: u64,
        payload: &'a [u8],
    ) -> Self {
        let StoreIdentity { store_id, epoch, start_id } = *identity;
        let header = RecordHeader {
            kind,
            codec: Codec::Raw,
            run: 0,
            fingerprint: Fingerprint([0; 32]),
            job: 0,
            slice: 0,
            first_row: 0,
            rows: 0,
            elements: 0,
            raw_bytes: payload.len() as u64,
            stored_bytes: u32::try_from(payload.len()).expect("payloads are bounded"),
            payload_crc: 0,
            digest: Digest([0; 32]),
            commit,
            token: Token { store_id, epoch, start_id, sequence: 0 },
            host: 0,
            compute_ms: 0,
            cost: 0,
            segment: 0,
            offset: 0,
        };
        Self { header, payload }
    }

    /// As [`Append::result`], of a result that takes the place of a wrong one.
    pub(in crate::store) fn replacement(
        result: &'a NewResult,
        identity: &StoreIdentity,
        commit: u64,
    ) -> Self {
        let mut append = Self::result(result, identity, commit);
        append.header.kind = Kind::Replace;
        append
    }

    /// A record about a run; `digest` is that of the decoded payload.
    pub(in crate::store) fn about(mut self, run: u32, fingerprint: Fingerprint) -> Self {
        self.header.run = run;
        self.header.fingerprint = fingerprint;
        self.header.digest = Digest::of(self.payload);
        self
    }

    pub(in crate::store) fn slice(mut self, slice: u32) -> Self {
        self.header.slice = slice;
        self
    }

    pub(in crate::store) fn result(
        result: &'a NewResult,
        identity: &StoreIdentity,
        commit: u64,
    ) -> Self {
        let mut append = Self::new(Kind::Result, identity, commit, &result.stored);
        append.header = RecordHeader {
            codec: result.codec,
            run: result.run,
            fingerprint: result.fingerprint,
            job: result.slice.job.0,
            slice: result.slice.id.0,
            first_row: result.slice.first_row,
            rows: result.slice.rows,
            elements: result.slice.elements,
            raw_bytes: result.raw_bytes,
            digest: result.digest,
            token: result.token,
            host: result.host,
            compute_ms: result.compute_ms,
            cost: result.slice.cost,
            ..append.header
        };
        append
    }
}

impl SegmentWriter {
    /// Goes on where the last segment ends, or begins a new one.
    pub(in crate::store) fn open(
        disk: Disk,
        layout: Layout,
        identity: StoreIdentity,
        mut current: Current,
        segment_bytes: u64,
        tail: Tail,
        model: &Model,
    ) -> Result<Self, StoreError> {
        let (last, continued) = match tail.open {
            Some((number, end, entries)) => {
                let path = layout.segment(number);
                let file = OpenOptions::new()
                    .read(true)
                    .write(true)
                    .open(&path)
                    .map_err(|source| StoreError::io("open", &path, source))?;
                (OpenSegment { number, path, file, end, durable_end: end, entries }, true)
            }
            None => (begin(&disk, &layout, &mut current, identity.store_id, false)?, false),
        };
        let (earlier_bytes, gathered, aside) = (tail.earlier_bytes, Vec::new(), false);
        let mut writer = Self {
            disk,
            layout,
            identity,
            current,
            segment_bytes,
            aside,
            earlier_bytes,
            last,
            gathered,
        };
        if !continued {
            writer.repeat_runs(model)?;
        }
        Ok(writer)
    }

    /// Begins segments that are to replace others, after the number `last`.
    pub(in crate::store) fn aside(
        disk: Disk,
        layout: Layout,
        identity: StoreIdentity,
        last: u32,
        segment_bytes: u64,
        model: &Model,
    ) -> Result<Self, StoreError> {
        let mut current = Current { index: 0, segments: vec![last], dropped: Vec::new() };
        let first = begin(&disk, &layout, &mut current, identity.store_id, true)?;
        let mut writer = Self {
            disk,
            layout,
            identity,
            current,
            segment_bytes,
            aside: true,
            earlier_bytes: 0,
            last: first,
            gathered: Vec::new(),
        };
        writer.repeat_runs(model)?;
        Ok(writer)
    }

    /// Seals the last segment: nothing follows.
    pub(in crate::store) fn finish(mut self) -> Result<(), StoreError> {
        self.seal()
    }

    /// Bytes of all segments.
    pub(in crate::store) fn stored_bytes(&self) -> u64 {
        self.earlier_bytes + self.last.end
    }

    /// Appends a record and tells where. Durable only after [`SegmentWriter::sync`]. `model` holds the runs that a
    /// new segment repeats.
    pub(in crate::store) fn append(
        &mut self,
        record: Append<'_>,
        model: &Model,
    ) -> Result<Place, StoreError> {
        let bytes = framed_bytes(record.payload.len());
        // A segment holds at least one record beyond its repeated runs, whatever its size.
        let fits =
            self.last.end + bytes <= self.segment_bytes && self.last.entries.len() < MAX_ENTRIES;
        let repeated = |entry: &TableEntry| matches!(entry.kind, Kind::Run | Kind::Decision);
        if !fits && !self.last.entries.iter().all(repeated) {
            self.seal()?;
            self.earlier_bytes += self.last.end;
            self.last = begin(
                &self.disk,
                &self.layout,
                &mut self.current,
                self.identity.store_id,
                self.aside,
            )?;
            self.repeat_runs(model)?;
        }
        self.put(record)
    }

    /// Makes everything appended durable.
    pub(in crate::store) fn sync(&mut self) -> Result<(), StoreError> {
        self.write_gathered()?;
        self.disk.sync_data(&self.last.file, &self.last.path)?;
        self.last.durable_end = self.last.end;
        Ok(())
    }

    /// Takes back what is not durable: after a failed sync the page cache may show bytes that the disk never got, and the
    /// next opening would believe them. Fails if the disk does not let it; then it is to be tried again.
    pub(in crate::store) fn take_back(&mut self) -> Result<(), StoreError> {
        self.gathered.clear();
        let OpenSegment { file, path, durable_end, end, .. } = &mut self.last;
        if *end > *durable_end {
            self.disk.cut(file, path, *durable_end)?;
            *end = *durable_end;
        }
        Ok(())
    }

    fn put(&mut self, record: Append<'_>) -> Result<Place, StoreError> {
        let Append { mut header, payload } = record;
        header.segment = self.last.number;
        header.offset = self.last.end;
        header.payload_crc = crc32c::crc32c(payload);
        self.write(&header.encode())?;
        self.write(payload)?;
        self.write(&[0; ALIGNMENT][..padding(payload.len())])?;
        self.last.entries.push(TableEntry::of(&header));
        Ok(Place {
            segment: header.segment,
            offset: header.offset,
            stored_bytes: header.stored_bytes,
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        if bytes.len() >= GATHER_BYTES {
            self.write_gathered()?;
            self.disk.write_at(&self.last.file, &self.last.path, bytes, self.last.end)?;
            self.last.end += bytes.len() as u64;
            return Ok(());
        }
        self.gathered.extend_from_slice(bytes);
        self.last.end += bytes.len() as u64;
        if self.gathered.len() >= GATHER_BYTES { self.write_gathered() } else { Ok(()) }
    }

    fn write_gathered(&mut self) -> Result<(), StoreError> {
        if !self.gathered.is_empty() {
            let start = self.last.end - self.gathered.len() as u64;
            self.disk.write_at(&self.last.file, &self.last.path, &self.gathered, start)?;
            self.gathered.clear();
        }
        Ok(())
    }

    /// Every segment repeats the runs known when it was begun, and what was decided about them: the loss of one segment
    /// never loses a run.
    fn repeat_runs(&mut self, model: &Model) -> Result<(), StoreError> {
        for run in model.runs.values() {
            let payload = run_payload(&run.record);
            let record = Append::new(Kind::Run, &self.identity, run.commit, &payload)
                .about(run.record.run, run.record.fingerprint);
            self.put(record)?;
            for decision in run.decided.decisions() {
                let (slice, payload) = decision_payload(&decision);
                let record = Append::new(Kind::Decision, &self.identity, run.commit, &payload)
                    .about(run.record.run, run.record.fingerprint)
                    .slice(slice);
                self.put(record)?;
            }
        }
        Ok(())
    }

    fn seal(&mut self) -> Result<(), StoreError> {
        let raw = table::encode(&self.last.entries);
        let last_commit = self.last.entries.iter().map(|entry| entry.commit).max().unwrap_or(0);
        let (codec, stored) = encode_payload(&raw, Codec::Zstd);
        let mut record = Append::new(Kind::Seal, &self.identity, last_commit, &stored);
        record.header.codec = codec;
        record.header.raw_bytes = raw.len() as u64;
        record.header.digest = Digest::of(&raw);
        record.header.elements = self.last.entries.len() as u64;
        let seal_offset = self.last.end;
        self.put(record)?;
        self.write(&SegmentTrailer { seal_offset }.encode())?;
        self.sync()
    }
}

/// Creates the next segment and names it in `CURRENT`, unless it is to replace others. The file appears whole, with its
/// header.
fn begin(
    disk: &Disk,
    layout: &Layout,
    current: &mut Current,
    store_id: [u8; 16],
    aside: bool,
) -> Result<OpenSegment, StoreError> {
    let number = current.segments.last().map_or(1, |last| last + 1);
    let path = if aside { layout.new_segment(number) } else { layout.segment(number) };
    disk.replace_file(&path, &SegmentHeader { store_id, segment: number }.encode())?;
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&path)
        .map_err(|source| StoreError::io("open", &path, source))?;
    current.segments.push(number);
    if !aside {
        layout.write_current(disk, current)?;
    }
    let end = SEGMENT_HEADER_BYTES as u64;
    Ok(OpenSegment { number, path, file, end, durable_end: end, entries: Vec::new() })
}
