//! Runs, results and folders for the tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fulldeck_job::record::{Codec, Token, encode_payload};
use fulldeck_job::{Digest, Fingerprint, JobIndex, Slice, SliceId};

use crate::store::*;

pub(super) fn run(number: u32) -> RunRecord {
    RunRecord {
        run: number,
        workload: "omaha".to_owned(),
        algorithm_version: 1,
        parameters: format!("number={number}\n"),
        slice_target: 0,
        fingerprint: Fingerprint::of(&number.to_le_bytes()),
        plan_digest: Digest::of(b"plan"),
    }
}

/// The raw result of a slice: some compress, some do not, some are empty.
pub(super) fn raw(run: u32, slice: u32) -> Vec<u8> {
    let seed = Digest::of(&[run.to_le_bytes(), slice.to_le_bytes()].concat());
    match slice % 4 {
        0 => vec![seed.0[0]; 3000],
        1 => Vec::new(),
        2 => seed.0.to_vec(),
        _ => (0..40u8).flat_map(|n| Digest::of(&[&seed.0[..], &[n]].concat()).0).collect(),
    }
}

pub(super) fn result(store_id: [u8; 16], number: u32, slice: u32) -> NewResult {
    let raw = raw(number, slice);
    let (codec, stored) = encode_payload(&raw, Codec::Zstd);
    NewResult {
        run: number,
        slice: Slice {
            id: SliceId(slice),
            job: JobIndex(0),
            first_row: slice,
            rows: 1,
            elements: 1,
            raw_bytes: raw.len() as u64,
            cost: u64::from(slice) + 1,
            batch: 0,
        },
        token: Token { store_id, epoch: 1, start_id: 1, sequence: u64::from(slice) },
        fingerprint: run(number).fingerprint,
        codec,
        raw_bytes: raw.len() as u64,
        digest: Digest::of(&raw),
        stored: stored.into(),
        compute_ms: 1,
        host: 2,
    }
}

pub(super) fn lease(store_id: [u8; 16], run: u32, slice: u32, sequence: u64) -> LeaseRecord {
    LeaseRecord {
        run,
        slice: SliceId(slice),
        token: Token { store_id, epoch: 1, start_id: 3, sequence },
        session: 4,
        host: host_number("host"),
        deadline_ms: 5,
    }
}

pub(super) fn commit_slices(
    store: &mut dyn Store,
    run: u32,
    slices: std::ops::Range<u32>,
) -> Result<Vec<Place>, StoreError> {
    let store_id = store.identity().store_id;
    let changes: Vec<_> =
        slices.map(|slice| Change::Result(result(store_id, run, slice))).collect();
    store.commit(&changes)
}

/// All committed slices by run and slice.
pub(super) fn committed(store: &dyn Store) -> BTreeMap<(u32, u32), CommittedSlice> {
    store
        .recover()
        .unwrap()
        .into_iter()
        .flat_map(|recovered| {
            let run = recovered.record.run;
            recovered.committed.into_iter().map(move |(slice, known)| ((run, slice.0), known))
        })
        .collect()
}

/// Names of all committed slices, after reading each and comparing it with what was committed.
pub(super) fn readable(store: &dyn Store) -> Vec<(u32, u32)> {
    let reader = store.reader();
    committed(store)
        .into_iter()
        .map(|((run, slice), known)| {
            let read = reader.read(&known.place, &known.digest);
            assert_eq!(read.expect("a committed result is readable"), raw(run, slice));
            (run, slice)
        })
        .collect()
}

pub(super) fn names(run: u32, slices: std::ops::Range<u32>) -> Vec<(u32, u32)> {
    slices.map(|slice| (run, slice)).collect()
}

/// Options of a test: no waiting, small segments.
pub(super) fn options() -> OpenOptions {
    OpenOptions {
        lock_wait: Duration::ZERO,
        segment_bytes: 12 << 10,
        reserve_bytes: 0,
        ..OpenOptions::default()
    }
}

pub(super) fn open(folder: &Path) -> SledStore {
    SledStore::open(folder, options()).unwrap()
}

/// A copy of a data folder, as another process would find it after the first one died.
pub(super) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The files of a folder whose names pass, sorted.
pub(super) fn files(folder: &Path, pass: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| pass(&path.file_name().unwrap().to_string_lossy()))
        .collect();
    files.sort();
    files
}

pub(super) fn segment_files(folder: &Path) -> Vec<PathBuf> {
    files(&folder.join("segments"), |name| name.ends_with(".seg"))
}

/// A small reproducible source of choices.
pub(super) struct Choices(pub(super) u64);

impl Choices {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % bound as u64) as usize
    }
}
