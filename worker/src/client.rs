//! One connection to a coordinator, and the calls a worker makes over it, each with its deadline.

use std::time::Duration;

use bytes::Bytes;
use fulldeck_proto::v1::worker_service_client::WorkerServiceClient;
use fulldeck_proto::{MAX_CHUNK_BYTES, MAX_MESSAGE_BYTES, v1};
use fulldeck_service::{Access, BearerClient, ConnectError};
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status};

use crate::token::Token;

const REGISTER_DEADLINE: Duration = Duration::from_secs(10);
const HEARTBEAT_DEADLINE: Duration = Duration::from_secs(5);
const SHORT_DEADLINE: Duration = Duration::from_secs(10);
/// Beyond the wait the worker itself asked for.
const LEASE_MARGIN: Duration = Duration::from_secs(10);
const UPLOAD_DEADLINE: Duration = Duration::from_secs(60);
const UPLOAD_DEADLINE_PER_MIB: Duration = Duration::from_secs(1);

/// Longest text of a failure, in bytes.
pub(crate) const MAX_FAILURE_TEXT: usize = 4 << 10;

pub(crate) type Client = WorkerServiceClient<InterceptedService<Channel, BearerClient>>;

/// Opens a connection.
///
/// # Errors
/// [`ConnectError`], in words.
pub(crate) async fn open(access: &Access) -> Result<Client, ConnectError> {
    let channel = fulldeck_service::connect(access).await?;
    Ok(WorkerServiceClient::with_interceptor(channel, BearerClient::new(&access.token))
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES))
}

/// Introduces the worker on a fresh connection.
pub(crate) async fn register(
    client: &mut Client,
    request: v1::RegisterRequest,
) -> Result<v1::RegisterResponse, Status> {
    within(REGISTER_DEADLINE, client.register(timed(REGISTER_DEADLINE, request))).await
}

/// A connection on which the worker is registered.
#[derive(Clone)]
pub(crate) struct Connection {
    pub(crate) client: Client,
    pub(crate) session: u64,
    pub(crate) epoch: u64,
    /// Counts the worker's registrations: tells answers of an earlier session from those of this one.
    pub(crate) generation: u64,
}

impl Connection {
    pub(crate) async fn lease(
        &self,
        free_slots: u32,
        answer_received: u64,
        wait: Duration,
    ) -> Result<v1::LeaseResponse, Status> {
        let mut client = self.client.clone();
        let request = v1::LeaseRequest {
            session: self.session,
            epoch: self.epoch,
            free_slots,
            answer_received,
            wait_ms: wait.as_millis() as u64,
        };
        within(wait + LEASE_MARGIN, client.lease(timed(wait + LEASE_MARGIN, request))).await
    }

    pub(crate) async fn run_spec(&self, run: u32) -> Result<v1::RunSpec, Status> {
        let mut client = self.client.clone();
        let request = v1::GetRunSpecRequest { session: self.session, epoch: self.epoch, run };
        within(SHORT_DEADLINE, client.get_run_spec(timed(SHORT_DEADLINE, request))).await
    }

    pub(crate) async fn heartbeat(
        &self,
        answer_received: u64,
        attempts: Vec<v1::AttemptProgress>,
        rss_bytes: u64,
    ) -> Result<v1::HeartbeatResponse, Status> {
        let mut client = self.client.clone();
        let request = v1::HeartbeatRequest {
            session: self.session,
            epoch: self.epoch,
            answer_received,
            attempts,
            rss_bytes,
        };
        within(HEARTBEAT_DEADLINE, client.heartbeat(timed(HEARTBEAT_DEADLINE, request))).await
    }

    /// Sends one result; session and epoch of the header are filled in here.
    pub(crate) async fn upload(
        &self,
        mut header: v1::UploadHeader,
        stored: Bytes,
    ) -> Result<v1::UploadResponse, Status> {
        header.session = self.session;
        header.epoch = self.epoch;
        let mib = u32::try_from(stored.len() >> 20).unwrap_or(u32::MAX);
        let deadline = UPLOAD_DEADLINE + UPLOAD_DEADLINE_PER_MIB.saturating_mul(mib);
        let mut client = self.client.clone();
        let pieces = tokio_stream::iter(pieces(header, stored));
        within(deadline, client.upload_result(timed(deadline, pieces))).await
    }

