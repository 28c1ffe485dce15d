//! `store check`: looks at everything, changes nothing, and names what is wrong.

use std::path::{Path, PathBuf};

use fulldeck_job::SliceId;

use super::Look;
use crate::store::index;
use crate::store::layout::{Current, Layout};
use crate::store::model::Model;
use crate::store::segments::{self, Depth, Loaded, Survey, survey};
use crate::store::{Damage, Place, Recovery, StoreError};

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// Whether every payload was read, decoded, and compared with its digest.
    pub deep: bool,
    /// Who writes the store just now; the index was not looked at then.
    pub in_use_by: Option<String>,
    /// Segments that were looked at.
    pub segments: u32,
    /// Records in them.
    pub records: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Committed slices of all runs.
    pub slices: u64,
    /// Whether the index says what the segments say; `None` if it was not looked at.
    pub index_equal: Option<bool>,
    /// What is wrong, or at least unusual.
    pub findings: Vec<Finding>,
    /// Results that are listed and cannot be read, with their places.
    pub(super) unreadable: Vec<(u32, SliceId, Place)>,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub kind: FindingKind,
    /// A file, or a byte of a segment.
    pub place: String,
    /// What is wrong.
    pub what: String,
    /// Run and slice that have to be computed again, where known.
    pub slice: Option<(u32, u32)>,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// The next start sets it right, and nothing is lost by it.
    Note,
    /// Bytes are not as they were written, or are gone.
    Damage,
    /// Bytes are as they were written, but do not have the digest of their result.
    Mismatch,
}

impl Check {
    /// Whether anything is damaged.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.findings.iter().any(|finding| finding.kind == FindingKind::Damage)
    }

    /// Whether a result does not have its digest.
    #[must_use]
    pub fn is_mismatched(&self) -> bool {
        self.findings.iter().any(|finding| finding.kind == FindingKind::Mismatch)
    }

    fn note(&mut self, place: &str, what: impl Into<String>) {
        self.add(FindingKind::Note, place, what);
    }

    fn add(&mut self, kind: FindingKind, place: &str, what: impl Into<String>) {
        let (place, what) = (place.to_owned(), what.into());
        self.findings.push(Finding { kind, place, what, slice: None });
    }

    fn damage(&mut self, kind: FindingKind, damage: &Damage) {
        let slice = damage.slice.map(|(run, slice)| (run, slice.0));
        let place = format!("segment {} at byte {}", damage.segment, damage.offset);
        let known = |found: &Finding| {
            found.kind == kind && found.place == place && (slice.is_none() || found.slice == slice)
        };
        if !self.findings.iter().any(known) {
            self.findings.push(Finding { kind, place, what: damage.reason.clone(), slice });
        }
    }
}

/// Checks the store in `folder`: all headers, tables and counts, and the index; `deep` reads every payload. Changes
/// nothing, and may be done while a coordinator writes the store.
///
/// # Errors
/// [`StoreError::NoStore`], [`StoreError::Damaged`] when its identity is damaged, or why it cannot be read.
pub fn check(folder: &Path, deep: bool) -> Result<Check, StoreError> {
    check_held(&Look::at(folder)?, deep)
}

/// As [`check`], for whoever holds the folder.
pub(super) fn check_held(look: &Look, deep: bool) -> Result<Check, StoreError> {
    let Look { layout, store_id, in_use_by, .. } = look;
    let mut check = Check { deep, in_use_by: in_use_by.clone(), ..Check::default() };
    let listed = layout.current()?.unwrap_or_else(|what| {
        check.note("CURRENT", format!("{what}; the next start writes it anew"));
        None
    });
    if layout.epoch()?.is_none() {
        check.note("EPOCH", "it is damaged; the next start writes it anew");
    }
    let mut recovery = Recovery::default();
    let numbers = layout.segment_numbers(listed.as_ref())?;
    let loaded = segments::load(None, layout, *store_id, &numbers, false, &mut recovery)?;
    let depth = if deep { Depth::Payloads } else { Depth::Headers };
    for number in &numbers {
        let survey = survey(layout, *store_id, *number, depth)?;
        let is_last = numbers.last() == Some(number);
        check.take(survey, &loaded.model, is_last);
    }
    recovery.forget_healed(&loaded.model);
    // A writer may be in the middle of its last record.
    let grows = |damage: &Damage| in_use_by.is_some() && numbers.last() == Some(&damage.segment);
    for damage in recovery.damaged.iter().filter(|damage| !grows(damage)) {
        check.damage(FindingKind::Damage, damage);
    }
    check.slices = loaded.model.runs.values().map(|run| run.slices.len() as u64).sum();
    if in_use_by.is_none() {
        check.index(layout, *store_id, listed.as_ref(), loaded)?;
    }
    Ok(check)
}

