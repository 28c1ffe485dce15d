//! A run and the workers as they are shown.

use fulldeck_proto::v1;

use crate::catalog::RunEntry;
use crate::scheduler::{Millis, RunPhase, RunSnapshot, WorkerSnapshot};

/// A run as it is shown.
pub(crate) fn run_status(entry: &RunEntry, snapshot: RunSnapshot) -> v1::RunStatus {
    let jobs: Vec<_> = entry
        .plan
        .jobs()
        .iter()
        .zip(&snapshot.jobs)
        .map(|(job, counts)| v1::JobStatus {
            name: job.name.clone(),
            family: job.family.clone(),
            slices: counts.slices,
            committed: counts.committed,
            leased: counts.leased,
            cost: counts.cost,
            committed_cost: counts.committed_cost,
            parked: counts.parked,
        })
        .collect();
    let sum = |of: fn(&v1::JobStatus) -> u32| jobs.iter().map(of).sum::<u32>();
    let (slices, committed) = (sum(|job| job.slices), sum(|job| job.committed));
    let (leased, parked) = (sum(|job| job.leased), sum(|job| job.parked));
    let (low, high, reason) = match (&snapshot.leasing_held, snapshot.time_left.seconds) {
        (Some(reason), _) if is_open(&snapshot) => {
            (None, None, format!("nothing is leased: {reason}"))
        }
        (_, Ok((low, high))) => (Some(low), Some(high), String::new()),
        (_, Err(reason)) => (None, None, reason.to_owned()),
    };
    let state = state_of(&snapshot);
    v1::RunStatus {
        spec: Some(entry.message()),
        state: state.into(),
        slices,
        committed,
        leased,
        waiting: slices - committed - leased - parked,
        parked,
        cost: jobs.iter().map(|job| job.cost).sum(),
        committed_cost: jobs.iter().map(|job| job.committed_cost).sum(),
        cost_per_second: snapshot.time_left.cost_per_second,
        seconds_left_low: low,
        seconds_left_high: high,
        no_estimate_because: reason,
        mismatched: snapshot.mismatched,
        last_commit_seconds_ago: snapshot.last_commit_ago.map(Millis::seconds),
        stored_bytes: entry.stored_bytes(),
        workers_live: snapshot.workers_live,
        workers_suspect: snapshot.workers_suspect,
        artifact: entry.merged().map(|path| path.display().to_string()).unwrap_or_default(),
        parked_slices: snapshot
            .parked
            .into_iter()
            .map(|(slice, reason)| v1::ParkedSlice { slice: slice.0, reason })
            .collect(),
        store_failed: snapshot.store_failed.unwrap_or_default(),
        doubted: snapshot.doubted,
        confirmed: snapshot.confirmed,
        confirmed_alone: snapshot.confirmed_alone,
        copies: snapshot.copies,
        stuck_seconds: snapshot.stuck.map_or(0.0, Millis::seconds),
        jobs,
    }
}

fn is_open(snapshot: &RunSnapshot) -> bool {
    matches!(snapshot.phase, RunPhase::Queued | RunPhase::Running)
}

fn state_of(snapshot: &RunSnapshot) -> v1::RunState {
    let nobody = snapshot.workers_live == 0 || snapshot.store_failed.is_some();
    match snapshot.phase {
        RunPhase::Queued => v1::RunState::Queued,
        RunPhase::Running if nobody => v1::RunState::Idle,
        RunPhase::Running => v1::RunState::Running,
        RunPhase::Finished => v1::RunState::Finished,
        RunPhase::FinishedWithParked => v1::RunState::FinishedWithParked,
        RunPhase::Paused => v1::RunState::Paused,
        RunPhase::Cancelled => v1::RunState::Cancelled,
        RunPhase::Stalled if nobody => v1::RunState::Idle,
        RunPhase::Stalled => v1::RunState::Stalled,
    }
}

/// A worker as it is shown: its processor with the version of its program.
pub(crate) fn worker_status(worker: WorkerSnapshot) -> v1::WorkerStatus {
    let state = match worker {
        _ if worker.suspect => "suspect",
        _ if worker.draining => "draining",
        _ if worker.quarantined.is_some() => "quarantined",
        _ => "live",
    };
    let (lasts, quarantined_because) = worker.quarantined.unwrap_or_default();
    let quarantined_seconds = lasts.seconds();
    v1::WorkerStatus {
        session: worker.session.0,
        name: worker.name,
        host_key: worker.host_key,
        state: state.to_owned(),
        quarantined_seconds,
        quarantined_because,
        threads: worker.threads,
        cpu: format!("{} ({})", worker.cpu, worker.build),
        leased: worker.leased,
        committed: worker.committed,
        last_beat_seconds_ago: worker.last_contact_ago.seconds(),
        rss_bytes: worker.rss_bytes,
    }
}
