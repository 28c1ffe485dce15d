//! Artifacts: what a finished run leaves behind. A folder with one `.npy` file an array, one `.csv` file a table,
//! and `manifest.json`, which names every file with its length and BLAKE3. The tree of these digests is beside each
//! array, so that whatever is read is checked.
//!
//! Main types: [`DirectorySink`] (writes a new artifact beside its place and moves it there when complete),
//! [`DirectorySource`] (reads one back, and nothing but what was written), [`Manifest`].
//!
//! Invariant: a folder that has the artifact's name is complete. Equal runs give equal bytes in every file, and
//! equal manifests but for the `provenance` object.
//!
//! Deliberately absent: what the numbers mean (the workload knows), and where the payloads come from.

mod digest;
mod error;
mod manifest;
mod npy;
mod sink;
mod source;
mod table;
mod tree;

pub use error::ArtifactError;
pub use manifest::{ArtifactFile, MANIFEST_NAME, Manifest, Provenance};
pub use npy::npy_bytes;
pub use sink::DirectorySink;
pub use source::DirectorySource;
pub use tree::write_tree;

/// Most arrays and tables one artifact may have, together.
pub const MAX_FILES: usize = 256;
/// Longest manifest that is read, in bytes.
pub const MAX_MANIFEST_BYTES: u64 = 16 << 20;
