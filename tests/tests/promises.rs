//! The page of promises names tests that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the workspace").to_owned()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the workspace") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            sources(&path, found);
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

/// Names of all functions behind `#[test]` or a macro of it.
fn tests() -> BTreeSet<String> {
    let mut files = Vec::new();
    sources(&root(), &mut files);
    let texts = files.iter().map(|file| fs::read_to_string(file).expect("a source"));
    let mut names = BTreeSet::new();
    for text in texts {
        let mut is_test = false;
        for line in text.lines().map(str::trim) {
            if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
                is_test = true;
            } else if let Some(rest) = line.split("fn ").nth(1).filter(|_| is_test) {
                names.insert(rest.split('(').next().unwrap_or_default().to_owned());
                is_test = false;
            }
        }
    }
    names
}

#[test]
fn every_promise_names_tests_that_exist() {
    let page = fs::read_to_string(root().join("docs/guide/promises.md")).unwrap();
    let rows: Vec<_> = page.lines().filter(|line| is_row(line)).collect();
    assert_eq!(rows.len(), 10);
    let tests = tests();
    for row in rows {
        let named: Vec<_> = row.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "{row}");
        for name in named {
            assert!(tests.contains(name), "there is no test '{name}'");
        }
    }
}

fn is_row(line: &str) -> bool {
    line.strip_prefix("| ")
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}
