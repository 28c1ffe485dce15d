//! Small files that hold secrets: read within bounds, written for their owner alone.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Only the owner reads and writes it.
const MODE: u32 = 0o600;
/// What others may do with a file.
const OTHERS: u32 = 0o077;
/// Most files that are remembered as warned about.
const MAX_WARNED: usize = 64;

/// Files whose mode was warned about: they are read again at every reconnect.
static WARNED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Reads a small text file, refusing a larger one.
pub(crate) fn read_bounded(path: &Path, limit: usize) -> io::Result<String> {
    read(&File::open(path)?, limit)
}

/// As [`read_bounded`], for a file that is nobody else's business: one that others can read or write is warned about,
/// once.
pub(crate) fn read_secret(path: &Path, limit: usize) -> io::Result<String> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let mode = metadata.permissions().mode() & 0o777;
    if metadata.is_file() && mode & OTHERS != 0 && is_first_warning(path) {
        let path = path.display();
        tracing::warn!("others can read or change {path} (mode {mode:03o}); chmod 600 {path}");
    }
    read(&file, limit)
}

fn read(file: &File, limit: usize) -> io::Result<String> {
    let mut text = String::new();
    file.take(limit as u64 + 1).read_to_string(&mut text)?;
    if text.len() > limit {
        return Err(io::Error::other(format!("it is longer than {limit} bytes")));
    }
    Ok(text)
}

fn is_first_warning(path: &Path) -> bool {
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    warned.len() < MAX_WARNED && warned.insert(path.to_owned())
}

/// Writes a file that its owner alone can read. Whoever reads it sees the old one or the new one, whole.
///
/// # Errors
/// What the system said; the old file is still there then.
pub fn write_secret(path: &Path, text: &str) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    // A left-over of a killed process may have any mode: never write a secret into it.
    if let Err(error) = fs::remove_file(&temporary)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(MODE)
        .open(&temporary)
        .and_then(|mut out| {
            // The umask may have taken bits away.
            out.set_permissions(fs::Permissions::from_mode(MODE))?;
            out.write_all(text.as_bytes())?;
            out.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = written {
        // The first error is the one to tell.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_for_the_owner_alone_and_read_within_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write_secret(&path, "new").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file stays");
        assert_eq!(read_secret(&path, 3).unwrap(), "new");
        assert!(read_secret(&path, 2).unwrap_err().to_string().contains("longer than 2 bytes"));
    }

    #[test]
    fn a_file_is_warned_about_once() {
        let path = Path::new("a file of this test alone");
        assert_eq!([is_first_warning(path), is_first_warning(path)], [true, false]);
    }
}
