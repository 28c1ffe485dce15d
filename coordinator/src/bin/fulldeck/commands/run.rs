//! `fulldeck run WORKLOAD`: a coordinator and its workers in this process, over the same protocol as on a cluster.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use fulldeck_coordinator::store::StoreError;
use fulldeck_coordinator::{
    Coordinator, CoordinatorHandle, CoordinatorOptions, ShutdownError, StartError,
};
use fulldeck_job::{Computation, Estimate, Registry};
use fulldeck_proto::v1::{RunState, RunStatus};
use fulldeck_service::{Access, StopLevel, StopSignal, StopSource, exit, host};
use fulldeck_worker::{AccessSource, WorkerError, WorkerOptions, WorkerSummary, thread_count};
use tokio::task::JoinSet;

use crate::app::{App, Asked};
use crate::artifacts;
use crate::cli::{DataDir, Link, RunArgs, quoted};
use crate::disk_args::DiskArgs;
use crate::error::CliError;
use crate::output::units::{bytes, counted, percent};
use crate::progress::{Activity, RunBars};
use crate::run_view::RunView;
use crate::summary::{Effort, Merged};

/// Most workers in one process.
const MAX_WORKERS: u16 = 64;
/// Time between two looks at the run.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// The coordinator is in the same process: when it does not answer, it is gone.
const RECONNECT_FOR: Duration = Duration::from_secs(20);

/// Flags of `run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck run omaha
  fulldeck run omaha -p cards=2 --data-dir D
  fulldeck run omaha --only aabc-aabb --threads 2")]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    disk: DiskArgs,
    /// Workers in this process; they share the threads
    #[arg(long, env = "FULLDECK_WORKERS", value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_WORKERS)))]
    workers: u16,
    /// Computing threads of all workers together [default: all this process may use]
    #[arg(long, env = "FULLDECK_THREADS", value_name = "N", value_parser = thread_count)]
    threads: Option<usize>,
    /// Compute this job alone; may be repeated. Its part of the artifact: fulldeck merge RUN --only JOB
    #[arg(long, env = "FULLDECK_ONLY", value_name = "JOB", value_delimiter = ',')]
    only: Vec<String>,
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let started = Instant::now();
    let asked = app.asked(&arguments.run)?;
    // Before the store is opened or a table is built: what is there already is said at once.
    let computation = asked.computation()?;
    check_plan(computation.as_ref(), &arguments.only, arguments.run.slices)?;
    if let Some((folder, manifest)) = artifacts::of_run(&arguments.data, &asked.spec, None)? {
        let effort = Effort {
            already_merged: true,
            computed_slices: 0,
            elapsed_seconds: started.elapsed().as_secs_f64(),
        };
        let merged = Merged::of(folder, manifest, Link::of(&arguments.data));
        app.output.print(&merged.by(effort))?;
        return Ok(exit::OK);
    }
    app.block_on(async {
        let stop = StopSignal::install()
            .map_err(|error| CliError::unexpected(format!("cannot listen to signals: {error}")))?;
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut options = CoordinatorOptions::new(arguments.data.data_dir.clone(), listen);
        // The workers of an earlier call ended with it.
        options.hold_leases = false;
        arguments.disk.apply(&mut options);
        // A run may be larger than the disk: its jobs can be computed one by one.
        options.space.refuse_runs = false;
        let coordinator = Coordinator::start(options, app.registry.clone()).await.map_err(
            |error| match error {
                StartError::Store(StoreError::Locked { .. }) => {
                    CliError::from(error).hint(format!(
                        "a coordinator that runs there takes the run by 'fulldeck submit{}'",
                        arguments.data.words()
                    ))
                }
                other => other.into(),
            },
        )?;
        let session = Session {
            arguments,
            app,
            asked: &asked,
            estimate: computation.estimate(),
            handle: coordinator.handle(),
            access: coordinator.access().clone(),
            stop,
            started,
        };
        let outcome = session.drive().await;
        let ended = coordinator.shutdown().await;
        let code = outcome?;
        match ended {
            // What was asked for is done all the same: only notes about leases were left to write.
            Ok(()) | Err(ShutdownError::Store(_)) => Ok(code),
            Err(error) => Err(error.into()),
        }
    })
}

/// Refuses what cannot be planned and names that are no jobs, before anything is created.
fn check_plan(computation: &dyn Computation, only: &[String], slices: u32) -> Result<(), CliError> {
    let plan = computation.plan(slices)?;
    only.iter().try_for_each(|name| artifacts::job_named(&plan, name).map(drop))
}

