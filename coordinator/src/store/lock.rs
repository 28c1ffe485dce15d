//! One process at a time: an advisory lock on the file `LOCK`, which also says who holds it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{FlockOperation, flock};

use super::{Sharing, StoreError};

/// Name of the file.
const NAME: &str = "LOCK";
/// Pause between two attempts.
const RETRY_PAUSE: Duration = Duration::from_millis(50);
/// Most of `LOCK` that is read, in bytes.
const MAX_BYTES: u64 = 1024;

/// Held as long as the store is open.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock, trying for at most `wait`: a process that was just killed may hold it for some milliseconds.
    pub(super) fn acquire(folder: &Path, wait: Duration) -> Result<Self, StoreError> {
        let path = folder.join(NAME);
        let unusable = |source| StoreError::unusable(folder, source);
        loop {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(unusable)?;
            patiently(&mut file, folder, FlockOperation::NonBlockingLockExclusive, wait)?;
            // Who failed to make a store takes the file away again: a lock on that one keeps nobody out.
            if is_at(&file, &path).map_err(unusable)? {
                sign(&mut file).map_err(unusable)?;
                return Ok(Self { _file: file });
            }
        }
    }

    /// Keeps writers out of a folder that is only read, and writes nothing; `None` if no writer ever was there.
    pub(super) fn acquire_to_read(
        folder: &Path,
        sharing: Sharing,
        wait: Duration,
    ) -> Result<Option<Self>, StoreError> {
        let mut file = match File::open(folder.join(NAME)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|source| StoreError::unusable(folder, source))?,
        };
        let operation = match sharing {
            Sharing::Readers => FlockOperation::NonBlockingLockShared,
            Sharing::Alone => FlockOperation::NonBlockingLockExclusive,
        };
        patiently(&mut file, folder, operation, wait)?;
        Ok(Some(Self { _file: file }))
    }
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let held = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (held.dev(), held.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn patiently(
    file: &mut File,
    folder: &Path,
    operation: FlockOperation,
    wait: Duration,
) -> Result<(), StoreError> {
    let start = Instant::now();
    loop {
        match flock(&*file, operation) {
            Ok(()) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::WOULDBLOCK) if start.elapsed() >= wait => {
                let path = folder.to_owned();
                return Err(StoreError::Locked { path, holder: holder(file) });
            }
            Err(rustix::io::Errno::WOULDBLOCK) => std::thread::sleep(RETRY_PAUSE),
            Err(errno) => return Err(StoreError::io("lock", &folder.join(NAME), errno.into())),
        }
    }
}

fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn sign(file: &mut File) -> io::Result<()> {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "process {}\nhost {host}\nstarted {}\n", std::process::id(), seconds_since_1970())
}

/// Who holds the lock, in words, as far as the file says.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    if file.rewind().and_then(|()| file.take(MAX_BYTES).read_to_string(&mut text)).is_err() {
        return "another process".to_owned();
    }
    let value =
        |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let (Some(process), Some(host)) = (value("process"), value("host")) else {
        return "another process".to_owned();
    };
    let age = value("started")
        .and_then(|started| started.parse().ok())
        .and_then(|started: u64| seconds_since_1970().checked_sub(started))
        .map_or(String::new(), |seconds| format!(", started {seconds} s ago"));
    format!("process {process} on {host}{age}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_the_first_is() {
        let folder = tempfile::tempdir().unwrap();
        let first = Lock::acquire(folder.path(), Duration::ZERO).unwrap();
        let error = Lock::acquire(folder.path(), Duration::from_millis(60)).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, StoreError::Locked { .. }));
        assert!(text.contains(&format!("process {} on ", std::process::id())), "{text}");
        drop(first);
        Lock::acquire(folder.path(), Duration::ZERO).unwrap();
    }

    #[test]
    fn readers_share_and_keep_writers_out() {
        let folder = tempfile::tempdir().unwrap();
        let read = |sharing| Lock::acquire_to_read(folder.path(), sharing, Duration::ZERO);
        assert!(read(Sharing::Alone).unwrap().is_none(), "nobody ever wrote");
        drop(Lock::acquire(folder.path(), Duration::ZERO).unwrap());
        let before = std::fs::read(folder.path().join(NAME)).unwrap();
        let readers = [Sharing::Readers, Sharing::Readers].map(|sharing| read(sharing).unwrap());
        assert!(matches!(read(Sharing::Alone), Err(StoreError::Locked { .. })));
        let writer = Lock::acquire(folder.path(), Duration::ZERO);
        assert!(matches!(writer, Err(StoreError::Locked { .. })));
        assert_eq!(std::fs::read(folder.path().join(NAME)).unwrap(), before);
        drop(readers);
        let _writer = Lock::acquire(folder.path(), Duration::ZERO).unwrap();
        assert!(matches!(read(Sharing::Readers), Err(StoreError::Locked { .. })));
    }
}
