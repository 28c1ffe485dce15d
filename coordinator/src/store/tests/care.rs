//! What a person does to a store: nothing that counts is lost by it, and nothing is done that was not asked for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fulldeck_job::{Digest, SliceId};

use super::fixture::*;
use crate::store::care::*;
use crate::store::*;

/// A store of several segments, with an open lease.
pub(super) fn filled(folder: &Path, slices: u32) -> SledStore {
    let mut store = open(folder);
    store.commit(&[Change::NewRun(run(1)), Change::NewRun(run(2))]).unwrap();
    for first in (0..slices).step_by(6) {
        commit_slices(&mut store, 1, first..first + 6).unwrap();
    }
    let id = store.identity().store_id;
    store.commit(&[Change::Leases(vec![lease(id, 1, 999, 1)])]).unwrap();
    store
}

/// Commits results again that were discarded, so that much of the first segments counts no more.
pub(super) fn waste(store: &mut SledStore, slices: std::ops::Range<u32>) {
    let discards: Vec<_> =
        slices.clone().map(|slice| Change::Discard { run: 1, slice: SliceId(slice) }).collect();
    store.commit(&discards).unwrap();
    commit_slices(store, 1, slices).unwrap();
}

/// Digest of every committed slice: what must be equal before and after.
pub(super) fn digests(store: &dyn Store) -> BTreeMap<(u32, u32), Digest> {
    committed(store).into_iter().map(|(name, known)| (name, known.digest)).collect()
}

pub(super) fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for path in files(folder, |name| name != "LOCK") {
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            all.insert(path.clone(), std::fs::read(path).unwrap());
        }
    }
    all
}

fn flip(path: &Path, at: u64) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at as usize] ^= 1;
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn looking_changes_nothing_and_works_beside_a_writer() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path(), 60);
    for deep in [false, true] {
        let live = check(folder.path(), deep).unwrap();
        assert!(live.in_use_by.is_some() && live.index_equal.is_none());
        assert_eq!((live.findings, live.slices), (Vec::new(), 60));
    }
    let live = stat(folder.path()).unwrap();
    assert!(live.in_use_by.is_some());
    drop(store);
    let before = contents(folder.path());
    let found = stat(folder.path()).unwrap();
    assert_eq!(found.in_use_by, None);
    assert_eq!((found.runs[0].slices, found.runs[1].slices), (60, 0));
    assert!(found.live_bytes > 0 && found.live_bytes < found.segment_bytes);
    assert!(found.index_bytes > 0 && found.last_write_unix_s.is_some());
    let checked = check(folder.path(), true).unwrap();
    assert_eq!((checked.index_equal, &checked.findings[..]), (Some(true), &[][..]));
    assert!(checked.records > 60 && checked.bytes == found.segment_bytes);
    assert!(contents(folder.path()) == before, "a byte was changed");
}

#[test]
fn where_there_is_no_store_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["", "nowhere"] {
        let place = folder.path().join(name);
        assert!(matches!(stat(&place), Err(StoreError::NoStore { .. })));
        assert!(matches!(check(&place, false), Err(StoreError::NoStore { .. })));
        assert!(matches!(repair(&place, true, &options()), Err(StoreError::NoStore { .. })));
        assert!(matches!(rebuild(&place, &options()), Err(StoreError::NoStore { .. })));
        assert!(matches!(compact(&place, &options()), Err(StoreError::NoStore { .. })));
        assert!(matches!(clean(&place, true, &options()), Err(StoreError::NoStore { .. })));
        let to = folder.path().join("to");
        let made = backup(&place, &to, BackupOptions::default(), &options());
        assert!(matches!(made, Err(StoreError::NoStore { .. })) && !to.exists());
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_changes_a_store_waits_for_nobody_who_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    let _store = filled(folder.path(), 6);
    let locked = |outcome: StoreError| assert!(matches!(outcome, StoreError::Locked { .. }));
    locked(repair(folder.path(), false, &options()).unwrap_err());
    locked(rebuild(folder.path(), &options()).unwrap_err());
    locked(compact(folder.path(), &options()).unwrap_err());
    locked(clean(folder.path(), false, &options()).unwrap_err());
    let hand_over = BackupOptions { hand_over: true, link: false };
    let to = tempfile::tempdir().unwrap();
    locked(backup(folder.path(), to.path(), hand_over, &options()).unwrap_err());
}

