//! A crash at any call of compacting, backing up, restoring and repairing leaves the old store or the new one.

use std::path::Path;

use super::care::{digests, filled, waste};
use super::fixture::*;
use crate::store::care::tests_only::{backup_on, compact_on, restore_on};
use crate::store::care::*;
use crate::store::disk::Disk;
use crate::store::*;

fn origin(folder: &Path) -> std::collections::BTreeMap<(u32, u32), fulldeck_job::Digest> {
    let mut store = filled(folder, 60);
    waste(&mut store, 0..45);
    store.commit(&[Change::Discard { run: 1, slice: fulldeck_job::SliceId(59) }]).unwrap();
    digests(&store)
}

/// Does something to copies of a folder, dying after every number of calls; `judge` looks at what is left.
fn at_every_call(
    origin: &Path,
    work: impl Fn(&Disk, &Path) -> Result<(), StoreError>,
    judge: impl Fn(&Path, bool, &str),
) -> u64 {
    for calls in 0.. {
        let sick = tempfile::tempdir().unwrap();
        let (alive, dead) = (sick.path().join("alive"), sick.path().join("dead"));
        copy(origin, &alive);
        let disk = Disk::default();
        disk.interruption.stop_after(calls);
        let outcome = work(&disk, &alive);
        let struck = disk.interruption.has_struck();
        assert!(struck || outcome.is_ok(), "{calls}: {outcome:?}");
        copy(&alive, &dead);
        judge(&dead, outcome.is_ok(), &format!("died after {calls} calls"));
        if !struck {
            return calls;
        }
    }
    unreachable!("it ends at some call")
}

#[test]
fn a_death_while_compacting_leaves_one_whole_store() {
    let folder = tempfile::tempdir().unwrap();
    let before = origin(folder.path());
    let calls = at_every_call(
        folder.path(),
        |disk, folder| compact_on(disk, folder, &options()).map(drop),
        |folder, _, when| {
            // Whoever only looks sees everything, whatever is finished.
            let looked = StoredRuns::open(folder, Sharing::Readers, std::time::Duration::ZERO);
            let looked = looked.unwrap().unwrap();
            for run in looked.runs() {
                for (slice, known) in &run.committed {
                    let read = looked.reader().read(&known.place, &known.digest).unwrap();
                    assert_eq!(read, raw(run.record.run, slice.0), "{when}");
                }
            }
            drop(looked);
            let mut store = open(folder);
            assert_eq!(digests(&store), before, "{when}");
            assert_eq!(readable(&store).len(), 59, "{when}");
            assert_eq!(store.recovery().damaged, [], "{when}");
            commit_slices(&mut store, 1, 59..60).unwrap();
            drop(store);
            compact(folder, &options()).unwrap();
            let store = open(folder);
            assert!(store.recovery().is_clean(), "{when}: {:?}", store.recovery());
            assert_eq!(readable(&store), names(1, 0..60), "{when}");
        },
    );
    assert!(calls > 40, "only {calls} calls: some are not announced");
}

#[test]
fn a_death_while_backing_up_leaves_the_earlier_backup_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let before = origin(&folder.path().join("data"));
    for hand_over in [false, true] {
        let how = BackupOptions { hand_over, link: false };
        let calls = at_every_call(
            folder.path(),
            |disk, folder| {
                backup_on(disk, &folder.join("data"), &folder.join("backup"), how, &options())
                    .map(drop)
            },
            |folder, _, when| {
                let (data, to) = (folder.join("data"), folder.join("backup"));
                // The same command ends it.
                backup(&data, &to, how, &options()).unwrap_or_else(|e| panic!("{when}: {e}"));
                let restored = restore(&to, &folder.join("new"), &options()).unwrap();
                assert_eq!(restored.keeps_identity, hand_over, "{when}");
                assert_eq!(digests(&open(&folder.join("new"))), before, "{when}");
                match SledStore::open(&data, options()) {
                    Ok(store) => assert!(!hand_over && digests(&store) == before, "{when}"),
                    Err(error) => {
                        assert!(matches!(error, StoreError::HandedOver { .. }), "{when}: {error}");
                        assert!(hand_over, "{when}");
                    }
                }
            },
        );
        assert!(calls > 30, "only {calls} calls: some are not announced");
    }
}

#[test]
fn a_death_while_restoring_leaves_no_half_store() {
    let folder = tempfile::tempdir().unwrap();
    let before = origin(&folder.path().join("data"));
    for hand_over in [false, true] {
        let how = BackupOptions { hand_over, link: false };
        let to = folder.path().join(format!("backup-{hand_over}"));
        backup(&folder.path().join("data"), &to, how, &options()).unwrap();
        let calls = at_every_call(
            &to,
            |disk, from| restore_on(disk, from, &from.with_file_name("new"), &options()).map(drop),
            |_, _, _| {},
        );
        assert!(calls > 20, "only {calls} calls: some are not announced");
        // Every call for one of them, every third for the other.
        for calls in (0..calls).step_by(if hand_over { 3 } else { 1 }) {
            let sick = tempfile::tempdir().unwrap();
            let (from, new) = (sick.path().join("backup"), sick.path().join("new"));
            copy(&to, &from);
            let disk = Disk::default();
            disk.interruption.stop_after(calls);
            restore_on(&disk, &from, &new, &options()).unwrap_err();
            let when = format!("died after {calls} calls");
            match SledStore::open(&new, options()) {
                // Nothing is there yet; what opening made is no store of ours.
                Ok(store) if store.recover().unwrap().is_empty() => {
                    assert!(!hand_over || calls < 12, "{when}");
                    continue;
                }
                Ok(store) => assert_eq!(digests(&store), before, "{when}"),
                Err(error) => {
                    assert!(error.to_string().contains("store restore"), "{when}: {error}");
                    let restored = restore(&from, &new, &options());
                    let restored = restored.unwrap_or_else(|e| panic!("{when}: {e}"));
                    assert_eq!(restored.keeps_identity, hand_over, "{when}");
                    let store = open(&new);
                    assert_eq!(digests(&store), before, "{when}");
                    assert!(store.recovery().is_clean(), "{when}: {:?}", store.recovery());
                }
            }
        }
    }
}
