//! Reads committed results beside the writer.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use fulldeck_job::record::{RECORD_HEADER_BYTES, RecordHeader, Source, decode_payload};
use fulldeck_job::{Digest, MAX_RESULT_BYTES};

use super::layout::{new_segment_path, segment_path};
use super::memory::MemoryDisk;
use super::{Place, StoreError};

/// Segments kept open for reading.
const MAX_OPEN_FILES: usize = 32;

/// Reads committed results and believes none that is not exactly what was committed. Cheap to clone, needs no lock
/// against the writer, and goes on working after the store was closed.
#[derive(Clone, Debug)]
pub struct ResultReader(Arc<Medium>);

#[derive(Debug)]
enum Medium {
    Segments {
        folder: PathBuf,
        store_id: [u8; 16],
        /// Only the table of open files is shared; reading is positioned.
        files: Mutex<BTreeMap<u32, Arc<File>>>,
    },
    Memory(MemoryDisk),
}

impl ResultReader {
    pub(super) fn of_segments(folder: PathBuf, store_id: [u8; 16]) -> Self {
        Self(Arc::new(Medium::Segments { folder, store_id, files: Mutex::default() }))
    }

    pub(super) fn of_memory(disk: MemoryDisk) -> Self {
        Self(Arc::new(Medium::Memory(disk)))
    }

    /// The raw bytes of the result at `place`, whose digest is `digest`.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when what lies there is not that result: the slice must be discarded and computed
    /// again. [`StoreError::Io`] when it cannot be read.
    pub fn read(&self, place: &Place, digest: &Digest) -> Result<Vec<u8>, StoreError> {
        match &*self.0 {
            Medium::Segments { folder, store_id, files } => {
                let path = segment_path(folder, place.segment);
                let damaged = |what: String| {
                    StoreError::damaged(&path, format!("result at byte {}: {what}", place.offset))
                };
                if place.stored_bytes as usize > MAX_RESULT_BYTES {
                    return Err(damaged("it is larger than any result".to_owned()));
                }
                let file = open(files, place.segment, &path)?;
                let mut record = vec![0; RECORD_HEADER_BYTES + place.stored_bytes as usize];
                file.read_at(&mut record, place.offset).map_err(|source| match source.kind() {
                    io::ErrorKind::UnexpectedEof => damaged("the file ends before it".to_owned()),
                    _ => StoreError::io("read", &path, source),
                })?;
                let (head, stored) = record
                    .split_first_chunk::<RECORD_HEADER_BYTES>()
                    .expect("the record was read with its header");
                let header =
                    RecordHeader::decode(head).map_err(|error| damaged(error.to_string()))?;
                let expected = header.kind.is_result()
                    && header.segment == place.segment
                    && header.offset == place.offset
                    && header.stored_bytes == place.stored_bytes
                    && header.token.store_id == *store_id
                    && header.digest == *digest;
                if !expected {
                    return Err(damaged("another record lies there".to_owned()));
                }
                if !header.matches(stored) {
                    return Err(damaged("the checksum of its payload is wrong".to_owned()));
                }
                decode_payload(header.codec, stored, header.raw_bytes, MAX_RESULT_BYTES)
                    .map_err(|error| error.to_string())
                    .and_then(|raw| verified(raw, digest))
                    .map_err(damaged)
            }
            Medium::Memory(disk) => {
                let path = PathBuf::from("memory");
                let stored = disk
                    .stored(place)
                    .filter(|stored| stored.digest == *digest)
                    .ok_or_else(|| StoreError::damaged(&path, "another record lies there"))?;
                decode_payload(stored.codec, &stored.bytes, stored.raw_bytes, MAX_RESULT_BYTES)
                    .map_err(|error| error.to_string())
                    .and_then(|raw| verified(raw, digest))
                    .map_err(|what| StoreError::damaged(&path, what))
            }
        }
    }
}

fn verified(raw: Vec<u8>, digest: &Digest) -> Result<Vec<u8>, String> {
    if Digest::of(&raw) == *digest { Ok(raw) } else { Err("its digest is wrong".to_owned()) }
}

fn open(
    files: &Mutex<BTreeMap<u32, Arc<File>>>,
    segment: u32,
    path: &std::path::Path,
) -> Result<Arc<File>, StoreError> {
    let mut files = files.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(file) = files.get(&segment) {
        return Ok(file.clone());
    }
    let opened = File::open(path).or_else(|error| match error.kind() {
        // A switch to new segments may not be finished.
        io::ErrorKind::NotFound => File::open(new_segment_path(path)),
        _ => Err(error),
    });
    let file = opened.map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => StoreError::damaged(path, "the file is missing"),
        _ => StoreError::io("open", path, source),
    })?;
    // Results are mostly read in order: the lowest segment is the one done with.
    if files.len() >= MAX_OPEN_FILES {
        files.pop_first();
    }
    let file = Arc::new(file);
    files.insert(segment, file.clone());
    Ok(file)
}
