//! Runs and workers as JSON: what `fulldeck status -o json` prints and the HTTP side answers. Names are stable.

use fulldeck_job::Fingerprint;
use fulldeck_proto::v1::{JobStatus, RunSpec, RunState, RunStatus, WorkerStatus};
use serde_json::{Map, Value, json};

/// Version of every JSON object; raised when a field changes its meaning or goes away.
pub const SCHEMA: u64 = 1;

/// Puts `schema` in front.
#[must_use]
pub fn versioned(fields: Map<String, Value>) -> Map<String, Value> {
    let mut whole = Map::new();
    whole.insert("schema".to_owned(), SCHEMA.into());
    whole.extend(fields);
    whole
}

/// A `serde_json::json!` object as a map.
///
/// # Panics
/// If `value` is no object: every caller builds one literally.
#[must_use]
pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => unreachable!("answers are JSON objects, not {other}"),
    }
}

/// Share of the work done, in percent; never rounded up to 100 before it is complete.
#[must_use]
pub fn percent(done: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 100.0;
    }
    let share = 100.0 * done as f64 / whole as f64;
    if done < whole { share.min(99.9) } else { 100.0 }
}

/// Stable word of a state.
#[must_use]
pub fn state_word(status: &RunStatus) -> &'static str {
    match status.state() {
        RunState::Unspecified => "unknown",
        RunState::Queued => "queued",
        RunState::Running => "running",
        RunState::Finished => "finished",
        RunState::FinishedWithParked => "finished_with_parked",
        RunState::Stopped => "stopped",
        RunState::Idle => "idle",
        RunState::Paused => "paused",
        RunState::Cancelled => "cancelled",
        RunState::Stalled => "stalled",
    }
}

/// The fingerprint as 64 digits.
#[must_use]
pub fn fingerprint(spec: &RunSpec) -> String {
    Fingerprint::from_slice(&spec.fingerprint).map(|hash| hash.to_string()).unwrap_or_default()
}

/// Canonical text as an object.
#[must_use]
pub fn parameters(canonical: &str) -> Map<String, Value> {
    let pairs = canonical.lines().filter_map(|line| line.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), Value::from(value))).collect()
}

fn job(job: &JobStatus) -> Value {
    json!({
        "name": job.name,
        "family": job.family,
        "percent": percent(job.committed_cost, job.cost),
        "slices": job.slices,
        "committed": job.committed,
        "leased": job.leased,
        "parked": job.parked,
        "cost": job.cost,
        "committed_cost": job.committed_cost,
    })
}

/// A run.
#[must_use]
pub fn run(status: &RunStatus) -> Map<String, Value> {
    let spec = status.spec.clone().unwrap_or_default();
    let seconds_left = match (status.seconds_left_low, status.seconds_left_high) {
        (Some(low), Some(high)) => json!({ "low": low, "high": high }),
        _ => Value::Null,
    };
    let parked: Vec<_> = status
        .parked_slices
        .iter()
        .map(|parked| json!({ "slice": parked.slice, "reason": parked.reason }))
        .collect();
    object(json!({
        "run": spec.run,
        "workload": spec.workload,
        "algorithm_version": spec.algorithm_version,
        "parameters": parameters(&spec.parameters),
        "fingerprint": fingerprint(&spec),
        "state": state_word(status),
        "percent": percent(status.committed_cost, status.cost),
        "cost": status.cost,
        "committed_cost": status.committed_cost,
        "cost_per_second": status.cost_per_second,
        "seconds_left": seconds_left,
        "no_estimate_because": (!status.no_estimate_because.is_empty())
            .then_some(&status.no_estimate_because),
        "slices": {
            "total": status.slices,
            "committed": status.committed,
            "leased": status.leased,
            "waiting": status.waiting,
            "parked": status.parked,
        },
        "parked_slices": parked,
        "checks": {
            "doubted": status.doubted,
            "confirmed": status.confirmed,
            "confirmed_alone": status.confirmed_alone,
        },
        "copies": status.copies,
        "stuck_seconds": status.stuck_seconds,
        "workers": { "live": status.workers_live, "suspect": status.workers_suspect },
        "mismatched": status.mismatched,
        "last_commit_seconds_ago": status.last_commit_seconds_ago,
        "stored_bytes": status.stored_bytes,
        "store_failed": (!status.store_failed.is_empty()).then_some(&status.store_failed),
        "artifact": (!status.artifact.is_empty()).then_some(&status.artifact),
        "jobs": status.jobs.iter().map(job).collect::<Vec<_>>(),
    }))
}

/// A worker.
#[must_use]
pub fn worker(worker: &WorkerStatus) -> Map<String, Value> {
    object(json!({
        "session": worker.session,
        "name": worker.name,
        "host_key": worker.host_key,
        "state": worker.state,
        "threads": worker.threads,
        "cpu": worker.cpu,
        "leased": worker.leased,
        "committed": worker.committed,
        "last_beat_seconds_ago": worker.last_beat_seconds_ago,
        "rss_bytes": worker.rss_bytes,
        "quarantined_because": (!worker.quarantined_because.is_empty())
            .then_some(&worker.quarantined_because),
        "quarantined_seconds": worker.quarantined_seconds,
    }))
}
