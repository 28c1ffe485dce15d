//! Opens an index under supervision, and builds a new one when anything is wrong with it.

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::check::{Checked, Unusable};
use super::{ApplyError, Index, IndexBatch};
use crate::store::disk::Disk;
use crate::store::guard::guarded;
use crate::store::layout::Layout;
use crate::store::segments::Loaded;
use crate::store::{Recovery, StoreError, StoreIdentity};

/// Longest time an index may take to open: damage may make sled run in circles.
const OPEN_LIMIT: Duration = Duration::from_secs(60);
/// Longest time a new index may take to be built.
const BUILD_LIMIT: Duration = Duration::from_secs(600);
/// A closed sled may keep its lock for some milliseconds.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// Pause between two attempts to get sled's lock.
const LOCK_PAUSE: Duration = Duration::from_millis(20);
/// Slices written in one transaction while an index is built.
const BUILD_BATCH: usize = 10_000;

/// What came of opening.
pub(in crate::store) struct Opened {
    pub(in crate::store) index: Index,
    pub(in crate::store) checked: Checked,
    /// Number of the index; names it in `CURRENT`.
    pub(in crate::store) number: u32,
    /// The index that the new one replaces; to be put aside once `CURRENT` names the new one.
    pub(in crate::store) replaces: Option<PathBuf>,
}

/// Opens the index with the given number, or builds a new one from the segments if there is none, if it is distrusted
/// for a reason in words, or if anything is wrong with it.
pub(in crate::store) fn open(
    disk: &Disk,
    layout: &Layout,
    store_id: [u8; 16],
    number: Option<u32>,
    distrust: Option<&str>,
    loaded: &Arc<Loaded>,
    recovery: &mut Recovery,
) -> Result<Opened, StoreError> {
    let mut lost = Vec::new();
    let (replaces, reason) = match (number, distrust) {
        (Some(number), Some(why)) => {
            let path = layout.index(number);
            (path.exists().then_some(path), why.to_owned())
        }
        (Some(number), None) => {
            let path = layout.index(number);
            match open_live(disk, &path, store_id, loaded)? {
                Ok((index, checked)) => {
                    return Ok(Opened { index, checked, number, replaces: None });
                }
                Err((reason, checked)) => {
                    lost = checked.lost;
                    (path.exists().then_some(path), reason)
                }
            }
        }
        (None, _) => (None, "there is none".to_owned()),
    };
    let number = layout.indexes()?.last().map_or(1, |last| last + 1);
    let path = layout.index(number);
    let index = build(disk, &path, store_id, loaded).inspect_err(|_| {
        // A half-built index is of no use, and on a full disk its space is needed.
        if let Err(error) = disk.remove_folder(&path) {
            tracing::warn!(%error, "a half-built index stays");
        }
    })?;
    // In a fresh store there was nothing to rebuild.
    if loaded.model.last_commit > 0 {
        recovery.rebuilt = Some(reason);
    }
    Ok(Opened { index, checked: Checked { lost, ..Checked::default() }, number, replaces })
}

/// A usable index, or why it is not and what it knew.
type Live = Result<(Index, Checked), (String, Checked)>;

/// The live index, compared with the segments and brought to their state; or what is wrong with it.
fn open_live(
    disk: &Disk,
    path: &Path,
    store_id: [u8; 16],
    loaded: &Arc<Loaded>,
) -> Result<Live, StoreError> {
    if !path.join("db").exists() {
        return Ok(Err(("it is missing".to_owned(), Checked::default())));
    }
    // A snapshot that was being written when the process ended makes sled fail for ever; it is a temporary file.
    for entry in std::fs::read_dir(path).map_err(|source| StoreError::io("list", path, source))? {
        let entry = entry.map_err(|source| StoreError::io("list", path, source))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            disk.remove(&entry.path())?;
        }
    }
    let (thread_disk, thread_path, loaded) = (disk.clone(), path.to_owned(), loaded.clone());
    let opened = supervised(OPEN_LIMIT, move || {
        let index = match open_patiently(&thread_path, &thread_disk) {
            Ok(index) => ManuallyDrop::new(index),
            Err(error) => {
                tracing::debug!(%error, "sled does not open");
                return Ok(Err(("it does not open".to_owned(), Checked::default())));
            }
        };
        // The index stays undropped on the way of a panic: it may hold its own locks then.
        let mut checked = Checked::default();
        let outcome = index.check(store_id, &loaded.model, loaded.last_discard, &mut checked);
        let index = ManuallyDrop::into_inner(index);
        let mut replay = match outcome {
            Ok(replay) => replay,
            Err(Unusable::Wrong(what)) => {
                index.close();
                return Ok(Err((what, checked)));
            }
            Err(Unusable::Version(found)) => {
                return Err(StoreError::Format { path: thread_path, found });
            }
        };
        if checked.replayed > 0 {
            let identity = StoreIdentity { store_id, epoch: checked.epoch, start_id: 0 };
            Index::finish_replay(&mut replay, &identity, &loaded.model);
            match index.apply(&replay) {
                Ok(()) => {}
                Err(ApplyError { error: StoreError::Index { what, .. }, panicked }) => {
                    if panicked {
                        std::mem::forget(index);
                    } else {
                        index.close();
                    }
                    return Ok(Err((what, checked)));
                }
                Err(ApplyError { error, .. }) => return Err(error),
            }
        }
        Ok(Ok((index, checked)))
    });
    match opened {
        Ok(outcome) => outcome,
        Err(reason) => Ok(Err((reason, Checked::default()))),
    }
}

