//! The runs of a store: what each is about, and where its results lie.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use fulldeck_artifact::MANIFEST_NAME;
use fulldeck_job::{Computation, Digest, Fingerprint, JobIndex, Plan, Registry, RunSpec, SliceId};
use fulldeck_proto::v1;

use crate::error::{RequestError, StartError};
use crate::merge::artifact_folder;
use crate::scheduler::RunSeed;
use crate::store::{CommittedSlice, Decided, LeaseRecord, Place, RecoveredRun, RunRecord};

/// Folder of the artifacts within the data folder.
const ARTIFACTS: &str = "artifacts";
/// Fewest digits of a fingerprint that name a run.
const MIN_PREFIX: usize = 4;

/// One run: its specification, its plan, and where its results lie.
pub(crate) struct RunEntry {
    pub(crate) number: u32,
    pub(crate) spec: RunSpec,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) plan_digest: Digest,
    pub(crate) plan: Arc<Plan>,
    pub(crate) computation: Arc<dyn Computation>,
    /// Folder of all artifacts.
    pub(crate) artifacts: PathBuf,
    /// Where the artifact is, or will be.
    pub(crate) artifact: PathBuf,
    /// Held while the run is being merged.
    pub(crate) merging: Arc<tokio::sync::Mutex<()>>,
    ledger: Mutex<Ledger>,
}

#[derive(Default)]
struct Ledger {
    committed: BTreeMap<SliceId, CommittedSlice>,
    stored_bytes: u64,
}

impl RunEntry {
    /// A run without results.
    pub(crate) fn new(
        data_dir: &Path,
        number: u32,
        spec: RunSpec,
        plan: Plan,
        computation: Arc<dyn Computation>,
    ) -> Self {
        let fingerprint = spec.fingerprint();
        let artifacts = data_dir.join(ARTIFACTS);
        Self {
            number,
            spec,
            fingerprint,
            plan_digest: plan.digest(),
            plan: Arc::new(plan),
            computation,
            artifact: artifact_folder(&artifacts, number, fingerprint, None),
            artifacts,
            merging: Arc::default(),
            ledger: Mutex::default(),
        }
    }

    /// From the store. What was stored must be what this program would compute.
    pub(crate) fn recovered(
        data_dir: &Path,
        registry: &Registry,
        record: &RunRecord,
    ) -> Result<Self, StartError> {
        let RunRecord { run, workload: name, .. } = record;
        let remedy = "use the release that began it, or another data folder";
        let workload = registry.get(name).ok_or_else(|| {
            StartError::Conflict(format!(
                "the store holds run {run} of '{name}', which this program does not know; {remedy}"
            ))
        })?;
        let (theirs, ours) = (record.algorithm_version, workload.algorithm_version());
        if theirs != ours {
            return Err(StartError::Conflict(format!(
                "the store holds run {run} of {name} version {theirs}, this program computes version {ours}; {remedy}"
            )));
        }
        let unlike = |what: String| {
            StartError::Conflict(format!("run {run} of the store differs, {what}; {remedy}"))
        };
        let spec = record.spec(workload.as_ref()).map_err(|error| unlike(error.to_string()))?;
        let fingerprint = spec.fingerprint();
        if fingerprint != record.fingerprint {
            let (theirs, ours) = (record.fingerprint.short(), fingerprint.short());
            return Err(unlike(format!("its fingerprint is {theirs}, here it would be {ours}")));
        }
        let computation =
            workload.prepare(&spec.parameters).map_err(|error| unlike(error.to_string()))?;
        let plan =
            computation.plan(spec.slice_target).map_err(|error| unlike(error.to_string()))?;
        let entry = Self::new(data_dir, *run, spec, plan, computation);
        if entry.plan_digest != record.plan_digest {
            let (theirs, ours) = (record.plan_digest.short(), entry.plan_digest.short());
            return Err(unlike(format!("its plan has digest {theirs}, here it would be {ours}")));
        }
        Ok(entry)
    }

    pub(crate) fn record(&self) -> RunRecord {
        RunRecord::new(self.number, &self.spec, self.plan_digest)
    }

    /// For the scheduler.
    pub(crate) fn seed(&self, unconfirmed: &[LeaseRecord], decided: Decided) -> RunSeed {
        RunSeed {
            run: self.number,
            fingerprint: self.fingerprint,
            workload: self.spec.workload.clone(),
            algorithm_version: self.spec.algorithm_version,
            plan: Arc::clone(&self.plan),
            committed: self
                .committed()
                .into_iter()
                .map(|(slice, committed)| (slice, committed.digest))
                .collect(),
            unconfirmed: unconfirmed.iter().map(|lease| (lease.slice, lease.token)).collect(),
            decided,
        }
    }

    /// For the wire.
    pub(crate) fn message(&self) -> v1::RunSpec {
        v1::RunSpec {
            run: self.number,
            workload: self.spec.workload.clone(),
            algorithm_version: self.spec.algorithm_version,
            parameters: self.spec.parameters.canonical(),
            slice_target: self.spec.slice_target,
            fingerprint: self.fingerprint.0.to_vec().into(),
            plan_digest: self.plan_digest.0.to_vec().into(),
        }
    }

