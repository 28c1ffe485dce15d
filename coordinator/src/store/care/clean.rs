//! `store clean`: what was put aside, and what nothing names any more.

use std::io;
use std::path::{Path, PathBuf};

use super::{bytes_of, existing};
use crate::store::disk::Disk;
use crate::store::layout::Layout;
use crate::store::lock::Lock;
use crate::store::{OpenOptions, StoreError};

/// What was, or would be, removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clean {
    /// Whether it was done.
    pub acted: bool,
    /// What.
    pub leftovers: Vec<Leftover>,
}

/// A file or folder that nothing needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// Where.
    pub path: PathBuf,
    /// What it is.
    pub what: &'static str,
    /// Bytes of it.
    pub bytes: u64,
}

/// Finds what nothing in the store needs, and removes it if that is wanted.
///
/// # Errors
/// [`StoreError::NoStore`], [`StoreError::Locked`], or what went wrong with the disk.
pub fn clean(folder: &Path, act: bool, options: &OpenOptions) -> Result<Clean, StoreError> {
    let layout = existing(folder)?;
    let _lock = Lock::acquire(folder, options.lock_wait)?;
    // Only a store whose files can be told apart is cleaned.
    layout.known_store_id()?;
    let leftovers = leftovers(&layout)?;
    if act {
        let disk = Disk::default();
        for Leftover { path, .. } in &leftovers {
            if path.is_dir() { disk.remove_folder(path)? } else { disk.remove(path)? }
        }
    }
    Ok(Clean { acted: act, leftovers })
}

/// What nothing needs. Where `CURRENT` cannot be read, only what names itself as put aside.
pub(super) fn leftovers(layout: &Layout) -> Result<Vec<Leftover>, StoreError> {
    let listed = layout.current()?.ok().flatten();
    let live = listed.as_ref().map(|current| format!("index.{:06}", current.index));
    let mut found = Vec::new();
    for folder in [layout.folder.clone(), layout.segments()] {
        for path in entries(&folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let what = if name.contains(".bad-") {
                "put aside because it was damaged or replaced"
            } else if name.contains(".torn-") {
                "the cut end of a segment"
            } else if name.ends_with(".tmp") {
                "a file whose writing was interrupted"
            } else if name.starts_with("index.") && live.as_ref().is_some_and(|live| *live != name)
            {
                "an index that is not the live one"
            } else if listed.as_ref().is_some_and(|current| {
                let number = name.strip_suffix(".seg.new").and_then(|number| number.parse().ok());
                number.is_some_and(|number: u32| !current.segments.contains(&number))
            }) {
                "a segment whose writing was interrupted"
            } else {
                continue;
            };
            let bytes = bytes_of(&path);
            found.push(Leftover { path, what, bytes });
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |source| StoreError::io("list", folder, source);
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(failed)?,
    };
    entries.map(|entry| Ok(entry.map_err(failed)?.path())).collect()
}
