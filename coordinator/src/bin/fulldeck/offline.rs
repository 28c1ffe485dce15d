//! A data folder whose coordinator is not running, read under the lock of its store.

use std::path::PathBuf;
use std::sync::Arc;

use fulldeck_artifact::Manifest;
use fulldeck_coordinator::merge::Merge;
use fulldeck_coordinator::store::{
    OpenOptions, RecoveredRun, ResultReader, RunRecord, SledStore, Store,
};
use fulldeck_job::{Computation, Plan, RunSpec};
use fulldeck_proto::v1::{self, JobStatus, RunState, RunStatus};

use crate::app::App;
use crate::artifacts;
use crate::cli::DataDir;
use crate::error::CliError;

/// The file that makes a folder a data folder.
const STORE_FILE: &str = "STORE";

/// A stopped data folder. Nobody else can open it meanwhile.
pub(crate) struct Folder<'a> {
    app: &'a App,
    data: &'a DataDir,
    runs: Vec<RecoveredRun>,
    reader: ResultReader,
    /// Holds the lock.
    _store: SledStore,
}

/// A run with everything that follows from its record.
struct Planned {
    spec: RunSpec,
    computation: Arc<dyn Computation>,
    plan: Plan,
}

impl<'a> Folder<'a> {
    pub(crate) fn open(app: &'a App, data: &'a DataDir) -> Result<Self, CliError> {
        let folder = &data.data_dir;
        if !folder.join(STORE_FILE).exists() {
            return Err(CliError::not_found(format!("there are no runs in {}", folder.display()))
                .hint("fulldeck run makes them, or name another folder with --data-dir"));
        }
        let store = SledStore::open(folder, OpenOptions::default())?;
        let runs = store.recover()?;
        Ok(Self { app, data, runs, reader: store.reader(), _store: store })
    }

    pub(crate) fn statuses(&self) -> Result<Vec<RunStatus>, CliError> {
        self.runs.iter().map(|run| self.status_of(run)).collect()
    }

    pub(crate) fn status(&self, run: &str) -> Result<RunStatus, CliError> {
        self.status_of(self.find(run)?)
    }

    /// Merges a complete run, or one complete job of it; what is merged already is only named.
    pub(crate) fn merge(
        &self,
        run: &str,
        job: Option<&str>,
    ) -> Result<(PathBuf, Manifest), CliError> {
        let run = self.find(run)?;
        let record = &run.record;
        let planned = self.planned(record)?;
        let index = job.map(|name| artifacts::job_named(&planned.plan, name)).transpose()?;
        if let Some(source) = artifacts::of_run(self.data, record.fingerprint, job)? {
            return Ok((source.folder().to_owned(), source.manifest().clone()));
        }
        let merge = Merge {
            reader: &self.reader,
            record,
            spec: &planned.spec,
            plan: &planned.plan,
            committed: &run.committed,
            computation: planned.computation.as_ref(),
            job: index,
        };
        Ok(merge.into_folder(&self.data.artifacts())?)
    }

    fn find(&self, run: &str) -> Result<&RecoveredRun, CliError> {
        let numbered = run.parse().ok();
        let found = match run {
            "last" => self.runs.last(),
            _ => self.runs.iter().find(|known| Some(known.record.run) == numbered),
        };
        if let Some(found) = found {
            return Ok(found);
        }
        let prefix = run.to_ascii_lowercase();
        let of_prefix =
            |known: &&RecoveredRun| known.record.fingerprint.to_string().starts_with(&prefix);
        match self.runs.iter().filter(of_prefix).collect::<Vec<_>>()[..] {
            [found] => Ok(found),
            [] => {
                let known: Vec<_> =
                    self.runs.iter().map(|known| known.record.run.to_string()).collect();
                let folder = self.data.data_dir.display();
                Err(CliError::not_found(format!("no run '{run}' in {folder}"))
                    .hint(format!("the runs are {}", known.join(", "))))
            }
            _ => Err(CliError::usage(format!("'{run}' names several runs"))
                .hint("give more digits of the fingerprint")),
        }
    }

    fn planned(&self, record: &RunRecord) -> Result<Planned, CliError> {
        let workload = self.app.registry.get(&record.workload).ok_or_else(|| {
            CliError::conflict(format!("this program knows no workload '{}'", record.workload))
                .hint("use the version of fulldeck that began the run")
        })?;
        let spec = record.spec(workload.as_ref())?;
        let computation = workload.prepare(&spec.parameters)?;
        let plan = computation.plan(record.slice_target)?;
        let same_version = workload.algorithm_version() == record.algorithm_version;
        if !same_version || plan.digest() != record.plan_digest {
            return Err(CliError::conflict(format!(
                "run {} was planned by another version of {}",
                record.run, record.workload
            ))
            .hint("use the version of fulldeck that began the run"));
        }
        Ok(Planned { spec, computation, plan })
    }

    fn status_of(&self, run: &RecoveredRun) -> Result<RunStatus, CliError> {
        let record = &run.record;
        let plan = self.planned(record)?.plan;
        let mut jobs: Vec<_> = plan
            .jobs()
            .iter()
            .map(|job| JobStatus {
                name: job.name.clone(),
                family: job.family.clone(),
                ..JobStatus::default()
            })
            .collect();
        for slice in plan.slices() {
            let job = &mut jobs[slice.job.0 as usize];
            job.slices += 1;
            job.cost += slice.cost;
        }
        let mut committed_cost = 0;
        for slice in run.committed.iter().filter_map(|(id, _)| plan.slice(*id)) {
            let job = &mut jobs[slice.job.0 as usize];
            job.committed += 1;
            job.committed_cost += slice.cost;
            committed_cost += slice.cost;
        }
        let (slices, committed) = (plan.slices().len() as u32, run.committed.len() as u32);
        let state = match committed {
            _ if committed == slices => RunState::Finished,
            0 => RunState::Queued,
            _ => RunState::Running,
        };
        let artifact = artifacts::of_run(self.data, record.fingerprint, None)?;
        Ok(RunStatus {
            spec: Some(v1::RunSpec {
                run: record.run,
                workload: record.workload.clone(),
                algorithm_version: record.algorithm_version,
                parameters: record.parameters.clone(),
                slice_target: record.slice_target,
                fingerprint: record.fingerprint.0.to_vec().into(),
                plan_digest: record.plan_digest.0.to_vec().into(),
            }),
            state: state.into(),
            jobs,
            slices,
            committed,
            waiting: slices.saturating_sub(committed),
            cost: plan.total_cost(),
            committed_cost,
            no_estimate_because: match state {
                RunState::Finished => String::new(),
                _ => "no coordinator is running".to_owned(),
            },
            stored_bytes: run
                .committed
                .iter()
                .map(|(_, at)| u64::from(at.place.stored_bytes))
                .sum(),
            artifact: artifact
                .map(|source| source.folder().display().to_string())
                .unwrap_or_default(),
            ..RunStatus::default()
        })
    }
}
