//! What opening a new store has made so far, so that it can be taken back when it fails.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::layout::Layout;

/// What was there before a folder was opened.
#[derive(Debug)]
pub(super) struct Traces {
    folder: PathBuf,
    /// Names in the folder.
    before: BTreeSet<OsString>,
    /// Folders that were missing, innermost first.
    missing: Vec<PathBuf>,
}

impl Traces {
    /// Before anything is made in the folder of `layout`.
    pub(super) fn before(layout: &Layout) -> Self {
        let folder = &layout.folder;
        let missing = layout
            .segments()
            .ancestors()
            .filter(|ancestor| !ancestor.as_os_str().is_empty())
            .take_while(|ancestor| !ancestor.exists())
            .map(Path::to_owned)
            .collect();
        Self { folder: folder.clone(), before: names(folder).into_iter().collect(), missing }
    }

    /// Takes everything back, as far as the disk lets it. Only for whoever holds the lock of a folder in which there was
    /// no store: what is new in it is all the caller's.
    pub(super) fn erase(&self, disk: &Disk) {
        for name in names(&self.folder) {
            if self.before.contains(&name) {
                continue;
            }
            let path = self.folder.join(name);
            let removed =
                if path.is_dir() { disk.remove_folder(&path) } else { disk.remove(&path) };
            if let Err(error) = removed {
                tracing::debug!(%error, "a part of a store that was not made stays");
            }
        }
        self.erase_folders(disk);
    }

    /// Takes back the folders that were made and are empty.
    pub(super) fn erase_folders(&self, disk: &Disk) {
        for folder in self.missing.iter().filter(|folder| folder.exists()) {
            if let Err(error) = disk.remove_empty_folder(folder) {
                tracing::debug!(%error, "a new folder stays");
                return;
            }
        }
    }
}

fn names(folder: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.file_name())).collect()
}
