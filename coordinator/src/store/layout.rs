//! The data folder: the names in it and its small files.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::StoreError;
use super::disk::Disk;
use super::text_file::{TextFile, TextRead};

/// Version of the layout of a data folder.
const STORE_VERSION: &str = "1";
/// In place of the version: the store goes on elsewhere.
const HANDED_OVER: &str = "handed-over";
/// What to do when `STORE` is lost.
const REPAIR: &str = "fulldeck store repair writes it anew from the segments";
/// How names of segments end that are to replace others.
const NEW_SEGMENT: &str = ".seg.new";

/// Paths in a data folder.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) folder: PathBuf,
}

/// What `CURRENT` says: the live index, and the segments that there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Current {
    /// Number of the live index.
    pub(super) index: u32,
    /// Numbers of the segments, rising.
    pub(super) segments: Vec<u32>,
    /// Numbers of segments that others have replaced; their files may still be there.
    pub(super) dropped: Vec<u32>,
}

impl Layout {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Makes the folder and the one for segments.
    pub(super) fn create(&self, disk: &Disk) -> Result<(), StoreError> {
        let segments = self.segments();
        let unusable = |source| StoreError::unusable(&self.folder, source);
        disk.announce().map_err(unusable)?;
        std::fs::create_dir_all(&segments).map_err(unusable)?;
        disk.sync_folder(&self.folder)?;
        match self.folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            Some(parent) => disk.sync_folder(parent),
            None => disk.sync_folder(Path::new(".")),
        }
    }

    pub(super) fn segments(&self) -> PathBuf {
        self.folder.join("segments")
    }

    pub(super) fn segment(&self, number: u32) -> PathBuf {
        segment_path(&self.segments(), number)
    }

    /// Where a segment is written that is to replace others, until `CURRENT` names it.
    pub(super) fn new_segment(&self, number: u32) -> PathBuf {
        new_segment_path(&self.segment(number))
    }

    pub(super) fn index(&self, number: u32) -> PathBuf {
        self.folder.join(format!("index.{number:06}"))
    }

    /// Where something that is no longer trusted is kept.
    pub(super) fn set_aside(&self, path: &Path, why: &str) -> PathBuf {
        let seconds =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        (0..)
            .map(|n| path.with_file_name(format!("{name}.{why}-{}", seconds + n)))
            .find(|candidate| !candidate.exists())
            .expect("there are more names than files")
    }

    /// Numbers of all index folders, set aside or not.
    pub(super) fn indexes(&self) -> Result<Vec<u32>, StoreError> {
        numbers(&self.folder, |name| {
            name.strip_prefix("index.").and_then(|rest| rest.get(..6)).map(str::to_owned)
        })
    }

    /// The highest index folder that is not set aside.
    pub(super) fn newest_index(&self) -> Result<Option<u32>, StoreError> {
        let numbers = numbers(&self.folder, |name| {
            name.strip_prefix("index.").filter(|rest| rest.len() == 6).map(str::to_owned)
        })?;
        Ok(numbers.last().copied())
    }

    /// Numbers of the segment files that there are, rising.
    pub(super) fn segment_files(&self) -> Result<Vec<u32>, StoreError> {
        numbers(&self.segments(), |name| name.strip_suffix(".seg").map(str::to_owned))
    }

    /// Numbers of all segments that are there or that `CURRENT` lists, rising.
    pub(super) fn segment_numbers(&self, listed: Option<&Current>) -> Result<Vec<u32>, StoreError> {
        let mut numbers: BTreeSet<u32> = self.segment_files()?.into_iter().collect();
        if let Some(current) = listed {
            numbers.extend(&current.segments);
            for number in &current.dropped {
                numbers.remove(number);
            }
        }
        Ok(numbers.into_iter().collect())
    }

    /// Numbers of segments that were written to replace others and do not have their names yet.
    pub(super) fn new_segments(&self) -> Result<Vec<u32>, StoreError> {
        numbers(&self.segments(), |name| name.strip_suffix(NEW_SEGMENT).map(str::to_owned))
    }

    /// Brings to its end what `CURRENT` has decided: new segments get their names, those that they replace go. What
    /// `CURRENT` does not name was given up before it counted.
    pub(super) fn finish_switch(
        &self,
        disk: &Disk,
        listed: Option<&Current>,
    ) -> Result<(), StoreError> {
        let named = |number| listed.is_some_and(|current| current.segments.contains(&number));
        let mut changed = false;
        for number in self.new_segments()? {
            let (new, path) = (self.new_segment(number), self.segment(number));
            if named(number) && !path.exists() {
                disk.rename(&new, &path)?;
            } else {
                disk.remove(&new)?;
            }
            changed = true;
        }
        if changed {
            disk.sync_folder(&self.segments())?;
        }
        let dropped = listed.map_or(&[][..], |current| &current.dropped);
        for path in dropped.iter().map(|number| self.segment(*number)) {
            if path.exists() {
                disk.remove(&path)?;
            }
        }
        if !dropped.is_empty() {
            disk.sync_folder(&self.segments())?;
        }
        Ok(())
    }

    /// The store's id; a new one in a folder without a store.
    pub(super) fn store_id(&self, disk: &Disk) -> Result<[u8; 16], StoreError> {
        if let Some(id) = self.known_store_id()? {
            return Ok(id);
        }
        let mut id = [0; 16];
        getrandom::fill(&mut id).map_err(|error| StoreError::Random(error.to_string()))?;
        self.write_store(disk, STORE_VERSION, id)?;
        Ok(id)
    }

    /// Writes `STORE` for a store with this id.
    pub(super) fn write_store_id(&self, disk: &Disk, id: [u8; 16]) -> Result<(), StoreError> {
        self.write_store(disk, STORE_VERSION, id)
    }

    /// Marks the store as going on elsewhere: no version of the program opens it any more.
    pub(super) fn hand_over(&self, disk: &Disk, id: [u8; 16]) -> Result<(), StoreError> {
        self.write_store(disk, HANDED_OVER, id)
    }

    fn write_store(&self, disk: &Disk, version: &str, id: [u8; 16]) -> Result<(), StoreError> {
        TextFile::default()
            .line("format", version)
            .line("store-id", hex(&id))
            .write(disk, &self.folder.join("STORE"))
    }

    /// The store's id, although it may have been handed over; `None` if `STORE` is not there as written.
    pub(super) fn written_store_id(&self) -> Result<Option<[u8; 16]>, StoreError> {
        match TextFile::read(&self.folder.join("STORE"))? {
            TextRead::Intact(text) => Ok(text.get("store-id").and_then(parse_id)),
            TextRead::Missing | TextRead::Damaged => Ok(None),
        }
    }

    /// The mark of a restore that has not ended.
    pub(super) fn restoring(&self) -> PathBuf {
        self.folder.join("RESTORING")
    }

    /// The store's id; `None` in a folder without a store.
    pub(super) fn known_store_id(&self) -> Result<Option<[u8; 16]>, StoreError> {
        let path = self.folder.join("STORE");
        match TextFile::read(&path)? {
            TextRead::Intact(text) => {
                let version = text.get("format").unwrap_or("none");
                if version == HANDED_OVER {
                    return Err(StoreError::HandedOver { path: self.folder.clone() });
                }
                if version != STORE_VERSION {
                    return Err(StoreError::Format {
                        path,
                        found: format!(
                            "has format version {version}, this program reads {STORE_VERSION}"
                        ),
                    });
                }
                let id = text.get("store-id").and_then(parse_id).ok_or_else(|| {
                    StoreError::damaged(&path, format!("it names no store id; {REPAIR}"))
                })?;
                Ok(Some(id))
            }
            TextRead::Missing if self.restoring().exists() => Err(StoreError::damaged(
                &self.folder,
                "restoring it did not end; the same fulldeck store restore begins again",
            )),
            TextRead::Missing if self.segment_files()?.is_empty() => Ok(None),
            TextRead::Missing => Err(StoreError::damaged(
                &path,
                format!("it is missing beside existing segments; {REPAIR}"),
            )),
            TextRead::Damaged => {
                Err(StoreError::damaged(&path, format!("its checksum is wrong; {REPAIR}")))
            }
        }
    }

    /// What `CURRENT` says; `None` when it is missing, an error in words when it is damaged.
    pub(super) fn current(&self) -> Result<Result<Option<Current>, &'static str>, StoreError> {
        let text = match TextFile::read(&self.folder.join("CURRENT"))? {
            TextRead::Missing => return Ok(Ok(None)),
            TextRead::Damaged => return Ok(Err("CURRENT is damaged")),
            TextRead::Intact(text) => text,
        };
        let index = text.get("index").and_then(|number| number.parse().ok());
        let numbers =
            |name: &str| text.all(name).map(|number| number.parse().ok()).collect::<Option<_>>();
        Ok(match (index, numbers("segment"), numbers("dropped")) {
            (Some(index), Some(segments), Some(dropped)) => {
                Ok(Some(Current { index, segments, dropped }))
            }
            _ => Err("CURRENT is malformed"),
        })
    }

    pub(super) fn write_current(&self, disk: &Disk, current: &Current) -> Result<(), StoreError> {
        let mut text = TextFile::default().line("index", current.index);
        for (name, numbers) in [("segment", &current.segments), ("dropped", &current.dropped)] {
            text = numbers.iter().fold(text, |text, number| text.line(name, number));
        }
        text.write(disk, &self.folder.join("CURRENT"))
    }

    /// Last epoch that was begun; 0 when `EPOCH` is missing, `None` when it is damaged.
    pub(super) fn epoch(&self) -> Result<Option<u64>, StoreError> {
        Ok(match TextFile::read(&self.folder.join("EPOCH"))? {
            TextRead::Missing => Some(0),
            TextRead::Damaged => None,
            TextRead::Intact(text) => text.get("epoch").and_then(|epoch| epoch.parse().ok()),
        })
    }

    pub(super) fn write_epoch(
        &self,
        disk: &Disk,
        epoch: u64,
        start_id: u64,
    ) -> Result<(), StoreError> {
        TextFile::default()
            .line("epoch", epoch)
            .line("start-id", format!("{start_id:016x}"))
            .write(disk, &self.folder.join("EPOCH"))
    }
}

/// Path of a segment within the folder of segments.
pub(super) fn segment_path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{number:06}.seg"))
}

/// Where the segment with this path lies until `CURRENT` names it.
pub(super) fn new_segment_path(segment: &Path) -> PathBuf {
    segment.with_extension("seg.new")
}

/// A store id as it is written.
pub(super) fn hex(id: &[u8; 16]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn parse_id(hex: &str) -> Option<[u8; 16]> {
    (hex.len() == 32).then(|| u128::from_str_radix(hex, 16).ok().map(u128::to_be_bytes))?
}

fn numbers(folder: &Path, digits: impl Fn(&str) -> Option<String>) -> Result<Vec<u32>, StoreError> {
    let failed = |source| StoreError::io("list", folder, source);
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(failed)?,
    };
    let mut numbers = Vec::new();
    for entry in entries {
        let name = entry.map_err(failed)?.file_name();
        numbers.extend(name.to_str().and_then(&digits).and_then(|text| text.parse::<u32>().ok()));
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}
