//! The process dies at the first, second, third ... call that changes the disk.

use std::collections::BTreeSet;
use std::mem::forget;
use std::path::Path;

use fulldeck_job::SliceId;

use super::fixture::*;
use crate::store::disk::Disk;
use crate::store::*;

/// What had been acknowledged when the process died.
#[derive(Default)]
struct Acknowledged {
    run: bool,
    slices: BTreeSet<(u32, u32)>,
    discarded: bool,
    epochs: Vec<u64>,
}

impl Acknowledged {
    fn open(&mut self, folder: &Path, disk: &Disk) -> Result<SledStore, StoreError> {
        let store = SledStore::open_on(disk.clone(), folder, &options())?;
        self.epochs.push(store.identity().epoch);
        Ok(store)
    }

    fn commit(&mut self, store: &mut SledStore, slices: std::ops::Range<u32>) -> bool {
        let done = commit_slices(store, 1, slices.clone()).is_ok();
        if done {
            self.slices.extend(names(1, slices));
        }
        done
    }
}

/// A short life: a run, results over several segments, leases, a discard, an orderly end, another start. Stops at the
/// first error. The store is not closed then, as nobody closes it when a process dies.
fn live(folder: &Path, disk: &Disk, acknowledged: &mut Acknowledged) {
    let Ok(mut store) = acknowledged.open(folder, disk) else { return };
    let id = store.identity().store_id;
    acknowledged.run = store.commit(&[Change::NewRun(run(1))]).is_ok();
    let mut goes_on = acknowledged.run
        && acknowledged.commit(&mut store, 0..6)
        && acknowledged.commit(&mut store, 6..18)
        && store.commit(&[Change::Leases(vec![lease(id, 1, 30, 1)])]).is_ok();
    if goes_on {
        // Whether it counts is open until it is acknowledged.
        acknowledged.slices.remove(&(1, 3));
        let discard = Change::Discard { run: 1, slice: SliceId(3) };
        goes_on = store.commit(&[discard]).is_ok();
        acknowledged.discarded = goes_on;
    }
    if !goes_on {
        return forget(store);
    }
    drop(store);
    let Ok(mut store) = acknowledged.open(folder, disk) else { return };
    if !acknowledged.commit(&mut store, 18..26) {
        forget(store);
    }
}

/// What may become of bytes that were never synced.
#[derive(Clone, Copy, Debug)]
enum Unsynced {
    Kept,
    Cut,
    Zeroed,
    Noise,
}

/// Lets the bytes of all segments of `live` that were never synced meet their fate in the copy `dead`.
fn lose_unsynced(live: &Path, dead: &Path, disk: &Disk, unsynced: Unsynced) {
    let mut choices = Choices(1);
    for path in segment_files(dead) {
        let name = Path::new("segments").join(path.file_name().unwrap());
        let keep = disk.interruption.synced_bytes(&live.join(name)) as usize;
        let mut bytes = std::fs::read(&path).unwrap();
        let keep = keep.min(bytes.len());
        match unsynced {
            Unsynced::Kept => {}
            Unsynced::Cut => bytes.truncate(keep),
            Unsynced::Zeroed => bytes[keep..].fill(0),
            Unsynced::Noise => bytes[keep..].fill_with(|| choices.below(256) as u8),
        }
        std::fs::write(path, bytes).unwrap();
    }
}

/// Opens what the dead process left behind, and checks that it kept its word.
fn survive(folder: &Path, acknowledged: &Acknowledged, when: &str) {
    let mut store = open(folder);
    let found: BTreeSet<_> = readable(&store).into_iter().collect();
    let missing: Vec<_> = acknowledged.slices.difference(&found).collect();
    assert!(missing.is_empty(), "{when}: acknowledged and lost: {missing:?}");
    assert!(!acknowledged.discarded || !found.contains(&(1, 3)), "{when}: discarded and back");
    assert!(found.iter().all(|(run, slice)| *run == 1 && *slice < 26), "{when}");
    let epoch = store.identity().epoch;
    assert!(acknowledged.epochs.iter().all(|earlier| *earlier < epoch), "{when}");
    let runs = store.recover().unwrap();
    assert!(!acknowledged.run || runs.len() == 1, "{when}: the run is lost");
    // Life goes on, and what follows is clean.
    if runs.is_empty() {
        store.commit(&[Change::NewRun(run(1))]).unwrap();
    }
    commit_slices(&mut store, 1, 0..40).unwrap();
    drop(store);
    let verifying = OpenOptions { verify_payloads: true, ..options() };
    let store = SledStore::open(folder, verifying).unwrap();
    assert_eq!(readable(&store), names(1, 0..40), "{when}");
    assert_eq!(store.recovery().rebuilt, None, "{when}");
    assert_eq!(store.recovery().replayed, 0, "{when}");
}

