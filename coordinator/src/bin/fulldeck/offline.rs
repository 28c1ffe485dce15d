//! A data folder whose coordinator is not running: read, never written. Nobody writes it meanwhile.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fulldeck_artifact::Manifest;
use fulldeck_coordinator::merge::{Merge, MergeError};
use fulldeck_coordinator::store::{RecoveredRun, RunControl, RunRecord, Sharing, StoredRuns};
use fulldeck_job::{Computation, Plan, RunSpec};
use fulldeck_proto::v1::{self, JobStatus, RunState, RunStatus};

use crate::app::App;
use crate::artifacts;
use crate::cli::DataDir;
use crate::error::CliError;
use crate::run_view::{NO_COORDINATOR, run_command};

/// The file that makes a folder a data folder.
const STORE_FILE: &str = "STORE";
/// How long another process may take to let go of the folder.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// Damaged places that a message names.
const MAX_NAMED: usize = 5;

/// A stopped data folder.
pub(crate) struct Folder<'a> {
    app: &'a App,
    data: &'a DataDir,
    store: StoredRuns,
}

/// A run with everything that follows from its record.
struct Planned {
    spec: RunSpec,
    computation: Arc<dyn Computation>,
    plan: Plan,
}

impl<'a> Folder<'a> {
    /// To look at its runs; others may look at the same time.
    pub(crate) fn open(app: &'a App, data: &'a DataDir) -> Result<Self, CliError> {
        Self::open_as(app, data, Sharing::Readers, LOCK_WAIT)?.ok_or_else(|| Self::none(data))
    }

    /// To make artifacts beside its runs.
    pub(crate) fn open_alone(app: &'a App, data: &'a DataDir) -> Result<Self, CliError> {
        Self::open_as(app, data, Sharing::Alone, LOCK_WAIT)?.ok_or_else(|| Self::none(data))
    }

    /// As [`Folder::open`], without waiting for others; `None` if there is no store.
    pub(crate) fn find(app: &'a App, data: &'a DataDir) -> Result<Option<Self>, CliError> {
        Self::open_as(app, data, Sharing::Readers, Duration::ZERO)
    }

    fn open_as(
        app: &'a App,
        data: &'a DataDir,
        sharing: Sharing,
        wait: Duration,
    ) -> Result<Option<Self>, CliError> {
        data.check()?;
        let store = StoredRuns::open(&data.data_dir, sharing, wait)?;
        Ok(store.map(|store| Self { app, data, store }))
    }

    fn none(data: &DataDir) -> CliError {
        CliError::not_found(format!("there are no runs in {}", data.data_dir.display()))
            .hint("fulldeck run makes them, or name another folder with --data-dir")
    }

    /// Whether there is a store in the folder.
    pub(crate) fn exists(data: &DataDir) -> bool {
        data.data_dir.join(STORE_FILE).exists()
    }

    pub(crate) fn statuses(&self) -> Result<Vec<RunStatus>, CliError> {
        self.store.runs().iter().map(|run| self.status_of(run)).collect()
    }

