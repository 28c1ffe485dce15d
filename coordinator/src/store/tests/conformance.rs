//! What every store must do, run on both.

use fulldeck_job::record::Codec;
use fulldeck_job::{Digest, Fingerprint, MAX_SLICES, SliceId};

use super::fixture::*;
use crate::store::disk::Disk;
use crate::store::*;

/// Something a store can be opened on again and again.
trait Medium {
    fn open(&self) -> Result<Box<dyn Store>, StoreError>;
    fn set_full(&self, full: bool);
    /// Destroys everything that can be rebuilt.
    fn lose_index(&self);
}

struct Memory(MemoryDisk);

impl Medium for Memory {
    fn open(&self) -> Result<Box<dyn Store>, StoreError> {
        Ok(Box::new(MemoryStore::open(&self.0)?))
    }

    fn set_full(&self, full: bool) {
        self.0.set_full(full);
    }

    fn lose_index(&self) {}
}

struct Folder(tempfile::TempDir, Disk);

impl Medium for Folder {
    fn open(&self) -> Result<Box<dyn Store>, StoreError> {
        Ok(Box::new(SledStore::open_on(self.1.clone(), self.0.path(), &options())?))
    }

    fn set_full(&self, full: bool) {
        self.1.interruption.set_full(full);
    }

    fn lose_index(&self) {
        let indexes = files(self.0.path(), |name| name.starts_with("index."));
        indexes.iter().for_each(|index| std::fs::remove_dir_all(index).unwrap());
    }
}

macro_rules! conformance {
    ($($name:ident,)*) => {
        mod memory {
            $(#[test] fn $name() {
                super::$name(&super::Memory(super::MemoryDisk::new([7; 16])));
            })*
        }
        mod on_disk {
            $(#[test] fn $name() {
                let folder = tempfile::tempdir().unwrap();
                super::$name(&super::Folder(folder, super::Disk::default()));
            })*
        }
    };
}

conformance! {
    a_fresh_store_is_empty,
    what_was_committed_is_there_again,
    no_epoch_and_no_start_comes_twice,
    an_equal_duplicate_is_answered_with_the_first,
    another_digest_is_refused,
    a_commit_is_all_or_nothing,
    contradictions_are_refused,
    only_one_can_have_it_open,
    an_error_poisons_it_until_it_is_opened_again,
    after_an_error_the_same_life_goes_on,
    leases_are_kept_until_they_end,
    a_discarded_slice_can_be_committed_again,
    a_wrong_result_is_replaced,
    decisions_are_kept_and_the_last_one_holds,
    a_lost_index_costs_only_leases,
    the_reader_believes_only_what_was_committed,
    many_slices_in_many_commits,
}

fn with_run(medium: &dyn Medium) -> Box<dyn Store> {
    let mut store = medium.open().unwrap();
    store.commit(&[Change::NewRun(run(1))]).unwrap();
    store
}

fn a_fresh_store_is_empty(medium: &dyn Medium) {
    let store = medium.open().unwrap();
    assert_eq!(store.identity().epoch, 1);
    assert_eq!(store.recover().unwrap(), []);
}

fn what_was_committed_is_there_again(medium: &dyn Medium) {
    let mut store = with_run(medium);
    let places = commit_slices(&mut *store, 1, 0..30).unwrap();
    assert_eq!(places.len(), 30);
    let run_and_result =
        [Change::NewRun(run(2)), Change::Result(result(store.identity().store_id, 2, 7))];
    assert_eq!(store.commit(&run_and_result).unwrap().len(), 1);
    let before = store.recover().unwrap();
    let bytes = store.stored_bytes();
    drop(store);
    let store = medium.open().unwrap();
    assert_eq!(store.recover().unwrap(), before);
    assert_eq!(before[0].record, run(1));
    assert_eq!(readable(&*store), [names(1, 0..30), names(2, 7..8)].concat());
    assert!(store.stored_bytes() >= bytes && bytes > 0);
}

fn no_epoch_and_no_start_comes_twice(medium: &dyn Medium) {
    let lives: Vec<_> = (0..4).map(|_| medium.open().unwrap().identity()).collect();
    for pair in lives.windows(2) {
        assert_eq!(pair[0].store_id, pair[1].store_id);
        assert!(pair[0].epoch < pair[1].epoch);
        assert_ne!(pair[0].start_id, pair[1].start_id);
    }
}

