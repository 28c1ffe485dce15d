//! Reads all segments: what they say is what the store knows.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use fulldeck_job::record::{
    Found, Kind, RECORD_HEADER_BYTES, RecordHeader, SEGMENT_HEADER_BYTES, SEGMENT_TRAILER_BYTES,
    Scanner, SegmentHeader, SegmentHeaderError, SegmentTrailer, Source, decode_payload,
};
use fulldeck_job::{MAX_RESULT_BYTES, SliceId};

use super::payload::{MAX_SMALL_PAYLOAD, read_decision, read_discard, read_run};
use super::table::{self, TableEntry};
use crate::store::disk::Disk;
use crate::store::layout::Layout;
use crate::store::model::{Entry, Model};
use crate::store::{Damage, Decision, Place, Recovery, StoreError};

/// What the segments say.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Loaded {
    pub(in crate::store) model: Model,
    pub(in crate::store) last_epoch: u64,
    /// Last commit that discarded a result.
    pub(in crate::store) last_discard: u64,
    /// Results that a seal lists but that cannot be read, with run and slice; to be discarded.
    pub(in crate::store) unreadable: Vec<(u32, u32, Place)>,
    pub(in crate::store) tail: Tail,
}

/// Where the segments end.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Tail {
    /// Number, length and table of the segment that may grow; none if the next record needs a new one.
    pub(in crate::store) open: Option<(u32, u64, Vec<TableEntry>)>,
    /// Bytes of all segments before it.
    pub(in crate::store) earlier_bytes: u64,
}

/// One segment file being read.
pub(super) struct Segment {
    pub(super) number: u32,
    pub(super) path: PathBuf,
    pub(super) file: File,
    pub(super) length: u64,
    pub(super) identity: SegmentHeader,
}

/// What the scan of an unsealed segment found.
#[derive(Default)]
pub(super) struct Scanned {
    pub(super) entries: Vec<TableEntry>,
    pub(super) damaged: Vec<Damage>,
    /// End of the last record that can be believed.
    pub(super) end: u64,
}

/// Reads the segments with these numbers. Of sealed ones only the seal is read, unless `verify` asks for all. The torn
/// end of the last one is cut off; without a `disk` it only counts as not there, and nothing is written.
pub(in crate::store) fn load(
    disk: Option<&Disk>,
    layout: &Layout,
    store_id: [u8; 16],
    numbers: &[u32],
    verify: bool,
    recovery: &mut Recovery,
) -> Result<Loaded, StoreError> {
    let mut loaded = Loaded::default();
    let mut records = Vec::new();
    for &number in numbers {
        let is_last = numbers.last() == Some(&number);
        let identity = SegmentHeader { store_id, segment: number };
        let Some(segment) = Segment::open(layout, identity, disk.is_some())? else {
            recovery.damaged.push(damage(number, 0, "the file is missing"));
            continue;
        };
        let head_holds = segment.check_head(recovery)?;
        let table = match segment.sealed_table()? {
            Some(table) => {
                loaded.tail.earlier_bytes += segment.length;
                if verify {
                    segment.verify_against(&table, &mut loaded, recovery)?;
                }
                table
            }
            None => segment.unsealed(disk, layout, is_last, head_holds, &mut loaded, recovery)?,
        };
        for entry in table {
            loaded.model.last_commit = loaded.model.last_commit.max(entry.commit);
            loaded.last_epoch = loaded.last_epoch.max(entry.epoch);
            match entry.kind {
                Kind::Run => loaded.learn_run(&segment, &entry, recovery)?,
                Kind::Result | Kind::Replace => records.push(Record::Result(number, entry)),
                Kind::Discard => {
                    records.extend(segment.discard(&entry, recovery)?.map(Record::Discard));
                    loaded.last_discard = loaded.last_discard.max(entry.commit);
                }
                Kind::Decision => {
                    let decision = segment.decision(&entry, recovery)?;
                    records.extend(decision.map(|decision| Record::Decision(entry.run, decision)));
                }
                Kind::Epoch | Kind::Seal => {}
            }
        }
    }
    // Runs first: a run whose first record is damaged is known from a later segment.
    for record in records {
        match record {
            Record::Result(number, entry) => loaded.learn_result(number, &entry, recovery),
            Record::Discard(discard) => loaded.learn_discard(&discard)?,
            // One about a run whose specification is lost is of no use.
            Record::Decision(run, decision) if loaded.model.runs.contains_key(&run) => {
                loaded.model.decide(run, &decision)?;
            }
            Record::Decision(..) => {}
        }
    }
    Ok(loaded)
}

