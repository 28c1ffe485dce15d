//! What opening finds and does, case by case.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use fulldeck_job::SliceId;

use super::fixture::*;
use crate::store::*;

fn filled(folder: &Path, slices: u32) -> SledStore {
    let mut store = open(folder);
    store.commit(&[Change::NewRun(run(1))]).unwrap();
    commit_slices(&mut store, 1, 0..slices).unwrap();
    store
}

fn flip(path: &Path, at: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at] ^= 1;
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn an_orderly_end_leaves_nothing_to_repair() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(folder.path(), 40));
    let store = open(folder.path());
    assert!(store.recovery().is_clean(), "{:?}", store.recovery());
    let blobs = files(&folder.path().join("index.000001/blobs"), |_| true);
    assert_eq!(blobs, Vec::<std::path::PathBuf>::new(), "records are small enough for sled");
}

#[test]
fn the_torn_end_is_cut_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(folder.path(), 2));
    let path = segment_files(folder.path()).pop().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let whole = bytes.len();
    bytes.extend_from_slice(b"half a record");
    std::fs::write(&path, &bytes).unwrap();
    let store = open(folder.path());
    assert_eq!(store.recovery().torn_bytes, 13);
    assert_eq!(store.recovery().damaged, []);
    assert_eq!(readable(&store), names(1, 0..2));
    let saved = files(&folder.path().join("segments"), |name| name.contains(".torn-"));
    assert_eq!(std::fs::read(&saved[0]).unwrap(), b"half a record");
    assert_eq!(std::fs::read(&path).unwrap()[..whole], bytes[..whole]);
}

#[test]
fn records_unknown_to_the_index_are_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let (live, early) = (folder.path().join("live"), folder.path().join("early"));
    let mut store = filled(&live, 3);
    let id = store.identity().store_id;
    let both = vec![lease(id, 1, 4, 1), lease(id, 1, 8, 2)];
    store.commit(&[Change::Leases(both.clone())]).unwrap();
    drop(store);
    copy(&live, &early);
    let mut store = open(&live);
    store.commit(&[Change::NewRun(run(2))]).unwrap();
    commit_slices(&mut store, 1, 3..6).unwrap();
    commit_slices(&mut store, 2, 0..2).unwrap();
    drop(store);
    // The segments of now with the index of then.
    std::fs::remove_dir_all(live.join("index.000001")).unwrap();
    copy(&early.join("index.000001"), &live.join("index.000001"));
    let store = open(&live);
    assert_eq!(store.recovery().rebuilt, None);
    assert_eq!(store.recovery().replayed, 6);
    assert_eq!(readable(&store), [names(1, 0..6), names(2, 0..2)].concat());
    assert_eq!(store.recover().unwrap()[0].leases, both[1..]);
    drop(store);
    assert!(open(&live).recovery().is_clean());
}

#[test]
fn an_index_that_knows_more_than_the_segments_names_what_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = filled(folder.path(), 3);
    let end = store.stored_bytes();
    commit_slices(&mut store, 1, 3..5).unwrap();
    drop(store);
    let path = segment_files(folder.path()).pop().unwrap();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(end).unwrap();
    let store = open(folder.path());
    assert!(store.recovery().rebuilt.is_some());
    let named: Vec<_> = store.recovery().damaged.iter().filter_map(|damage| damage.slice).collect();
    assert_eq!(named, [(1, SliceId(3)), (1, SliceId(4))]);
    assert_eq!(readable(&store), names(1, 0..3));
    assert_eq!(files(folder.path(), |name| name.starts_with("index.000001.bad-")).len(), 1);
    drop(store);
    assert!(open(folder.path()).recovery().is_clean());
}