struct Session<'a> {
    arguments: &'a Arguments,
    app: &'a App,
    asked: &'a Asked,
    estimate: Estimate,
    handle: CoordinatorHandle,
    access: Access,
    stop: StopSignal,
    started: Instant,
}

impl Session<'_> {
    async fn drive(&self) -> Result<u8, CliError> {
        let run = &self.arguments.run;
        let submitted = self.handle.submit(&run.workload, &run.parameters, run.slices).await?;
        let number = submitted.spec.as_ref().map_or(0, |spec| spec.run);
        if submitted.existed && run.slices != 0 && run.slices != submitted.slices {
            self.app.say(&format!(
                "run {number} was begun before and keeps its plan of {}",
                counted(submitted.slices.into(), "slice")
            ));
        }
        self.handle.focus(number, &self.arguments.only).await?;
        let before = self.status(number).await?;
        if submitted.existed && before.committed > 0 {
            self.app.say(&format!(
                "run {number} goes on at {:.1} %",
                percent(before.committed_cost, before.cost)
            ));
        }
        let after = match before.state() {
            RunState::Finished => before.clone(),
            _ => self.compute(number, &before).await?,
        };
        self.conclude(number, &before, after).await
    }

    async fn status(&self, number: u32) -> Result<RunStatus, CliError> {
        Ok(self.handle.status(&number.to_string()).await?)
    }

    /// Computes until nothing is left to do, or somebody asks to stop.
    async fn compute(&self, number: u32, before: &RunStatus) -> Result<RunStatus, CliError> {
        // The workers also stop when the coordinator fails, so they have a signal of their own.
        let (source, stop) = StopSource::new();
        let mut workers = self.start_workers(&stop);
        let mut bars = RunBars::new(self.app, before).with_elements(self.estimate.elements);
        let mut look = tokio::time::interval(LOOK_EVERY);
        let mut first_error = None;
        let mut halted = None;
        let mut told = false;
        loop {
            tokio::select! {
                () = self.stop.reached(StopLevel::Drain), if !told => {
                    told = true;
                    source.raise(self.stop.level());
                    self.app.say("stopping: what is being computed is finished (again: at once)");
                }
                reason = self.handle.store_failed(), if halted.is_none() => {
                    halted = Some(reason);
                    // Nothing they have can be taken any more.
                    source.raise(StopLevel::Stop);
                }
                reason = self.handle.leasing_held(), if halted.is_none() => {
                    halted = Some(reason);
                    // What they have can still be taken.
                    source.raise(StopLevel::Drain);
                }
                ended = workers.join_next() => match ended {
                    None => break,
                    Some(ended) => {
                        if let Err(error) = worker_outcome(ended) {
                            first_error.get_or_insert(error);
                        }
                    }
                },
                _ = look.tick() => {
                    source.raise(self.stop.level());
                    match self.status(number).await {
                        Ok(status) => {
                            bars.show(&status);
                            // Other runs of the folder may be open: they are not ours to compute.
                            if self.done(&status) {
                                source.raise(StopLevel::Drain);
                            }
                        }
                        Err(error) => {
                            source.raise(StopLevel::Stop);
                            first_error.get_or_insert(error);
                        }
                    }
                }
            }
        }
        bars.clear();
        let status = self.status(number).await;
        if let (Some(reason), Ok(status)) = (&halted, &status)
            && !self.done(status)
        {
            return Err(self.halted(status, reason));
        }
        match status {
            Ok(status) if self.done(&status) || self.stop.level() > StopLevel::Run => Ok(status),
            Ok(status) => match first_error {
                Some(error) => Err(error),
                None => Ok(status),
            },
            Err(error) => Err(first_error.unwrap_or(error)),
        }
    }

    /// The store takes nothing more: most often because the disk is full.
    fn halted(&self, status: &RunStatus, reason: &str) -> CliError {
        let done = percent(status.committed_cost, status.cost);
        let error = CliError::incomplete(format!("stopped at {done:.1} %: {reason}"));
        let Estimate { store_bytes, artifact_bytes, .. } = self.estimate;
        let left = (store_bytes as f64 * (1.0 - done / 100.0)) as u64 + artifact_bytes;
        match host::free_bytes(&self.arguments.data.data_dir) {
            Some(free) if free < left => error.hint(format!(
                "about {} are still needed there, {} are free: then the same command goes on",
                bytes(left),
                bytes(free)
            )),
            _ => error.hint("the same command goes on from there"),
        }
    }

    fn start_workers(&self, stop: &StopSignal) -> JoinSet<Result<WorkerSummary, WorkerError>> {
        let threads = self.arguments.threads.unwrap_or_else(host::available_threads);
        let mut workers = JoinSet::new();
        for (position, threads) in shares(threads, self.arguments.workers.into()).enumerate() {
            let mut options = WorkerOptions::new(AccessSource::Fixed(self.access.clone()));
            options.threads = threads;
            options.cpu = self.app.backend.name().to_owned();
            options.name = format!("{}-{}", options.name, position + 1);
            options.reconnect_for = RECONNECT_FOR;
            options.exit_when_done = true;
            let registry: Registry = self.app.registry.clone();
            workers.spawn(fulldeck_worker::run(options, registry, stop.clone()));
        }
        workers
    }

    /// Whether what was asked for is computed.
    fn done(&self, status: &RunStatus) -> bool {
        let only = &self.arguments.only;
        let wanted = |name: &str| only.is_empty() || only.iter().any(|only| only == name);
        status.jobs.iter().filter(|job| wanted(&job.name)).all(|job| job.committed == job.slices)
    }

    async fn conclude(
        &self,
        number: u32,
        before: &RunStatus,
        after: RunStatus,
    ) -> Result<u8, CliError> {
        let share = percent(after.committed_cost, after.cost);
        if after.state() == RunState::Finished {
            let (folder, manifest) = self.merge(number).await?;
            let effort = Effort {
                already_merged: false,
                computed_slices: after.committed.saturating_sub(before.committed),
                elapsed_seconds: self.started.elapsed().as_secs_f64(),
            };
            let merged = Merged::of(folder, manifest, Link::of(&self.arguments.data));
            self.app.output.print(&merged.by(effort))?;
            return Ok(exit::OK);
        }
        if !self.arguments.only.is_empty() && self.done(&after) {
            let mut shown = after;
            shown.no_estimate_because = "what was asked for is computed".to_owned();
            self.app.output.print(&RunView(shown, Link::of(&self.arguments.data)))?;
            let words = self.arguments.data.words();
            for job in &self.arguments.only {
                let merge = format!("fulldeck merge {number} --only {job}{words}");
                self.app.say(&format!("computed {job}: {merge}"));
            }
            self.app.say(&format!("for the rest: {}", self.command()));
            return Ok(exit::OK);
        }
        if self.stop.level() > StopLevel::Run {
            return Err(self.stopped(format!("stopped at {share:.1} %, everything done is kept")));
        }
        if after.parked > 0 {
            let reason = after.parked_slices.first().map_or("", |parked| &parked.reason);
            return Err(CliError::run_failed(format!(
                "{} cannot be computed: {reason}",
                counted(after.parked.into(), "slice")
            ))
            .hint(format!("see fulldeck status {number}{}", self.arguments.data.words())));
        }
        Err(CliError::unexpected(format!("the workers left at {share:.1} %"))
            .hint("the same command goes on"))
    }

    async fn merge(&self, number: u32) -> Result<(PathBuf, fulldeck_artifact::Manifest), CliError> {
        let activity = Activity::new(self.app, "merging");
        let name = number.to_string();
        let answer = tokio::select! {
            answer = self.handle.merge(&name, None, false) => answer?,
            () = self.stop.reached(StopLevel::Drain) => {
                return Err(self.stopped("stopped while merging, everything computed is kept"));
            }
        };
        activity.clear();
        Ok((PathBuf::from(answer.path), super::merge::manifest(&answer.manifest_json)?))
    }

    /// The command that computes the whole run.
    fn command(&self) -> String {
        let mut command = format!("fulldeck run {}", self.asked.spec.workload);
        for parameter in &self.arguments.run.parameters {
            command.push_str(&format!(" -p {}", quoted(parameter)));
        }
        command + &self.arguments.data.words()
    }

    /// One signal: resumable. Two: the code of the signal.
    fn stopped(&self, message: impl Into<String>) -> CliError {
        let error = match self.stop.level() {
            StopLevel::Stop => CliError::signalled(self.stop.exit_code(), message),
            _ => CliError::incomplete(message),
        };
        error.hint("the same command goes on from there")
    }
}

/// Splits threads among workers as evenly as can be, at least one each.
fn shares(threads: usize, workers: usize) -> impl Iterator<Item = usize> {
    (0..workers)
        .map(move |worker| (threads / workers + usize::from(worker < threads % workers)).max(1))
}

fn worker_outcome(
    ended: Result<Result<WorkerSummary, WorkerError>, tokio::task::JoinError>,
) -> Result<(), CliError> {
    match ended {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.into()),
        Err(error) => Err(CliError::unexpected(format!("a worker failed: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_shared_evenly_and_nobody_gets_none() {
        assert_eq!(shares(7, 3).collect::<Vec<_>>(), [3, 2, 2]);
        assert_eq!(shares(2, 4).collect::<Vec<_>>(), [1, 1, 1, 1]);
    }
}
