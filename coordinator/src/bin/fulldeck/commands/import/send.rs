//! The results of bundles on their way to a coordinator, several at a time so that one wait for the disk makes many
//! durable.

use std::fs::File;
use std::time::Duration;

use bytes::Bytes;
use fulldeck_job::record::{Codec, RECORD_HEADER_BYTES, RecordHeader, Source};
use fulldeck_proto::MAX_CHUNK_BYTES;
use fulldeck_proto::v1::upload_piece::Piece;
use fulldeck_proto::v1::{self, UploadOutcome, UploadPiece};
use tokio::task::JoinSet;

use super::bundles::Group;
use crate::error::CliError;
use crate::remote::{Admin, Sent};

/// Results on their way.
const AT_ONCE: usize = 32;
/// Bytes on their way, beyond the one that is about to be sent.
const BYTES_AT_ONCE: usize = 32 << 20;
/// A busy coordinator is asked again so often ...
const TRIES: u32 = 20;
/// ... after this.
const PAUSE: Duration = Duration::from_millis(250);

/// What became of the results.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) imported: u64,
    pub(super) duplicates: u64,
    /// What differs, in words.
    pub(super) mismatches: Vec<String>,
    /// What was not taken, in words.
    pub(super) refused: Vec<String>,
}

impl Tally {
    fn add(&mut self, what: &str, answer: &v1::UploadResponse) {
        match answer.outcome() {
            UploadOutcome::Committed => self.imported += 1,
            UploadOutcome::Duplicate => self.duplicates += 1,
            UploadOutcome::Mismatch => self.mismatches.push(format!("{what}: {}", answer.detail)),
            _ => self.refused.push(format!("{what}: {}", answer.detail)),
        }
    }
}

/// Sends every result of every bundle.
pub(super) async fn all(admin: &Admin, group: &Group) -> Result<Tally, CliError> {
    let mut tally = Tally::default();
    let mut sending: JoinSet<Result<(String, v1::UploadResponse), CliError>> = JoinSet::new();
    let mut bytes = 0;
    for found in &group.bundles {
        let cannot =
            |error| CliError::usage(format!("cannot read {}: {error}", found.path.display()));
        let file = File::open(&found.path).map_err(cannot)?;
        for header in &found.bundle.results {
            bytes += header.stored_bytes as usize;
            while sending.len() >= AT_ONCE || (bytes > BYTES_AT_ONCE && !sending.is_empty()) {
                let Some(ended) = sending.join_next().await else { break };
                note(&mut tally, ended)?;
                bytes = if sending.is_empty() { header.stored_bytes as usize } else { bytes };
            }
            let mut payload = vec![0; header.stored_bytes as usize];
            file.read_at(&mut payload, header.offset + RECORD_HEADER_BYTES as u64)
                .map_err(cannot)?;
            let what = format!("slice {} in {}", header.slice, found.path.display());
            let (mut admin, header) = (admin.clone(), header.clone());
            sending
                .spawn(async move { Ok((what, send(&mut admin, &header, payload.into()).await?)) });
        }
    }
    while let Some(ended) = sending.join_next().await {
        note(&mut tally, ended)?;
    }
    Ok(tally)
}

fn note(
    tally: &mut Tally,
    ended: Result<Result<(String, v1::UploadResponse), CliError>, tokio::task::JoinError>,
) -> Result<(), CliError> {
    let ended = ended.map_err(|error| CliError::unexpected(format!("sending failed: {error}")))?;
    let (what, answer) = ended?;
    tally.add(&what, &answer);
    Ok(())
}

/// Sends one result, again while the coordinator is busy.
async fn send(
    admin: &mut Admin,
    header: &RecordHeader,
    payload: Bytes,
) -> Result<v1::UploadResponse, CliError> {
    let mut tries = 0;
    loop {
        match admin.import(pieces(header, &payload)).await? {
            Sent::Answered(answer) => return Ok(answer),
            Sent::Busy(why) if tries == TRIES => return Err(CliError::timed_out(why)),
            Sent::Busy(_) => tries += 1,
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn pieces(header: &RecordHeader, payload: &Bytes) -> Vec<UploadPiece> {
    let codec = match header.codec {
        Codec::Raw => v1::Codec::Raw,
        Codec::Zstd => v1::Codec::Zstd,
    };
    let first = v1::UploadHeader {
        fingerprint: header.fingerprint.0.to_vec().into(),
        slice: header.slice,
        job: header.job,
        first_row: header.first_row,
        rows: header.rows,
        elements: header.elements,
        raw_bytes: header.raw_bytes,
        stored_bytes: u64::from(header.stored_bytes),
        codec: codec.into(),
        digest: header.digest.0.to_vec().into(),
        compute_ms: header.compute_ms,
        host: header.host,
        ..v1::UploadHeader::default()
    };
    let chunk = |start: usize| {
        let data = payload.slice(start..(start + MAX_CHUNK_BYTES).min(payload.len()));
        UploadPiece { piece: Some(Piece::Chunk(v1::Chunk { offset: start as u64, data })) }
    };
    std::iter::once(UploadPiece { piece: Some(Piece::Header(first)) })
        .chain((0..payload.len()).step_by(MAX_CHUNK_BYTES).map(chunk))
        .collect()
}
