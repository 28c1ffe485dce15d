//! `store restore`: verifies a backup and makes a store of it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fulldeck_job::record::{
    Found, RECORD_HEADER_BYTES, RecordHeader, SEGMENT_HEADER_BYTES, Scanner, SegmentHeader, Source,
    framed_bytes,
};

use super::backup_files::{self, Contents};
use super::export::Export;
use crate::store::disk::Disk;
use crate::store::layout::{Current, Layout, hex};
use crate::store::lock::Lock;
use crate::store::segments;
use crate::store::{OpenOptions, Recovery, StoreError, index, place};

/// Bytes that are copied at once.
const WINDOW_BYTES: u64 = 1 << 20;

/// A store that was restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restore {
    /// Where.
    pub folder: PathBuf,
    /// Its identity, 32 hexadecimal digits.
    pub store_id: String,
    /// Whether that is the identity it had: workers go on with it.
    pub keeps_identity: bool,
    /// Runs in it.
    pub runs: u32,
    /// Committed slices in it.
    pub slices: u64,
    /// Bytes of its segments.
    pub bytes: u64,
}

/// Restores the backup in the folder `from` into `folder`, which is new or empty. The store gets a new identity, so that
/// nothing of its old life counts in the new one; that of a final backup keeps it, the first time.
///
/// # Errors
/// [`StoreError::NoStore`] when there is no backup, [`StoreError::Damaged`] when a file of it is not as written,
/// [`StoreError::NotEmpty`], or what went wrong with a disk.
pub fn restore(from: &Path, folder: &Path, options: &OpenOptions) -> Result<Restore, StoreError> {
    restore_on(&Disk::default(), from, folder, options)
}

pub(in crate::store) fn restore_on(
    disk: &Disk,
    from: &Path,
    folder: &Path,
    options: &OpenOptions,
) -> Result<Restore, StoreError> {
    let missing = || StoreError::NotEmpty {
        path: from.to_owned(),
        what: "holds no backup; name the folder that fulldeck store backup has written".to_owned(),
    };
    let contents = Contents::read(from)?.ok_or_else(missing)?;
    let export = verify(from, &contents)?;
    let layout = Layout::new(folder);
    place::check(disk, &layout, options.allow_network)?;
    check_empty(&layout)?;
    layout.create(disk)?;
    let _lock = Lock::acquire(folder, options.lock_wait)?;
    begin(disk, &layout)?;

    let keeps_identity = contents.is_final && claim(disk, from, folder)?;
    let id = if keeps_identity { contents.store_id } else { random_id()? };
    let mut current = Current { index: 1, segments: Vec::new(), dropped: Vec::new() };
    for (number, _) in &contents.segments {
        let source = backup_files::segment(from, *number);
        let old = SegmentHeader { store_id: contents.store_id, segment: *number };
        adopt(disk, &source, old, id, &layout.new_segment(*number))?;
        current.segments.push(*number);
    }
    disk.sync_folder(&layout.segments())?;
    let mut recovery = Recovery::default();
    let mut loaded = segments::load(None, &layout, id, &current.segments, false, &mut recovery)?;
    if Export::of(&loaded.model).slices != export.slices {
        let what = "its segments do not hold what its index lists; take another backup";
        return Err(StoreError::damaged(from, what));
    }
    if keeps_identity {
        for lease in &export.leases {
            loaded.model.grant(lease)?;
        }
    }
    let (runs, slices) = (loaded.model.runs.len() as u32, export.slices.len() as u64);
    let epoch = contents.epoch.max(loaded.last_epoch);
    index::build(disk, &layout.index(1), id, &Arc::new(loaded))?.close();
    layout.write_epoch(disk, epoch, 0)?;
    layout.write_current(disk, &current)?;
    // From here on it is a store; whoever opens it first gives the segments their names.
    layout.write_store_id(disk, id)?;
    layout.finish_switch(disk, Some(&current))?;
    disk.remove(&layout.restoring())?;
    Ok(Restore {
        folder: folder.to_owned(),
        store_id: hex(&id),
        keeps_identity,
        runs,
        slices,
        bytes: contents.segments.iter().map(|(_, listed)| listed.bytes).sum(),
    })
}

/// Reads every file of the backup before anything is written.
fn verify(from: &Path, contents: &Contents) -> Result<Export, StoreError> {
    for (number, listed) in &contents.segments {
        let path = backup_files::segment(from, *number);
        if !listed.holds(&path)? {
            return Err(StoreError::damaged(&path, "it is not as the backup lists it"));
        }
    }
    let path = backup_files::index(from);
    let damaged = || StoreError::damaged(&path, "it is not as the backup lists it");
    if !contents.index.holds(&path)? {
        return Err(damaged());
    }
    let bytes = std::fs::read(&path).map_err(|source| StoreError::io("read", &path, source))?;
    Export::read(&bytes, contents.store_id).ok_or_else(damaged)
}

