//! What lies in the folder of a backup, and what it says of itself.

use std::fs::File;
use std::path::{Path, PathBuf};

use fulldeck_job::Digest;

use crate::store::StoreError;
use crate::store::disk::Disk;
use crate::store::layout::{Layout, hex, parse_id, segment_path};
use crate::store::text_file::{TextFile, TextRead};

/// Version of the format of a backup.
const VERSION: &str = "1";
/// Name of the file that makes a folder a backup; it is written last.
const BACKUP: &str = "BACKUP";
/// Name of the file in a data folder that tells of its last backup.
const LAST_BACKUP: &str = "LAST-BACKUP";
/// Name of the exported index.
const INDEX: &str = "index.export";

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) bytes: u64,
    pub(super) digest: Digest,
}

/// What `BACKUP` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) store_id: [u8; 16],
    pub(super) epoch: u64,
    pub(super) last_commit: u64,
    /// Whether the store was handed over by it.
    pub(super) is_final: bool,
    /// Segments by number.
    pub(super) segments: Vec<(u32, Listed)>,
    pub(super) index: Listed,
}

pub(super) fn segment(folder: &Path, number: u32) -> PathBuf {
    segment_path(&folder.join("segments"), number)
}

pub(super) fn index(folder: &Path) -> PathBuf {
    folder.join(INDEX)
}

/// The mark of a final backup that was restored: where to.
pub(super) fn restored(folder: &Path) -> PathBuf {
    folder.join("RESTORED")
}

impl Listed {
    fn line(&self) -> String {
        format!("{} {}", self.bytes, self.digest)
    }

    fn parse(text: &str) -> Option<Self> {
        let (bytes, digest) = text.split_once(' ')?;
        Some(Self { bytes: bytes.parse().ok()?, digest: digest.parse().ok()? })
    }

    /// Whether the file is there with this length and digest.
    pub(super) fn holds(&self, path: &Path) -> Result<bool, StoreError> {
        let length = match std::fs::metadata(path) {
            Ok(found) => found.len(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(source) => return Err(StoreError::io("read", path, source)),
        };
        Ok(length == self.bytes && digest_of(path)? == self.digest)
    }
}

/// BLAKE3 of a whole file.
pub(super) fn digest_of(path: &Path) -> Result<Digest, StoreError> {
    let mut hasher = blake3::Hasher::new();
    File::open(path)
        .and_then(|file| hasher.update_reader(file).map(drop))
        .map_err(|source| StoreError::io("read", path, source))?;
    Ok(Digest(*hasher.finalize().as_bytes()))
}

impl Contents {
    /// What the backup in this folder says of itself; `None` if there is none.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, StoreError> {
        let path = folder.join(BACKUP);
        let text = match TextFile::read(&path)? {
            TextRead::Missing => return Ok(None),
            TextRead::Damaged => return Err(StoreError::damaged(&path, "its checksum is wrong")),
            TextRead::Intact(text) => text,
        };
        let version = text.get("format").unwrap_or("none");
        if version != VERSION {
            let found = format!("has format version {version}, this program reads {VERSION}");
            return Err(StoreError::Format { path, found });
        }
        Self::parse(&text).map(Some).ok_or_else(|| StoreError::damaged(&path, "it is malformed"))
    }

    fn parse(text: &TextFile) -> Option<Self> {
        let segments = text.all("segment").map(|line| {
            let (number, listed) = line.split_once(' ')?;
            Some((number.parse().ok()?, Listed::parse(listed)?))
        });
        Some(Self {
            store_id: parse_id(text.get("store-id")?)?,
            epoch: text.get("epoch")?.parse().ok()?,
            last_commit: text.get("last-commit")?.parse().ok()?,
            is_final: text.get("final")? == "yes",
            segments: segments.collect::<Option<_>>()?,
            index: Listed::parse(text.get("index")?)?,
        })
    }

    pub(super) fn write(&self, disk: &Disk, folder: &Path) -> Result<(), StoreError> {
        let mut text = TextFile::default()
            .line("format", VERSION)
            .line("store-id", hex(&self.store_id))
            .line("epoch", self.epoch)
            .line("last-commit", self.last_commit)
            .line("final", if self.is_final { "yes" } else { "no" });
        for (number, listed) in &self.segments {
            text = text.line("segment", format!("{number} {}", listed.line()));
        }
        text.line("index", self.index.line()).write(disk, &folder.join(BACKUP))
    }
}

/// When the last backup was made, in seconds since 1970.
pub(super) fn last_backup(layout: &Layout) -> Result<Option<u64>, StoreError> {
    Ok(match TextFile::read(&layout.folder.join(LAST_BACKUP))? {
        TextRead::Intact(text) => text.get("made").and_then(|made| made.parse().ok()),
        TextRead::Missing | TextRead::Damaged => None,
    })
}

/// Notes in the data folder that a backup was made.
pub(super) fn note_backup(layout: &Layout, disk: &Disk, to: &Path) -> Result<(), StoreError> {
    TextFile::default()
        .line("made", super::unix_seconds())
        .line("folder", to.display())
        .write(disk, &layout.folder.join(LAST_BACKUP))
}
