//! `store backup`: copies the segments, closed ones once, and exports the index.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use fulldeck_job::record::Source;

use super::backup_files::{self, Contents, Listed, digest_of};
use super::export::Export;
use super::{Look, existing, opening};
use crate::store::disk::Disk;
use crate::store::layout::{Layout, hex};
use crate::store::segments::{self, Depth, Loaded, Survey, survey};
use crate::store::{OpenOptions, Recovery, SledStore, Store, StoreError};

/// Bytes that are copied at once.
const WINDOW_BYTES: usize = 1 << 20;

/// How a backup is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackupOptions {
    /// Hand the store over: the folder does not start again, and what is restored from the backup keeps its identity, so
    /// that workers go on with it.
    pub hand_over: bool,
    /// Link closed segments instead of copying them, where the disk lets it: at once and without space, but damage to
    /// such a file is damage to both.
    pub link: bool,
}

/// A backup that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// Where.
    pub folder: PathBuf,
    /// Of which store, 32 hexadecimal digits.
    pub store_id: String,
    /// Whether the store was handed over by it.
    pub is_final: bool,
    /// Segments in it.
    pub segments: u32,
    /// Bytes of them.
    pub bytes: u64,
    /// Bytes that had not been there from an earlier backup.
    pub copied_bytes: u64,
    /// Committed slices in it.
    pub slices: u64,
    /// Places of the store that could not be read, and are in the backup as they are.
    pub damaged: u32,
}

/// Backs the store in `folder` up to the folder `to`, which is new, empty, or an earlier backup of the same store; also
/// while a coordinator writes the store, unless it is to be handed over.
///
/// # Errors
/// [`StoreError::NoStore`], [`StoreError::NotEmpty`], [`StoreError::Locked`] when the store is in use and is to be handed
/// over, or what went wrong with a disk.
pub fn backup(
    folder: &Path,
    to: &Path,
    how: BackupOptions,
    options: &OpenOptions,
) -> Result<Backup, StoreError> {
    backup_on(&Disk::default(), folder, to, how, options)
}

pub(in crate::store) fn backup_on(
    disk: &Disk,
    folder: &Path,
    to: &Path,
    how: BackupOptions,
    options: &OpenOptions,
) -> Result<Backup, StoreError> {
    let layout = existing(folder)?;
    let earlier = earlier(&layout, to)?;
    if how.hand_over {
        return hand_over(disk, &layout, to, how, options, earlier.as_ref());
    }
    let Look { layout, store_id, .. } = &Look::at(folder)?;
    finish(disk, layout, *store_id, to, how, earlier.as_ref(), Vec::new())
}

/// The earlier backup that is in the folder, if it is of the same store.
fn earlier(layout: &Layout, to: &Path) -> Result<Option<Contents>, StoreError> {
    let not = |what: &str| Err(StoreError::NotEmpty { path: to.to_owned(), what: what.to_owned() });
    match Contents::read(to)? {
        Some(found) if Some(found.store_id) == layout.written_store_id()? => Ok(Some(found)),
        Some(_) => not("holds the backup of another store; name another folder"),
        None => match std::fs::read_dir(to) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StoreError::unusable(to, source)),
            Ok(mut entries) => {
                // What an interrupted backup has left is no reason to refuse.
                let ours = ["segments", "index.export", "index.tmp", "BACKUP.tmp"];
                let foreign = entries.find_map(|entry| {
                    let name = entry.ok()?.file_name();
                    (!ours.iter().any(|known| name == *known)).then_some(())
                });
                match foreign {
                    None => Ok(None),
                    Some(()) => not("is not empty; a backup goes into a folder of its own"),
                }
            }
        },
    }
}

fn hand_over(
    disk: &Disk,
    layout: &Layout,
    to: &Path,
    how: BackupOptions,
    options: &OpenOptions,
    earlier: Option<&Contents>,
) -> Result<Backup, StoreError> {
    let store_id = match layout.known_store_id() {
        Ok(_) => {
            // Everything in order, and no other life after this one.
            let store = SledStore::open_on(disk.clone(), &layout.folder, &opening(options))?;
            let id = store.identity().store_id;
            let leases = Export::of(store.model()).leases;
            layout.hand_over(disk, id)?;
            drop(store);
            return finish(disk, layout, id, to, how, earlier, leases);
        }
        // An earlier attempt was interrupted.
        Err(StoreError::HandedOver { .. }) => layout.written_store_id()?,
        Err(error) => return Err(error),
    };
    let id = store_id.ok_or_else(|| StoreError::NoStore { path: layout.folder.clone() })?;
    finish(disk, layout, id, to, how, earlier, Vec::new())
}