#[test]
fn damage_is_named_and_repaired_when_that_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path(), 60);
    let known = committed(&store);
    drop(store);
    assert_eq!(repair(folder.path(), false, &options()).unwrap(), Repair::default());
    let place = known[&(1, 3)].place;
    let path = segment_files(folder.path())[place.segment as usize - 1].clone();
    flip(&path, place.offset + 256 + 10);
    // A closed segment's table hides it: only reading finds it.
    assert_eq!(check(folder.path(), false).unwrap().findings, []);
    let found = check(folder.path(), true).unwrap();
    assert!(found.is_damaged() && !found.is_mismatched());
    assert_eq!(found.findings.len(), 1, "{:?}", found.findings);
    assert_eq!(found.findings[0].slice, Some((1, 3)));

    let before = contents(folder.path());
    let dry = repair(folder.path(), false, &options()).unwrap();
    assert_eq!((dry.acted, &dry.lost[..]), (false, &[(1, 3)][..]));
    assert!(contents(folder.path()) == before, "a dry run changes nothing");
    assert!(repair(folder.path(), true, &options()).unwrap().acted);
    let mut store = open(folder.path());
    assert_eq!(readable(&store), [names(1, 0..3), names(1, 4..60)].concat());
    commit_slices(&mut store, 1, 3..4).unwrap();
    drop(store);
    assert_eq!(check(folder.path(), true).unwrap().findings, []);
}

#[test]
fn a_lost_store_file_is_written_anew_from_the_segments() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path(), 60);
    let (id, before) = (store.identity().store_id, digests(&store));
    drop(store);
    let path = folder.path().join("STORE");
    for spoil in [|path: &Path| std::fs::remove_file(path), |path: &Path| std::fs::write(path, "x")]
    {
        spoil(&path).unwrap();
        let refused = SledStore::open(folder.path(), options()).unwrap_err();
        assert!(refused.to_string().contains("store repair"), "{refused}");
        assert!(!repair(folder.path(), false, &options()).unwrap().actions.is_empty());
        assert!(SledStore::open(folder.path(), options()).is_err(), "nothing was done yet");
        repair(folder.path(), true, &options()).unwrap();
        let store = open(folder.path());
        assert_eq!((store.identity().store_id, digests(&store)), (id, before.clone()));
    }
    // Nothing is guessed where segments of two stores lie.
    let other = tempfile::tempdir().unwrap();
    drop(filled(other.path(), 6));
    std::fs::copy(
        other.path().join("segments/000001.seg"),
        folder.path().join("segments/000099.seg"),
    )
    .unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(repair(folder.path(), true, &options()), Err(StoreError::Damaged { .. })));
    std::fs::remove_file(folder.path().join("segments/000099.seg")).unwrap();
    std::fs::copy(
        other.path().join("segments/000001.seg"),
        folder.path().join("segments/000001.seg"),
    )
    .unwrap();
    assert!(matches!(repair(folder.path(), true, &options()), Err(StoreError::Damaged { .. })));
}

#[test]
fn a_rebuilt_index_says_what_the_old_one_said() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path(), 60);
    let (before, epoch) = (digests(&store), store.identity().epoch);
    drop(store);
    let rebuilt = rebuild(folder.path(), &options()).unwrap();
    assert_eq!((rebuilt.slices, rebuilt.runs, &rebuilt.lost[..]), (60, 2, &[][..]));
    assert_eq!(files(folder.path(), |name| name.starts_with("index.000001.bad-")).len(), 1);
    for index in files(folder.path(), |name| name.starts_with("index.")) {
        std::fs::remove_dir_all(index).unwrap();
    }
    assert_eq!(rebuild(folder.path(), &options()).unwrap().slices, 60);
    let store = open(folder.path());
    assert!(store.recovery().is_clean(), "{:?}", store.recovery());
    assert_eq!(digests(&store), before);
    assert!(store.identity().epoch > epoch);
}

#[test]
fn leftovers_are_shown_and_then_removed() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(folder.path(), 12));
    assert_eq!(clean(folder.path(), false, &options()).unwrap().leftovers, []);
    rebuild(folder.path(), &options()).unwrap();
    let last = segment_files(folder.path()).pop().unwrap();
    std::fs::write(last.with_extension("seg.torn-1"), b"torn").unwrap();
    std::fs::write(folder.path().join("segments/000077.seg.new"), b"new").unwrap();
    let shown = clean(folder.path(), false, &options()).unwrap();
    assert_eq!(shown.leftovers.len(), 3, "{shown:?}");
    assert!(stat(folder.path()).unwrap().leftover_bytes > 7);
    assert!(shown.leftovers.iter().all(|leftover| leftover.path.exists()));
    let gone = clean(folder.path(), true, &options()).unwrap();
    assert_eq!(gone.leftovers, shown.leftovers);
    assert!(gone.leftovers.iter().all(|leftover| !leftover.path.exists()));
    let store = open(folder.path());
    assert!(store.recovery().is_clean(), "{:?}", store.recovery());
    assert_eq!(readable(&store), names(1, 0..12));
}

