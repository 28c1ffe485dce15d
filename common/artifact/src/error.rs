//! Why an artifact cannot be written or read.

use std::io;
use std::path::{Path, PathBuf};

/// Why an artifact cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// There is no artifact here.
    #[error("there is no artifact in {}; fulldeck merge writes one when a run is finished", .0.display())]
    Missing(PathBuf),
    /// Written by a version of fulldeck with another format.
    #[error("{} has format version {found}, this program reads {supported}", path.display())]
    Version {
        /// The manifest.
        path: PathBuf,
        /// What it says.
        found: u64,
        /// What would be right.
        supported: u32,
    },
    /// A file is not what the manifest says, or the manifest is not one.
    #[error("{} is damaged: {why}; fulldeck merge RUN --again writes it anew", path.display())]
    Damaged {
        /// The file at fault.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// No space left.
    #[error("the disk that holds {} is full; free some space and merge again, nothing computed is lost", path.display())]
    DiskFull {
        /// The file that was being written.
        path: PathBuf,
    },
    /// The place may not be written.
    #[error("cannot {action} {}: {source}; name a data folder that can be written", path.display())]
    Forbidden {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl ArtifactError {
    pub(crate) fn damaged(path: &Path, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), why: why.into() }
    }
}

/// Adds action and path to an error of the disk.
pub(crate) trait At<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, ArtifactError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, ArtifactError> {
        self.map_err(|source| {
            use io::ErrorKind::{
                NotADirectory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
            };
            let path = path.to_owned();
            match source.kind() {
                StorageFull | QuotaExceeded => ArtifactError::DiskFull { path },
                PermissionDenied | ReadOnlyFilesystem | NotADirectory => {
                    ArtifactError::Forbidden { action, path, source }
                }
                _ => ArtifactError::Io { action, path, source },
            }
        })
    }
}

impl From<ArtifactError> for io::Error {
    fn from(error: ArtifactError) -> Self {
        let kind = match &error {
            ArtifactError::Missing(_) => io::ErrorKind::NotFound,
            ArtifactError::Version { .. } | ArtifactError::Damaged { .. } => {
                io::ErrorKind::InvalidData
            }
            ArtifactError::DiskFull { .. } => io::ErrorKind::StorageFull,
            ArtifactError::Forbidden { source, .. } | ArtifactError::Io { source, .. } => {
                source.kind()
            }
        };
        io::Error::new(kind, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_other_errors_and_stays_so() {
        let full: io::Result<()> = Err(io::ErrorKind::StorageFull.into());
        let error = full.at("write", Path::new("D/win.npy")).unwrap_err();
        assert!(error.to_string().contains("D/win.npy is full; free some space"), "{error}");
        let carried = io::Error::from(error);
        assert_eq!(carried.kind(), io::ErrorKind::StorageFull);
        let back = carried.downcast::<ArtifactError>().unwrap();
        assert!(matches!(back, ArtifactError::DiskFull { .. }), "{back}");
        let other: io::Result<()> = Err(io::ErrorKind::PermissionDenied.into());
        let error = other.at("write", Path::new("D/win.npy")).unwrap_err();
        assert!(matches!(error, ArtifactError::Forbidden { .. }), "{error}");
    }
}