/// What is looked at once all runs are known.
enum Record {
    Result(u32, TableEntry),
    Discard(Discard),
    Decision(u32, Decision),
}

/// A result that counts no more.
struct Discard {
    run: u32,
    slice: u32,
    segment: u32,
    offset: u64,
}

pub(super) fn damage(segment: u32, offset: u64, reason: impl Into<String>) -> Damage {
    Damage { segment, offset, slice: None, reason: reason.into() }
}

impl Segment {
    /// `None` if there is no such file.
    pub(super) fn open(
        layout: &Layout,
        identity: SegmentHeader,
        to_repair: bool,
    ) -> Result<Option<Self>, StoreError> {
        let number = identity.segment;
        let mut path = layout.segment(number);
        // Whoever only looks may find a switch to new segments that is not finished.
        if !to_repair && !path.exists() {
            path = layout.new_segment(number);
        }
        let opened = std::fs::OpenOptions::new().read(true).write(to_repair).open(&path);
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StoreError::io("open", &path, source)),
        };
        let length = file.metadata().map_err(|source| StoreError::io("read", &path, source))?.len();
        Ok(Some(Self { number, path, file, length, identity }))
    }

    pub(super) fn read(&self, bytes: &mut [u8], offset: u64) -> Result<(), StoreError> {
        self.file
            .read_at(bytes, offset)
            .map_err(|source| StoreError::io("read", &self.path, source))
    }

    /// Whether the file header is as written; a segment of another version or store is refused.
    pub(super) fn check_head(&self, recovery: &mut Recovery) -> Result<bool, StoreError> {
        let mut bytes = [0; SEGMENT_HEADER_BYTES];
        if self.length >= SEGMENT_HEADER_BYTES as u64 {
            self.read(&mut bytes, 0)?;
        }
        match SegmentHeader::decode(&bytes) {
            Ok(header) if header == self.identity => Ok(true),
            Ok(_) => Err(StoreError::damaged(
                &self.path,
                "it belongs to another store or place; put back the file that belongs here",
            )),
            Err(error @ SegmentHeaderError::Version(_)) => {
                Err(StoreError::Format { path: self.path.clone(), found: format!(": {error}") })
            }
            Err(error @ SegmentHeaderError::Damaged) => {
                recovery.damaged.push(damage(self.number, 0, error.to_string()));
                Ok(false)
            }
        }
    }

    /// The table in the seal, if the segment is sealed and the seal is as written.
    pub(super) fn sealed_table(&self) -> Result<Option<Vec<TableEntry>>, StoreError> {
        let Some(trailer_offset) = self.length.checked_sub(SEGMENT_TRAILER_BYTES as u64) else {
            return Ok(None);
        };
        let mut trailer = [0; SEGMENT_TRAILER_BYTES];
        self.read(&mut trailer, trailer_offset)?;
        let Some(SegmentTrailer { seal_offset }) = SegmentTrailer::decode(&trailer) else {
            return Ok(None);
        };
        let Some((header, raw)) = self.payload(seal_offset, Kind::Seal, MAX_RESULT_BYTES)? else {
            return Ok(None);
        };
        Ok(table::decode(&raw).filter(|table| table.len() as u64 == header.elements))
    }

    /// Header and decoded payload of the record at `offset`, unless it is not as written, not of this kind, or larger
    /// than `limit`.
    pub(super) fn payload(
        &self,
        offset: u64,
        kind: Kind,
        limit: usize,
    ) -> Result<Option<(RecordHeader, Vec<u8>)>, StoreError> {
        let mut head = [0; RECORD_HEADER_BYTES];
        let start = offset.saturating_add(RECORD_HEADER_BYTES as u64);
        if start > self.length {
            return Ok(None);
        }
        self.read(&mut head, offset)?;
        let Ok(header) = RecordHeader::decode(&head) else { return Ok(None) };
        let belongs = header.kind == kind
            && header.offset == offset
            && header.segment == self.number
            && header.token.store_id == self.identity.store_id
            && header.stored_bytes as usize <= limit
            && start + u64::from(header.stored_bytes) <= self.length;
        if !belongs {
            return Ok(None);
        }
        let mut stored = vec![0; header.stored_bytes as usize];
        self.read(&mut stored, start)?;
        if !header.matches(&stored) {
            return Ok(None);
        }
        Ok(decode_payload(header.codec, &stored, header.raw_bytes, limit)
            .ok()
            .map(|raw| (header, raw)))
    }

    fn discard(
        &self,
        entry: &TableEntry,
        recovery: &mut Recovery,
    ) -> Result<Option<Discard>, StoreError> {
        let read = self.payload(entry.offset, Kind::Discard, MAX_SMALL_PAYLOAD)?;
        let target = read.and_then(|(_, raw)| read_discard(&raw));
        if target.is_none() {
            let reason = "a record that discards a result cannot be read";
            recovery.damaged.push(damage(self.number, entry.offset, reason));
        }
        let (run, slice) = (entry.run, entry.slice);
        Ok(target.map(|(segment, offset)| Discard { run, slice, segment, offset }))
    }

    fn decision(
        &self,
        entry: &TableEntry,
        recovery: &mut Recovery,
    ) -> Result<Option<Decision>, StoreError> {
        let read = self.payload(entry.offset, Kind::Decision, MAX_SMALL_PAYLOAD)?;
        let decision = read.and_then(|(_, raw)| read_decision(entry.slice, &raw));
        if decision.is_none() {
            let reason = format!("a decision about run {} cannot be read", entry.run);
            recovery.damaged.push(damage(self.number, entry.offset, reason));
        }
        Ok(decision)
    }

    pub(super) fn scan(&self) -> Result<Scanned, StoreError> {
        let failed = |source| StoreError::io("read", &self.path, source);
        let mut scanned = Scanned { end: SEGMENT_HEADER_BYTES as u64, ..Scanned::default() };
        let mut scanner = Scanner::new(&self.file, self.length, self.identity);
        while let Some(found) = scanner.step().map_err(failed)? {
            match found {
                Found::Record(header) if header.kind == Kind::Seal => {}
                Found::Record(header) => {
                    scanned.end = header.offset
                        + fulldeck_job::record::framed_bytes(header.stored_bytes as usize);
                    scanned.entries.push(TableEntry::of(&header));
                }
                Found::BadPayload(header) => {
                    let slice =
                        header.kind.is_result().then_some((header.run, SliceId(header.slice)));
                    let reason = "the checksum of a payload is wrong".to_owned();
                    let (segment, offset) = (self.number, header.offset);
                    scanned.damaged.push(Damage { segment, offset, slice, reason });
                }
                Found::Damage { offset, bytes } => {
                    let reason = format!("{bytes} bytes are no records");
                    scanned.damaged.push(damage(self.number, offset, reason));
                }
                Found::Unsupported { offset, error } => {
                    return Err(StoreError::Format {
                        path: self.path.clone(),
                        found: format!("at byte {offset}: {error}"),
                    });
                }
            }
        }
        Ok(scanned)
    }

    /// Scans a segment without a readable seal. If it is the last one, it may grow on: its torn end, behind which
    /// nothing can be read, is saved beside it and cut off.
    fn unsealed(
        &self,
        disk: Option<&Disk>,
        layout: &Layout,
        is_last: bool,
        head_holds: bool,
        loaded: &mut Loaded,
        recovery: &mut Recovery,
    ) -> Result<Vec<TableEntry>, StoreError> {
        let Scanned { entries, damaged, end } = self.scan()?;
        let (torn, inside): (Vec<_>, Vec<_>) =
            damaged.into_iter().partition(|damage| damage.offset >= end);
        let is_torn = is_last && self.length > end;
        match disk {
            Some(disk) if is_torn => self.cut(disk, layout, end)?,
            // What is believed now must be on the disk, whatever the page cache says.
            Some(disk) if is_last => disk.sync_all(&self.file, &self.path)?,
            _ => {}
        }
        if is_torn {
            recovery.torn_bytes += self.length - end;
        }
        if is_last && head_holds && inside.is_empty() {
            loaded.tail.open = Some((self.number, end, entries.clone()));
        } else {
            // Nothing is ever appended behind damage.
            loaded.tail.earlier_bytes += if is_last { end } else { self.length };
        }
        recovery.damaged.extend(inside);
        // A whole record at the end whose payload is wrong may have been acknowledged; half a record was not.
        recovery
            .damaged
            .extend(torn.into_iter().filter(|damage| !is_last || damage.slice.is_some()));
        Ok(entries)
    }

    fn cut(&self, disk: &Disk, layout: &Layout, end: u64) -> Result<(), StoreError> {
        let saved = layout.set_aside(&self.path, "torn");
        let copy = disk.create_new(&saved)?;
        let mut window = vec![0; 1 << 20];
        let mut offset = end;
        while offset < self.length {
            let left = usize::try_from(self.length - offset).unwrap_or(usize::MAX);
            let piece_bytes = left.min(window.len());
            let piece = &mut window[..piece_bytes];
            self.read(piece, offset)?;
            disk.write_at(&copy, &saved, piece, offset - end)?;
            offset += piece.len() as u64;
        }
        disk.sync_all(&copy, &saved)?;
        disk.sync_folder(&layout.segments())?;
        disk.cut(&self.file, &self.path, end)?;
        disk.sync_all(&self.file, &self.path)
    }

    /// Reads the whole of a sealed segment and names every listed result that is not there as written.
    fn verify_against(
        &self,
        table: &[TableEntry],
        loaded: &mut Loaded,
        recovery: &mut Recovery,
    ) -> Result<(), StoreError> {
        let readable: std::collections::BTreeSet<u64> =
            self.scan()?.entries.iter().map(|entry| entry.offset).collect();
        for entry in table.iter().filter(|entry| !readable.contains(&entry.offset)) {
            let mut found = damage(self.number, entry.offset, "a listed record cannot be read");
            if entry.kind.is_result() {
                found.slice = Some((entry.run, SliceId(entry.slice)));
                loaded.unreadable.push((entry.run, entry.slice, place(self.number, entry)));
            }
            recovery.damaged.push(found);
        }
        Ok(())
    }
}