#[test]
fn compacting_keeps_everything_that_counts_and_little_else() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = filled(folder.path(), 120);
    for _ in 0..3 {
        waste(&mut store, 0..100);
    }
    store.commit(&[Change::Discard { run: 1, slice: SliceId(119) }]).unwrap();
    let (before, identity) = (digests(&store), store.identity());
    let leases: Vec<_> = store.recover().unwrap().into_iter().map(|run| run.leases).collect();
    drop(store);
    let compacted = compact(folder.path(), &options()).unwrap();
    assert!(compacted.rewritten > 5, "{compacted:?}");
    assert!(compacted.after_bytes < compacted.before_bytes / 2, "{compacted:?}");
    assert!(compacted.after_bytes * 2 <= compacted.live_bytes * 3, "{compacted:?}");
    let store = open(folder.path());
    assert!(store.recovery().is_clean(), "{:?}", store.recovery());
    assert_eq!(digests(&store), before);
    assert_eq!(readable(&store).len(), 119);
    let kept: Vec<_> = store.recover().unwrap().into_iter().map(|run| run.leases).collect();
    assert_eq!(kept, leases);
    assert_eq!(store.identity().store_id, identity.store_id);
    assert!(store.identity().epoch > identity.epoch);
    drop(store);
    assert_eq!(check(folder.path(), true).unwrap().findings, []);
    assert_eq!(files(folder.path(), |name| name.starts_with("index.")).len(), 1);
    let again = compact(folder.path(), &options()).unwrap();
    assert_eq!(again.rewritten, 0, "{again:?}");
    // The index can be lost then as before.
    rebuild(folder.path(), &options()).unwrap();
    assert_eq!(digests(&open(folder.path())), before);
}

#[test]
fn compacting_keeps_what_was_decided_and_what_was_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    store
        .commit(&[Change::NewRun(run(1)), Change::NewRun(run(2)), Change::NewRun(run(3))])
        .unwrap();
    let decide = |run, decision| Change::Decision { run, decision };
    let park = |slice| Decision::Park { slice: SliceId(slice), reason: "no".to_owned() };
    let early = [decide(1, Decision::Pause), decide(2, Decision::Pause), decide(1, park(200))];
    store.commit(&early).unwrap();
    store.commit(&[decide(1, park(201)), decide(3, Decision::Cancel)]).unwrap();
    for first in (0..60).step_by(6) {
        commit_slices(&mut store, 1, first..first + 6).unwrap();
    }
    // In segments that are mostly dead afterwards.
    let back = [decide(1, Decision::Open), decide(1, Decision::Retry { slice: SliceId(200) })];
    store.commit(&back).unwrap();
    for _ in 0..3 {
        waste(&mut store, 40..60);
    }
    store.commit(&[decide(1, Decision::Doubt { slice: SliceId(3) })]).unwrap();
    let decided = |store: &SledStore| {
        store.recover().unwrap().into_iter().map(|run| run.decided).collect::<Vec<_>>()
    };
    let before = decided(&store);
    assert_eq!(before[0].parked.len(), 1);
    drop(store);
    let compacted = compact(folder.path(), &options()).unwrap();
    assert!(compacted.rewritten > 0, "{compacted:?}");
    let store = open(folder.path());
    assert!(store.recovery().is_clean(), "{:?}", store.recovery());
    assert_eq!(decided(&store), before);
}

#[test]
fn compacting_does_not_drop_what_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = filled(folder.path(), 60);
    waste(&mut store, 0..40);
    let place = committed(&store)[&(1, 3)].place;
    drop(store);
    flip(&folder.path().join(format!("segments/{:06}.seg", place.segment)), place.offset + 260);
    let compacted = compact(folder.path(), &options());
    // Only if that segment is one of those written anew.
    if let Err(error) = compacted {
        assert!(error.to_string().contains("store repair"), "{error}");
    }
    repair(folder.path(), true, &options()).unwrap();
    compact(folder.path(), &options()).unwrap();
    let store = open(folder.path());
    assert_eq!(readable(&store), [names(1, 0..3), names(1, 4..60)].concat());
}