#[test]
fn verifying_finds_what_a_seal_cannot_know() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path(), 40);
    let place = committed(&store)[&(1, 3)].place;
    assert!(store.stored_bytes() > 24 << 10, "the slice lies in a sealed segment");
    drop(store);
    let path = folder.path().join(format!("segments/{:06}.seg", place.segment));
    flip(&path, place.offset as usize + 256 + 10);
    let store = open(folder.path());
    let known = committed(&store)[&(1, 3)];
    let error = store.reader().read(&known.place, &known.digest).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    drop(store);
    let verifying = || OpenOptions { verify_payloads: true, ..options() };
    let store = SledStore::open(folder.path(), verifying()).unwrap();
    let damage = store.recovery().damaged.iter().find(|damage| damage.slice.is_some()).unwrap();
    assert_eq!(damage.slice, Some((1, SliceId(3))));
    assert!(damage.to_string().ends_with("slice 3 of run 1 will be computed again"), "{damage}");
    assert_eq!(readable(&store), [names(1, 0..3), names(1, 4..40)].concat());
    drop(store);
    // Discarded for good, also for those who only read the seal.
    assert!(!committed(&open(folder.path())).contains_key(&(1, 3)));
}

#[test]
fn a_lost_segment_does_not_lose_the_run() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(folder.path(), 40));
    std::fs::remove_file(folder.path().join("segments/000001.seg")).unwrap();
    let store = open(folder.path());
    let runs = store.recover().unwrap();
    assert_eq!(runs[0].record, run(1));
    let kept = readable(&store);
    assert!(!kept.is_empty() && kept.len() < 40);
    let named = store.recovery().damaged.iter().filter(|damage| damage.slice.is_some()).count();
    assert_eq!(named, 40 - kept.len());
}

#[test]
fn nothing_is_appended_behind_damage() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path(), 3);
    let place = committed(&store)[&(1, 0)].place;
    drop(store);
    let path = segment_files(folder.path()).pop().unwrap();
    flip(&path, place.offset as usize);
    let before = std::fs::read(&path).unwrap();
    let mut store = open(folder.path());
    assert_eq!(readable(&store), names(1, 1..3));
    let again = commit_slices(&mut store, 1, 0..1).unwrap();
    assert_eq!(again[0].segment, place.segment + 1);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn an_unfinished_snapshot_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(folder.path(), 3));
    let snapshot = folder.path().join("index.000001/snap.FFFFFFFFFFFFFFFF.generating");
    std::fs::write(&snapshot, b"").unwrap();
    let store = open(folder.path());
    assert!(store.recovery().is_clean(), "{:?}", store.recovery());
    assert!(!snapshot.exists());
}

#[test]
fn another_format_version_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(folder.path(), 1));
    let path = folder.path().join("STORE");
    let text = "format 2\nstore-id 00\n";
    let newer = format!("{text}checksum {:08x}\n", crc32c::crc32c(text.as_bytes()));
    std::fs::write(&path, &newer).unwrap();
    let error = SledStore::open(folder.path(), options()).unwrap_err();
    assert!(matches!(error, StoreError::Format { .. }), "{error}");
    assert!(error.to_string().contains("has format version 2, this program reads 1"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), newer);
}

#[test]
fn a_segment_of_another_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    drop(filled(&one, 1));
    drop(filled(&two, 1));
    std::fs::copy(one.join("segments/000001.seg"), two.join("segments/000001.seg")).unwrap();
    let error = SledStore::open(&two, options()).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("another store"), "{error}");
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let occupied = folder.path().join("file");
    std::fs::write(&occupied, b"").unwrap();
    let error = SledStore::open(&occupied.join("data"), OpenOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::Unusable { .. }), "{error}");
    assert!(error.to_string().contains("--data-dir"), "{error}");
    // The superuser may write anywhere.
    let closed = folder.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(closed.join("probe"), b"").is_err() {
        let error = SledStore::open(&closed, OpenOptions::default()).unwrap_err();
        assert!(matches!(error, StoreError::Unusable { .. }), "{error}");
    }
}

#[test]
fn a_damaged_current_and_epoch_are_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path(), 40);
    let (before, epoch) = (store.recover().unwrap(), store.identity().epoch);
    drop(store);
    for name in ["CURRENT", "EPOCH"] {
        std::fs::write(folder.path().join(name), b"nonsense").unwrap();
    }
    let store = open(folder.path());
    assert_eq!(store.recovery().notes.len(), 2, "{:?}", store.recovery());
    assert_eq!(store.recovery().rebuilt, None);
    assert_eq!(store.recover().unwrap(), before);
    assert!(store.identity().epoch > epoch);
    drop(store);
    assert!(open(folder.path()).recovery().is_clean());
}