fn an_equal_duplicate_is_answered_with_the_first(medium: &dyn Medium) {
    let mut store = with_run(medium);
    let first = commit_slices(&mut *store, 1, 0..3).unwrap();
    let bytes = store.stored_bytes();
    assert_eq!(commit_slices(&mut *store, 1, 0..3).unwrap(), first);
    assert_eq!(store.stored_bytes(), bytes);
    // Twice in one commit.
    let twice = result(store.identity().store_id, 1, 5);
    let places = store.commit(&[Change::Result(twice.clone()), Change::Result(twice)]).unwrap();
    assert_eq!(places[0], places[1]);
    drop(store);
    let store = medium.open().unwrap();
    assert_eq!(readable(&*store), [names(1, 0..3), names(1, 5..6)].concat());
}

fn another_digest_is_refused(medium: &dyn Medium) {
    let mut store = with_run(medium);
    commit_slices(&mut *store, 1, 0..1).unwrap();
    let mut other = result(store.identity().store_id, 1, 0);
    other.digest = Digest::of(b"other");
    let error = store.commit(&[Change::Result(other)]).unwrap_err();
    assert!(matches!(error, StoreError::Refused(_)), "{error}");
    drop(store);
    assert_eq!(readable(&*medium.open().unwrap()), names(1, 0..1));
}

fn a_commit_is_all_or_nothing(medium: &dyn Medium) {
    let mut store = with_run(medium);
    let store_id = store.identity().store_id;
    let changes = [0, 3, 4].map(|slice| Change::Result(result(store_id, 1, slice)));
    let unknown_run = Change::Result(result(store_id, 9, 0));
    let error = store.commit(&[&changes[..], &[unknown_run]].concat()).unwrap_err();
    assert!(error.to_string().contains("no run 9"), "{error}");
    drop(store);
    assert_eq!(readable(&*medium.open().unwrap()), []);
}

fn contradictions_are_refused(medium: &dyn Medium) {
    with_run(medium);
    let wrong: [fn(&mut NewResult); 7] = [
        |result| result.fingerprint = Fingerprint([0; 32]),
        |result| result.token.store_id = [1; 16],
        |result| result.slice.id = SliceId(MAX_SLICES),
        |result| result.raw_bytes = u64::MAX,
        |result| result.raw_bytes = 0,
        |result| (result.codec, result.raw_bytes) = (Codec::Raw, 5000),
        |result| result.run = 2,
    ];
    for spoil in wrong {
        let mut store = medium.open().unwrap();
        let mut result = result(store.identity().store_id, 1, 0);
        spoil(&mut result);
        let error = store.commit(&[Change::Result(result)]).unwrap_err();
        assert!(matches!(error, StoreError::Refused(_)), "{error}");
    }
    let refused = |change: Change| {
        let error = medium.open().unwrap().commit(&[change]).unwrap_err();
        assert!(matches!(error, StoreError::Refused(_)), "{error}");
    };
    refused(Change::NewRun(run(1)));
    refused(Change::NewRun(run(0)));
    refused(Change::NewRun(RunRecord { parameters: "x".repeat(1 << 20), ..run(3) }));
    refused(Change::Discard { run: 1, slice: SliceId(0) });
    refused(Change::Leases(vec![lease([7; 16], 2, 0, 1)]));
    let many = vec![Change::Leases(Vec::new()); MAX_COMMIT_CHANGES + 1];
    assert!(matches!(medium.open().unwrap().commit(&many), Err(StoreError::Refused(_))));
    assert_eq!(committed(&*medium.open().unwrap()).len(), 0);
}

fn only_one_can_have_it_open(medium: &dyn Medium) {
    let first = medium.open().unwrap();
    assert!(matches!(medium.open(), Err(StoreError::Locked { .. })));
    drop(first);
    medium.open().unwrap();
}