/// A folder that is new or empty, or holds nothing but what an interrupted restore has left.
fn check_empty(layout: &Layout) -> Result<(), StoreError> {
    let folder = &layout.folder;
    if layout.restoring().exists() && !folder.join("STORE").exists() {
        return Ok(());
    }
    let foreign = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(source) => return Err(StoreError::unusable(folder, source)),
        Ok(entries) => entries.filter_map(Result::ok).any(|entry| {
            let name = entry.file_name();
            let is_ours = name == "LOCK" || name == "RESTORING.tmp" || {
                name == "segments"
                    && std::fs::read_dir(entry.path())
                        .is_ok_and(|mut inside| inside.next().is_none())
            };
            !is_ours
        }),
    };
    match foreign {
        false => Ok(()),
        true => Err(StoreError::NotEmpty {
            path: folder.clone(),
            what: "is not empty; restore into a new folder, named with --data-dir".to_owned(),
        }),
    }
}

/// Marks the folder, and takes away what an interrupted restore has left.
fn begin(disk: &Disk, layout: &Layout) -> Result<(), StoreError> {
    disk.replace_file(&layout.restoring(), b"fulldeck store restore writes here\n")?;
    for number in layout.indexes()? {
        disk.remove_folder(&layout.index(number))?;
    }
    for number in layout.new_segments()? {
        disk.remove(&layout.new_segment(number))?;
    }
    for name in ["CURRENT", "EPOCH"] {
        let path = layout.folder.join(name);
        if path.exists() {
            disk.remove(&path)?;
        }
    }
    Ok(())
}

/// Whether the store of a final backup may keep its identity: only in one folder, the first to which it is restored.
fn claim(disk: &Disk, from: &Path, folder: &Path) -> Result<bool, StoreError> {
    let path = backup_files::restored(from);
    let here = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let here = here.to_string_lossy().into_owned();
    match std::fs::read_to_string(&path) {
        Ok(earlier) => Ok(earlier == here),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            disk.replace_file(&path, here.as_bytes())?;
            Ok(true)
        }
        Err(source) => Err(StoreError::io("read", &path, source)),
    }
}

fn random_id() -> Result<[u8; 16], StoreError> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(|error| StoreError::Random(error.to_string()))?;
    Ok(id)
}

/// Copies a segment and makes every record of it one of the store `id`. Nothing changes its place; bytes that are no
/// records are copied as they are.
fn adopt(
    disk: &Disk,
    source: &Path,
    old: SegmentHeader,
    id: [u8; 16],
    target: &Path,
) -> Result<(), StoreError> {
    let failed = |error| StoreError::io("read", source, error);
    let file = File::open(source).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let copy = disk.create_new(target)?;
    let mut head = [0; SEGMENT_HEADER_BYTES];
    if length >= SEGMENT_HEADER_BYTES as u64 {
        file.read_at(&mut head, 0).map_err(failed)?;
    }
    if SegmentHeader::decode(&head) == Ok(old) {
        head = SegmentHeader { store_id: id, ..old }.encode();
    }
    disk.write_at(&copy, target, &head, 0)?;
    let mut scanner = Scanner::new(&file, length, old);
    while let Some(found) = scanner.step().map_err(failed)? {
        match found {
            Found::Record(header) | Found::BadPayload(header) => {
                let end = header.offset + framed_bytes(header.stored_bytes as usize);
                let start = header.offset + RECORD_HEADER_BYTES as u64;
                disk.write_at(&copy, target, &renamed(&header, id), header.offset)?;
                verbatim(disk, &file, source, &copy, target, start..end.min(length))?;
            }
            Found::Damage { offset, bytes } => {
                verbatim(disk, &file, source, &copy, target, offset..offset + bytes)?;
            }
            Found::Unsupported { offset, error } => {
                let found = format!("at byte {offset}: {error}");
                return Err(StoreError::Format { path: source.to_owned(), found });
            }
        }
    }
    disk.sync_all(&copy, target)
}

fn renamed(header: &RecordHeader, id: [u8; 16]) -> [u8; RECORD_HEADER_BYTES] {
    let mut header = header.clone();
    header.token.store_id = id;
    header.encode()
}

fn verbatim(
    disk: &Disk,
    file: &File,
    source: &Path,
    copy: &File,
    target: &Path,
    range: std::ops::Range<u64>,
) -> Result<(), StoreError> {
    let mut offset = range.start;
    while offset < range.end {
        let piece_bytes = (range.end - offset).min(WINDOW_BYTES);
        let mut piece = vec![0; piece_bytes as usize];
        file.read_at(&mut piece, offset).map_err(|error| StoreError::io("read", source, error))?;
        disk.write_at(copy, target, &piece, offset)?;
        offset += piece_bytes;
    }
    Ok(())
}
