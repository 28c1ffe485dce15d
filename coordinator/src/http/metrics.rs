//! What Prometheus is told. `docs/guide/metrics.md` lists it, and a test compares.

use std::sync::Arc;

use fulldeck_proto::v1::{RunStatus, WorkerStatus};
use fulldeck_service::host;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use crate::engine::Counters;
use crate::error::RequestError;
use crate::handle::CoordinatorHandle;
use crate::intake::Intake;
use crate::net::{Door, Refusals};
use crate::view::state_word;

/// What the answer is, for whoever reads it.
pub(super) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Most runs, the newest, that are shown one by one ...
const MAX_RUNS: usize = 100;
/// ... and most jobs of those that are not finished.
const MAX_JOBS: usize = 2_000;

/// What cannot be asked of a handle.
#[derive(Clone)]
pub(crate) struct Sources {
    pub(crate) counters: Counters,
    pub(crate) refusals: Refusals,
    pub(crate) intake: Intake,
    /// Of the gRPC side.
    pub(crate) door: Arc<Door>,
}

type Labels = Vec<(&'static str, String)>;
type Gauges = Family<Labels, Gauge>;

/// All metrics, as text.
pub(super) async fn exposition(
    handle: &CoordinatorHandle,
    sources: &Sources,
) -> Result<String, RequestError> {
    let (runs, workers) = (handle.runs().await?, handle.workers().await?);
    let mut registry = Registry::with_prefix("fulldeck");
    register_build(&mut registry);
    register_runs(&mut registry, &runs);
    register_workers(&mut registry, &workers);
    register_counters(&mut registry, sources);
    register_process(&mut registry, handle, sources);
    let mut text = String::new();
    encode(&mut text, &registry).map_err(|error| RequestError::Internal(error.to_string()))?;
    Ok(text)
}

fn register_build(registry: &mut Registry) {
    let build = Info::new(vec![
        ("version", fulldeck_service::version()),
        ("os", std::env::consts::OS),
        ("arch", std::env::consts::ARCH),
    ]);
    registry.register("build", "This program", build);
}

fn register_runs(registry: &mut Registry, runs: &[RunStatus]) {
    let (states, slices, jobs) = (Gauges::default(), Gauges::default(), Gauges::default());
    let stored = Gauge::<i64>::default();
    for run in runs {
        states.get_or_create(&vec![("state", state_word(run).to_owned())]).inc();
        stored.inc_by(signed(run.stored_bytes));
    }
    let mut jobs_left = MAX_JOBS;
    for run in runs.iter().rev().take(MAX_RUNS) {
        let number = run.spec.as_ref().map_or(0, |spec| spec.run).to_string();
        let by_run = |state: &str| vec![("run", number.clone()), ("state", state.to_owned())];
        set(&slices, by_run, [run.committed, run.leased, run.waiting, run.parked]);
        if run.committed == run.slices {
            continue;
        }
        for job in run.jobs.iter().take(jobs_left) {
            jobs_left -= 1;
            let by_job = |state: &str| {
                vec![
                    ("run", number.clone()),
                    ("job", job.name.clone()),
                    ("state", state.to_owned()),
                ]
            };
            let waiting = job.slices.saturating_sub(job.committed + job.leased + job.parked);
            set(&jobs, by_job, [job.committed, job.leased, waiting, job.parked]);
        }
    }
    registry.register("runs", "Runs by state", states);
    registry.register("slices", "Slices of the newest runs by state", slices);
    registry.register("job_slices", "Slices of the jobs of open runs by state", jobs);
    let stuck = Gauge::<i64>::default();
    let longest = runs.iter().map(|run| run.stuck_seconds).fold(0.0, f64::max);
    stuck.set(longest as i64);
    registry.register_with_unit("stuck", "Work could be leased, but is not", Unit::Seconds, stuck);
    registry.register_with_unit("store", "Results in the store", Unit::Bytes, stored);
}

fn set(family: &Gauges, labels: impl Fn(&str) -> Labels, counts: [u32; 4]) {
    for (state, count) in ["committed", "leased", "waiting", "parked"].into_iter().zip(counts) {
        family.get_or_create(&labels(state)).set(count.into());
    }
}

fn register_workers(registry: &mut Registry, workers: &[WorkerStatus]) {
    let states = Gauges::default();
    let threads = Gauge::<i64>::default();
    for state in ["live", "suspect"] {
        states.get_or_create(&vec![("state", state.to_owned())]).set(0);
    }
    for worker in workers {
        states.get_or_create(&vec![("state", worker.state.clone())]).inc();
        threads.inc_by(worker.threads.into());
    }
    registry.register("workers", "Workers by state", states);
    registry.register("worker_threads", "Computing threads of all workers", threads);
}

fn register_counters(registry: &mut Registry, sources: &Sources) {
    let Counters { commits, committed_bytes, leases_expired, failures, parked, mismatches } =
        sources.counters.clone();
    registry.register("commits", "Results made durable since the start", commits);
    registry.register_with_unit(
        "committed",
        "Results made durable since the start, as stored",
        Unit::Bytes,
        committed_bytes,
    );
    registry.register("leases_expired", "Leases that ended without a word", leases_expired);
    registry.register("slice_failures", "Failures that workers reported", failures);
    registry.register("slices_parked", "Slices given up after repeated failures", parked);
    registry.register("mismatches", "Results that differ from the committed ones", mismatches);
    let refusals = sources.refusals.count.clone();
    registry.register("refusals", "Calls and connections that were refused", refusals);
}

fn register_process(registry: &mut Registry, handle: &CoordinatorHandle, sources: &Sources) {
    let gauge = |value: u64| {
        let gauge = Gauge::<i64>::default();
        gauge.set(signed(value));
        gauge
    };
    let queue = gauge(handle.engine().queue_depth() as u64);
    registry.register("queue_depth", "Calls that wait for the scheduler", queue);
    let uploads = gauge(sources.intake.in_progress() as u64);
    registry.register("uploads", "Uploads in progress", uploads);
    let connections = gauge(sources.door.guests() as u64);
    registry.register("connections", "Open gRPC connections", connections);
    let failed = gauge(handle.failure().is_some().into());
    registry.register("store_failed", "1 when nothing more is leased or stored", failed);
    let memory = gauge(host::process_memory().map_or(0, |memory| memory.rss_bytes));
    registry.register_with_unit("resident", "Memory of the coordinator", Unit::Bytes, memory);
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