fn an_error_poisons_it_until_it_is_opened_again(medium: &dyn Medium) {
    let mut store = with_run(medium);
    commit_slices(&mut *store, 1, 0..4).unwrap();
    medium.set_full(true);
    let error = commit_slices(&mut *store, 1, 4..8).unwrap_err();
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    medium.set_full(false);
    assert!(matches!(commit_slices(&mut *store, 1, 4..8), Err(StoreError::Poisoned { .. })));
    assert!(matches!(store.recover(), Err(StoreError::Poisoned { .. })));
    drop(store);
    let mut store = medium.open().unwrap();
    assert_eq!(readable(&*store)[..4], names(1, 0..4));
    commit_slices(&mut *store, 1, 4..8).unwrap();
    assert_eq!(readable(&*store), names(1, 0..8));
}

fn after_an_error_the_same_life_goes_on(medium: &dyn Medium) {
    let mut store = with_run(medium);
    commit_slices(&mut *store, 1, 0..4).unwrap();
    let open = lease(store.identity().store_id, 1, 9, 1);
    store.commit(&[Change::Leases(vec![open.clone()])]).unwrap();
    let identity = store.identity();
    for round in 1..4 {
        let slices = round * 4..round * 4 + 4;
        medium.set_full(true);
        commit_slices(&mut *store, 1, slices.clone()).unwrap_err();
        assert!(matches!(store.reopen(), Err(StoreError::DiskFull { .. })));
        assert!(matches!(store.recover(), Err(StoreError::Poisoned { .. })));
        medium.set_full(false);
        store.reopen().unwrap();
        assert_eq!(store.identity(), identity);
        assert!(matches!(medium.open(), Err(StoreError::Locked { .. })), "the lock was kept");
        assert_eq!(readable(&*store), names(1, 0..slices.start));
        if slices.start <= 9 {
            assert_eq!(store.recover().unwrap()[0].leases, std::slice::from_ref(&open));
        }
        commit_slices(&mut *store, 1, slices).unwrap();
    }
    drop(store);
    let store = medium.open().unwrap();
    assert_eq!(readable(&*store), names(1, 0..16));
    assert!(store.identity().epoch > identity.epoch);
}

fn leases_are_kept_until_they_end(medium: &dyn Medium) {
    let mut store = with_run(medium);
    let store_id = store.identity().store_id;
    let of = |slice, sequence| lease(store_id, 1, slice, sequence);
    let granted = [of(0, 1), of(1, 2), of(2, 3), of(2, 4), of(2, 5), of(3, 6)];
    store.commit(&[Change::Leases(granted.to_vec())]).unwrap();
    let prolonged = LeaseRecord { deadline_ms: 99, ..of(3, 6) };
    store
        .commit(&[
            Change::EndLeases(vec![of(1, 2), of(1, 77)]),
            Change::Result(result(store_id, 1, 0)),
            Change::Leases(vec![prolonged.clone()]),
        ])
        .unwrap();
    // Of three leases of slice 2 the oldest was displaced.
    let expected = vec![of(2, 4), of(2, 5), prolonged];
    assert_eq!(store.recover().unwrap()[0].leases, expected);
    drop(store);
    assert_eq!(medium.open().unwrap().recover().unwrap()[0].leases, expected);
}

fn a_discarded_slice_can_be_committed_again(medium: &dyn Medium) {
    let mut store = with_run(medium);
    let first = commit_slices(&mut *store, 1, 0..4).unwrap();
    store.commit(&[Change::Discard { run: 1, slice: SliceId(2) }]).unwrap();
    drop(store);
    medium.lose_index();
    let mut store = medium.open().unwrap();
    assert_eq!(readable(&*store), [names(1, 0..2), names(1, 3..4)].concat());
    let second = commit_slices(&mut *store, 1, 2..3).unwrap();
    assert_ne!(first[2], second[0]);
    drop(store);
    assert_eq!(committed(&*medium.open().unwrap())[&(1, 2)].place, second[0]);
    medium.lose_index();
    assert_eq!(readable(&*medium.open().unwrap()), names(1, 0..4));
}

fn a_wrong_result_is_replaced(medium: &dyn Medium) {
    let mut store = with_run(medium);
    commit_slices(&mut *store, 1, 0..3).unwrap();
    let mut right = result(store.identity().store_id, 1, 1);
    let raw = vec![9; right.raw_bytes as usize];
    right.digest = Digest::of(&raw);
    (right.codec, right.stored) = (Codec::Raw, raw.into());
    let places = store.commit(&[Change::Replace(right.clone())]).unwrap();
    assert_eq!(store.commit(&[Change::Replace(right.clone())]).unwrap(), places, "stored once");
    for lost in [false, true] {
        drop(store);
        if lost {
            medium.lose_index();
        }
        store = medium.open().unwrap();
        let committed = store.recover().unwrap()[0].committed.clone();
        assert_eq!(committed.len(), 3);
        assert_eq!((committed[1].1.digest, committed[1].1.place), (right.digest, places[0]));
    }
    let read = store.reader().read(&places[0], &right.digest).unwrap();
    assert_eq!(read, vec![9; right.raw_bytes as usize]);
}