/// What an index agreed with, or what is wrong with it and what it knew.
pub(in crate::store) type Examined = Result<Checked, (String, Checked)>;

/// Compares the index in the folder `path`, which is a copy, with the segments.
pub(in crate::store) fn examine(
    path: &Path,
    store_id: [u8; 16],
    loaded: Loaded,
) -> Result<Examined, StoreError> {
    let opened = open_live(&Disk::default(), path, store_id, &Arc::new(loaded))?;
    Ok(opened.map(|(index, checked)| {
        index.close();
        checked
    }))
}

/// A new index of everything that the segments say, opened twice so that a snapshot covers it.
pub(in crate::store) fn build(
    disk: &Disk,
    path: &Path,
    store_id: [u8; 16],
    loaded: &Arc<Loaded>,
) -> Result<Index, StoreError> {
    let failed = {
        let path = path.to_owned();
        move |what: String| StoreError::Index { path: path.clone(), what }
    };
    let (thread_disk, thread_path, loaded) = (disk.clone(), path.to_owned(), loaded.clone());
    let thread_failed = failed.clone();
    let built = supervised(BUILD_LIMIT, move || {
        let storage = |error: sled::Error| match error {
            sled::Error::Io(source) => StoreError::io("write", &thread_path, source),
            other => thread_failed(other.to_string()),
        };
        let open = || open_patiently(&thread_path, &thread_disk).map_err(storage);
        fill(&open()?, store_id, &loaded)?;
        thread_disk.sync_folder(&thread_path)?;
        let index = open()?;
        let mut checked = Checked::default();
        let outcome = index.check(store_id, &loaded.model, loaded.last_discard, &mut checked);
        match outcome {
            Ok(_) if checked.replayed == 0 => Ok(index),
            Ok(_) => Err(thread_failed("a new index lacks records".to_owned())),
            Err(Unusable::Wrong(what) | Unusable::Version(what)) => Err(thread_failed(what)),
        }
    });
    built.map_err(failed).and_then(|outcome| outcome)
}

fn fill(index: &Index, store_id: [u8; 16], loaded: &Loaded) -> Result<(), StoreError> {
    let model = &loaded.model;
    let mut batch = IndexBatch::default();
    let mut pending = 0;
    for (number, run) in &model.runs {
        batch.put_run(run);
        for (key, lease) in &run.leases {
            batch.put_lease(lease, *key);
        }
        for (slice, entry) in &run.slices {
            batch.put_slice(*number, *slice, entry);
            pending += 1;
            if pending == BUILD_BATCH {
                index.apply(&std::mem::take(&mut batch)).map_err(|failure| failure.error)?;
                pending = 0;
            }
        }
    }
    let identity = StoreIdentity { store_id, epoch: loaded.last_epoch, start_id: 0 };
    Index::finish_replay(&mut batch, &identity, model);
    index.apply(&batch).map_err(|failure| failure.error)
}

/// Opens sled, waiting for its lock a while.
fn open_patiently(path: &Path, disk: &Disk) -> Result<Index, sled::Error> {
    let start = Instant::now();
    loop {
        disk.announce()?;
        match Index::open_sled(path, disk) {
            Err(sled::Error::Io(error))
                if start.elapsed() < LOCK_WAIT
                    && error.to_string().contains("could not acquire lock") =>
            {
                thread::sleep(LOCK_PAUSE);
            }
            outcome => return outcome,
        }
    }
}

/// Runs `work` in a thread of its own; an error in words if it panics or takes longer than `limit`. A thread that takes
/// longer is left behind.
fn supervised<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let spawned = thread::Builder::new().name("store-index".to_owned()).spawn(move || {
        // Nobody listens any more if it took too long.
        let _ = sender.send(guarded(work));
    });
    if let Err(error) = spawned {
        return Err(format!("no thread to open it: {error}"));
    }
    match receiver.recv_timeout(limit) {
        Ok(Ok(outcome)) => Ok(outcome),
        Ok(Err(_)) => Err("reading it failed".to_owned()),
        Err(_) => Err(format!("it did not open within {} s", limit.as_secs())),
    }
}