#[test]
fn a_death_at_any_call_loses_nothing_acknowledged() {
    let fates = [Unsynced::Kept, Unsynced::Cut, Unsynced::Zeroed, Unsynced::Noise];
    let mut deaths = 0;
    for calls in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::default();
        disk.interruption.stop_after(calls);
        let mut acknowledged = Acknowledged::default();
        let alive = folder.path().join("alive");
        live(&alive, &disk, &mut acknowledged);
        if !disk.interruption.has_struck() {
            assert_eq!(acknowledged.slices.len(), 25, "the undisturbed life reaches its end");
            break;
        }
        deaths += 1;
        let unsynced = fates[calls as usize % fates.len()];
        let dead = folder.path().join("dead");
        if alive.exists() {
            copy(&alive, &dead);
            lose_unsynced(&alive, &dead, &disk, unsynced);
        }
        survive(&dead, &acknowledged, &format!("died after {calls} calls, rest {unsynced:?}"));
    }
    assert!(deaths > 60, "only {deaths} calls change the disk: some are not announced");
}

#[test]
fn a_death_at_any_call_of_a_repair_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (origin, disk) = (folder.path().join("origin"), Disk::default());
    let mut acknowledged = Acknowledged::default();
    live(&origin, &disk, &mut acknowledged);
    // An index with a foreign end, and a torn last segment.
    let last = segment_files(&origin).pop().unwrap();
    let mut bytes = std::fs::read(&last).unwrap();
    bytes.extend_from_slice(&[9; 100]);
    std::fs::write(&last, bytes).unwrap();
    let index = files(&origin, |name| name.starts_with("index.")).pop().unwrap();
    std::fs::write(index.join("db"), b"not a database").unwrap();
    for calls in 0.. {
        let (sick, dead) = (
            folder.path().join(format!("sick{calls}")),
            folder.path().join(format!("dead{calls}")),
        );
        copy(&origin, &sick);
        let disk = Disk::default();
        disk.interruption.stop_after(calls);
        let opened = SledStore::open_on(disk.clone(), &sick, &options());
        assert_eq!(opened.is_err(), disk.interruption.has_struck(), "{calls}: {opened:?}");
        copy(&sick, &dead);
        survive(&dead, &acknowledged, &format!("died after {calls} calls of the repair"));
        if opened.is_ok() {
            assert!(calls > 15, "only {calls} calls: some are not announced");
            break;
        }
    }
}

#[test]
fn a_full_disk_at_any_call_is_survived_by_the_same_process() {
    let mut failures = 0;
    for calls in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::default();
        let mut store = SledStore::open_on(disk.clone(), folder.path(), &options()).unwrap();
        store.commit(&[Change::NewRun(run(1))]).unwrap();
        disk.interruption.refuse_once_after(calls);
        for first in (0..30).step_by(6) {
            let slices = first..first + 6;
            while let Err(error) = commit_slices(&mut store, 1, slices.clone()) {
                assert!(matches!(error, StoreError::DiskFull { .. }), "{calls}: {error}");
                store.reopen().unwrap();
                failures += 1;
            }
        }
        assert_eq!(readable(&store), names(1, 0..30), "call {calls}");
        drop(store);
        let store = open(folder.path());
        assert!(store.recovery().is_clean(), "call {calls}: {:?}", store.recovery());
        assert_eq!(readable(&store), names(1, 0..30), "call {calls}");
        let indexes = files(folder.path(), |name| name.starts_with("index."));
        assert_eq!(indexes.len(), 1, "call {calls}: {indexes:?}");
        if !disk.interruption.has_struck() {
            break;
        }
    }
    assert!(failures > 20, "{failures} failures");
}