impl Check {
    fn take(&mut self, survey: Survey, model: &Model, is_last: bool) {
        self.segments += 1;
        self.records += survey.entries.len() as u64;
        self.bytes += survey.length;
        let (torn, whole): (Vec<_>, Vec<_>) = survey
            .damaged
            .into_iter()
            .partition(|(damage, _)| is_last && !survey.sealed && damage.offset >= survey.end);
        // A whole record at the end may have been acknowledged; that is told by whoever loads the segments.
        if !torn.is_empty() && self.in_use_by.is_none() {
            let bytes = survey.length - survey.end;
            let place = format!("segment {}", survey.number);
            self.note(
                &place,
                format!("an unfinished end of {bytes} bytes; the next start cuts it"),
            );
        }
        let kinds = [(FindingKind::Damage, whole), (FindingKind::Mismatch, survey.mismatched)];
        for (kind, found) in kinds {
            for (damage, place) in found {
                let committed = damage.slice.and_then(|(run, slice)| {
                    model.runs.get(&run)?.slices.get(&slice.0).map(|entry| entry.place)
                });
                match (damage.slice, place, committed) {
                    // Computed again since.
                    (Some(_), at, Some(now)) if at != Some(now) => continue,
                    (Some((run, slice)), Some(at), Some(_)) => {
                        self.unreadable.push((run, slice, at));
                    }
                    _ => {}
                }
                self.damage(kind, &damage);
            }
        }
    }

    /// Compares the index with the segments, on a copy: opening a damaged one changes it.
    fn index(
        &mut self,
        layout: &Layout,
        store_id: [u8; 16],
        listed: Option<&Current>,
        loaded: Loaded,
    ) -> Result<(), StoreError> {
        let Some(number) = listed.map(|current| current.index) else { return Ok(()) };
        let path = layout.index(number);
        let name = format!("index.{number:06}");
        let copy = match Copy::of(&path) {
            Ok(copy) => copy,
            Err(error) => {
                self.note(&name, format!("it was not looked at: {error}"));
                return Ok(());
            }
        };
        match index::examine(&copy.0, store_id, loaded)? {
            Ok(checked) => {
                self.index_equal = Some(true);
                if checked.replayed > 0 {
                    let records = checked.replayed;
                    self.note(
                        &name,
                        format!("it lacks {records} records; the next start adds them"),
                    );
                }
            }
            Err((reason, checked)) => {
                self.index_equal = Some(false);
                let what = format!("{reason}; the next start builds a new one from the segments");
                self.add(FindingKind::Damage, &name, what);
                for (run, slice, place) in checked.lost {
                    let Place { segment, offset, .. } = place;
                    let slice = Some((run, SliceId(slice)));
                    let reason = "a committed result is gone".to_owned();
                    self.damage(FindingKind::Damage, &Damage { segment, offset, slice, reason });
                }
            }
        }
        Ok(())
    }
}

/// A copy of an index that is gone when it is dropped.
struct Copy(PathBuf);

impl Copy {
    fn of(index: &Path) -> std::io::Result<Self> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| std::io::Error::other(error.to_string()))?;
        let name = format!("fulldeck-index-{:016x}", u64::from_le_bytes(random));
        let copy = Self(std::env::temp_dir().join(name));
        copy_folder(index, &copy.0)?;
        Ok(copy)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::debug!(%error, "a copy of an index stays");
        }
    }
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir(to)?;
    if !from.exists() {
        return Ok(());
    }
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
