//! What may happen to a result on its way.

use tokio::task::JoinSet;
use tonic::Code;

use super::*;
use crate::intake::MAX_UPLOADS;

#[tokio::test]
async fn damage_on_the_way_is_found_and_nothing_of_it_is_kept() {
    let site = Site::new().await;
    site.submit(&["padding=100"]).await;
    let mut worker = site.worker().await;
    let lease = worker.lease(1, 0).await.unwrap().slices.remove(0);
    let (header, stored) = worker.compute(&lease).await;

    let mut flipped = stored.clone();
    flipped[50] ^= 1;
    let mut long = stored.clone();
    long.push(0);
    let damaged = [
        (header.clone(), flipped, "digest"),
        (header.clone(), stored[..60].to_vec(), "60 of 108 bytes"),
        (header.clone(), long, "more than the announced 108"),
        (v1::UploadHeader { stored_bytes: 109, ..header.clone() }, stored.clone(), "do not fit"),
        (v1::UploadHeader { codec: 0, ..header.clone() }, stored.clone(), "do not fit"),
        (v1::UploadHeader { codec: 2, ..header.clone() }, stored.clone(), "decompress"),
    ];
    for (header, bytes, word) in damaged {
        let answer = worker.upload(header, &bytes).await.unwrap();
        assert_eq!(answer.outcome(), v1::UploadOutcome::Corrupt, "{word}");
        assert!(answer.detail.contains(word), "{}", answer.detail);
    }
    // Sound bytes that cannot be the result.
    let (plan, _) = worker.plan(lease.run).await;
    let slice = plan.slices()[lease.slice as usize];
    let (wrong, bytes) = worker.package(&lease, &slice, &[7; 108]);
    let answer = worker.upload(wrong, &bytes).await.unwrap();
    assert_eq!(answer.outcome(), v1::UploadOutcome::Corrupt);
    assert!(answer.detail.contains("not the square of 0"), "{}", answer.detail);
    // A piece out of order.
    let chunk = |offset, data: &[u8]| v1::Chunk { offset, data: data.to_vec().into() };
    let swapped = pieces(header.clone(), [chunk(50, &stored[50..]), chunk(0, &stored[..50])]);
    let answer = worker.client.upload_result(tokio_stream::iter(swapped)).await.unwrap();
    assert_eq!(answer.into_inner().outcome(), v1::UploadOutcome::Corrupt);
    // No header, two headers.
    let piece = |piece| v1::UploadPiece { piece: Some(piece) };
    let headless = vec![piece(v1::upload_piece::Piece::Chunk(chunk(0, &stored)))];
    let mut twice = pieces(header.clone(), []);
    twice.push(piece(v1::upload_piece::Piece::Header(header.clone())));
    for malformed in [headless, twice, Vec::new()] {
        let refused = worker.client.upload_result(tokio_stream::iter(malformed)).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
    }

    assert_eq!(site.status().await.committed, 0);
    let answer = worker.upload(header, &stored).await.unwrap();
    assert_eq!(answer.outcome(), v1::UploadOutcome::Committed);
}

#[tokio::test]
async fn the_outcomes_that_need_no_bytes() {
    let site = Site::new().await;
    site.submit(&["padding=3000000"]).await;
    let mut worker = site.worker().await;
    let leases = worker.lease(1, 0).await.unwrap().slices;
    let (header, stored) = worker.compute(&leases[0]).await;
    assert!(stored.len() > 2 * MAX_CHUNK_BYTES, "several pieces");
    let foreign = leases[0].token.clone().map(|token| v1::AttemptToken { sequence: 99, ..token });
    let cases = [
        (v1::UploadHeader { token: foreign, ..header.clone() }, v1::UploadOutcome::Fenced),
        (
            v1::UploadHeader { fingerprint: vec![0; 32].into(), ..header.clone() },
            v1::UploadOutcome::WrongRun,
        ),
        (v1::UploadHeader { first_row: 1, ..header.clone() }, v1::UploadOutcome::WrongRun),
        (header.clone(), v1::UploadOutcome::Committed),
        (header.clone(), v1::UploadOutcome::Duplicate),
    ];
    for (header, outcome) in cases {
        assert_eq!(worker.upload(header, &stored).await.unwrap().outcome(), outcome);
    }
    // Other bytes of a committed slice: they pass every check but are not the ones.
    let (plan, _) = worker.plan(leases[0].run).await;
    let mut other = vec![1; 3_000_008];
    other[..8].fill(0);
    let slice = plan.slices()[leases[0].slice as usize];
    let (header, stored) = worker.package(&leases[0], &slice, &other);
    let answer = worker.upload(header.clone(), &stored).await.unwrap();
    assert_eq!(answer.outcome(), v1::UploadOutcome::Mismatch);
    assert_eq!(site.status().await.mismatched, 1);
    // An unknown session registers again.
    let stale = v1::UploadHeader { session: 1, ..header };
    assert_eq!(worker.upload(stale, &stored).await.unwrap_err().code(), Code::Aborted);
}

#[tokio::test]
async fn the_largest_result_passes_through_default_limits() {
    let site = Site::new().await;
    site.submit(&["rows=1", &format!("padding={}", fulldeck_job::MAX_RESULT_BYTES - 8)]).await;
    let mut worker = site.worker().await;
    let lease = worker.lease(1, 0).await.unwrap().slices.remove(0);
    assert_eq!(worker.finish(&lease).await.unwrap(), v1::UploadOutcome::Committed);
    assert_eq!(site.status().await.stored_bytes, fulldeck_job::MAX_RESULT_BYTES as u64);
}

/// Calls in progress on one connection of [`only_so_many_uploads_at_a_time`].
const CALLS_EACH: usize = 128;

#[tokio::test]
async fn only_so_many_uploads_at_a_time() {
    let site = Site::new().await;
    site.submit(&[]).await;
    let mut worker = site.worker().await;
    let leases = worker.lease(8, 0).await.unwrap().slices;
    let (header, _) = worker.compute(&leases[0]).await;
    // A connection carries fewer calls than the coordinator takes uploads.
    let mut others = Vec::new();
    for _ in 0..MAX_UPLOADS.div_ceil(CALLS_EACH) {
        others.push(site.worker().await.client);
    }
    // One upload too many, and all of them stay open.
    let mut open = Vec::new();
    let mut calls = JoinSet::new();
    for number in 0..=MAX_UPLOADS {
        let (sender, receiver) = tokio::sync::mpsc::channel(2);
        let first = pieces(header.clone(), []).remove(0);
        sender.send(first).await.unwrap();
        open.push(sender);
        let mut client = others[number % others.len()].clone();
        let stream = tokio_stream::wrappers::ReceiverStream::new(receiver);
        calls.spawn(async move { client.upload_result(stream).await });
    }
    let refused = calls.join_next().await.unwrap().unwrap().unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    assert!(refused.message().contains("try again"), "{refused}");
    assert!(worker.beat(&leases).await.is_ok(), "heartbeats go on");
    drop(open);
    while let Some(call) = calls.join_next().await {
        let answer = call.unwrap().unwrap().into_inner();
        assert_eq!(answer.outcome(), v1::UploadOutcome::Corrupt, "cut short");
    }
    assert_eq!(worker.finish(&leases[0]).await.unwrap(), v1::UploadOutcome::Committed);
}
