//! Reading a stopped store changes nothing, and says what is damaged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fulldeck_job::SliceId;

use super::fixture::*;
use crate::store::*;

fn look(folder: &Path) -> StoredRuns {
    StoredRuns::open(folder, Sharing::Readers, Duration::ZERO).unwrap().expect("a store")
}

fn filled(folder: &Path, slices: u32) {
    let mut store = open(folder);
    store.commit(&[Change::NewRun(run(1))]).unwrap();
    commit_slices(&mut store, 1, 0..slices).unwrap();
}

/// Every file with its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for path in files(folder, |_| true) {
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            all.insert(path.clone(), std::fs::read(path).unwrap());
        }
    }
    all
}

fn slices(store: &StoredRuns) -> Vec<u32> {
    let runs = store.runs().iter();
    runs.flat_map(|run| run.committed.iter().map(|(slice, _)| slice.0)).collect()
}

fn damaged_slices(store: &StoredRuns) -> Vec<(u32, SliceId)> {
    store.damaged().iter().filter_map(|damage| damage.slice).collect()
}

fn flip(path: &Path, at: u64) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at as usize] ^= 1;
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn looking_sees_everything_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 40);
    assert!(segment_files(folder.path()).len() > 1);
    let before = contents(folder.path());
    let (store, other) = (look(folder.path()), look(folder.path()));
    assert_eq!(slices(&store), (0..40).collect::<Vec<_>>());
    assert_eq!(slices(&other), slices(&store));
    assert_eq!(store.damaged(), []);
    let (_, known) = store.runs()[0].committed[7];
    assert_eq!(store.reader().read(&known.place, &known.digest).unwrap(), raw(1, 7));
    let refused = SledStore::open(folder.path(), options()).unwrap_err();
    assert!(matches!(refused, StoreError::Locked { .. }), "nobody writes meanwhile: {refused}");
    drop((store, other));
    assert!(contents(folder.path()) == before, "a byte was changed");

    // A torn end is no damage, and stays for whoever writes next.
    let last = segment_files(folder.path()).pop().unwrap();
    let mut bytes = std::fs::read(&last).unwrap();
    bytes.extend_from_slice(b"half a record");
    std::fs::write(&last, &bytes).unwrap();
    assert_eq!(look(folder.path()).damaged(), []);
    assert_eq!(std::fs::read(&last).unwrap(), bytes);
}

#[test]
fn damage_is_named_until_it_is_healed() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 4);
    let path = segment_files(folder.path()).pop().unwrap();
    // In the middle, and in the very last record, which could as well be torn.
    for slice in [0, 3] {
        let (_, known) = look(folder.path()).runs()[0].committed[if slice == 3 { 2 } else { 0 }];
        flip(&path, known.place.offset + 256 + 10);
    }
    assert_eq!(slices(&look(folder.path())), [1, 2]);
    let named = [(1, SliceId(0)), (1, SliceId(3))];
    assert_eq!(damaged_slices(&look(folder.path())), named);
    let mut store = open(folder.path());
    let mut by_writer: Vec<_> =
        store.recovery().damaged.iter().filter_map(|damage| damage.slice).collect();
    by_writer.sort_unstable();
    assert_eq!(by_writer, named);
    commit_slices(&mut store, 1, 0..4).unwrap();
    drop(store);
    assert_eq!(damaged_slices(&look(folder.path())), []);
    assert_eq!(open(folder.path()).recovery().damaged, []);
}

#[test]
fn what_is_missing_is_damage_and_what_never_was_is_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let none =
        |name: &str| StoredRuns::open(&folder.path().join(name), Sharing::Alone, Duration::ZERO);
    assert!(none("nowhere").unwrap().is_none());
    assert!(none("").unwrap().is_none(), "an empty folder");
    std::fs::write(folder.path().join("file"), b"").unwrap();
    assert!(matches!(none("file"), Err(StoreError::Unusable { .. })));

    let data = folder.path().join("data");
    filled(&data, 2);
    std::fs::remove_file(segment_files(&data).pop().unwrap()).unwrap();
    let store = look(&data);
    assert!(store.runs().is_empty() && store.damaged().len() == 1, "{:?}", store.damaged());
    drop(store);
    filled(&data, 2);
    std::fs::remove_file(data.join("STORE")).unwrap();
    assert!(matches!(none("data"), Err(StoreError::Damaged { .. })));
}

#[test]
fn a_store_that_cannot_be_made_leaves_nothing() {
    use crate::store::disk::Disk;
    let place = tempfile::tempdir().unwrap();
    let mut failures = 0;
    for calls in 0.. {
        let disk = Disk::default();
        disk.interruption.refuse_once_after(calls);
        // The folder and the one around it are new, or there is something else in it.
        let folder = place.path().join(if calls % 2 == 0 { "new/data" } else { "old" });
        if calls % 2 == 1 {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("notes"), b"mine").unwrap();
        }
        let opened = SledStore::open_on(disk.clone(), &folder, &options());
        if !disk.interruption.has_struck() {
            opened.unwrap();
            break;
        }
        // Removing a half-built index may be what is refused: that is tried again.
        let error = opened.unwrap_err();
        assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
        failures += 1;
        if calls % 2 == 0 {
            assert!(!place.path().join("new").exists(), "call {calls}: {error}");
        } else {
            let left = files(&folder, |_| true);
            assert_eq!(left, [folder.join("notes")], "call {calls}: {error}");
        }
    }
    assert!(failures > 10, "{failures} calls");
}
