//! UploadResult: the header is judged, the pieces are collected within bounds, the bytes are checked, and only a
//! durable result is acknowledged.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use fulldeck_job::MAX_RESULT_BYTES;
use fulldeck_job::record::Codec;
use fulldeck_proto::v1::upload_piece::Piece;
use fulldeck_proto::{MAX_CHUNK_BYTES, v1};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};
use tonic::{Status, Streaming};

use super::convert;
use super::status::{busy, malformed, too_slow, unexpected};
use super::worker::WorkerRpc;
use crate::handle::CoordinatorHandle;
use crate::intake::{Arrived, Intake, MAX_UPLOADS};
use crate::scheduler::{Event, Offer, Reply};
use crate::store::NewResult;

/// An upload may take this long ...
const BASE_TIME: Duration = Duration::from_secs(60);
/// ... and this much longer for each [`UNIT`] of it.
const TIME_PER_UNIT: Duration = Duration::from_secs(1);
const UNIT: u64 = 1 << 20;

impl WorkerRpc {
    pub(super) async fn upload(
        &self,
        pieces: Streaming<v1::UploadPiece>,
    ) -> Result<v1::UploadResponse, Status> {
        let mut upload = Upload::begin(&self.intake, pieces).await?;
        let caller = convert::caller(upload.header.session, upload.header.epoch);
        let offer = convert::offer(&upload.header)?;
        let run = match self.call(move |reply| Event::Offer { reply, caller, offer }).await? {
            Reply::Proceed { run } => run,
            Reply::Outcome(outcome) => {
                upload.discard().await;
                return Ok(convert::outcome(outcome));
            }
            other => return Err(unexpected(&other)),
        };
        let (session, compute_ms) = (caller.session, upload.header.compute_ms);
        let result = match upload.receive(&self.handle, &self.intake, offer, run).await? {
            Ok(result) => result,
            Err(damage) => return Ok(convert::corrupt(damage)),
        };
        let event = move |reply| Event::Result { reply, session, offer, compute_ms };
        match self.handle.engine().call_with(Some(result.bytes), event).await? {
            Reply::Outcome(outcome) => Ok(convert::outcome(outcome)),
            other => Err(unexpected(&other)),
        }
    }
}

/// A result on its way in, from a worker or from a bundle.
pub(super) struct Upload {
    pub(super) header: v1::UploadHeader,
    pieces: Streaming<v1::UploadPiece>,
    deadline: Instant,
    _permit: OwnedSemaphorePermit,
}

/// A result that is what it says, and the memory it takes until it is stored.
pub(super) struct Received {
    pub(super) bytes: Box<NewResult>,
    _permit: OwnedSemaphorePermit,
    _memory: OwnedSemaphorePermit,
}

impl Upload {
    /// Waits for its header.
    pub(super) async fn begin(
        intake: &Intake,
        mut pieces: Streaming<v1::UploadPiece>,
    ) -> Result<Self, Status> {
        let permit = intake
            .begin()
            .ok_or_else(|| busy(format!("{MAX_UPLOADS} uploads are in progress: try again")))?;
        let started = Instant::now();
        let header = header(&mut pieces, started + BASE_TIME).await?;
        let deadline = started + BASE_TIME + TIME_PER_UNIT * (header.stored_bytes / UNIT) as u32;
        Ok(Self { header, pieces, deadline, _permit: permit })
    }

    /// Takes what is still being sent, so that the sender can hear the answer; its bytes are dropped one piece at a time.
    pub(super) async fn discard(&mut self) {
        let most = MAX_RESULT_BYTES / MAX_CHUNK_BYTES + 1;
        for _ in 0..most {
            if !matches!(next(&mut self.pieces, self.deadline).await, Ok(Some(_))) {
                return;
            }
        }
    }

