//! `store compact`: segments that are mostly dead are written anew, and one `CURRENT` switches to the new ones.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use fulldeck_job::record::{Kind, RECORD_HEADER_BYTES, RecordHeader, Source, framed_bytes};
use fulldeck_job::{Digest, SliceId};

use super::{existing, opening};
use crate::store::disk::Disk;
use crate::store::index;
use crate::store::layout::{Current, Layout};
use crate::store::model::Model;
use crate::store::segments::{
    self, Append, Depth, Loaded, SegmentWriter, Survey, decision_payload, survey,
};
use crate::store::{Decision, OpenOptions, Recovery, SledStore, Store, StoreError, StoreIdentity};

/// A segment of which more than this part is dead is written anew, in percent.
const MAX_DEAD_PERCENT: u64 = 30;

/// What compacting did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compact {
    /// Segments that were written anew.
    pub rewritten: u32,
    /// Segments that took their place.
    pub written: u32,
    /// Bytes of all segments before.
    pub before_bytes: u64,
    /// Bytes of all segments after.
    pub after_bytes: u64,
    /// Bytes of the records that count.
    pub live_bytes: u64,
}

/// Writes the segments of the store in `folder` anew of which more than 30 % counts no more, or that are damaged, and
/// builds a new index. A crash at any moment leaves the old store or the new one.
///
/// # Errors
/// [`StoreError::NoStore`], [`StoreError::Locked`], [`StoreError::Damaged`] when a result that counts cannot be read (repair
/// first), or what went wrong with the disk.
pub fn compact(folder: &Path, options: &OpenOptions) -> Result<Compact, StoreError> {
    compact_on(&Disk::default(), folder, options)
}

pub(in crate::store) fn compact_on(
    disk: &Disk,
    folder: &Path,
    options: &OpenOptions,
) -> Result<Compact, StoreError> {
    existing(folder)?;
    let options = opening(options);
    let store = SledStore::open_on(disk.clone(), folder, &options)?;
    let layout = Layout::new(folder);
    let store_id = store.identity().store_id;
    let model = store.model().clone();
    let listed = layout.current()?.ok().flatten().unwrap_or_else(|| Current {
        index: 1,
        segments: Vec::new(),
        dropped: Vec::new(),
    });
    let mut surveys = Vec::new();
    for number in layout.segment_numbers(Some(&listed))? {
        // Everything is read: damage must not be carried on, and what is damaged is to go.
        let survey = survey(&layout, store_id, number, Depth::Payloads)?;
        refuse_wrong(&layout, &survey, &model)?;
        surveys.push(survey);
    }
    let before_bytes = surveys.iter().map(|survey| survey.length).sum();
    let mut report = Compact {
        before_bytes,
        after_bytes: before_bytes,
        live_bytes: super::stat::live_bytes(&model),
        ..Compact::default()
    };
    let chosen = choose(&surveys, &model);
    if chosen.is_empty() {
        return Ok(report);
    }
    let job = Job { disk, layout: &layout, identity: store.identity(), options: &options };
    job.rewrite(&surveys, &chosen, &model)?;
    let written: Vec<u32> = layout.new_segments()?;
    let kept = surveys.iter().map(|survey| survey.number).filter(|n| !chosen.contains(n));
    let index = layout.indexes()?.last().map_or(1, |last| last + 1);
    let new = Current {
        index,
        segments: kept.chain(written.iter().copied()).collect(),
        dropped: chosen.iter().copied().collect(),
    };
    let loaded = job.read_again(&new.segments, &model)?;
    index::build(disk, &layout.index(index), store_id, &Arc::new(loaded))?.close();
    layout.write_current(disk, &new)?;
    // Decided: whoever opens it next would do the same.
    layout.finish_switch(disk, Some(&new))?;
    layout.write_current(disk, &Current { dropped: Vec::new(), ..new.clone() })?;
    drop_index(disk, &layout, listed.index, store)?;
    report.rewritten = chosen.len() as u32;
    report.written = written.len() as u32;
    let length = |number: &u32| std::fs::metadata(layout.segment(*number)).map_or(0, |f| f.len());
    report.after_bytes = new.segments.iter().map(length).sum();
    Ok(report)
}

