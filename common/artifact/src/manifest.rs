//! `manifest.json`: what an artifact is, which files it has, and by which digests they are known.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use fulldeck_job::{Digest, FORMAT_VERSION, Fingerprint};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::At;
use crate::{ArtifactError, MAX_MANIFEST_BYTES};

/// File name of the manifest within an artifact's folder.
pub const MANIFEST_NAME: &str = "manifest.json";

/// What an artifact is. Equal runs give equal manifests but for `provenance`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the artifact format.
    pub format_version: u32,
    /// Name of the workload.
    pub workload: String,
    /// Its algorithm version.
    pub algorithm_version: u32,
    /// Complete parameters, by name.
    pub parameters: Map<String, Value>,
    /// Fingerprint of the run.
    pub fingerprint: Fingerprint,
    /// Facts about the whole, in the workload's order.
    pub facts: Map<String, Value>,
    /// The data files, sorted by name.
    pub files: Vec<ArtifactFile>,
    /// BLAKE3 over names, digests and facts: two artifacts with equal digests have equal contents.
    pub artifact_digest: Digest,
    /// How this copy came about; the only part that differs between equal runs.
    pub provenance: Provenance,
}

/// One data file of an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactFile {
    /// Name within the folder.
    pub name: String,
    /// Length in bytes.
    pub bytes: u64,
    /// BLAKE3 of the whole file.
    pub blake3: Digest,
    /// NumPy's name of the element type; only arrays have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtype: Option<String>,
    /// Shape, row-major; only arrays have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Vec<u64>>,
}

/// How one copy of an artifact came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of the program that merged it.
    pub fulldeck_version: String,
    /// Number of the run in its data folder.
    pub run: u32,
    /// Digest of the plan by which it was cut.
    pub plan_digest: Digest,
    /// Number of slices of that plan.
    pub slices: u32,
    /// When it was merged, in seconds since 1970.
    pub merged_unix_s: u64,
}

impl Manifest {
    /// Reads the manifest of an artifact and checks that it is consistent in itself; the data files are not
    /// looked at.
    ///
    /// # Errors
    /// [`ArtifactError`]: missing, of another format version, damaged, or unreadable.
    pub fn read(artifact: &Path) -> Result<Self, ArtifactError> {
        let path = artifact.join(MANIFEST_NAME);
        let file = match File::open(&path) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Err(ArtifactError::Missing(artifact.to_owned()));
            }
            other => other.at("open", &path)?,
        };
        let mut text = Vec::new();
        file.take(MAX_MANIFEST_BYTES + 1).read_to_end(&mut text).at("read", &path)?;
        if text.len() as u64 > MAX_MANIFEST_BYTES {
            let why = format!("it is longer than {MAX_MANIFEST_BYTES} bytes");
            return Err(ArtifactError::damaged(&path, why));
        }
        let value: Value = serde_json::from_slice(&text)
            .map_err(|error| ArtifactError::damaged(&path, error.to_string()))?;
        // The version is looked at first: another version may well have other fields.
        if let Some(found) = value.get("format_version").and_then(Value::as_u64)
            && found != u64::from(FORMAT_VERSION)
        {
            return Err(ArtifactError::Version { path, found, supported: FORMAT_VERSION });
        }
        let manifest: Self = serde_json::from_value(value)
            .map_err(|error| ArtifactError::damaged(&path, error.to_string()))?;
        if manifest.contents_digest() != manifest.artifact_digest {
            let why = "artifact_digest does not fit the files and facts it lists";
            return Err(ArtifactError::damaged(&path, why));
        }
        Ok(manifest)
    }

    /// The digest that `artifact_digest` should be: BLAKE3 of one line a file and the facts as JSON.
    pub(crate) fn contents_digest(&self) -> Digest {
        let mut text = String::from("fulldeck artifact\n");
        for file in &self.files {
            text.push_str(&format!("file {} {} {}\n", file.name, file.bytes, file.blake3));
        }
        text.push_str(&format!("facts {}\n", Value::Object(self.facts.clone())));
        Digest::of(text.as_bytes())
    }

    /// As stored: indented JSON and a line end.
    ///
    /// # Panics
    /// Never: every field is plain JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a manifest is plain JSON");
        text.push('\n');
        text
    }

    /// Parameters in canonical text, one `name=value` a line.
    #[must_use]
    pub fn canonical_parameters(&self) -> String {
        self.parameters
            .iter()
            .map(|(name, value)| match value {
                Value::String(text) => format!("{name}={text}\n"),
                other => format!("{name}={other}\n"),
            })
            .collect()
    }

    /// Bytes of all data files together.
    #[must_use]
    pub fn data_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}
