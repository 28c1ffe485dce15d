//! Writes a new artifact beside its place, and moves it there when it is complete and durable.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fulldeck_job::{ArrayId, ArtifactSink, ElementType, FORMAT_VERSION, RunSpec};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::{Map, Value};

use crate::error::At;
use crate::manifest::{ArtifactFile, MANIFEST_NAME, Manifest, Provenance};
use crate::{ArtifactError, MAX_FILES, digest, npy, table, write_tree};

/// Most dimensions of an array.
const MAX_DIMENSIONS: usize = 8;

/// An artifact that is being written. Dropped unfinished, it leaves nothing behind; killed, it leaves a `.tmp`
/// folder that the next merge replaces.
pub struct DirectorySink {
    target: PathBuf,
    building: PathBuf,
    arrays: Vec<Array>,
    tables: Vec<String>,
    facts: Map<String, Value>,
    finished: bool,
}

struct Array {
    name: String,
    path: PathBuf,
    file: File,
    element: ElementType,
    shape: Vec<u64>,
    elements: u64,
    data_start: u64,
}

impl DirectorySink {
    /// Starts the artifact that will be `target`; what an earlier, killed merge left is removed.
    ///
    /// # Errors
    /// [`ArtifactError::Io`].
    pub fn create(target: &Path) -> Result<Self, ArtifactError> {
        let building = beside(target, ".tmp");
        remove_if_there(&building)?;
        fs::create_dir_all(&building).at("create", &building)?;
        Ok(Self {
            target: target.to_owned(),
            building,
            arrays: Vec::new(),
            tables: Vec::new(),
            facts: Map::new(),
            finished: false,
        })
    }

    /// Makes every file durable, writes the manifest, and moves the folder to its place; an artifact that was
    /// there is replaced.
    ///
    /// # Errors
    /// [`ArtifactError::Io`]; the artifact is then not there.
    pub fn finish(
        mut self,
        spec: &RunSpec,
        provenance: Provenance,
    ) -> Result<Manifest, ArtifactError> {
        let mut names = Vec::new();
        for array in self.arrays.drain(..) {
            array.file.sync_all().at("write", &array.path)?;
            names.push((format!("{}.npy", array.name), Some((array.element, array.shape))));
        }
        names.extend(self.tables.drain(..).map(|name| (format!("{name}.csv"), None)));
        names.sort_by(|a, b| a.0.cmp(&b.0));

        let files = names
            .par_iter()
            .map(|(name, array)| {
                let path = self.building.join(name);
                let (bytes, blake3) = match array {
                    Some(_) => write_tree(&path)?,
                    None => digest::of_file(&path)?,
                };
                let (dtype, shape) = array
                    .as_ref()
                    .map(|(element, shape)| (npy::dtype(*element).to_owned(), shape.clone()))
                    .unzip();
                Ok(ArtifactFile { name: name.clone(), bytes, blake3, dtype, shape })
            })
            .collect::<Result<Vec<_>, ArtifactError>>()?;

        let mut manifest = Manifest {
            format_version: FORMAT_VERSION,
            workload: spec.workload.clone(),
            algorithm_version: spec.algorithm_version,
            parameters: spec
                .parameters
                .iter()
                .map(|(name, value)| (name.to_owned(), Value::from(value)))
                .collect(),
            fingerprint: spec.fingerprint(),
            facts: std::mem::take(&mut self.facts),
            files,
            artifact_digest: fulldeck_job::Digest([0; 32]),
            provenance,
        };
        manifest.artifact_digest = manifest.contents_digest();
        self.publish(&manifest)?;
        self.finished = true;
        Ok(manifest)
    }

