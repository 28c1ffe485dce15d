//! Reads a finished artifact.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fulldeck_job::{ArtifactSource, ElementType};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::Value;

use crate::error::At;
use crate::manifest::{ArtifactFile, Manifest};
use crate::tree::{GROUP_BYTES, LEAF_BYTES, Tree};
use crate::{ArtifactError, MAX_FILES, digest, npy};

/// A finished artifact, open for reading.
pub struct DirectorySource {
    folder: PathBuf,
    manifest: Manifest,
    arrays: Vec<Array>,
}

struct Array {
    name: String,
    path: PathBuf,
    file: File,
    tree: Tree,
    element: ElementType,
    elements: u64,
    data_start: u64,
    bytes: u64,
}

impl DirectorySource {
    /// Opens an artifact: reads the manifest, and checks that every file is there with its length and header. What is
    /// read later is checked as it is read; [`DirectorySource::check_digests`] reads and checks everything.
    ///
    /// # Errors
    /// [`ArtifactError`], naming the file at fault.
    pub fn open(folder: &Path) -> Result<Self, ArtifactError> {
        let manifest = Manifest::read(folder)?;
        if manifest.files.len() > MAX_FILES {
            let path = folder.join(crate::MANIFEST_NAME);
            return Err(ArtifactError::damaged(&path, "it lists too many files"));
        }
        let mut arrays = Vec::new();
        for listed in &manifest.files {
            let path = path_of(folder, listed)?;
            let file = match File::open(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(ArtifactError::damaged(&path, "it is missing"));
                }
                other => other.at("open", &path)?,
            };
            let bytes = file.metadata().at("read", &path)?.len();
            if bytes != listed.bytes {
                let why = format!("it has {bytes} bytes, the manifest says {}", listed.bytes);
                return Err(ArtifactError::damaged(&path, why));
            }
            if let Some(array) = open_array(&path, file, listed)? {
                arrays.push(array);
            }
        }
        Ok(Self { folder: folder.to_owned(), manifest, arrays })
    }

    /// The manifest.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads every file and compares its digest with the manifest, files in parallel on the current rayon pool, and
    /// checks the trees of the arrays. Returns the number of bytes of the files.
    ///
    /// # Errors
    /// [`ArtifactError::Damaged`], naming a file that differs, or [`ArtifactError::Io`].
    pub fn check_digests(&self) -> Result<u64, ArtifactError> {
        self.manifest.files.par_iter().try_for_each(|listed| {
            let path = path_of(&self.folder, listed)?;
            let (bytes, found) = digest::of_file(&path)?;
            if bytes == listed.bytes && found == listed.blake3 {
                return Ok(());
            }
            Err(ArtifactError::damaged(
                &path,
                format!(
                    "its BLAKE3 is {}, the manifest says {}",
                    found.short(),
                    listed.blake3.short()
                ),
            ))
        })?;
        self.arrays.par_iter().try_for_each(|array| array.tree.check())?;
        Ok(self.manifest.data_bytes())
    }
}

/// The manifest may have been tampered with: its names must not lead out of the folder.
fn path_of(folder: &Path, listed: &ArtifactFile) -> Result<PathBuf, ArtifactError> {
    if Path::new(&listed.name).file_name().is_none_or(|name| name != listed.name.as_str()) {
        let why = format!("it lists '{}', which is no file name", listed.name);
        return Err(ArtifactError::damaged(&folder.join(crate::MANIFEST_NAME), why));
    }
    Ok(folder.join(&listed.name))
}

fn open_array(
    path: &Path,
    file: File,
    listed: &ArtifactFile,
) -> Result<Option<Array>, ArtifactError> {
    let (Some(dtype), Some(shape)) = (&listed.dtype, &listed.shape) else { return Ok(None) };
    let element = npy::element(dtype)
        .ok_or_else(|| ArtifactError::damaged(path, format!("'{dtype}' is no element type")))?;
    let header = npy::header(element, shape);
    let elements = npy::elements(shape).filter(|elements| {
        let data = elements.checked_mul(element.bytes() as u64);
        data.and_then(|data| data.checked_add(header.len() as u64)) == Some(listed.bytes)
    });
    let elements = elements.ok_or_else(|| {
        ArtifactError::damaged(path, format!("its length does not fit the shape {shape:?}"))
    })?;
    let mut found = vec![0; header.len()];
    file.read_exact_at(&mut found, 0).at("read", path)?;
    if found != header {
        return Err(ArtifactError::damaged(path, "its header is not that of the listed array"));
    }
    let name = listed.name.strip_suffix(".npy").unwrap_or(&listed.name).to_owned();
    let tree = Tree::open(path, listed.bytes, listed.blake3)?;
    let (path, data_start, bytes) = (path.to_owned(), header.len() as u64, listed.bytes);
    Ok(Some(Array { name, path, file, tree, element, elements, data_start, bytes }))
}

impl Array {
    /// Reads bytes from `from` on, with the leaves of the tree that they lie in, and checks these.
    fn read_checked(&self, from: u64, bytes: &mut [u8]) -> Result<(), ArtifactError> {
        let to = from + bytes.len() as u64;
        let mut leaves = Vec::new();
        let mut at = from - from % LEAF_BYTES;
        while at < to {
            let end = to.next_multiple_of(LEAF_BYTES).min((at / GROUP_BYTES + 1) * GROUP_BYTES);
            let end = end.min(self.bytes);
            leaves.resize((end - at) as usize, 0);
            self.file.read_exact_at(&mut leaves, at).at("read", &self.path)?;
            if !self.tree.fits(at, &leaves)? {
                let why = format!("bytes {at} to {} are not those that were merged", end - 1);
                return Err(ArtifactError::damaged(&self.path, why));
            }
            let (first, last) = (from.max(at), to.min(end));
            bytes[(first - from) as usize..(last - from) as usize]
                .copy_from_slice(&leaves[(first - at) as usize..(last - at) as usize]);
            at = end;
        }
        Ok(())
    }
}

impl ArtifactSource for DirectorySource {
    fn read_at(&self, array: &str, first: u64, bytes: &mut [u8]) -> io::Result<()> {
        let array = self.arrays.iter().find(|known| known.name == array).ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, format!("the artifact has no array '{array}'"))
        })?;
        let width = array.element.bytes() as u64;
        let last = first.checked_add((bytes.len() as u64).div_ceil(width));
        if last.is_none_or(|last| last > array.elements) {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("array '{}' ends at element {}", array.name, array.elements),
            ));
        }
        Ok(array.read_checked(array.data_start + first * width, bytes)?)
    }

    fn fact(&self, name: &str) -> Option<&Value> {
        self.manifest.facts.get(name)
    }
}