    /// Takes the bytes and checks them; `Err` says what is wrong with them.
    pub(super) async fn receive(
        mut self,
        handle: &CoordinatorHandle,
        intake: &Intake,
        offer: Offer,
        run: u32,
    ) -> Result<Result<Received, String>, Status> {
        let entry = handle.catalog().get(run).ok_or(crate::scheduler::Refusal::NoRun(run))?;
        let slice = *entry.plan.slice(offer.slice).ok_or_else(|| malformed("no such slice"))?;
        let (stored_bytes, raw_bytes) = (self.header.stored_bytes, self.header.raw_bytes);
        let Some(codec) = sound_codec(&self.header) else {
            self.discard().await;
            return Ok(Err(format!(
                "codec and lengths do not fit: {stored_bytes} bytes are sent for {raw_bytes} raw ones"
            )));
        };
        let memory = intake
            .reserve(stored_bytes as usize)
            .ok_or_else(|| busy("other uploads need the memory: try again"))?;
        let stored = match collect(&mut self.pieces, stored_bytes as usize, self.deadline).await? {
            Ok(stored) => stored,
            Err(damage) => return Ok(Err(damage)),
        };
        let arrived = Arrived { slice, codec, digest: offer.digest, stored };
        let stored = match intake.verify(entry.computation.clone(), arrived).await {
            Ok(arrived) => arrived.stored,
            Err(damage) => {
                tracing::warn!(run, slice = slice.id.0, damage, "a result arrived damaged");
                return Ok(Err(damage));
            }
        };
        let bytes = Box::new(NewResult {
            run,
            slice,
            token: offer.token,
            fingerprint: offer.fingerprint,
            codec,
            raw_bytes: offer.raw_bytes,
            digest: offer.digest,
            stored,
            compute_ms: self.header.compute_ms,
            host: 0,
        });
        Ok(Ok(Received { bytes, _permit: self._permit, _memory: memory }))
    }
}

async fn next(
    pieces: &mut Streaming<v1::UploadPiece>,
    deadline: Instant,
) -> Result<Option<Piece>, Status> {
    let piece = timeout_at(deadline, pieces.message())
        .await
        .map_err(|_| too_slow("the upload took too long: send it again"))??;
    match piece {
        None => Ok(None),
        Some(v1::UploadPiece { piece: Some(piece) }) => Ok(Some(piece)),
        Some(v1::UploadPiece { piece: None }) => Err(malformed("an empty piece")),
    }
}

async fn header(
    pieces: &mut Streaming<v1::UploadPiece>,
    deadline: Instant,
) -> Result<v1::UploadHeader, Status> {
    match next(pieces, deadline).await? {
        Some(Piece::Header(header)) => Ok(header),
        _ => Err(malformed("an upload begins with its header")),
    }
}

/// The codec, if it and the lengths make sense.
fn sound_codec(header: &v1::UploadHeader) -> Option<Codec> {
    let codec = convert::codec(header.codec())?;
    let fits = match codec {
        Codec::Raw => header.stored_bytes == header.raw_bytes,
        Codec::Zstd => header.stored_bytes <= header.raw_bytes,
    };
    (fits && header.stored_bytes <= MAX_RESULT_BYTES as u64).then_some(codec)
}

/// All pieces in order; `Err` says what is wrong with them.
async fn collect(
    pieces: &mut Streaming<v1::UploadPiece>,
    expected: usize,
    deadline: Instant,
) -> Result<Result<Bytes, String>, Status> {
    let mut stored = BytesMut::with_capacity(expected);
    while let Some(piece) = next(pieces, deadline).await? {
        let Piece::Chunk(v1::Chunk { offset, data }) = piece else {
            return Err(malformed("an upload has one header"));
        };
        if data.len() > MAX_CHUNK_BYTES {
            return Err(malformed(format!(
                "a piece of {} bytes, more than {MAX_CHUNK_BYTES}",
                data.len()
            )));
        }
        if offset != stored.len() as u64 {
            return Ok(Err(format!("a piece at {offset} follows {} bytes", stored.len())));
        }
        if data.len() > expected - stored.len() {
            return Ok(Err(format!("more than the announced {expected} bytes arrived")));
        }
        stored.extend_from_slice(&data);
    }
    if stored.len() < expected {
        return Ok(Err(format!("{} of {expected} bytes arrived", stored.len())));
    }
    Ok(Ok(stored.freeze()))
}
