//! How long a large store takes to open. Figures are printed; the bounds are those of the design.

use std::time::{Duration, Instant};

use fulldeck_job::Digest;
use fulldeck_job::record::Codec;

use super::fixture::*;
use crate::store::*;

const SLICES: u32 = 100_000;
/// Results have between this and ten times this many bytes.
const SMALLEST: usize = 10_000;
/// Longest time that opening may take.
const LIMIT: Duration = Duration::from_secs(10);
/// Folder in which the store is made; by default the one for temporary files.
const PLACE: &str = "FULLDECK_LARGE_PLACE";

fn sized(store_id: [u8; 16], slice: u32, noise: &[u8]) -> NewResult {
    let mut choices = Choices(u64::from(slice));
    let bytes = SMALLEST + choices.below(9 * SMALLEST);
    let from = choices.below(noise.len() - bytes);
    let raw = noise[from..from + bytes].to_vec();
    let mut result = result(store_id, 1, slice);
    result.slice.raw_bytes = raw.len() as u64;
    (result.codec, result.raw_bytes) = (Codec::Raw, raw.len() as u64);
    result.digest = Digest::of(&raw);
    result.stored = raw.into();
    result
}

#[test]
#[ignore = "writes about 5.5 GB"]
fn a_large_store_opens_in_seconds() {
    let place = std::env::var_os(PLACE).map_or_else(std::env::temp_dir, Into::into);
    let folder = tempfile::tempdir_in(place).unwrap();
    let options = OpenOptions { reserve_bytes: 0, ..OpenOptions::default() };
    let open = || SledStore::open(folder.path(), options.clone()).unwrap();
    let mut choices = Choices(1);
    let noise: Vec<u8> = (0..1 << 20).map(|_| choices.below(256) as u8).collect();
    let started = Instant::now();
    let mut store = open();
    store.commit(&[Change::NewRun(run(1))]).unwrap();
    let id = store.identity().store_id;
    for first in (0..SLICES).step_by(250) {
        let results: Vec<_> =
            (first..first + 250).map(|slice| Change::Result(sized(id, slice, &noise))).collect();
        store.commit(&results).unwrap();
    }
    eprintln!("{} bytes written in {:.1?}", store.stored_bytes(), started.elapsed());
    drop(store);
    let timed = |what: &str| {
        let started = Instant::now();
        let store = open();
        let elapsed = started.elapsed();
        assert_eq!(committed(&store).len(), SLICES as usize);
        eprintln!("{what}: {elapsed:.2?}");
        assert!(elapsed < LIMIT, "{what}: {elapsed:?}");
        drop(store);
    };
    timed("first opening after it was written");
    timed("opening");
    for index in files(folder.path(), |name| name.starts_with("index.")) {
        std::fs::remove_dir_all(index).unwrap();
    }
    timed("opening without an index");
    for deep in [false, true] {
        let started = Instant::now();
        assert_eq!(care::check(folder.path(), deep).unwrap().findings, []);
        eprintln!("check, deep {deep}: {:.2?}", started.elapsed());
    }
}
