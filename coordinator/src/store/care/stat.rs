//! `store stat`: sizes, counts and times.

use std::path::Path;
use std::time::UNIX_EPOCH;

use fulldeck_job::record::framed_bytes;

use super::backup_files::last_backup;
use super::clean::leftovers;
use super::{Look, bytes_of};
use crate::store::layout::hex;
use crate::store::model::Model;
use crate::store::segments::{self, Loaded};
use crate::store::{Recovery, StoreError, place, reserve};

/// Sizes, counts and times of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Identity, 32 hexadecimal digits.
    pub store_id: String,
    /// Last epoch that was begun.
    pub epoch: u64,
    /// Number of the last commit.
    pub last_commit: u64,
    /// When the last segment was last written, in seconds since 1970.
    pub last_write_unix_s: Option<u64>,
    /// When the last backup was made, in seconds since 1970.
    pub last_backup_unix_s: Option<u64>,
    /// Who writes it just now.
    pub in_use_by: Option<String>,
    /// Number of segments.
    pub segments: u32,
    /// Bytes of all segments.
    pub segment_bytes: u64,
    /// Bytes of the records that count: runs and committed results.
    pub live_bytes: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
    /// Bytes that are kept for bad times.
    pub reserve_bytes: u64,
    /// Bytes that `store clean` would remove.
    pub leftover_bytes: u64,
    /// Free bytes of the disk, where the system tells.
    pub free_bytes: Option<u64>,
    /// Filesystem of the folder, where the system tells.
    pub filesystem: Option<String>,
    /// The runs, by number.
    pub runs: Vec<RunStat>,
    /// Places that cannot be read; `store check` names them.
    pub damaged: u32,
}

/// What is stored of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStat {
    /// Number.
    pub run: u32,
    /// Name of the workload.
    pub workload: String,
    /// Committed slices.
    pub slices: u64,
    /// Bytes of their results as stored.
    pub stored_bytes: u64,
}

/// Looks at the store in `folder` and changes nothing; also while a coordinator writes it.
///
/// # Errors
/// [`StoreError::NoStore`], or why it cannot be read.
pub fn stat(folder: &Path) -> Result<Stat, StoreError> {
    let Look { layout, store_id, in_use_by, .. } = &Look::at(folder)?;
    let mut recovery = Recovery::default();
    let listed = layout.current()?.ok().flatten();
    let numbers = layout.segment_numbers(listed.as_ref())?;
    let Loaded { model, last_epoch, .. } =
        segments::load(None, layout, *store_id, &numbers, false, &mut recovery)?;
    recovery.forget_healed(&model);
    let file = |number: &u32| std::fs::metadata(layout.segment(*number)).ok();
    let segment_bytes = numbers.iter().filter_map(file).map(|found| found.len()).sum();
    let written = numbers.last().and_then(file).and_then(|found| found.modified().ok());
    Ok(Stat {
        store_id: hex(store_id),
        epoch: layout.epoch()?.unwrap_or(0).max(last_epoch),
        last_commit: model.last_commit,
        last_write_unix_s: written
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok())
            .map(|since| since.as_secs()),
        last_backup_unix_s: last_backup(layout)?,
        in_use_by: in_use_by.clone(),
        segments: numbers.len() as u32,
        segment_bytes,
        live_bytes: live_bytes(&model),
        index_bytes: listed.map_or(0, |current| bytes_of(&layout.index(current.index))),
        reserve_bytes: reserve::bytes(layout),
        leftover_bytes: leftovers(layout)?.iter().map(|leftover| leftover.bytes).sum(),
        free_bytes: fulldeck_service::host::free_bytes(folder),
        filesystem: place::describe(folder),
        runs: model.runs.values().map(run_stat).collect(),
        damaged: recovery.damaged.len() as u32,
    })
}

/// Bytes of everything that counts.
pub(super) fn live_bytes(model: &Model) -> u64 {
    let framed = |bytes: u32| framed_bytes(bytes as usize);
    model
        .runs
        .values()
        .map(|run| {
            let results = run.slices.values().map(|entry| framed(entry.place.stored_bytes));
            framed(run.place.stored_bytes) + results.sum::<u64>()
        })
        .sum()
}

fn run_stat(run: &crate::store::model::Run) -> RunStat {
    RunStat {
        run: run.record.run,
        workload: run.record.workload.clone(),
        slices: run.slices.len() as u64,
        stored_bytes: run.slices.values().map(|entry| u64::from(entry.place.stored_bytes)).sum(),
    }
}
