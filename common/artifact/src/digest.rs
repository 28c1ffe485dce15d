//! Digests of whole files, streamed.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use fulldeck_job::Digest;

use crate::ArtifactError;
use crate::error::At;

const BUFFER_BYTES: usize = 1 << 20;

/// Length and BLAKE3 of a file.
pub(crate) fn of_file(path: &Path) -> Result<(u64, Digest), ArtifactError> {
    let mut file = File::open(path).at("open", path)?;
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut hasher = blake3::Hasher::new();
    let mut bytes = 0;
    loop {
        let got = file.read(&mut buffer).at("read", path)?;
        if got == 0 {
            return Ok((bytes, Digest(*hasher.finalize().as_bytes())));
        }
        hasher.update(&buffer[..got]);
        bytes += got as u64;
    }
}
