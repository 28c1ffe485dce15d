//! Puts the results of a finished run, or of one of its jobs, together: all of them, in plan order, each verified,
//! never all in memory.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{SystemTime, UNIX_EPOCH};

use fulldeck_artifact::{ArtifactError, DirectorySink, DirectorySource, Manifest, Provenance};
use fulldeck_job::{
    ArtifactSink, Computation, Fingerprint, JobIndex, Plan, RunSpec, Slice, SliceId,
};

use crate::store::{CommittedSlice, ResultReader, RunRecord, StoreError};

/// Bytes of results that are read ahead of the one being written ...
const READ_AHEAD_BYTES: u64 = 32 << 20;
/// ... and their number at most; at least one is.
const READ_AHEAD_RESULTS: u64 = 16;
/// Holes that a refusal lists.
const MAX_HOLES_LISTED: usize = 20;

/// Why a run was not merged. No artifact was written or replaced.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// Slices are missing.
    #[error(
        "{what} is not complete: {missing} of {slices} slices are missing ({holes}); the fulldeck run that began it \
         goes on, or a worker of its coordinator"
    )]
    Incomplete {
        /// `run 3`, or `job aabc-aabb of run 3`.
        what: String,
        /// Number of slices that are missing.
        missing: usize,
        /// Number of slices that are wanted.
        slices: usize,
        /// The first of them, by job.
        holes: String,
    },
    /// A stored result is damaged.
    #[error("the result of slice {slice} of run {run} is damaged: {source}", slice = slice.0)]
    Damaged {
        /// Run.
        run: u32,
        /// Slice.
        slice: SliceId,
        /// What is wrong.
        source: StoreError,
    },
    /// A stored result cannot be read.
    #[error("cannot read the result of slice {slice}: {source}", slice = slice.0)]
    Read {
        /// Slice.
        slice: SliceId,
        /// What the system said.
        source: StoreError,
    },
    /// The artifact cannot be written.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The workload's jobs have no artifacts of their own.
    #[error("{0}")]
    NoPart(io::Error),
    /// The workload could not assemble it.
    #[error("cannot assemble the artifact: {0}")]
    Assemble(io::Error),
    /// The thread that reads ahead cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

/// Folder of a run's artifact, or of one job's, within the folder of all artifacts.
#[must_use]
pub fn artifact_folder(
    artifacts: &Path,
    run: u32,
    fingerprint: Fingerprint,
    job: Option<&str>,
) -> PathBuf {
    let job = job.map(|job| format!("-{job}")).unwrap_or_default();
    artifacts.join(format!("run-{run}-{}{job}", fingerprint.short()))
}

/// The manifest of an artifact that is there already and is of this run, or of this job of it: every file has its length
/// and header, and the manifest is consistent in itself and with the run. Damage is logged, and counts as not merged.
#[must_use]
pub fn merged_before(artifact: &Path, spec: &RunSpec, job: Option<&str>) -> Option<Manifest> {
    match DirectorySource::open(artifact) {
        Ok(source) if is_of(source.manifest(), spec, job) => Some(source.manifest().clone()),
        Ok(_) => {
            let artifact = artifact.display();
            tracing::warn!("{artifact} is damaged: its manifest is not that of the run");
            None
        }
        Err(ArtifactError::Missing(_)) => None,
        Err(error) => {
            tracing::warn!("{error}");
            None
        }
    }
}

fn is_of(manifest: &Manifest, spec: &RunSpec, job: Option<&str>) -> bool {
    manifest.fingerprint == spec.fingerprint()
        && manifest.workload == spec.workload
        && manifest.algorithm_version == spec.algorithm_version
        && manifest.canonical_parameters() == spec.parameters.canonical()
        && manifest.facts.get("job").and_then(serde_json::Value::as_str) == job
}

