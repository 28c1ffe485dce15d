//! Asking for work.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fulldeck_job::{Fingerprint, SliceId};
use fulldeck_proto::{MAX_LEASED_SLICES, v1};
use tokio::time::{Instant, sleep, sleep_until};

use crate::backoff::Backoff;
use crate::batch::{self, Batch, Member};
use crate::link::Kind;
use crate::session::Worker;
use crate::token::Token;

/// Most attempts held at a time, undelivered results included.
const MAX_HELD: usize = 1024;
/// Least time between two questions that were answered with nothing.
const EMPTY_ANSWER_PAUSE: Duration = Duration::from_millis(250);

const _: () = assert!(MAX_LEASED_SLICES < MAX_HELD);

/// Leases for ever; returns only when the worker is to leave once everything is done and everything is.
pub(crate) async fn lease_forever(worker: &Arc<Worker>) {
    let mut backoff = Backoff::default();
    let mut leaving = false;
    loop {
        worker.reap();
        worker.slot_free().await;
        worker.ledger.until(|counts| counts.total() + MAX_LEASED_SLICES <= MAX_HELD).await;
        let connection = worker.link.serving().await;
        let asked = Instant::now();
        let free = u32::try_from(worker.slots.available_permits()).unwrap_or(u32::MAX);
        // The coordinator holds a question open if it has said before that everything is done.
        let wait = if leaving { Duration::ZERO } else { worker.link.timings().lease_wait };
        let answer = connection.lease(free, worker.ledger.answer(), wait).await;
        worker.link.report(&connection, Kind::Lease, &answer);
        let Ok(answer) = answer else {
            sleep(backoff.next(worker.link.timings().reconnect_cap)).await;
            continue;
        };
        backoff.reset();
        let empty = answer.slices.is_empty();
        let all_done = answer.all_done;
        for batch in accept(worker, connection.generation, answer) {
            worker.spawn(batch::lead(Arc::clone(worker), batch));
        }
        // The answer to the last upload may come after this one.
        leaving = empty && all_done && worker.options.exit_when_done;
        if empty {
            if leaving && worker.ledger.counts().total() == 0 {
                return;
            }
            sleep_until(asked + EMPTY_ANSWER_PAUSE).await;
        }
    }
}

/// Enters the leased slices into the ledger and groups them into batches.
fn accept(worker: &Worker, generation: u64, answer: v1::LeaseResponse) -> Vec<Batch> {
    let mut leased = Vec::with_capacity(answer.slices.len());
    for slice in &answer.slices {
        let token = Token::from_wire(slice.token.as_ref());
        let fingerprint = Fingerprint::from_slice(&slice.fingerprint);
        match (token, fingerprint) {
            (Some(token), Some(fingerprint)) => leased.push((token, fingerprint, slice)),
            // Not named in any heartbeat, it goes back to the coordinator by itself.
            _ => tracing::error!(run = slice.run, slice = slice.slice, "malformed lease ignored"),
        }
    }
    let entries = leased
        .iter()
        .map(|(token, fingerprint, slice)| (*token, *fingerprint, SliceId(slice.slice)))
        .collect();
    let Some(fresh) = worker.ledger.accept(generation, answer.answer, entries) else {
        return Vec::new();
    };
    let mut groups: BTreeMap<_, Vec<Member>> = BTreeMap::new();
    for (token, fingerprint, slice) in leased {
        if fresh.contains(&token) {
            let hard_limit = Duration::from_millis(slice.hard_limit_ms);
            let member = Member { token, slice: SliceId(slice.slice), hard_limit };
            groups.entry((slice.run, fingerprint, slice.batch)).or_default().push(member);
        }
    }
    let batch = |((run, fingerprint, _), mut members): ((u32, Fingerprint, u32), Vec<Member>)| {
        members.sort_by_key(|member| member.slice);
        tracing::info!(run, first = members[0].slice.0, slices = members.len(), "leased");
        let slot = worker.slots.clone().try_acquire_owned().ok();
        Batch { run, fingerprint, members, slot }
    };
    groups.into_iter().map(batch).collect()
}