    /// Notes where a durable result lies.
    pub(crate) fn note(&self, slice: SliceId, digest: Digest, place: Place) {
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        ledger.stored_bytes += u64::from(place.stored_bytes);
        ledger.committed.insert(slice, CommittedSlice { digest, place });
    }

    /// Forgets a result that proved damaged.
    pub(crate) fn forget(&self, slice: SliceId) {
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(committed) = ledger.committed.remove(&slice) {
            ledger.stored_bytes -= u64::from(committed.place.stored_bytes);
        }
    }

    /// The durable results, by slice.
    pub(crate) fn committed(&self) -> Vec<(SliceId, CommittedSlice)> {
        let ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        ledger.committed.iter().map(|(slice, committed)| (*slice, *committed)).collect()
    }

    /// Bytes of the durable results, as stored.
    pub(crate) fn stored_bytes(&self) -> u64 {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).stored_bytes
    }

    /// The job of this name.
    ///
    /// # Errors
    /// [`RequestError::BadInput`], with the names there are.
    pub(crate) fn job_named(&self, name: &str) -> Result<JobIndex, RequestError> {
        self.plan.job_named(name).ok_or_else(|| {
            let known: Vec<_> = self.plan.jobs().iter().map(|job| job.name.as_str()).collect();
            let (run, known) = (self.number, known.join(", "));
            RequestError::BadInput(format!("run {run} has no job '{name}'; its jobs are {known}"))
        })
    }

    /// Where the artifact of a job is or will be; that of the whole run without one.
    pub(crate) fn artifact_of(&self, job: Option<&str>) -> PathBuf {
        artifact_folder(&self.artifacts, self.number, self.fingerprint, job)
    }

    /// Path of the artifact, if it has been merged.
    pub(crate) fn merged(&self) -> Option<&Path> {
        self.artifact.join(MANIFEST_NAME).is_file().then_some(self.artifact.as_path())
    }
}

/// All runs, by number.
#[derive(Default)]
pub(crate) struct Catalog(RwLock<BTreeMap<u32, Arc<RunEntry>>>);

impl Catalog {
    /// The runs of a store, each with the leases of the coordinator's earlier life.
    pub(crate) fn recover(
        data_dir: &Path,
        registry: &Registry,
        runs: Vec<RecoveredRun>,
    ) -> Result<(Self, Vec<RunSeed>), StartError> {
        let catalog = Self::default();
        let mut seeds = Vec::new();
        for RecoveredRun { record, committed, leases, decided } in runs {
            let entry = RunEntry::recovered(data_dir, registry, &record)?;
            for (slice, committed) in committed {
                if entry.plan.slice(slice).is_none() {
                    return Err(StartError::Conflict(format!(
                        "run {} of the store has a result of slice {}, which its plan does not have",
                        record.run, slice.0
                    )));
                }
                entry.note(slice, committed.digest, committed.place);
            }
            seeds.push(entry.seed(&leases, decided));
            catalog.insert(Arc::new(entry));
        }
        Ok((catalog, seeds))
    }

    pub(crate) fn insert(&self, entry: Arc<RunEntry>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(entry.number, entry);
    }

    pub(crate) fn get(&self, number: u32) -> Option<Arc<RunEntry>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&number).cloned()
    }

    pub(crate) fn all(&self) -> Vec<Arc<RunEntry>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    pub(crate) fn of_fingerprint(&self, fingerprint: Fingerprint) -> Option<Arc<RunEntry>> {
        self.all().into_iter().find(|entry| entry.fingerprint == fingerprint)
    }

    /// The run that `name` means: its number, `last`, or the first digits of its fingerprint.
    pub(crate) fn find(&self, name: &str) -> Result<Arc<RunEntry>, RequestError> {
        let all = self.all();
        let not_found = |why: String| Err(RequestError::NotFound(why));
        if name == "last" {
            return match all.last() {
                Some(entry) => Ok(Arc::clone(entry)),
                None => not_found("there is no run yet".to_owned()),
            };
        }
        if let Some(entry) = name.parse().ok().and_then(|number| self.get(number)) {
            return Ok(entry);
        }
        let digits = name.to_ascii_lowercase();
        let is_prefix =
            digits.len() >= MIN_PREFIX && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_prefix && name.parse::<u32>().is_err() {
            return Err(RequestError::BadInput(format!(
                "'{name}' names no run; give its number, 'last', or at least {MIN_PREFIX} digits of its fingerprint"
            )));
        }
        let matching: Vec<_> = all
            .iter()
            .filter(|entry| is_prefix && entry.fingerprint.to_string().starts_with(&digits))
            .collect();
        match matching[..] {
            [entry] => Ok(Arc::clone(entry)),
            [] => not_found(format!("there is no run '{name}', but {}", numbers(&all))),
            _ => Err(RequestError::BadInput(format!(
                "'{name}' may be any of several runs; give more digits, or the number"
            ))),
        }
    }
}

/// `runs 1, 2, 3`, cut after a few.
fn numbers(all: &[Arc<RunEntry>]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<_> =
        all.iter().rev().take(SHOWN).map(|entry| entry.number.to_string()).collect();
    match all.len() {
        0 => "no run at all".to_owned(),
        1..=SHOWN => format!("run {}", shown.join(", ")),
        more => format!("run {} and {} older ones", shown.join(", "), more - SHOWN),
    }
}