fn finish(
    disk: &Disk,
    layout: &Layout,
    store_id: [u8; 16],
    to: &Path,
    how: BackupOptions,
    earlier: Option<&Contents>,
    leases: Vec<crate::store::LeaseRecord>,
) -> Result<Backup, StoreError> {
    disk.create_folders(&to.join("segments"))?;
    let listed = layout.current()?.ok().flatten();
    let numbers = layout.segment_numbers(listed.as_ref())?;
    let (mut segments, mut copied_bytes) = (Vec::new(), 0);
    for number in numbers {
        let survey = survey(layout, store_id, number, Depth::Table)?;
        if survey.length == 0 {
            continue;
        }
        let before = earlier.and_then(|earlier| {
            earlier.segments.iter().find(|(known, _)| *known == number).map(|(_, listed)| listed)
        });
        let target = backup_files::segment(to, number);
        let known = match before {
            Some(known) if survey.sealed && known.bytes == survey.length => known.holds(&target)?,
            _ => false,
        };
        if !known {
            copied_bytes += survey.end;
            transfer(disk, layout, &survey, &target, how.link)?;
        }
        let digest = digest_of(&target)?;
        segments.push((number, Listed { bytes: survey.end, digest }));
    }
    disk.sync_folder(&to.join("segments"))?;
    // What the copies say, not what the store says: it may have grown since.
    let copies = Layout::new(to);
    let copied: Vec<u32> = segments.iter().map(|(number, _)| *number).collect();
    let mut recovery = Recovery::default();
    let Loaded { model, last_epoch, .. } =
        segments::load(None, &copies, store_id, &copied, false, &mut recovery)?;
    let mut export = Export::of(&model);
    export.leases = leases;
    let (bytes, digest) = export.write(disk, &backup_files::index(to))?;
    let contents = Contents {
        store_id,
        epoch: layout.epoch()?.unwrap_or(0).max(last_epoch),
        last_commit: model.last_commit,
        is_final: how.hand_over,
        segments,
        index: Listed { bytes, digest },
    };
    contents.write(disk, to)?;
    if let Err(error) = backup_files::note_backup(layout, disk, to) {
        tracing::warn!(%error, "the backup is complete, but its time is not noted");
    }
    Ok(Backup {
        folder: to.to_owned(),
        store_id: hex(&store_id),
        is_final: how.hand_over,
        segments: contents.segments.len() as u32,
        bytes: contents.segments.iter().map(|(_, listed)| listed.bytes).sum(),
        copied_bytes,
        slices: export.slices.len() as u64,
        damaged: recovery.damaged.len() as u32,
    })
}

/// Copies the believed part of a segment, or links it. The file appears whole.
fn transfer(
    disk: &Disk,
    layout: &Layout,
    survey: &Survey,
    target: &Path,
    link: bool,
) -> Result<(), StoreError> {
    let source = layout.segment(survey.number);
    let temporary = target.with_extension("tmp");
    if link && survey.sealed && !target.exists() && disk.link(&source, target).is_ok() {
        return Ok(());
    }
    let file = File::open(&source).map_err(|error| StoreError::io("open", &source, error))?;
    let copy = disk.create_new(&temporary)?;
    let mut window = vec![0; WINDOW_BYTES];
    let mut offset = 0;
    while offset < survey.end {
        let left = usize::try_from(survey.end - offset).unwrap_or(usize::MAX);
        let piece = left.min(WINDOW_BYTES);
        let piece = &mut window[..piece];
        file.read_at(piece, offset).map_err(|error| StoreError::io("read", &source, error))?;
        disk.write_at(&copy, &temporary, piece, offset)?;
        offset += piece.len() as u64;
    }
    disk.sync_all(&copy, &temporary)?;
    disk.rename(&temporary, target)
}
