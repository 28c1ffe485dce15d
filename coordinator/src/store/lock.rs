//! One process at a time: an advisory lock on the file `LOCK`, which also says who holds it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{FlockOperation, flock};

use super::StoreError;

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
        let path = folder.join("LOCK");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|source| StoreError::unwritable(&path, source))?;
        let start = Instant::now();
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::WOULDBLOCK) if start.elapsed() >= wait => {
                    return Err(StoreError::Locked {
                        path: folder.to_owned(),
                        holder: holder(&mut file),
                    });
                }
                Err(rustix::io::Errno::WOULDBLOCK) => std::thread::sleep(RETRY_PAUSE),
                Err(errno) => return Err(StoreError::io("lock", &path, errno.into())),
            }
        }
        sign(&mut file).map_err(|source| StoreError::unwritable(&path, source))?;
        Ok(Self { _file: file })
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
}
