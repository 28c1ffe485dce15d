//! Why a store cannot be opened, read or written.

use std::io;
use std::path::{Path, PathBuf};

/// Why a store cannot be opened, read or written. Each variant says which exit code it means.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder cannot be created, read or written. Exit code 2: the user named it.
    #[error("cannot use the data folder {}: {source}; name another one with --data-dir", path.display())]
    Unusable {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no store. Exit code 3.
    #[error("there is no checkpoint in {}; name the folder with --data-dir", path.display())]
    NoStore {
        /// The folder.
        path: PathBuf,
    },
    /// A folder that was named for a backup or a restore cannot be taken. Exit code 2.
    #[error("{} {what}", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
        /// Why not, and what to do.
        what: String,
    },
    /// The folder lies where a store cannot be kept safe. Exit code 2.
    #[error("the data folder {} lies on {filesystem}: {cause}; {remedy}", path.display())]
    Unfit {
        /// The folder.
        path: PathBuf,
        /// Its filesystem.
        filesystem: String,
        /// Why not.
        cause: String,
        /// What to do.
        remedy: String,
    },
    /// A final backup was made of it: the store goes on elsewhere. Exit code 8.
    #[error(
        "the store in {} was handed over by its final backup and does not start again; use the folder to which that \
         backup was restored",
        path.display()
    )]
    HandedOver {
        /// The folder.
        path: PathBuf,
    },
    /// Another process holds it. Exit code 2.
    #[error(
        "the data folder {} is in use by {holder}; stop that process or name another folder with --data-dir",
        path.display()
    )]
    Locked {
        /// The folder.
        path: PathBuf,
        /// Process, host and age of the holder, as far as known.
        holder: String,
    },
    /// Written by another version. Exit code 8.
    #[error("{} {found}; use the version of fulldeck that wrote it, or another data folder", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What was found, and what this program reads.
        found: String,
    },
    /// Damaged beyond what opening repairs. Exit code 9.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, where, and what to do.
        what: String,
    },
    /// No space left. Exit code 10.
    #[error("the disk that holds {} is full; free some space and start again, nothing committed is lost", path.display())]
    DiskFull {
        /// The file that was being written.
        path: PathBuf,
    },
    /// Any other failure of the disk. Exit code 1.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was being done.
        action: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The index failed while running; opening again repairs it. Exit code 10.
    #[error("the index {} failed: {what}; start again to rebuild it from the segments", path.display())]
    Index {
        /// Folder of the index.
        path: PathBuf,
        /// What the index said.
        what: String,
    },
    /// The operating system gave no random numbers. Exit code 1.
    #[error("cannot get random numbers from the operating system: {0}")]
    Random(String),
    /// The changes contradict the store: a defect of the caller. Exit code 1.
    #[error("the store refuses a change: {0}")]
    Refused(String),
    /// An earlier error; the store must be opened again. Exit code 10.
    #[error("the store was closed by an earlier error ({cause}) and must be opened again")]
    Poisoned {
        /// The earlier error, in words.
        cause: String,
    },
}

impl StoreError {
    /// From an error of the disk, telling a full disk from the rest.
    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io { action, path, source },
        }
    }

    /// From an error met while the folder itself is being prepared.
    pub(super) fn unusable(path: &Path, source: io::Error) -> Self {
        match Self::io("write", path, source) {
            Self::Io { path, source, .. } => Self::Unusable { path, source },
            other => other,
        }
    }

    /// Damage of `path`.
    pub(super) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.into() }
    }
}
