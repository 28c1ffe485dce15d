//! One bundle as it is being written: under another name until it is sealed.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fulldeck_job::record::bundle::{BundleEncoder, BundleHeader, BundledResult};

use super::ComputeShardError;

/// A bundle is sealed and another begun at this size, in bytes ...
const MAX_BYTES: u64 = 64 << 20;
/// ... or at this age.
const MAX_AGE: Duration = Duration::from_secs(60);
/// How the name of a bundle ends.
pub(super) const EXTENSION: &str = "fdb";
/// What follows it until the bundle is sealed.
pub(super) const PART: &str = "part";

pub(super) struct BundleFile {
    file: File,
    /// With the ending of an unsealed one.
    path: PathBuf,
    encoder: BundleEncoder,
    begun: Instant,
}

impl BundleFile {
    /// Begins a bundle; `path` is without the ending of an unsealed one.
    pub(super) fn create(
        path: &Path,
        header: &BundleHeader,
        sequence: u32,
    ) -> Result<Self, ComputeShardError> {
        let path = path.with_extension(format!("{EXTENSION}.{PART}"));
        let (encoder, bytes) = BundleEncoder::begin(header, sequence);
        let file = File::create_new(&path).and_then(|mut file| {
            file.write_all(&bytes)?;
            file.sync_all()?;
            Ok(file)
        });
        let file = file.map_err(failed("begin", &path))?;
        sync_folder(&path)?;
        Ok(Self { file, path, encoder, begun: Instant::now() })
    }

    /// Takes up a bundle that was not sealed: what follows its whole records is cut off.
    pub(super) fn resume(path: PathBuf, encoder: BundleEncoder) -> Result<Self, ComputeShardError> {
        let file = OpenOptions::new().append(true).open(&path).and_then(|file| {
            file.set_len(encoder.length())?;
            Ok(file)
        });
        let file = file.map_err(failed("take up", &path))?;
        Ok(Self { file, path, encoder, begun: Instant::now() })
    }

    /// Whether it is to be sealed before anything more is written.
    pub(super) fn is_full(&self) -> bool {
        self.encoder.length() >= MAX_BYTES
            || self.encoder.is_full()
            || self.begun.elapsed() >= MAX_AGE
    }

    pub(super) fn append(&mut self, result: &BundledResult<'_>) -> Result<(), ComputeShardError> {
        let bytes = self.encoder.result(result);
        self.file.write_all(&bytes).map_err(failed("write", &self.path))
    }

    /// Waits until everything so far is on the disk.
    pub(super) fn sync(&self) -> Result<(), ComputeShardError> {
        self.file.sync_data().map_err(failed("write", &self.path))
    }

    /// Ends it; its name.
    pub(super) fn seal(mut self) -> Result<PathBuf, ComputeShardError> {
        let sealed = self.path.with_extension("");
        let bytes = self.encoder.seal();
        self.file
            .write_all(&bytes)
            .and_then(|()| self.file.sync_all())
            .and_then(|()| fs::rename(&self.path, &sealed))
            .map_err(failed("seal", &self.path))?;
        sync_folder(&sealed)?;
        Ok(sealed)
    }
}

/// Waits until the folder of a file knows its name for good.
fn sync_folder(file: &Path) -> Result<(), ComputeShardError> {
    let folder = file.parent().unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed("write", folder))
}

/// An error of the disk, with what was tried.
pub(super) fn failed(
    action: &'static str,
    path: &Path,
) -> impl FnOnce(std::io::Error) -> ComputeShardError {
    let path = path.to_owned();
    move |source| ComputeShardError::Io { action, path, source }
}
