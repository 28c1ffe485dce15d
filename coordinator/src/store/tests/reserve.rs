//! Space kept for bad times.

use std::os::unix::fs::MetadataExt;

use super::fixture::*;
use crate::store::disk::Disk;
use crate::store::*;

const RESERVE: u64 = 1 << 20;

#[test]
fn the_reserve_is_really_allocated_and_given_up_to_open_on_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let options = OpenOptions { reserve_bytes: RESERVE, ..options() };
    let open = |disk: &Disk| SledStore::open_on(disk.clone(), folder.path(), &options);
    drop(open(&Disk::default()).unwrap());
    let path = folder.path().join("RESERVE");
    let found = std::fs::metadata(&path).unwrap();
    assert_eq!(found.len(), RESERVE);
    assert!(found.blocks() * 512 >= RESERVE, "{} blocks", found.blocks());

    // From the first step that may need space for more than a name.
    for calls in 8.. {
        let disk = Disk::default();
        disk.interruption.refuse_once_after(calls);
        drop(open(&disk).unwrap_or_else(|error| panic!("call {calls}: {error}")));
        if !disk.interruption.has_struck() {
            assert!(calls > 12, "only {calls} calls");
            break;
        }
        // There is space after all: it is made again.
        assert_eq!(std::fs::metadata(&path).unwrap().len(), RESERVE);
    }
    let mut store = open(&Disk::default()).unwrap();
    std::fs::remove_file(&path).unwrap();
    store.tend();
    assert!(path.exists());
}

#[test]
fn no_reserve_is_made_that_would_fill_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let options = OpenOptions { reserve_bytes: u64::MAX / 8, ..options() };
    drop(SledStore::open(folder.path(), options).unwrap());
    assert!(!folder.path().join("RESERVE").exists());
}