pub(super) fn place(segment: u32, entry: &TableEntry) -> Place {
    Place { segment, offset: entry.offset, stored_bytes: entry.stored_bytes }
}

impl Loaded {
    fn learn_run(
        &mut self,
        segment: &Segment,
        entry: &TableEntry,
        recovery: &mut Recovery,
    ) -> Result<(), StoreError> {
        let read = segment.payload(entry.offset, Kind::Run, MAX_SMALL_PAYLOAD)?;
        let record = read.and_then(|(header, raw)| read_run(header.run, header.fingerprint, &raw));
        let Some(record) = record else {
            let reason = format!("the specification of run {} cannot be read", entry.run);
            recovery.damaged.push(damage(segment.number, entry.offset, reason));
            return Ok(());
        };
        let known =
            self.model.insert_run(record.clone(), place(segment.number, entry), entry.commit);
        if known.record != record {
            return Err(StoreError::damaged(
                &segment.path,
                format!("two different runs have the number {}; restore from a backup", entry.run),
            ));
        }
        Ok(())
    }

    fn learn_result(&mut self, segment: u32, entry: &TableEntry, recovery: &mut Recovery) {
        let place = place(segment, entry);
        if self.model.owns(entry.run, &entry.fingerprint, entry.commit) {
            let known =
                Entry { digest: entry.digest, place, commit: entry.commit, cost: entry.cost };
            self.model.insert_slice(entry.run, entry.slice, known);
        } else {
            recovery.damaged.push(Damage {
                segment,
                offset: entry.offset,
                slice: Some((entry.run, SliceId(entry.slice))),
                reason: "the specification of the result's run is lost".to_owned(),
            });
        }
    }

    fn learn_discard(&mut self, discard: &Discard) -> Result<(), StoreError> {
        let Discard { run, slice, segment, offset } = *discard;
        let current =
            self.model.runs.get(&run).and_then(|run| run.slices.get(&slice)).is_some_and(|known| {
                known.place.segment == segment && known.place.offset == offset
            });
        if current {
            self.model.discard(run, slice)?;
        }
        Ok(())
    }
}