/// A result that counts and does not have its digest has to be discarded first.
fn refuse_wrong(layout: &Layout, survey: &Survey, model: &Model) -> Result<(), StoreError> {
    let wrong = survey.mismatched.iter().find(|(damage, _)| {
        damage
            .slice
            .is_some_and(|(run, slice)| counts(model, survey.number, run, slice.0, damage.offset))
    });
    match wrong {
        None => Ok(()),
        Some((damage, _)) => Err(cannot_read(&layout.segment(survey.number), damage.offset)),
    }
}

fn cannot_read(path: &Path, offset: u64) -> StoreError {
    let what =
        format!("the record at byte {offset} cannot be read; run fulldeck store repair first");
    StoreError::damaged(path, what)
}

/// Closes the store, which holds the lock to the end, and removes its index.
fn drop_index(
    disk: &Disk,
    layout: &Layout,
    number: u32,
    mut store: SledStore,
) -> Result<(), StoreError> {
    store.close_index();
    let path = layout.index(number);
    if path.exists() {
        disk.remove_folder(&path)?;
    }
    drop(store);
    Ok(())
}

/// The segments that are worth it. The last one, which may grow, goes with them: what is written anew follows it.
fn choose(surveys: &[Survey], model: &Model) -> BTreeSet<u32> {
    let mut chosen: BTreeSet<u32> = surveys
        .iter()
        .filter(|survey| {
            !survey.damaged.is_empty()
                || !survey.mismatched.is_empty()
                || is_mostly_dead(survey, model)
        })
        .map(|survey| survey.number)
        .collect();
    if !chosen.is_empty() {
        chosen.extend(surveys.iter().filter(|survey| !survey.sealed).map(|survey| survey.number));
    }
    chosen
}

fn is_mostly_dead(survey: &Survey, model: &Model) -> bool {
    let framed = |bytes: u32| framed_bytes(bytes as usize);
    let mut dead = 0;
    for entry in &survey.entries {
        let counts = match entry.kind {
            Kind::Result | Kind::Replace => {
                counts(model, survey.number, entry.run, entry.slice, entry.offset)
            }
            Kind::Discard => false,
            _ => true,
        };
        if !counts {
            dead += framed(entry.stored_bytes);
        }
    }
    dead * 100 > survey.length * MAX_DEAD_PERCENT
}

fn counts(model: &Model, segment: u32, run: u32, slice: u32, offset: u64) -> bool {
    model
        .runs
        .get(&run)
        .and_then(|run| run.slices.get(&slice))
        .is_some_and(|entry| (entry.place.segment, entry.place.offset) == (segment, offset))
}

struct Job<'a> {
    disk: &'a Disk,
    layout: &'a Layout,
    identity: StoreIdentity,
    options: &'a OpenOptions,
}