    pub(crate) async fn report_failure(
        &self,
        token: Token,
        failure: v1::FailureClass,
        text: &str,
    ) -> Result<(), Status> {
        let mut client = self.client.clone();
        let request = v1::ReportFailureRequest {
            session: self.session,
            epoch: self.epoch,
            token: Some(token.to_wire()),
            failure: failure.into(),
            text: cut(text, MAX_FAILURE_TEXT).to_owned(),
        };
        within(SHORT_DEADLINE, client.report_failure(timed(SHORT_DEADLINE, request)))
            .await
            .map(drop)
    }

    pub(crate) async fn release(&self, tokens: &[Token], reason: &str) -> Result<(), Status> {
        let mut client = self.client.clone();
        let request = v1::ReleaseRequest {
            session: self.session,
            epoch: self.epoch,
            tokens: tokens.iter().map(|token| token.to_wire()).collect(),
            reason: reason.to_owned(),
        };
        within(SHORT_DEADLINE, client.release(timed(SHORT_DEADLINE, request))).await.map(drop)
    }

    pub(crate) async fn deregister(&self, reason: &str) -> Result<(), Status> {
        let mut client = self.client.clone();
        let request = v1::DeregisterRequest {
            session: self.session,
            epoch: self.epoch,
            reason: reason.to_owned(),
        };
        within(SHORT_DEADLINE, client.deregister(timed(SHORT_DEADLINE, request))).await.map(drop)
    }
}

/// The header, then chunks in order, cut only when they are sent.
fn pieces(
    header: v1::UploadHeader,
    stored: Bytes,
) -> impl Iterator<Item = v1::UploadPiece> + Send + 'static {
    use v1::upload_piece::Piece;
    let chunks = (0..stored.len()).step_by(MAX_CHUNK_BYTES).map(move |start| {
        let end = stored.len().min(start + MAX_CHUNK_BYTES);
        Piece::Chunk(v1::Chunk { offset: start as u64, data: stored.slice(start..end) })
    });
    std::iter::once(Piece::Header(header))
        .chain(chunks)
        .map(|piece| v1::UploadPiece { piece: Some(piece) })
}

/// A request that tells the coordinator how long the worker will wait.
fn timed<M>(deadline: Duration, message: M) -> Request<M> {
    let mut request = Request::new(message);
    request.set_timeout(deadline);
    request
}

/// A call that the worker itself gives up at its deadline.
async fn within<T>(
    deadline: Duration,
    call: impl Future<Output = Result<Response<T>, Status>>,
) -> Result<T, Status> {
    match tokio::time::timeout(deadline, call).await {
        Ok(answer) => answer.map(Response::into_inner),
        Err(_) => Err(Status::deadline_exceeded(format!("no answer within {deadline:?}"))),
    }
}

/// Whether the same call can never succeed, however often it is sent.
pub(crate) fn hopeless(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::InvalidArgument | Code::NotFound | Code::OutOfRange | Code::Unimplemented
    )
}

/// The longest prefix of whole characters that fits into `limit` bytes.
fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_cut_into_pieces_that_join_to_it() {
        use v1::upload_piece::Piece;
        for bytes in [0, 1, MAX_CHUNK_BYTES, 2 * MAX_CHUNK_BYTES + 5] {
            let stored: Bytes = (0..bytes).map(|byte| byte as u8).collect::<Vec<_>>().into();
            let mut pieces = pieces(v1::UploadHeader::default(), stored.clone());
            assert!(matches!(pieces.next().unwrap().piece, Some(Piece::Header(_))));
            let mut joined = Vec::new();
            for piece in pieces {
                let Some(Piece::Chunk(chunk)) = piece.piece else { panic!("a second header") };
                assert_eq!(chunk.offset as usize, joined.len());
                assert!(!chunk.data.is_empty() && chunk.data.len() <= MAX_CHUNK_BYTES);
                joined.extend_from_slice(&chunk.data);
            }
            assert_eq!(joined, stored);
        }
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("a♠b", 2), "a");
        assert_eq!(cut("a♠b", 4), "a♠");
        assert_eq!(cut("ab", 9), "ab");
    }
}
