//! Care of a store by a person: look at it, check it, repair it, copy it, make it smaller. Offline but for looking,
//! checking and backing up, which read beside a running coordinator: segments only grow.

mod backup;
mod backup_files;
mod check;
mod clean;
mod compact;
mod export;
mod repair;
mod restore;
mod stat;

pub use backup::{Backup, BackupOptions, backup};
pub use check::{Check, Finding, FindingKind, check};
pub use clean::{Clean, Leftover, clean};
pub use compact::{Compact, compact};
pub use repair::{Rebuild, Repair, rebuild, repair};
pub use restore::{Restore, restore};
pub use stat::{RunStat, Stat, stat};

use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::layout::Layout;
use super::lock::Lock;
use super::{OpenOptions, Sharing, StoreError};

/// How long another process may take to let go of a folder that is to be changed.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// A folder that is looked at.
struct Look {
    layout: Layout,
    store_id: [u8; 16],
    /// Who writes it meanwhile.
    in_use_by: Option<String>,
    _lock: Option<Lock>,
}

impl Look {
    /// Keeps writers out, if there is none.
    fn at(folder: &Path) -> Result<Self, StoreError> {
        let layout = existing(folder)?;
        let (lock, in_use_by) =
            match Lock::acquire_to_read(folder, Sharing::Readers, Duration::ZERO) {
                Ok(lock) => (lock, None),
                Err(StoreError::Locked { holder, .. }) => (None, Some(holder)),
                Err(error) => return Err(error),
            };
        let store_id = layout.known_store_id()?;
        let store_id = store_id.ok_or_else(|| StoreError::NoStore { path: folder.to_owned() })?;
        Ok(Self { layout, store_id, in_use_by, _lock: lock })
    }
}

/// A folder in which there is, or was, a store.
fn existing(folder: &Path) -> Result<Layout, StoreError> {
    let missing = || StoreError::NoStore { path: folder.to_owned() };
    match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Err(missing()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(missing()),
        Err(source) => return Err(StoreError::unusable(folder, source)),
    }
    let layout = Layout::new(folder);
    let any = layout.folder.join("STORE").exists() || !layout.segment_files()?.is_empty();
    if any || layout.restoring().exists() { Ok(layout) } else { Err(missing()) }
}

/// Options by which a store is opened for a person.
fn opening(options: &OpenOptions) -> OpenOptions {
    OpenOptions { lock_wait: options.lock_wait.min(LOCK_WAIT), ..options.clone() }
}

fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Bytes of a file, or of everything in a folder; what goes away meanwhile counts nothing.
fn bytes_of(path: &Path) -> u64 {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => std::fs::read_dir(path)
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(bytes_of(&entry.ok()?.path())))
            .sum(),
        Ok(found) => found.len(),
        Err(_) => 0,
    }
}

/// The same with a disk that tests can stop.
#[cfg(test)]
pub(super) mod tests_only {
    pub(in crate::store) use super::backup::backup_on;
    pub(in crate::store) use super::compact::compact_on;
    pub(in crate::store) use super::restore::restore_on;
}
