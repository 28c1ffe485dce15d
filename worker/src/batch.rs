//! The life of leased slices that belong together: wait for a turn, compute in one call, deliver each.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fulldeck_job::{Fingerprint, Slice, SliceId};
use fulldeck_proto::v1::FailureClass;
use tokio::sync::OwnedSemaphorePermit;

use crate::WorkerError;
use crate::executor::CallFailure;
use crate::ledger::Control;
use crate::runs::RunTrouble;
use crate::session::Worker;
use crate::token::Token;
use crate::upload::{self, Delivery};

/// Most raw bytes that one call may produce; larger batches are computed in parts.
const MAX_CALL_BYTES: u64 = 128 << 20;
/// Most bytes of results being computed or waiting for delivery; beyond it computing waits.
const MAX_RESULT_SPACE: u64 = 512 << 20;
/// Unit in which that space is counted.
const SPACE_UNIT: u64 = 4 << 10;

/// Units of result space of one worker.
pub(crate) const SPACE_UNITS: usize = (MAX_RESULT_SPACE / SPACE_UNIT) as usize;

// Two calls at a time and their successors' results fit; each part holds at least one slice of the largest size.
const _: () = assert!(2 * MAX_CALL_BYTES < MAX_RESULT_SPACE);
const _: () = assert!(fulldeck_job::MAX_RESULT_BYTES as u64 <= MAX_CALL_BYTES);

/// One leased slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) token: Token,
    pub(crate) slice: SliceId,
    /// Computing longer than this is a failure; zero for no limit.
    pub(crate) hard_limit: Duration,
}

/// Leased slices of one run that share work.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) run: u32,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) members: Vec<Member>,
    /// Its place among the batches that are computed or wait for it; `None` when more came than was asked for.
    pub(crate) slot: Option<OwnedSemaphorePermit>,
}

#[derive(Clone, Copy, Debug)]
struct Planned {
    member: Member,
    slice: Slice,
}

/// Leads a batch to its end: every slice of it is delivered, reported or no longer wanted.
pub(crate) async fn lead(worker: Arc<Worker>, mut batch: Batch) {
    let bound = worker
        .runs
        .get(batch.run, batch.fingerprint, &worker.link, &worker.registry, &worker.executor)
        .await;
    let planned = match &bound {
        Ok(bound) => planned(&batch, |id| bound.plan.slice(id).copied()),
        Err(trouble) => Err(trouble.clone()),
    };
    let (bound, planned) = match (bound, planned) {
        (Ok(bound), Ok(planned)) => (bound, planned),
        (_, Err(trouble)) | (Err(trouble), _) => return refuse(&worker, &batch, trouble).await,
    };
    let mut parts = parts(planned);
    while let Some(part) = parts.pop_front() {
        let turn = worker.turns.clone().acquire_owned().await.expect("turns are never closed");
        let space: u64 = part.iter().map(|planned| units(planned.slice.raw_bytes)).sum();
        let space = worker
            .space
            .clone()
            .acquire_many_owned(u32::try_from(space).expect("a part is far below 2^32 units"))
            .await
            .expect("space is never closed");
        let results = compute(&worker, &bound.computation, part).await;
        drop(turn);
        if parts.is_empty() {
            batch.slot = None;
        }
        deliver(&worker, &batch, results, space).await;
    }
}

fn planned(
    batch: &Batch,
    slice: impl Fn(SliceId) -> Option<Slice>,
) -> Result<Vec<Planned>, RunTrouble> {
    let find = |member: &Member| {
        slice(member.slice).map(|slice| Planned { member: *member, slice }).ok_or_else(|| {
            RunTrouble::Conflict(format!(
                "slice {} was leased, which the plan of run {} does not have: install the same release on both",
                member.slice.0, batch.run
            ))
        })
    };
    batch.members.iter().map(find).collect()
}

/// Cuts a batch where one call would produce too much.
fn parts(planned: Vec<Planned>) -> VecDeque<Vec<Planned>> {
    let mut parts: VecDeque<Vec<Planned>> = VecDeque::new();
    let mut bytes = 0;
    for one in planned {
        match parts.back_mut() {
            Some(part) if bytes + one.slice.raw_bytes <= MAX_CALL_BYTES => part.push(one),
            _ => {
                bytes = 0;
                parts.push_back(vec![one]);
            }
        }
        bytes += one.slice.raw_bytes;
    }
    parts
}

fn units(bytes: u64) -> u64 {
    bytes.div_ceil(SPACE_UNIT).max(1)
}

