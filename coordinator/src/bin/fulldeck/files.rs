//! Files that appear whole or not at all.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;

use crate::error::CliError;

/// Writes a file beside its place and moves it there; one that is there is replaced.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".tmp");
    let written = path.with_file_name(name);
    let outcome = fs::File::create(&written)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&written, path));
    outcome.map_err(|error| {
        // What was begun is of no use; the first error is the one that is told.
        let _ = fs::remove_file(&written);
        CliError::usage(format!("cannot write {}: {error}", path.display()))
    })
}
