//! `store repair` and `store rebuild`: what the next start would do, said before, and done under supervision.

use std::collections::BTreeMap;
use std::path::Path;

use fulldeck_job::SliceId;
use fulldeck_job::record::{SEGMENT_HEADER_BYTES, SegmentHeader, Source};

use super::check::check_held;
use super::{Check, FindingKind, Look, existing, opening};
use crate::store::disk::Disk;
use crate::store::layout::{Layout, hex};
use crate::store::lock::Lock;
use crate::store::opening::Distrust;
use crate::store::{Change, OpenOptions, SledStore, Store, StoreError};

/// What was, or would be, repaired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// Whether it was done.
    pub acted: bool,
    /// What, in words, in order.
    pub actions: Vec<String>,
    /// Slices, with their runs, that have to be computed again.
    pub lost: Vec<(u32, u32)>,
}

/// A new index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebuild {
    /// Committed slices that it knows.
    pub slices: u64,
    /// Runs that it knows.
    pub runs: u32,
    /// Slices, with their runs, whose results cannot be read.
    pub lost: Vec<(u32, u32)>,
}

/// Repairs the store in `folder`, or says what there is to repair. Reads every payload. Nothing is ever deleted: what is
/// replaced is put aside.
///
/// # Errors
/// [`StoreError::NoStore`], [`StoreError::Locked`], [`StoreError::Damaged`] when not even its identity can be found, or
/// what went wrong with the disk.
pub fn repair(folder: &Path, act: bool, options: &OpenOptions) -> Result<Repair, StoreError> {
    repair_on(Disk::default(), folder, act, options)
}

pub(in crate::store) fn repair_on(
    disk: Disk,
    folder: &Path,
    act: bool,
    options: &OpenOptions,
) -> Result<Repair, StoreError> {
    let layout = existing(folder)?;
    let mut repair = Repair { acted: act, ..Repair::default() };
    let lock = Lock::acquire(folder, options.lock_wait)?;
    let store_id = repair.identity(&disk, &layout)?;
    let look = Look { layout, store_id, in_use_by: None, _lock: Some(lock) };
    let check = check_held(&look, true)?;
    repair.plan(&check);
    let Look { layout, _lock: lock, .. } = look;
    if !act {
        return Ok(repair);
    }
    // An index that is not what it should be is not opened any more: that would change it.
    if check.index_equal == Some(false)
        && let Ok(Some(current)) = layout.current()?
        && layout.index(current.index).exists()
    {
        let path = layout.index(current.index);
        disk.rename(&path, &layout.set_aside(&path, "bad"))?;
        disk.sync_folder(&layout.folder)?;
    }
    drop(lock);
    let mut store = SledStore::open_on(disk, folder, &opening(options))?;
    let discards: Vec<_> = check
        .unreadable
        .iter()
        .filter(|(run, slice, place)| {
            let known = store.model().runs.get(run).and_then(|run| run.slices.get(&slice.0));
            known.is_some_and(|entry| entry.place == *place)
        })
        .map(|(run, slice, _)| Change::Discard { run: *run, slice: *slice })
        .collect();
    for group in discards.chunks(crate::store::MAX_COMMIT_CHANGES) {
        store.commit(group)?;
    }
    Ok(repair)
}

impl Repair {
    /// The store's id; if `STORE` is lost, the one that all segments name, and `STORE` is written anew.
    fn identity(&mut self, disk: &Disk, layout: &Layout) -> Result<[u8; 16], StoreError> {
        let error = match layout.known_store_id() {
            Ok(Some(id)) => return Ok(id),
            Ok(None) => return Err(StoreError::NoStore { path: layout.folder.clone() }),
            Err(error @ StoreError::Damaged { .. }) if !layout.restoring().exists() => error,
            Err(error) => return Err(error),
        };
        let mut ids: BTreeMap<[u8; 16], u32> = BTreeMap::new();
        for number in layout.segment_files()? {
            if let Some(header) = head(layout, number)? {
                *ids.entry(header.store_id).or_default() += 1;
            }
        }
        let [id] = ids.keys().copied().collect::<Vec<_>>()[..] else {
            // None can be read, or they are of several stores: nobody can know.
            return Err(error);
        };
        self.actions.push(format!("{error}: it is written anew for store {}", hex(&id)));
        if self.acted {
            let path = layout.folder.join("STORE");
            if path.exists() {
                disk.rename(&path, &layout.set_aside(&path, "bad"))?;
            }
            layout.write_store_id(disk, id)?;
        }
        Ok(id)
    }

    fn plan(&mut self, check: &Check) {
        for finding in &check.findings {
            let mut action = format!("{}: {}", finding.place, finding.what);
            if let Some((run, slice)) = finding.slice {
                action.push_str(&format!("; slice {slice} of run {run} is computed again"));
                self.lost.push((run, slice));
            } else if finding.kind == FindingKind::Damage && finding.place.starts_with("segment") {
                action.push_str("; it is passed over");
            }
            self.actions.push(action);
        }
        self.lost.sort_unstable();
        self.lost.dedup();
    }
}

/// The file header of a segment, if it can be read and names its number.
fn head(layout: &Layout, number: u32) -> Result<Option<SegmentHeader>, StoreError> {
    let path = layout.segment(number);
    let file =
        std::fs::File::open(&path).map_err(|source| StoreError::io("open", &path, source))?;
    let mut bytes = [0; SEGMENT_HEADER_BYTES];
    if file.read_at(&mut bytes, 0).is_err() {
        return Ok(None);
    }
    Ok(SegmentHeader::decode(&bytes).ok().filter(|header| header.segment == number))
}

/// Builds a new index from the segments, whatever the old one says; that one is put aside.
///
/// # Errors
/// [`StoreError::NoStore`], [`StoreError::Locked`], [`StoreError::Damaged`], or what went wrong with the disk.
pub fn rebuild(folder: &Path, options: &OpenOptions) -> Result<Rebuild, StoreError> {
    rebuild_on(Disk::default(), folder, options)
}

pub(in crate::store) fn rebuild_on(
    disk: Disk,
    folder: &Path,
    options: &OpenOptions,
) -> Result<Rebuild, StoreError> {
    existing(folder)?;
    let distrust = Some(Distrust::Asked);
    let store = SledStore::open_distrusting(disk, folder, &opening(options), distrust)?;
    let slice = |(run, SliceId(slice)): (u32, SliceId)| (run, slice);
    Ok(Rebuild {
        slices: store.model().runs.values().map(|run| run.slices.len() as u64).sum(),
        runs: store.model().runs.len() as u32,
        lost: store.recovery().damaged.iter().filter_map(|found| found.slice.map(slice)).collect(),
    })
}