#[test]
fn a_restored_backup_is_equal_and_another_store() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let mut store = filled(&place("data"), 60);
    // Beside the writer; again, only what is new is copied.
    let how = BackupOptions::default();
    let first = backup(&place("data"), &place("backup"), how, &options()).unwrap();
    assert_eq!((first.slices, first.copied_bytes), (60, first.bytes));
    commit_slices(&mut store, 1, 60..72).unwrap();
    let second = backup(&place("data"), &place("backup"), how, &options()).unwrap();
    assert_eq!((second.slices, second.damaged, second.is_final), (72, 0, false));
    assert!(second.copied_bytes < second.bytes / 2, "{second:?}");
    let (before, identity) = (digests(&store), store.identity());
    assert!(stat(&place("data")).unwrap().last_backup_unix_s.is_some());
    drop(store);

    let restored = restore(&place("backup"), &place("new"), &options()).unwrap();
    assert_eq!((restored.runs, restored.slices, restored.keeps_identity), (2, 72, false));
    assert_eq!(check(&place("new"), true).unwrap().findings, []);
    let mut store = open(&place("new"));
    assert!(store.recovery().is_clean(), "{:?}", store.recovery());
    assert_eq!(digests(&store), before);
    assert_eq!(readable(&store), names(1, 0..72));
    assert_ne!(store.identity().store_id, identity.store_id);
    assert!(store.identity().epoch > identity.epoch);
    commit_slices(&mut store, 1, 72..80).unwrap();
    assert_eq!(readable(&store), names(1, 0..80));
    drop(store);
    // Neither over a store nor beside anything else.
    let refused = restore(&place("backup"), &place("new"), &options()).unwrap_err();
    assert!(matches!(refused, StoreError::NotEmpty { .. }), "{refused}");
    let refused = restore(&place("data"), &place("newer"), &options()).unwrap_err();
    assert!(matches!(refused, StoreError::NotEmpty { .. }), "{refused}");
    let refused = backup(&place("new"), &place("backup"), how, &options()).unwrap_err();
    assert!(matches!(refused, StoreError::NotEmpty { .. }), "{refused}");
    let refused = backup(&place("new"), &place("data"), how, &options()).unwrap_err();
    assert!(matches!(refused, StoreError::NotEmpty { .. }), "{refused}");
}

#[test]
fn a_backup_that_is_not_as_written_is_not_restored() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    drop(filled(&place("data"), 30));
    let how = BackupOptions { hand_over: false, link: true };
    backup(&place("data"), &place("backup"), how, &options()).unwrap();
    for path in contents(&place("backup")).into_keys() {
        copy(&place("backup"), &place("spoilt"));
        let path = place("spoilt").join(path.strip_prefix(place("backup")).unwrap());
        let middle = std::fs::metadata(&path).unwrap().len() / 2;
        // A copy, not the link.
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, bytes).unwrap();
        flip(&path, middle);
        let refused = restore(&place("spoilt"), &place("new"), &options()).unwrap_err();
        assert!(matches!(refused, StoreError::Damaged { .. }), "{}: {refused}", path.display());
        assert!(!place("new").exists());
        std::fs::remove_dir_all(place("spoilt")).unwrap();
    }
    restore(&place("backup"), &place("new"), &options()).unwrap();
}

#[test]
fn a_final_backup_hands_the_store_over_once() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let store = filled(&place("data"), 30);
    let (before, identity) = (digests(&store), store.identity());
    let leases = store.recover().unwrap()[0].leases.clone();
    drop(store);
    let how = BackupOptions { hand_over: true, link: false };
    assert!(backup(&place("data"), &place("backup"), how, &options()).unwrap().is_final);
    for refused in [
        SledStore::open(&place("data"), options()).map(drop),
        rebuild(&place("data"), &options()).map(drop),
        check(&place("data"), false).map(drop),
        repair(&place("data"), true, &options()).map(drop),
    ] {
        assert!(matches!(refused, Err(StoreError::HandedOver { .. })), "{refused:?}");
    }
    let restored = restore(&place("backup"), &place("new"), &options()).unwrap();
    assert!(restored.keeps_identity);
    let store = open(&place("new"));
    assert_eq!(store.identity().store_id, identity.store_id);
    assert!(store.identity().epoch > identity.epoch);
    assert_eq!(digests(&store), before);
    assert_eq!(store.recover().unwrap()[0].leases, leases, "workers that hold them go on");
    // The second life of the same backup is another store.
    let second = restore(&place("backup"), &place("second"), &options()).unwrap();
    assert!(!second.keeps_identity);
    let second = open(&place("second"));
    assert_ne!(second.identity().store_id, identity.store_id);
    assert_eq!((digests(&second), &second.recover().unwrap()[0].leases[..]), (before, &[][..]));
}
