//! Looks at one segment as closely as is asked for, and changes nothing.

use fulldeck_job::record::{
    Kind, RECORD_HEADER_BYTES, RecordHeader, SEGMENT_HEADER_BYTES, SegmentHeader, decode_payload,
};
use fulldeck_job::{Digest, MAX_RESULT_BYTES, SliceId};

use super::TableEntry;
use super::load::{Segment, damage, place};
use crate::store::layout::Layout;
use crate::store::{Damage, Place, Recovery, StoreError};

/// How closely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::store) enum Depth {
    /// Of a closed segment the table alone.
    Table,
    /// Every header.
    Headers,
    /// Every payload: checksum, decoded length, digest.
    Payloads,
}

/// What one segment holds.
#[derive(Debug, Default)]
pub(in crate::store) struct Survey {
    pub(in crate::store) number: u32,
    /// Length of the file in bytes; 0 if it is missing.
    pub(in crate::store) length: u64,
    /// Whether it has its table.
    pub(in crate::store) sealed: bool,
    /// End of the last record that can be believed.
    pub(in crate::store) end: u64,
    pub(in crate::store) entries: Vec<TableEntry>,
    /// What cannot be read. The table of a closed segment may list it all the same.
    pub(in crate::store) damaged: Vec<(Damage, Option<Place>)>,
    /// Results whose bytes are as they were written and do not have the digest that was written with them.
    pub(in crate::store) mismatched: Vec<(Damage, Option<Place>)>,
}

/// Looks at the segment with this number.
pub(in crate::store) fn survey(
    layout: &Layout,
    store_id: [u8; 16],
    number: u32,
    depth: Depth,
) -> Result<Survey, StoreError> {
    let mut survey = Survey { number, ..Survey::default() };
    let identity = SegmentHeader { store_id, segment: number };
    let Some(segment) = Segment::open(layout, identity, false)? else {
        survey.damaged.push((damage(number, 0, "the file is missing"), None));
        return Ok(survey);
    };
    survey.length = segment.length;
    let mut recovery = Recovery::default();
    segment.check_head(&mut recovery)?;
    survey.damaged.extend(recovery.damaged.into_iter().map(|found| (found, None)));
    match segment.sealed_table()? {
        Some(table) => {
            (survey.sealed, survey.end, survey.entries) = (true, segment.length, table);
            if depth >= Depth::Headers {
                survey.check_headers(&segment)?;
            }
        }
        None => {
            let scanned = segment.scan()?;
            (survey.end, survey.entries) = (scanned.end, scanned.entries);
            survey.damaged.extend(scanned.damaged.into_iter().map(|found| (found, None)));
        }
    }
    if depth == Depth::Payloads {
        survey.check_payloads(&segment)?;
    }
    Ok(survey)
}

impl Survey {
    /// Every record that the table lists must lie there.
    fn check_headers(&mut self, segment: &Segment) -> Result<(), StoreError> {
        for entry in &self.entries {
            let mut head = [0; RECORD_HEADER_BYTES];
            let fits = entry.offset >= SEGMENT_HEADER_BYTES as u64
                && entry.offset + RECORD_HEADER_BYTES as u64 <= segment.length;
            if fits {
                segment.read(&mut head, entry.offset)?;
            }
            let lies_there = RecordHeader::decode(&head).is_ok_and(|header| {
                let found = TableEntry::of(&header);
                header.segment == self.number
                    && header.token.store_id == segment.identity.store_id
                    // A table keeps no epoch of a result.
                    && TableEntry { epoch: entry.epoch, cost: entry.cost, ..found } == *entry
            });
            if !lies_there {
                self.damaged.push(self.listed(entry, "a listed record cannot be read"));
            }
        }
        Ok(())
    }

    fn check_payloads(&mut self, segment: &Segment) -> Result<(), StoreError> {
        for entry in &self.entries {
            let at = Some(place(self.number, entry));
            if self.damaged.iter().any(|(_, damaged)| *damaged == at) {
                continue;
            }
            match judge(segment, entry)? {
                Verdict::Right => {}
                Verdict::Unreadable => {
                    self.damaged.push(self.listed(entry, "the checksum of a payload is wrong"));
                }
                Verdict::Mismatch => self.mismatched.push(self.listed(entry, "the digest differs")),
            }
        }
        Ok(())
    }

    fn listed(&self, entry: &TableEntry, reason: &str) -> (Damage, Option<Place>) {
        let mut found = damage(self.number, entry.offset, reason);
        if entry.kind.is_result() {
            found.slice = Some((entry.run, SliceId(entry.slice)));
        }
        (found, Some(place(self.number, entry)))
    }
}

enum Verdict {
    Right,
    Unreadable,
    Mismatch,
}

fn judge(segment: &Segment, entry: &TableEntry) -> Result<Verdict, StoreError> {
    let mut head = [0; RECORD_HEADER_BYTES];
    segment.read(&mut head, entry.offset)?;
    let Ok(header) = RecordHeader::decode(&head) else { return Ok(Verdict::Unreadable) };
    let start = entry.offset + RECORD_HEADER_BYTES as u64;
    if start + u64::from(header.stored_bytes) > segment.length {
        return Ok(Verdict::Unreadable);
    }
    let mut stored = vec![0; header.stored_bytes as usize];
    segment.read(&mut stored, start)?;
    if !header.matches(&stored) {
        return Ok(Verdict::Unreadable);
    }
    let raw = decode_payload(header.codec, &stored, header.raw_bytes, MAX_RESULT_BYTES);
    Ok(match raw {
        Ok(_) if header.kind == Kind::Epoch => Verdict::Right,
        Ok(raw) if Digest::of(&raw) == header.digest => Verdict::Right,
        _ => Verdict::Mismatch,
    })
}