impl Job<'_> {
    /// What the new segments say, with those that stay; it must be what the old ones say.
    fn read_again(&self, segments: &[u32], model: &Model) -> Result<Loaded, StoreError> {
        let mut recovery = Recovery::default();
        let id = self.identity.store_id;
        let mut loaded = segments::load(None, self.layout, id, segments, false, &mut recovery)?;
        let said = |model: &Model| {
            let slices = model.runs.iter().flat_map(|(run, known)| {
                known
                    .slices
                    .iter()
                    .map(|(slice, entry)| (*run, *slice, entry.digest, entry.commit, entry.cost))
            });
            let decided: Vec<_> =
                model.runs.iter().map(|(run, known)| (*run, known.decided.clone())).collect();
            (slices.collect::<Vec<_>>(), decided, model.last_commit)
        };
        if said(&loaded.model) != said(model) {
            let what = "what was written anew differs, and is not used; run fulldeck store check";
            return Err(StoreError::damaged(&self.layout.segments(), what));
        }
        for lease in model.runs.values().flat_map(|run| run.leases.values()) {
            loaded.model.grant(lease)?;
        }
        Ok(loaded)
    }

    /// Writes everything in the chosen segments that counts into new ones.
    fn rewrite(
        &self,
        surveys: &[Survey],
        chosen: &BTreeSet<u32>,
        model: &Model,
    ) -> Result<(), StoreError> {
        let last = surveys.last().map_or(0, |survey| survey.number);
        let (disk, layout) = (self.disk.clone(), self.layout.clone());
        let mut writer = SegmentWriter::aside(
            disk,
            layout,
            self.identity,
            last,
            self.options.segment_bytes,
            model,
        )?;
        // Neither the last commit number nor the last epoch may go back.
        writer.append(Append::new(Kind::Epoch, &self.identity, model.last_commit, &[]), model)?;
        for survey in surveys.iter().filter(|survey| chosen.contains(&survey.number)) {
            self.move_records(survey, chosen, &mut writer, model)?;
        }
        let kept = surveys.iter().filter(|survey| !chosen.contains(&survey.number));
        self.decide(kept, &mut writer, model)?;
        writer.finish()
    }

    /// Says what holds of everything that was ever decided: what took a decision back may have been in a segment that
    /// goes, and the decision in one that stays.
    fn decide<'a>(
        &self,
        kept: impl Iterator<Item = &'a Survey>,
        writer: &mut SegmentWriter,
        model: &Model,
    ) -> Result<(), StoreError> {
        let mentioned: BTreeSet<_> = kept
            .flat_map(|survey| &survey.entries)
            .filter(|entry| entry.kind == Kind::Decision)
            .map(|entry| (entry.run, SliceId(entry.slice)))
            .collect();
        for (number, run) in &model.runs {
            let of_run = mentioned.iter().filter(|(of, _)| of == number);
            let back = of_run.flat_map(|(_, slice)| {
                let slice = *slice;
                let retry =
                    (!run.decided.parked.contains_key(&slice)).then_some(Decision::Retry { slice });
                let confirm =
                    (!run.decided.doubted.contains(&slice)).then_some(Decision::Confirm { slice });
                retry.into_iter().chain(confirm)
            });
            let decisions = std::iter::once(Decision::Open).chain(back);
            for decision in decisions.chain(run.decided.decisions()) {
                let (slice, payload) = decision_payload(&decision);
                let record =
                    Append::new(Kind::Decision, &self.identity, model.last_commit, &payload)
                        .about(*number, run.record.fingerprint)
                        .slice(slice);
                writer.append(record, model)?;
            }
        }
        Ok(())
    }

    fn move_records(
        &self,
        survey: &Survey,
        chosen: &BTreeSet<u32>,
        writer: &mut SegmentWriter,
        model: &Model,
    ) -> Result<(), StoreError> {
        let path = self.layout.segment(survey.number);
        if survey.entries.is_empty() {
            return Ok(());
        }
        let file = File::open(&path).map_err(|source| StoreError::io("open", &path, source))?;
        for entry in &survey.entries {
            match entry.kind {
                Kind::Result | Kind::Replace
                    if counts(model, survey.number, entry.run, entry.slice, entry.offset) =>
                {
                    let (header, stored) = read(&file, &path, entry.offset, entry.digest)?;
                    writer.append(Append::copy(header, &stored), model)?;
                }
                Kind::Discard => {
                    // It counts as long as what it discards is there.
                    let (header, stored) = read(&file, &path, entry.offset, entry.digest)?;
                    let target = segments::discarded(&stored);
                    if target.is_some_and(|(segment, _)| !chosen.contains(&segment)) {
                        writer.append(Append::copy(header, &stored), model)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// A record with its payload, if it is the one that was committed.
fn read(
    file: &File,
    path: &Path,
    offset: u64,
    digest: Digest,
) -> Result<(RecordHeader, Vec<u8>), StoreError> {
    let failed = |source| StoreError::io("read", path, source);
    let mut head = [0; RECORD_HEADER_BYTES];
    file.read_at(&mut head, offset).map_err(failed)?;
    let header = RecordHeader::decode(&head).ok().filter(|header| header.digest == digest);
    if let Some(header) = header {
        let mut stored = vec![0; header.stored_bytes as usize];
        let start = offset + RECORD_HEADER_BYTES as u64;
        let whole = file.read_at(&mut stored, start).is_ok() && header.matches(&stored);
        if whole {
            return Ok((header, stored));
        }
    }
    Err(cannot_read(path, offset))
}
