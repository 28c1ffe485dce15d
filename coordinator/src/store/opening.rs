//! What opening a store finds: segments read and compared with the index, which is caught up or built anew.

use std::sync::Arc;

use fulldeck_job::SliceId;

use super::disk::Disk;
use super::index::{self, Checked, Index};
use super::layout::{Current, Layout};
use super::model::Model;
use super::segments::{self, Loaded, Tail};
use super::{Damage, OpenOptions, Place, Recovery, StoreError};

/// Everything that was found.
pub(super) struct Found {
    pub(super) model: Model,
    pub(super) recovery: Recovery,
    pub(super) index: Index,
    pub(super) current: Current,
    pub(super) tail: Tail,
    /// Results that a seal lists but that cannot be read, with run and slice.
    pub(super) unreadable: Vec<(u32, u32, Place)>,
    /// Highest epoch that index or segments know.
    pub(super) last_epoch: u64,
}

/// Why an index is not even looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Distrust {
    /// Writing it failed: nothing is to be learnt from it, and on a full disk its space is needed.
    Failed,
    /// A person asked for a new one.
    Asked,
}

impl Distrust {
    fn reason(self) -> &'static str {
        match self {
            Self::Failed => "the store had failed",
            Self::Asked => "a new one was asked for",
        }
    }
}

/// Reads the segments and opens the index, or builds a new one.
pub(super) fn find(
    disk: &Disk,
    layout: &Layout,
    store_id: [u8; 16],
    options: &OpenOptions,
    distrust: Option<Distrust>,
) -> Result<Found, StoreError> {
    let mut recovery = Recovery::default();
    let listed = layout.current()?.unwrap_or_else(|what| {
        recovery.notes.push(what.to_owned());
        None
    });
    layout.finish_switch(disk, listed.as_ref())?;
    let segments = layout.segment_numbers(listed.as_ref())?;
    let verify = options.verify_payloads;
    let loaded = segments::load(Some(disk), layout, store_id, &segments, verify, &mut recovery)?;
    let loaded = Arc::new(loaded);
    let number = match &listed {
        Some(current) => Some(current.index),
        None => layout.newest_index()?,
    };
    let why = distrust.map(Distrust::reason);
    let opened = index::open(disk, layout, store_id, number, why, &loaded, &mut recovery)?;
    let current = Current { index: opened.number, segments, dropped: Vec::new() };
    if listed.as_ref() != Some(&current) {
        layout.write_current(disk, &current)?;
    }
    if let Some(old) = &opened.replaces {
        match distrust {
            Some(Distrust::Failed) => disk.remove_folder(old)?,
            _ => disk.rename(old, &layout.set_aside(old, "bad"))?,
        }
        disk.sync_folder(&layout.folder)?;
    }
    // A thread that was left behind may still look at its copy.
    let Loaded { mut model, last_epoch, unreadable, tail, .. } = Arc::unwrap_or_clone(loaded);
    let Checked { epoch, lost, leases, replayed } = opened.checked;
    recovery.replayed = replayed;
    name_lost(&mut recovery, &lost);
    for lease in &leases {
        model.grant(lease)?;
    }
    let (index, last_epoch) = (opened.index, last_epoch.max(epoch));
    Ok(Found { model, recovery, index, current, tail, unreadable, last_epoch })
}

/// Names the slices that the index knew and the segments do not hold, unless the damage is listed already.
fn name_lost(recovery: &mut Recovery, lost: &[(u32, u32, Place)]) {
    for (run, slice, place) in lost {
        let slice = Some((*run, SliceId(*slice)));
        if recovery.damaged.iter().all(|damage| damage.slice != slice) {
            let Place { segment, offset, .. } = *place;
            let reason = "a committed result is gone".to_owned();
            recovery.damaged.push(Damage { segment, offset, slice, reason });
        }
    }
}
