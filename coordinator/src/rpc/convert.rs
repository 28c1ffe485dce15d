//! Between messages and the scheduler's words.

use fulldeck_job::record::{Codec, Token};
use fulldeck_job::{Digest, Fingerprint, JobIndex, SliceId};
use fulldeck_proto::v1;
use tonic::Status;

use super::status::malformed;
use crate::scheduler::{
    Caller, Failure, Held, HeldVerdict, Lease, MAX_HELD, Offer, Outcome, SessionId, Timings,
};

pub(super) fn caller(session: u64, epoch: u64) -> Caller {
    Caller { session: SessionId(session), epoch }
}

pub(super) fn token(message: Option<&v1::AttemptToken>) -> Result<Token, Status> {
    let message = message.ok_or_else(|| malformed("a token is missing"))?;
    let store_id = message.store_id[..]
        .try_into()
        .map_err(|_| malformed("the store id of a token has not 16 bytes"))?;
    let v1::AttemptToken { epoch, start_id, sequence, .. } = *message;
    Ok(Token { store_id, epoch, start_id, sequence })
}

pub(super) fn tokens<'a>(
    messages: impl ExactSizeIterator<Item = Option<&'a v1::AttemptToken>>,
) -> Result<Vec<Token>, Status> {
    at_most(messages.len())?;
    messages.map(token).collect()
}

fn at_most(attempts: usize) -> Result<(), Status> {
    if attempts > MAX_HELD {
        return Err(malformed(format!("{attempts} attempts in one call, more than {MAX_HELD}")));
    }
    Ok(())
}

pub(super) fn token_message(token: &Token) -> v1::AttemptToken {
    v1::AttemptToken {
        store_id: token.store_id.to_vec().into(),
        epoch: token.epoch,
        start_id: token.start_id,
        sequence: token.sequence,
    }
}

pub(super) fn fingerprint(bytes: &[u8]) -> Result<Fingerprint, Status> {
    Fingerprint::from_slice(bytes).ok_or_else(|| malformed("a fingerprint has not 32 bytes"))
}

pub(super) fn digest(bytes: &[u8]) -> Result<Digest, Status> {
    Digest::from_slice(bytes).ok_or_else(|| malformed("a digest has not 32 bytes"))
}

pub(super) fn held(messages: &[v1::HeldAttempt]) -> Result<Vec<Held>, Status> {
    at_most(messages.len())?;
    messages
        .iter()
        .map(|held| {
            let finished = match held.phase() {
                v1::AttemptPhase::Finished => Some(digest(&held.digest)?),
                v1::AttemptPhase::Computing | v1::AttemptPhase::Unspecified => None,
            };
            Ok(Held {
                token: token(held.token.as_ref())?,
                fingerprint: fingerprint(&held.fingerprint)?,
                slice: SliceId(held.slice),
                finished,
            })
        })
        .collect()
}

pub(super) fn verdict(verdict: HeldVerdict) -> v1::HeldDecision {
    match verdict {
        HeldVerdict::Keep => v1::HeldDecision::Keep,
        HeldVerdict::Upload => v1::HeldDecision::Upload,
        HeldVerdict::Drop => v1::HeldDecision::Drop,
    }
}

pub(super) fn timings(timings: &Timings) -> v1::Timings {
    v1::Timings {
        heartbeat_ms: timings.heartbeat.0,
        lease_ms: timings.lease.0,
        lease_wait_ms: timings.lease_wait.0,
        reconnect_cap_ms: timings.reconnect_cap.0,
    }
}

pub(super) fn lease(lease: &Lease, timings: &Timings) -> v1::LeasedSlice {
    v1::LeasedSlice {
        token: Some(token_message(&lease.token)),
        run: lease.run,
        fingerprint: lease.fingerprint.0.to_vec().into(),
        slice: lease.slice.0,
        batch: lease.batch,
        lease_ms: timings.lease.0,
        hard_limit_ms: lease.hard_limit.0,
    }
}

pub(super) fn offer(header: &v1::UploadHeader) -> Result<Offer, Status> {
    import(header, token(header.token.as_ref())?)
}

/// As [`offer`], of a result that belongs to no attempt.
pub(super) fn import(header: &v1::UploadHeader, token: Token) -> Result<Offer, Status> {
    Ok(Offer {
        token,
        fingerprint: fingerprint(&header.fingerprint)?,
        slice: SliceId(header.slice),
        job: JobIndex(header.job),
        first_row: header.first_row,
        rows: header.rows,
        elements: header.elements,
        raw_bytes: header.raw_bytes,
        digest: digest(&header.digest)?,
    })
}

