//! The end of a run, as JSON and for people: shown by `run` and `merge`.

use std::path::PathBuf;

use fulldeck_artifact::Manifest;
use serde_json::{Map, Value, json};

use crate::cli::Link;
use crate::output::table::{label, pairs, plain};
use crate::output::units::{bytes, duration, grouped, moment};
use crate::output::{Answer, Style, object};
use crate::run_view::questions;

/// A merged run.
pub(crate) struct Merged {
    folder: PathBuf,
    manifest: Manifest,
    /// How it was found.
    link: Link,
    /// Of `run`: what this call of it did.
    effort: Option<Effort>,
}

/// What one call of `run` did.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Nothing had to be done.
    pub(crate) already_merged: bool,
    /// Slices computed by this call; the others were in the checkpoint.
    pub(crate) computed_slices: u32,
    /// Time it took, in seconds.
    pub(crate) elapsed_seconds: f64,
}

impl Merged {
    pub(crate) fn of(folder: PathBuf, manifest: Manifest, link: Link) -> Self {
        Self { folder, manifest, link, effort: None }
    }

    pub(crate) fn by(mut self, effort: Effort) -> Self {
        self.effort = Some(effort);
        self
    }
}

impl Answer for Merged {
    fn json(&self) -> Map<String, Value> {
        let manifest = &self.manifest;
        let files: Vec<_> = manifest
            .files
            .iter()
            .map(|file| {
                let digest = file.blake3.to_string();
                json!({ "name": file.name, "bytes": file.bytes, "blake3": digest })
            })
            .collect();
        let mut fields = object(json!({
            "run": manifest.provenance.run,
            "workload": manifest.workload,
            "algorithm_version": manifest.algorithm_version,
            "parameters": manifest.parameters,
            "fingerprint": manifest.fingerprint.to_string(),
            "state": "finished",
            "percent": 100.0,
            "slices": manifest.provenance.slices,
            "artifact": self.folder.display().to_string(),
            "artifact_digest": manifest.artifact_digest.to_string(),
            "artifact_bytes": manifest.data_bytes(),
            "merged_at": moment(manifest.provenance.merged_unix_s, false),
            "facts": manifest.facts,
            "files": files,
        }));
        if let Some(effort) = self.effort {
            fields.insert("already_merged".to_owned(), effort.already_merged.into());
            fields.insert("computed_slices".to_owned(), effort.computed_slices.into());
            fields.insert("elapsed_seconds".to_owned(), effort.elapsed_seconds.into());
        }
        fields
    }

    fn ids(&self) -> Vec<String> {
        vec![self.manifest.provenance.run.to_string()]
    }

    fn table(&self, style: Style) -> String {
        let manifest = &self.manifest;
        let run = manifest.provenance.run;
        let parameters: Vec<_> = manifest
            .parameters
            .iter()
            .map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()))
            .collect();
        let state = match self.effort {
            Some(effort) if effort.already_merged => "complete, it was there already".to_owned(),
            Some(effort) => format!(
                "complete, {} of {} slices computed now, in {}",
                grouped(effort.computed_slices.into()),
                grouped(manifest.provenance.slices.into()),
                duration(effort.elapsed_seconds)
            ),
            None => "complete".to_owned(),
        };
        let mut lines = vec![
            ("run".to_owned(), format!("{run} {} {}", manifest.workload, parameters.join(" "))),
            ("state".to_owned(), state),
        ];
        lines.extend(manifest.facts.iter().map(|(name, value)| (label(name), plain(value))));
        let place = self.folder.display();
        lines.extend([
            ("artifact".to_owned(), format!("{place} ({})", bytes(manifest.data_bytes()))),
            ("digest".to_owned(), manifest.artifact_digest.to_string()),
            ("merged".to_owned(), moment(manifest.provenance.merged_unix_s, style.terminal)),
        ]);
        if style.wide {
            lines.push(("fingerprint".to_owned(), manifest.fingerprint.to_string()));
            for file in &manifest.files {
                lines.push((file.name.clone(), format!("{} {}", file.blake3, bytes(file.bytes))));
            }
        }
        lines.push(("next".to_owned(), questions(run, &self.link)));
        pairs(style, &lines)
    }
}