fn decisions_are_kept_and_the_last_one_holds(medium: &dyn Medium) {
    let mut store = with_run(medium);
    let decide = |store: &mut dyn Store, decision| {
        store.commit(&[Change::Decision { run: 1, decision }]).unwrap();
    };
    let park = |slice| Decision::Park { slice: SliceId(slice), reason: format!("no {slice}") };
    for decision in [
        park(3),
        Decision::Cancel,
        park(4),
        park(5),
        Decision::Retry { slice: SliceId(3) },
        Decision::Doubt { slice: SliceId(7) },
        Decision::Doubt { slice: SliceId(8) },
        Decision::Confirm { slice: SliceId(7) },
        Decision::Pause,
    ] {
        decide(&mut *store, decision);
    }
    // Results enough for further segments; one of them is of a parked slice.
    commit_slices(&mut *store, 1, 5..60).unwrap();
    let before = store.recover().unwrap();
    let decided = &before[0].decided;
    assert_eq!(decided.control, RunControl::Paused);
    assert_eq!(decided.parked, [(SliceId(4), "no 4".to_owned())].into());
    assert_eq!(decided.doubted, [SliceId(8)].into());
    for lost in [false, true] {
        drop(store);
        if lost {
            medium.lose_index();
        }
        store = medium.open().unwrap();
        assert_eq!(store.recover().unwrap()[0].decided, *decided);
    }
    decide(&mut *store, Decision::Open);
    drop(store);
    assert_eq!(medium.open().unwrap().recover().unwrap()[0].decided.control, RunControl::Open);
    let unknown = [Change::Decision { run: 9, decision: Decision::Open }];
    assert!(matches!(medium.open().unwrap().commit(&unknown), Err(StoreError::Refused(_))));
}

fn a_lost_index_costs_only_leases(medium: &dyn Medium) {
    let mut store = with_run(medium);
    for first in [0, 20, 40] {
        commit_slices(&mut *store, 1, first..first + 20).unwrap();
    }
    let before = store.recover().unwrap();
    let epoch = store.identity().epoch;
    drop(store);
    medium.lose_index();
    let store = medium.open().unwrap();
    assert_eq!(store.recover().unwrap(), before);
    assert!(store.identity().epoch > epoch);
}

fn the_reader_believes_only_what_was_committed(medium: &dyn Medium) {
    let mut store = with_run(medium);
    let places = commit_slices(&mut *store, 1, 0..4).unwrap();
    let reader = store.reader();
    let digest = Digest::of(&raw(1, 3));
    // While the store is open, and after it was closed.
    assert_eq!(reader.read(&places[3], &digest).unwrap(), raw(1, 3));
    drop(store);
    assert_eq!(reader.clone().read(&places[3], &digest).unwrap(), raw(1, 3));
    let place = places[3];
    for wrong in [
        Place { offset: places[2].offset, ..place },
        Place { offset: place.offset + 1, ..place },
        Place { offset: 1 << 40, ..place },
        Place { segment: 77, ..place },
        Place { stored_bytes: place.stored_bytes - 1, ..place },
        Place { stored_bytes: u32::MAX, ..place },
    ] {
        let error = reader.read(&wrong, &digest).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{wrong:?}: {error}");
    }
    assert!(reader.read(&place, &Digest::of(b"other")).is_err());
}

fn many_slices_in_many_commits(medium: &dyn Medium) {
    let mut store = with_run(medium);
    for first in (0..6000).step_by(1500) {
        commit_slices(&mut *store, 1, first..first + 1500).unwrap();
    }
    let before = committed(&*store);
    assert_eq!(before.len(), 6000);
    drop(store);
    assert_eq!(committed(&*medium.open().unwrap()), before);
    medium.lose_index();
    assert_eq!(committed(&*medium.open().unwrap()), before);
}
