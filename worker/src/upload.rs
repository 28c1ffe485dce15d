//! Telling the coordinator how a slice ended, as often as it takes until it has heard.

use bytes::Bytes;
use fulldeck_job::Slice;
use fulldeck_job::record::Codec;
use fulldeck_proto::v1::{self, FailureClass, UploadOutcome};

use crate::backoff::Backoff;
use crate::batch::Batch;
use crate::client::hopeless;
use crate::executor::Finished;
use crate::link::Kind;
use crate::session::Worker;
use crate::token::Token;

/// Times a result is sent again after it arrived damaged or was not understood.
const MAX_RESENDS: u32 = 3;

/// A finished result on its way.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    pub(crate) token: Token,
    pub(crate) finished: Finished,
    /// This slice's share of the time its call took.
    pub(crate) compute_ms: u64,
}

/// Sends a result until the coordinator has decided about it, or no longer wants it.
pub(crate) async fn deliver(worker: &Worker, batch: &Batch, slice: &Slice, delivery: Delivery) {
    let Delivery { token, finished, compute_ms } = delivery;
    let header = header(worker, batch, slice, token, &finished, compute_ms);
    let stored = finished.stored;
    let mut backoff = Backoff::default();
    let mut resends = 0;
    while worker.ledger.holds(token) {
        let connection = worker.link.serving().await;
        // Registering anew may have dropped it.
        if !worker.ledger.holds(token) {
            return;
        }
        let permit = worker.uploads.acquire().await.expect("uploads are never closed");
        let answer = connection.upload(header.clone(), stored.clone()).await;
        drop(permit);
        worker.link.report(&connection, Kind::Upload, &answer);
        let damage = match answer {
            Ok(answer) => match settle(worker, batch, slice, token, &answer) {
                None => return,
                Some(damage) => damage,
            },
            Err(status) if hopeless(&status) => status.message().to_owned(),
            Err(_) => {
                tokio::time::sleep(backoff.next(worker.link.timings().reconnect_cap)).await;
                continue;
            }
        };
        resends += 1;
        tracing::warn!(run = batch.run, slice = slice.id.0, resends, "result refused: {damage}");
        if resends > MAX_RESENDS {
            let text = format!("result refused {resends} times: {damage}");
            return report_failure(worker, token, FailureClass::Invalid, &text).await;
        }
        tokio::time::sleep(backoff.next(worker.link.timings().reconnect_cap)).await;
    }
}

/// Obeys the answer to an upload; the damage if the result is to be sent again.
fn settle(
    worker: &Worker,
    batch: &Batch,
    slice: &Slice,
    token: Token,
    answer: &v1::UploadResponse,
) -> Option<String> {
    let (run, slice) = (batch.run, slice.id.0);
    let detail = &answer.detail;
    match answer.outcome() {
        UploadOutcome::Committed => {
            worker.tally.committed();
            tracing::debug!(run, slice, "slice committed");
        }
        UploadOutcome::Duplicate => {
            worker.tally.duplicate();
            tracing::info!(run, slice, "slice was committed before, with the same bytes");
        }
        UploadOutcome::Fenced | UploadOutcome::Gone => {
            worker.tally.dropped();
            tracing::warn!(run, slice, "result no longer wanted: {detail}");
        }
        UploadOutcome::Mismatch => {
            worker.tally.failed();
            tracing::error!(run, slice, "result differs from the committed one: {detail}");
        }
        UploadOutcome::WrongRun => {
            worker.tally.failed();
            tracing::error!(run, slice, "result is not of the coordinator's plan: {detail}");
        }
        UploadOutcome::Corrupt => return Some(format!("it arrived damaged: {detail}")),
        UploadOutcome::Unspecified => {
            return Some(format!("the answer {} is unknown", answer.outcome));
        }
    }
    worker.ledger.remove(token);
    None
}

fn header(
    worker: &Worker,
    batch: &Batch,
    slice: &Slice,
    token: Token,
    finished: &Finished,
    compute_ms: u64,
) -> v1::UploadHeader {
    v1::UploadHeader {
        // Those of the connection, filled in when it is sent.
        session: 0,
        epoch: 0,
        token: Some(token.to_wire()),
        fingerprint: Bytes::copy_from_slice(&batch.fingerprint.0),
        slice: slice.id.0,
        job: slice.job.0,
        first_row: slice.first_row,
        rows: slice.rows,
        elements: slice.elements,
        raw_bytes: finished.raw_bytes,
        stored_bytes: finished.stored.len() as u64,
        codec: match finished.codec {
            Codec::Raw => v1::Codec::Raw,
            Codec::Zstd => v1::Codec::Zstd,
        }
        .into(),
        digest: Bytes::copy_from_slice(&finished.digest.0),
        compute_ms,
        engine: worker.options.cpu.clone(),
        host: 0,
    }
}

/// Reports a failure until the coordinator has heard it, or no longer wants the slice.
pub(crate) async fn report_failure(worker: &Worker, token: Token, class: FailureClass, text: &str) {
    let mut backoff = Backoff::default();
    while worker.ledger.holds(token) {
        let connection = worker.link.registered().await;
        let answer = connection.report_failure(token, class, text).await;
        worker.link.report(&connection, Kind::Other, &answer);
        match answer {
            Ok(()) => {}
            Err(status) if hopeless(&status) => {
                tracing::warn!("the coordinator does not take the report: {}", status.message());
            }
            Err(_) => {
                tokio::time::sleep(backoff.next(worker.link.timings().reconnect_cap)).await;
                continue;
            }
        }
        worker.tally.failed();
        worker.ledger.remove(token);
    }
}
