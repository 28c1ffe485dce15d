//! What a folder of bundles holds, read by the format alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fulldeck_job::record::bundle::Bundle;

/// The files of a folder that end so, in order.
///
/// # Panics
/// If it cannot be read.
#[must_use]
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry of bundles").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == ending))
        .collect();
    files.sort();
    files
}

/// How often each slice is in the bundles of a folder, finished (`fdb`) or not (`part`). What a kill tore counts as not
/// there.
///
/// # Panics
/// If a finished bundle is not whole.
#[must_use]
pub fn held(folder: &Path) -> BTreeMap<u32, usize> {
    let mut held = BTreeMap::new();
    for ending in ["fdb", "part"] {
        for path in files(folder, ending) {
            let bytes = fs::read(&path).unwrap_or_default();
            let Ok(bundle) = Bundle::read(&bytes[..], bytes.len() as u64) else {
                assert_eq!(ending, "part", "{} cannot be read", path.display());
                continue;
            };
            assert!(bundle.damage.is_empty(), "{}: {:?}", path.display(), bundle.damage);
            assert_eq!(bundle.sealed, ending == "fdb", "{}", path.display());
            for result in bundle.results {
                *held.entry(result.slice).or_default() += 1;
            }
        }
    }
    held
}