pub(super) fn codec(codec: v1::Codec) -> Option<Codec> {
    match codec {
        v1::Codec::Raw => Some(Codec::Raw),
        v1::Codec::Zstd => Some(Codec::Zstd),
        v1::Codec::Unspecified => None,
    }
}

pub(super) fn failure(class: v1::FailureClass) -> Result<Failure, Status> {
    Ok(match class {
        v1::FailureClass::Panic => Failure::Panic,
        v1::FailureClass::Lost => Failure::Lost,
        v1::FailureClass::Oom => Failure::OutOfMemory,
        v1::FailureClass::Timeout => Failure::Timeout,
        v1::FailureClass::Invalid => Failure::Invalid,
        v1::FailureClass::Refused => Failure::Refused,
        v1::FailureClass::Unspecified => {
            return Err(malformed("the class of the failure is missing"));
        }
    })
}

pub(super) fn outcome(outcome: Outcome) -> v1::UploadResponse {
    let (outcome, detail) = match outcome {
        Outcome::Committed { late: false } => (v1::UploadOutcome::Committed, String::new()),
        Outcome::Committed { late: true } => (v1::UploadOutcome::Committed, "late".to_owned()),
        Outcome::Duplicate => (v1::UploadOutcome::Duplicate, String::new()),
        Outcome::Mismatch { committed } => (
            v1::UploadOutcome::Mismatch,
            format!("the committed result has digest {}", committed.short()),
        ),
        Outcome::Fenced => (
            v1::UploadOutcome::Fenced,
            "the attempt was not handed out by this coordinator, or is too old".to_owned(),
        ),
        Outcome::Gone => (v1::UploadOutcome::Gone, "the run was cancelled".to_owned()),
        Outcome::WrongRun => (
            v1::UploadOutcome::WrongRun,
            "fingerprint or range are not those of a run here".to_owned(),
        ),
    };
    v1::UploadResponse { outcome: outcome.into(), detail }
}

pub(super) fn corrupt(detail: impl Into<String>) -> v1::UploadResponse {
    v1::UploadResponse { outcome: v1::UploadOutcome::Corrupt.into(), detail: detail.into() }
}

#[cfg(test)]
mod tests {
    use fulldeck_job::Registry;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use prost::Message as _;

    use super::*;
    use crate::rpc::register::registration;

    prop_compose! {
        fn any_token()(
            store_id in vec(any::<u8>(), 0..40),
            epoch: u64,
            start_id: u64,
            sequence: u64,
        ) -> v1::AttemptToken {
            v1::AttemptToken { store_id: store_id.into(), epoch, start_id, sequence }
        }
    }

    prop_compose! {
        fn any_held()(
            token in proptest::option::of(any_token()),
            fingerprint in vec(any::<u8>(), 0..40),
            digest in vec(any::<u8>(), 0..40),
            phase: i32,
            slice: u32,
        ) -> v1::HeldAttempt {
            let (fingerprint, digest) = (fingerprint.into(), digest.into());
            v1::HeldAttempt { token, fingerprint, slice, phase, digest }
        }
    }

    proptest! {
        #[test]
        fn any_message_is_taken_or_refused(
            held in vec(any_held(), 0..3),
            header_token in proptest::option::of(any_token()),
            fingerprint in vec(any::<u8>(), 0..40),
            protocol_major in 0_u32..3,
            codec_number: i32,
            bytes: u64,
        ) {
            let header = v1::UploadHeader {
                token: header_token,
                digest: fingerprint.clone().into(),
                fingerprint: fingerprint.into(),
                raw_bytes: bytes,
                stored_bytes: bytes,
                codec: codec_number,
                ..Default::default()
            };
            let _ = (offer(&header), codec(header.codec()));
            let request = v1::RegisterRequest { held, protocol_major, ..Default::default() };
            let _ = registration(request, &Registry::default());
        }

        #[test]
        fn any_bytes_are_a_message_or_refused(bytes in vec(any::<u8>(), 0..200)) {
            if let Ok(header) = v1::UploadHeader::decode(&bytes[..]) {
                let _ = offer(&header);
            }
            if let Ok(request) = v1::RegisterRequest::decode(&bytes[..]) {
                let _ = registration(request, &Registry::default());
            }
            if let Ok(request) = v1::ReportFailureRequest::decode(&bytes[..]) {
                let _ = (failure(request.failure()), token(request.token.as_ref()));
            }
        }
    }
}