/// A run that is to be merged, or one job of it.
pub struct Merge<'a> {
    /// Reads the results.
    pub reader: &'a ResultReader,
    /// The run in the store.
    pub record: &'a RunRecord,
    /// What it computes.
    pub spec: &'a RunSpec,
    /// Its plan.
    pub plan: &'a Plan,
    /// Its results, by slice.
    pub committed: &'a [(SliceId, CommittedSlice)],
    /// Assembles them.
    pub computation: &'a dyn Computation,
    /// The job that is to be merged alone; `None` for the whole run.
    pub job: Option<JobIndex>,
}

impl Merge<'_> {
    /// Merges into the artifact's folder within `artifacts`. Completeness is proved against the plan before anything
    /// is written; every result is verified as it is read.
    ///
    /// # Errors
    /// [`MergeError`]; an artifact that was there stays as it was.
    pub fn into_folder(&self, artifacts: &Path) -> Result<(PathBuf, Manifest), MergeError> {
        let results = self.prove_complete()?;
        let RunRecord { run, fingerprint, plan_digest, .. } = *self.record;
        let artifact = artifact_folder(artifacts, run, fingerprint, self.job_name());
        let mut sink = DirectorySink::create(&artifact)?;
        if let Some(name) = self.job_name() {
            sink.fact("job", name.into());
        }
        self.assemble(&results, &mut sink)?;
        let merged_unix_s =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let provenance = Provenance {
            fulldeck_version: fulldeck_service::version().to_owned(),
            run,
            plan_digest,
            slices: results.len() as u32,
            merged_unix_s,
        };
        let manifest = sink.finish(self.spec, provenance)?;
        Ok((artifact, manifest))
    }

    fn job_name(&self) -> Option<&str> {
        self.job.and_then(|job| self.plan.job(job)).map(|job| job.name.as_str())
    }

    /// The slices that are merged, in plan order.
    fn slices(&self) -> impl Iterator<Item = &Slice> {
        let wanted = self.job;
        let all = self.plan.slices().iter();
        all.filter(move |slice| wanted.is_none_or(|job| slice.job == job))
    }

    /// One result for every slice that is wanted, in plan order. (That the slices tile their jobs, the plan has
    /// proved.)
    fn prove_complete(&self) -> Result<Vec<CommittedSlice>, MergeError> {
        let known: BTreeMap<_, _> = self.committed.iter().copied().collect();
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for slice in self.slices() {
            match known.get(&slice.id) {
                Some(committed) => found.push(*committed),
                None => missing.push(slice.id),
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        let run = format!("run {}", self.record.run);
        Err(MergeError::Incomplete {
            what: self.job_name().map_or(run.clone(), |job| format!("job {job} of {run}")),
            missing: missing.len(),
            slices: found.len() + missing.len(),
            holes: holes(self.plan, &missing),
        })
    }

    /// Reads and decompresses in a thread of its own while the workload writes.
    fn assemble(
        &self,
        results: &[CommittedSlice],
        sink: &mut DirectorySink,
    ) -> Result<(), MergeError> {
        let slices: Vec<SliceId> = self.slices().map(|slice| slice.id).collect();
        let largest = self.slices().map(|slice| slice.raw_bytes).max().unwrap_or(1).max(1);
        let ahead = (READ_AHEAD_BYTES / largest).clamp(1, READ_AHEAD_RESULTS);
        let reader = self.reader;
        std::thread::scope(|scope| {
            let (sender, received) = sync_channel::<Read>(ahead as usize);
            std::thread::Builder::new()
                .name("fulldeck-merge".to_owned())
                .spawn_scoped(scope, move || {
                    for (slice, result) in slices.iter().zip(results) {
                        let payload = reader.read(&result.place, &result.digest);
                        // Nobody listens any more once assembling has failed.
                        if sender.send((*slice, payload)).is_err() {
                            return;
                        }
                    }
                })
                .map_err(MergeError::Thread)?;
            let mut payloads = Payloads { results: received, delivered: 0, failed: None };
            let assembled = match self.job {
                None => self.computation.assemble(self.plan, &mut payloads, sink),
                Some(job) => self.computation.assemble_job(self.plan, job, &mut payloads, sink),
            };
            if let Some((slice, source)) = payloads.failed {
                let run = self.record.run;
                return Err(match source {
                    StoreError::Damaged { .. } => MergeError::Damaged { run, slice, source },
                    source => MergeError::Read { slice, source },
                });
            }
            assembled.map_err(|error| match error.kind() {
                io::ErrorKind::Unsupported => MergeError::NoPart(error),
                // The sink's own errors come through the workload; they name the file.
                _ => error
                    .downcast::<ArtifactError>()
                    .map_or_else(MergeError::Assemble, MergeError::Artifact),
            })?;
            if payloads.delivered != results.len() {
                let why = "the workload left results unread";
                return Err(MergeError::Assemble(io::Error::other(why)));
            }
            Ok(())
        })
    }
}

/// `slices 3-5 of aabc-aabb, slice 9 of aabb-aabb`, and how many more.
fn holes(plan: &Plan, missing: &[SliceId]) -> String {
    let job_of = |id: SliceId| plan.slice(id).map(|slice| slice.job);
    let mut ranges: Vec<(SliceId, SliceId)> = Vec::new();
    for id in missing {
        match ranges.last_mut() {
            Some((_, last)) if last.0 + 1 == id.0 && job_of(*last) == job_of(*id) => *last = *id,
            _ => ranges.push((*id, *id)),
        }
    }
    let more = ranges.len().saturating_sub(MAX_HOLES_LISTED);
    let mut shown: Vec<_> = ranges
        .iter()
        .take(MAX_HOLES_LISTED)
        .map(|(first, last)| {
            let job = job_of(*first).and_then(|job| plan.job(job)).map_or("", |job| &job.name);
            match last.0 - first.0 {
                0 => format!("slice {} of {job}", first.0),
                _ => format!("slices {}-{} of {job}", first.0, last.0),
            }
        })
        .collect();
    if more > 0 {
        shown.push(format!("and {more} more ranges"));
    }
    shown.join(", ")
}

type Read = (SliceId, Result<Vec<u8>, StoreError>);

struct Payloads {
    results: Receiver<Read>,
    delivered: usize,
    failed: Option<(SliceId, StoreError)>,
}

impl Iterator for Payloads {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.results.recv().ok()? {
            (_, Ok(payload)) => {
                self.delivered += 1;
                Some(Ok(payload))
            }
            (slice, Err(error)) => {
                let text = error.to_string();
                self.failed.get_or_insert((slice, error));
                Some(Err(io::Error::new(io::ErrorKind::InvalidData, text)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fulldeck_job::{Job, JobIndex, Slice};

    use super::*;

    #[test]
    fn holes_are_ranges_within_jobs() {
        let slices = (0..60u32)
            .map(|id| Slice {
                id: SliceId(id),
                job: JobIndex(id / 30),
                first_row: id % 30,
                rows: 1,
                elements: 1,
                raw_bytes: 8,
                cost: 1,
                batch: id,
            })
            .collect();
        let job = |name: &str| Job { name: name.into(), family: String::new(), rows: 30 };
        let plan = Plan::new(vec![job("a"), job("b")], slices).unwrap();
        let ids = |ids: &[u32]| ids.iter().copied().map(SliceId).collect::<Vec<_>>();
        assert_eq!(
            holes(&plan, &ids(&[0, 3, 4, 28, 29, 30, 31])),
            "slice 0 of a, slices 3-4 of a, slices 28-29 of a, slices 30-31 of b"
        );
        let every_second: Vec<_> = (0..60).step_by(2).map(SliceId).collect();
        assert!(holes(&plan, &every_second).ends_with("slice 38 of b, and 10 more ranges"));
    }
}
