//! Damage anywhere, and then the commands: each says what is wrong or refuses in words, and afterwards the store is whole
//! once more.

use std::collections::BTreeSet;
use std::path::Path;

use super::care::filled;
use super::damage::{all_files, spoil};
use super::fixture::*;
use crate::store::care::*;
use crate::store::*;

const SLICES: u32 = 60;
const CASES: u64 = 100;
/// Number of cases of the long test.
const COUNT: &str = "FULLDECK_DAMAGE_CASES";
const LONG_CASES: u64 = 20_000;
/// Cases between two lines about the progress.
const TOLD_EVERY: u64 = 250;

/// What became of the cases.
#[derive(Debug, Default)]
struct Tally {
    cases: u64,
    refused: u64,
    lossy: u64,
    clean: u64,
}

fn refusal(error: &StoreError, case: &str) {
    let in_words = matches!(error, StoreError::Damaged { .. } | StoreError::Format { .. });
    assert!(in_words, "{case}: {error}");
}

/// Spoils one file of a copy, and takes care of it by the commands.
fn survive(origin: &Path, seed: u64, tally: &mut Tally) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    copy(origin, &data);
    let mut choices = Choices(seed);
    let files = all_files(&data);
    let path = &files[choices.below(files.len())];
    let what = spoil(path, &mut choices);
    let case = format!("case {seed}: {what} {}", path.display());
    tally.cases += 1;

    if let Err(error) = stat(&data) {
        refusal(&error, &case);
    }
    let checked = check(&data, true);
    match &checked {
        Ok(_) => {}
        Err(error) => refusal(error, &case),
    }
    let repaired = match repair(&data, true, &options()) {
        Ok(repaired) => repaired,
        Err(error) => {
            refusal(&error, &case);
            let is_head = matches!(error, StoreError::Format { .. });
            assert!(is_head, "{case}: only another version is beyond repair, not {error}");
            tally.refused += 1;
            return;
        }
    };
    let named: BTreeSet<_> = repaired.lost.iter().copied().collect();
    let mut store = SledStore::open(&data, options()).unwrap_or_else(|e| panic!("{case}: {e}"));
    let found: BTreeSet<_> = readable(&store).into_iter().collect();
    let complete: BTreeSet<_> = names(1, 0..SLICES).into_iter().collect();
    let lost: BTreeSet<_> = complete.difference(&found).copied().collect();
    assert!(lost.is_subset(&named), "{case}: lost {lost:?}, named {named:?}");
    let is_segment = path.parent().unwrap().ends_with("segments");
    assert!(is_segment || lost.is_empty(), "{case}: lost {lost:?}");
    if let Ok(checked) = &checked {
        assert!(lost.is_empty() || checked.is_damaged(), "{case}: {checked:?}");
    }
    tally.lossy += u64::from(!lost.is_empty());
    tally.clean += u64::from(repaired.actions.is_empty());

    if store.recover().unwrap().is_empty() {
        store.commit(&[Change::NewRun(run(1))]).unwrap();
    }
    commit_slices(&mut store, 1, 0..SLICES).unwrap();
    drop(store);
    // Compacting takes the damaged segments away; then nothing is left to be found.
    compact(&data, &options()).unwrap_or_else(|e| panic!("{case}: {e}"));
    let left = check(&data, true).unwrap();
    assert_eq!(left.findings, [], "{case}");
    let how = BackupOptions::default();
    backup(&data, &folder.path().join("backup"), how, &options()).unwrap();
    restore(&folder.path().join("backup"), &folder.path().join("new"), &options()).unwrap();
    assert_eq!(readable(&open(&folder.path().join("new"))), names(1, 0..SLICES), "{case}");
}

fn all(cases: std::ops::Range<u64>) -> Tally {
    let folder = tempfile::tempdir().unwrap();
    let origins = [false, true].map(|reopened| {
        let origin = folder.path().join(format!("origin-{reopened}"));
        drop(filled(&origin, SLICES));
        if reopened {
            drop(open(&origin));
        }
        origin
    });
    let mut tally = Tally::default();
    for seed in cases {
        survive(&origins[seed as usize % 2], seed, &mut tally);
        if tally.cases % TOLD_EVERY == 0 {
            eprintln!("{tally:?}");
        }
    }
    tally
}

#[test]
fn whatever_is_damaged_the_commands_find_it_and_make_it_whole() {
    let tally = all(0..CASES);
    assert!(tally.lossy > 10 && tally.clean > 2, "the cases are too tame: {tally:?}");
}

/// `FULLDECK_DAMAGE_CASES` sets the number of cases.
#[test]
#[ignore = "takes long"]
fn whatever_is_damaged_very_often() {
    let count = std::env::var(COUNT).ok().and_then(|count| count.parse().ok());
    let started = std::time::Instant::now();
    let tally = all(CASES..CASES + count.unwrap_or(LONG_CASES));
    eprintln!("{tally:?} in {:.0?}", started.elapsed());
}
