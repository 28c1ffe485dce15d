//! Bytes of any file change: the store opens or refuses in words, and believes nothing wrong.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::fixture::*;
use crate::store::*;

const SLICES: u32 = 60;
const CASES: u64 = 120;

/// A store of several segments; `reopened` stores have a snapshot that covers the index.
fn build(folder: &Path, reopened: bool) {
    let mut store = open(folder);
    store.commit(&[Change::NewRun(run(1))]).unwrap();
    for first in (0..SLICES).step_by(6) {
        commit_slices(&mut store, 1, first..first + 6).unwrap();
    }
    let id = store.identity().store_id;
    store.commit(&[Change::Leases(vec![lease(id, 1, 99, 1)])]).unwrap();
    drop(store);
    if reopened {
        drop(open(folder));
    }
}

pub(super) fn all_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in files_and_folders(folder) {
        if path.is_dir() { files.extend(all_files(&path)) } else { files.push(path) }
    }
    files
}

fn files_and_folders(folder: &Path) -> Vec<PathBuf> {
    files(folder, |name| name != "LOCK")
}

/// Spoils one file; tells what was done.
pub(super) fn spoil(path: &Path, choices: &mut Choices) -> &'static str {
    let mut bytes = std::fs::read(path).unwrap();
    let at = choices.below(bytes.len().max(1));
    let end = (at + 1 + choices.below(8192)).min(bytes.len());
    let what = match choices.below(6) {
        _ if bytes.is_empty() => "appended to",
        0 | 1 => {
            bytes[at] ^= 1 << choices.below(8);
            "flipped a bit of"
        }
        2 => {
            bytes[at..end].fill(0);
            "zeroed a part of"
        }
        3 => {
            bytes.truncate(at);
            "cut"
        }
        4 => {
            std::fs::remove_file(path).unwrap();
            return "deleted";
        }
        _ => "appended to",
    };
    if what == "appended to" {
        bytes.extend((0..choices.below(500)).map(|n| n as u8));
    }
    std::fs::write(path, bytes).unwrap();
    what
}

/// Which slices a store believes; each is either as it was committed, or known to be unreadable when asked for.
fn believed(store: &SledStore, verified: bool, case: &str) -> BTreeSet<(u32, u32)> {
    let reader = store.reader();
    let mut slices = BTreeSet::new();
    for ((run, slice), known) in committed(store) {
        match reader.read(&known.place, &known.digest) {
            Ok(read) => assert_eq!(read, raw(run, slice), "{case}"),
            Err(StoreError::Damaged { .. }) if !verified => {}
            Err(error) => panic!("{case}: {error}"),
        }
        slices.insert((run, slice));
    }
    slices
}

#[test]
fn damage_anywhere_is_survived_or_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let origins = [false, true].map(|reopened| {
        let origin = folder.path().join(format!("origin-{reopened}"));
        build(&origin, reopened);
        assert!(segment_files(&origin).len() > 3, "several segments are there to be damaged");
        origin
    });
    let complete: BTreeSet<_> = names(1, 0..SLICES).into_iter().collect();
    let (mut refused, mut lossy, mut rebuilt) = (0, 0, 0);
    for seed in 0..CASES {
        let mut choices = Choices(seed);
        let copied = folder.path().join(format!("case-{seed}"));
        copy(&origins[choices.below(2)], &copied);
        let files = all_files(&copied);
        let path = &files[choices.below(files.len())];
        let what = spoil(path, &mut choices);
        let case = format!("case {seed}: {what} {}", path.display());
        let verify_payloads = seed % 2 == 0;
        let spoiled = OpenOptions { verify_payloads, ..options() };
        let mut store = match SledStore::open(&copied, spoiled) {
            Ok(store) => store,
            Err(StoreError::Damaged { .. } | StoreError::Format { .. }) => {
                assert!(path.ends_with("STORE"), "{case}: only its identity is beyond repair");
                refused += 1;
                continue;
            }
            Err(error) => panic!("{case}: {error}"),
        };
        let found = believed(&store, verify_payloads, &case);
        rebuilt += usize::from(store.recovery().rebuilt.is_some());
        let named: BTreeSet<_> = store
            .recovery()
            .damaged
            .iter()
            .filter_map(|damage| damage.slice.map(|(run, slice)| (run, slice.0)))
            .collect();
        let lost: BTreeSet<_> = complete.difference(&found).copied().collect();
        assert!(found.is_subset(&complete), "{case}");
        assert!(lost.is_subset(&named), "{case}: lost {lost:?}, named {named:?}");
        let is_segment = path.parent().unwrap().ends_with("segments");
        assert!(is_segment || lost.is_empty(), "{case}: lost {lost:?}");
        lossy += usize::from(!lost.is_empty());

        // The lost ones are computed again, and then the store is whole.
        if store.recover().unwrap().is_empty() {
            store.commit(&[Change::NewRun(run(1))]).unwrap();
        }
        let reader = store.reader();
        let unreadable = committed(&store)
            .into_iter()
            .filter(|(_, known)| reader.read(&known.place, &known.digest).is_err());
        for ((run, slice), _) in unreadable.collect::<Vec<_>>() {
            let slice = fulldeck_job::SliceId(slice);
            store.commit(&[Change::Discard { run, slice }]).unwrap();
        }
        commit_slices(&mut store, 1, 0..SLICES).unwrap();
        let epoch = store.identity().epoch;
        drop(store);
        let store = SledStore::open(&copied, OpenOptions { verify_payloads: true, ..options() });
        let store = store.unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(readable(&store), names(1, 0..SLICES), "{case}");
        assert_eq!(store.recovery().rebuilt, None, "{case}");
        assert!(store.identity().epoch > epoch, "{case}");
        drop(store);
        std::fs::remove_dir_all(&copied).unwrap();
    }
    assert!(
        refused > 0 && lossy > 5 && rebuilt > 5,
        "the cases are too tame: {refused} refused, {lossy} with losses, {rebuilt} rebuilt"
    );
}