/// Computes what is still wanted of a part; failures are reported here.
async fn compute(
    worker: &Worker,
    computation: &Arc<dyn fulldeck_job::Computation>,
    mut part: Vec<Planned>,
) -> Vec<(Slice, Delivery)> {
    let tokens: Vec<_> = part.iter().map(|planned| planned.member.token).collect();
    let wanted = worker.ledger.queued_among(&tokens);
    part.retain(|planned| wanted.contains(&planned.member.token));
    if part.is_empty() {
        return Vec::new();
    }
    let slices: Vec<_> = part.iter().map(|planned| planned.slice).collect();
    let control = Arc::new(Control::new(&slices));
    let call: Vec<_> = part.iter().map(|planned| (planned.member.token, planned.slice)).collect();
    worker.ledger.start(&call, &control);
    let started = Instant::now();
    let computing = worker.executor.compute(Arc::clone(computation), slices, Arc::clone(&control));
    tokio::pin!(computing);
    let limit = hard_limit(&part);
    let outcome = tokio::select! {
        outcome = &mut computing => outcome,
        () = tokio::time::sleep(limit.unwrap_or_default()), if limit.is_some() => {
            let limit = limit.unwrap_or_default();
            let text = format!("not computed within the hard limit of {limit:?}");
            report_all(worker, &part, FailureClass::Timeout, &text).await;
            control.cancel();
            // The threads are free only when the call has noticed.
            computing.await
        }
    };
    let elapsed = started.elapsed();
    match outcome {
        Ok(results) => {
            let total: u64 = part.iter().map(|planned| planned.slice.cost).sum();
            let delivery = |(planned, finished): (&Planned, _)| {
                let share = planned.slice.cost as f64 / total.max(1) as f64;
                let compute_ms = (elapsed.as_secs_f64() * share * 1e3) as u64;
                let token = planned.member.token;
                (planned.slice, Delivery { token, finished, compute_ms })
            };
            part.iter().zip(results).map(delivery).collect()
        }
        // Whoever cancelled has told the coordinator, or was told by it.
        Err(CallFailure::Cancelled) => Vec::new(),
        Err(CallFailure::Panicked(message)) => {
            let text = format!("the computation panicked: {message}");
            report_all(worker, &part, FailureClass::Panic, &text).await;
            Vec::new()
        }
        Err(CallFailure::Invalid(why)) => {
            report_all(worker, &part, FailureClass::Invalid, &why).await;
            Vec::new()
        }
    }
}

/// A call may take as long as its slices together, if each has a limit.
fn hard_limit(part: &[Planned]) -> Option<Duration> {
    part.iter()
        .map(|planned| planned.member.hard_limit)
        .map(|limit| (!limit.is_zero()).then_some(limit))
        .sum()
}

async fn deliver(
    worker: &Worker,
    batch: &Batch,
    results: Vec<(Slice, Delivery)>,
    mut space: OwnedSemaphorePermit,
) {
    // Encoded results take less than was set aside for raw ones: give the rest back at once.
    let mut stored = Vec::with_capacity(results.len());
    for (slice, delivery) in results {
        if worker.ledger.finish(delivery.token, delivery.finished.digest) {
            let units = units(delivery.finished.stored.len() as u64) as usize;
            stored.push((slice, delivery, space.split(units)));
        }
    }
    drop(space);
    for (slice, delivery, _space) in stored {
        upload::deliver(worker, batch, &slice, delivery).await;
    }
}

async fn report_all(worker: &Worker, part: &[Planned], class: FailureClass, text: &str) {
    for planned in part {
        let slice = planned.member.slice.0;
        tracing::error!(slice, "slice failed: {text}");
        upload::report_failure(worker, planned.member.token, class, text).await;
    }
}

async fn refuse(worker: &Worker, batch: &Batch, trouble: RunTrouble) {
    let (RunTrouble::Conflict(text) | RunTrouble::Unknown(text)) = &trouble;
    tracing::error!(run = batch.run, slices = batch.members.len(), "refused: {text}");
    for member in &batch.members {
        upload::report_failure(worker, member.token, FailureClass::Refused, text).await;
    }
    if let RunTrouble::Conflict(text) = trouble {
        worker.fail(WorkerError::Conflict(text));
    }
}

#[cfg(test)]
mod tests {
    use fulldeck_job::JobIndex;

    use super::*;
    use crate::token::tests::token;

    fn planned(id: u32, raw_bytes: u64, hard_limit_ms: u64) -> Planned {
        let hard_limit = Duration::from_millis(hard_limit_ms);
        let member = Member { token: token(u64::from(id)), slice: SliceId(id), hard_limit };
        let slice = Slice {
            id: SliceId(id),
            job: JobIndex(0),
            first_row: id,
            rows: 1,
            elements: 1,
            raw_bytes,
            cost: 1,
            batch: 0,
        };
        Planned { member, slice }
    }

    #[test]
    fn a_batch_is_cut_only_where_it_is_too_large() {
        let half = MAX_CALL_BYTES / 2;
        let sizes = |sizes: &[u64]| {
            let all = sizes.iter().zip(0..).map(|(size, id)| planned(id, *size, 0)).collect();
            parts(all).iter().map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!(sizes(&[1; 64]), [64]);
        assert_eq!(sizes(&[half, half, half]), [2, 1]);
        assert_eq!(sizes(&[half, half + 1, half - 1, 1]), [1, 2, 1]);
    }

    #[test]
    fn limits_add_up_unless_one_is_missing() {
        let limit = |limits: &[u64]| {
            hard_limit(&limits.iter().map(|limit| planned(0, 1, *limit)).collect::<Vec<_>>())
        };
        assert_eq!(limit(&[5, 7]), Some(Duration::from_millis(12)));
        assert_eq!(limit(&[5, 0]), None);
    }
}