    fn publish(&self, manifest: &Manifest) -> Result<(), ArtifactError> {
        let path = self.building.join(MANIFEST_NAME);
        let mut file = File::create_new(&path).at("create", &path)?;
        file.write_all(manifest.to_json().as_bytes()).at("write", &path)?;
        file.sync_all().at("write", &path)?;
        sync_folder(&self.building)?;

        let replaced = beside(&self.target, ".old");
        remove_if_there(&replaced)?;
        match fs::rename(&self.target, &replaced) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other.at("replace", &self.target)?,
        }
        fs::rename(&self.building, &self.target).at("create", &self.target)?;
        sync_folder(self.target.parent().unwrap_or(Path::new(".")))?;
        remove_if_there(&replaced)
    }

    fn check_new(&self, name: &str) -> io::Result<()> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
            return Err(refused(format!("'{name}' is not a name for an array or a table")));
        }
        if self.arrays.iter().any(|array| array.name == name)
            || self.tables.iter().any(|table| table == name)
        {
            return Err(refused(format!("'{name}' is written twice")));
        }
        if self.arrays.len() + self.tables.len() == MAX_FILES {
            return Err(refused(format!("more than {MAX_FILES} arrays and tables")));
        }
        Ok(())
    }
}

impl ArtifactSink for DirectorySink {
    fn array(&mut self, name: &str, element: ElementType, shape: &[u64]) -> io::Result<ArrayId> {
        self.check_new(name)?;
        let header = npy::header(element, shape);
        let elements = npy::elements(shape)
            .filter(|elements| *elements <= i64::MAX as u64 / 16 && shape.len() <= MAX_DIMENSIONS)
            .ok_or_else(|| refused(format!("array '{name}' of shape {shape:?} is too large")))?;
        let path = self.building.join(format!("{name}.npy"));
        let file = File::create_new(&path).at("create", &path)?;
        let data_start = header.len() as u64;
        file.write_all_at(&header, 0).at("write", &path)?;
        file.set_len(data_start + elements * element.bytes() as u64).at("write", &path)?;
        self.arrays.push(Array {
            name: name.to_owned(),
            path,
            file,
            element,
            shape: shape.to_vec(),
            elements,
            data_start,
        });
        Ok(ArrayId(self.arrays.len() - 1))
    }

    fn write_at(&mut self, array: ArrayId, first: u64, bytes: &[u8]) -> io::Result<()> {
        let array = self
            .arrays
            .get(array.0)
            .ok_or_else(|| refused(format!("no array has number {}", array.0)))?;
        let width = array.element.bytes();
        let end = first.checked_add((bytes.len() / width) as u64);
        if !bytes.len().is_multiple_of(width) || end.is_none_or(|end| end > array.elements) {
            return Err(refused(format!(
                "{} bytes at element {first} do not fit in array '{}' of {} elements",
                bytes.len(),
                array.name,
                array.elements
            )));
        }
        let place = array.data_start + first * width as u64;
        Ok(array.file.write_all_at(bytes, place).at("write", &array.path)?)
    }

    fn table(
        &mut self,
        name: &str,
        header: &[&str],
        rows: &mut dyn Iterator<Item = Vec<String>>,
    ) -> io::Result<()> {
        self.check_new(name)?;
        let path = self.building.join(format!("{name}.csv"));
        let mut out = BufWriter::new(File::create_new(&path).at("create", &path)?);
        table::write(&mut out, header, rows).at("write", &path)?;
        out.flush().and_then(|()| out.get_ref().sync_all()).at("write", &path)?;
        self.tables.push(name.to_owned());
        Ok(())
    }

    fn fact(&mut self, name: &str, value: Value) {
        self.facts.insert(name.to_owned(), value);
    }
}

impl Drop for DirectorySink {
    fn drop(&mut self) {
        if !self.finished {
            self.arrays.clear();
            // Best effort: what cannot be removed now is replaced by the next merge.
            let _ = fs::remove_dir_all(&self.building);
        }
    }
}

fn refused(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

fn beside(target: &Path, suffix: &str) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn remove_if_there(folder: &Path) -> Result<(), ArtifactError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.at("remove", folder),
    }
}

fn sync_folder(folder: &Path) -> Result<(), ArtifactError> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    File::open(folder).and_then(|file| file.sync_all()).at("write", folder)
}