    /// What is lost by damage and not computed again: an error that names it.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        if self.store.damaged().is_empty() {
            return Ok(());
        }
        let runs = self.statuses()?;
        let complete = |run: &RunStatus| run.state() == RunState::Finished;
        // Damage to which no slice can be told costs nothing as long as nothing is missing.
        let whole = !runs.is_empty() && runs.iter().all(complete);
        let damaged = self.store.damaged().iter();
        let costly: Vec<_> = damaged
            .filter(|damage| damage.slice.is_some() || !whole)
            .map(ToString::to_string)
            .collect();
        if costly.is_empty() {
            return Ok(());
        }
        let more = match costly.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let named = costly[..costly.len().min(MAX_NAMED)].join(", ");
        let folder = self.data.data_dir.display();
        Err(CliError::damaged(format!("the checkpoint in {folder} is damaged: {named}{more}"))
            .hint("the fulldeck run that began a run computes what it lost, and nothing else"))
    }

    /// An error that damage explains is told as damage.
    fn or_damage<T>(&self, outcome: Result<T, CliError>) -> Result<T, CliError> {
        match outcome {
            Err(error) if ["not_found", "incomplete"].contains(&error.kind) => {
                self.check().and(Err(error))
            }
            other => other,
        }
    }

    pub(crate) fn status(&self, run: &str) -> Result<RunStatus, CliError> {
        self.status_of(self.or_damage(self.run(run))?)
    }

    /// Merges a complete run, or one complete job of it; what is merged already is only named, unless it is to be done
    /// `again`.
    pub(crate) fn merge(
        &self,
        run: &str,
        job: Option<&str>,
        again: bool,
    ) -> Result<(PathBuf, Manifest), CliError> {
        let run = self.or_damage(self.run(run))?;
        let record = &run.record;
        let planned = self.planned(record)?;
        let index = job.map(|name| artifacts::job_named(&planned.plan, name)).transpose()?;
        if !again && let Some(merged) = artifacts::of_run(self.data, &planned.spec, job)? {
            return Ok(merged);
        }
        let merge = Merge {
            reader: self.store.reader(),
            record,
            spec: &planned.spec,
            plan: &planned.plan,
            committed: &run.committed,
            computation: planned.computation.as_ref(),
            job: index,
        };
        let merged = merge.into_folder(&self.data.artifacts()).map_err(|error| match error {
            MergeError::Incomplete { .. } => {
                let computes = run_command(&message(record), &self.data.words());
                CliError::from(error).only_hint(format!("{computes} goes on"))
            }
            other => other.into(),
        });
        self.or_damage(merged)
    }

    fn run(&self, run: &str) -> Result<&RecoveredRun, CliError> {
        let runs = self.store.runs();
        let numbered = run.parse().ok();
        let found = match run {
            "last" => runs.last(),
            _ => runs.iter().find(|known| Some(known.record.run) == numbered),
        };
        if let Some(found) = found {
            return Ok(found);
        }
        let prefix = run.to_ascii_lowercase();
        let of_prefix =
            |known: &&RecoveredRun| known.record.fingerprint.to_string().starts_with(&prefix);
        match runs.iter().filter(of_prefix).collect::<Vec<_>>()[..] {
            [found] => Ok(found),
            [] => {
                let known: Vec<_> = runs.iter().map(|known| known.record.run.to_string()).collect();
                let folder = self.data.data_dir.display();
                let hint = match &known[..] {
                    [] => "it holds no runs; fulldeck run makes them".to_owned(),
                    [one] => format!("the only run is {one}"),
                    _ => format!("the runs are {}", known.join(", ")),
                };
                Err(CliError::not_found(format!("no run '{run}' in {folder}")).hint(hint))
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
        let Planned { spec, plan, .. } = self.planned(record)?;
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
        let state = match run.decided.control {
            _ if committed == slices => RunState::Finished,
            RunControl::Cancelled => RunState::Cancelled,
            RunControl::Paused => RunState::Paused,
            RunControl::Open => RunState::Stopped,
        };
        let artifact = artifacts::of_run(self.data, &spec, None)?;
        Ok(RunStatus {
            spec: Some(message(record)),
            state: state.into(),
            jobs,
            slices,
            committed,
            waiting: slices.saturating_sub(committed),
            cost: plan.total_cost(),
            committed_cost,
            no_estimate_because: match state {
                RunState::Finished => String::new(),
                _ => NO_COORDINATOR.to_owned(),
            },
            stored_bytes: run
                .committed
                .iter()
                .map(|(_, at)| u64::from(at.place.stored_bytes))
                .sum(),
            artifact: artifact.map(|(folder, _)| folder.display().to_string()).unwrap_or_default(),
            ..RunStatus::default()
        })
    }
}

/// A stored run in the words of the wire.
fn message(record: &RunRecord) -> v1::RunSpec {
    v1::RunSpec {
        run: record.run,
        workload: record.workload.clone(),
        algorithm_version: record.algorithm_version,
        parameters: record.parameters.clone(),
        slice_target: record.slice_target,
        fingerprint: record.fingerprint.0.to_vec().into(),
        plan_digest: record.plan_digest.0.to_vec().into(),
    }
}
