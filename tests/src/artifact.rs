//! A merged artifact as bytes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

const MANIFEST: &str = "manifest.json";
/// The entries of a manifest that may differ between equal runs.
const OF_THE_COPY: [&str; 2] = ["run", "provenance"];

/// Every file of an artifact: the manifest as JSON without what tells copies apart, the others byte by byte.
#[derive(Clone, PartialEq)]
pub struct Artifact {
    manifest: Value,
    files: BTreeMap<String, Vec<u8>>,
}

impl Artifact {
    /// Reads a folder.
    ///
    /// # Panics
    /// If it is no artifact.
    #[must_use]
    pub fn read(folder: &Path) -> Self {
        let mut files: BTreeMap<_, _> = fs::read_dir(folder)
            .expect("an artifact")
            .map(|entry| entry.expect("an entry of an artifact").path())
            .map(|path| {
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                (name, fs::read(&path).expect("a file of an artifact"))
            })
            .collect();
        let manifest = files.remove(MANIFEST).expect("a manifest");
        let mut manifest: Value = serde_json::from_slice(&manifest).expect("a manifest in JSON");
        for name in OF_THE_COPY {
            manifest.as_object_mut().expect("an object").remove(name);
        }
        Self { manifest, files }
    }

    /// Writes its files with a manifest of the caller's.
    ///
    /// # Panics
    /// If the folder exists or cannot be written.
    pub fn write(&self, folder: &Path, manifest: &Value) {
        fs::create_dir(folder).expect("a new folder");
        for (name, bytes) in &self.files {
            fs::write(folder.join(name), bytes).expect("a file");
        }
        fs::write(folder.join(MANIFEST), manifest.to_string()).expect("a manifest");
    }

    /// A file of it, to be changed.
    ///
    /// # Panics
    /// If there is none of this name.
    pub fn file(&mut self, name: &str) -> &mut Vec<u8> {
        self.files.get_mut(name).expect("a file of the artifact")
    }

    /// What its manifest says of it.
    ///
    /// # Panics
    /// If it does not say.
    #[must_use]
    pub fn digest(&self) -> &str {
        self.manifest["artifact_digest"].as_str().expect("a digest")
    }

    /// Asserts that this is the same artifact.
    ///
    /// # Panics
    /// If it differs, naming the file.
    #[track_caller]
    pub fn assert_is(&self, expected: &Self) {
        assert_eq!(self.manifest, expected.manifest);
        assert!(self.files.keys().eq(expected.files.keys()), "{:?}", self.files.keys());
        for (name, bytes) in &self.files {
            assert!(*bytes == expected.files[name], "{name} differs from the undisturbed run's");
        }
    }
}
