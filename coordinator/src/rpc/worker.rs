//! WorkerService.

use fulldeck_proto::v1;
use fulldeck_proto::v1::worker_service_server::WorkerService;
use tonic::{Request, Response, Status, Streaming};

use super::status::unexpected;
use super::{convert, register};
use crate::handle::CoordinatorHandle;
use crate::intake::Intake;
use crate::scheduler::{Event, Identity, MAX_FAILURE_TEXT, Millis, Refusal, Reply, Timings};

pub(super) struct WorkerRpc {
    pub(super) handle: CoordinatorHandle,
    pub(super) intake: Intake,
    pub(super) identity: Identity,
    pub(super) timings: Timings,
}

impl WorkerRpc {
    pub(super) async fn call(
        &self,
        event: impl FnOnce(crate::scheduler::ReplyId) -> Event + Send + 'static,
    ) -> Result<Reply, Status> {
        Ok(self.handle.engine().call(event).await?)
    }
}

#[tonic::async_trait]
impl WorkerService for WorkerRpc {
    async fn register(
        &self,
        request: Request<v1::RegisterRequest>,
    ) -> Result<Response<v1::RegisterResponse>, Status> {
        let registration = register::registration(request.into_inner(), self.handle.registry())?;
        match self.call(|reply| Event::Register { reply, registration }).await? {
            Reply::Registered { session, held } => Ok(Response::new(v1::RegisterResponse {
                session: session.0,
                epoch: self.identity.epoch,
                store_id: self.identity.store_id.to_vec().into(),
                timings: Some(convert::timings(&self.timings)),
                held: held.into_iter().map(|held| convert::verdict(held).into()).collect(),
            })),
            other => Err(unexpected(&other)),
        }
    }

    async fn lease(
        &self,
        request: Request<v1::LeaseRequest>,
    ) -> Result<Response<v1::LeaseResponse>, Status> {
        let v1::LeaseRequest { session, epoch, free_slots, answer_received, wait_ms } =
            request.into_inner();
        let caller = convert::caller(session, epoch);
        let wait = Millis(wait_ms);
        let event = move |reply| Event::Lease { reply, caller, free_slots, answer_received, wait };
        match self.call(event).await? {
            Reply::Leased { answer, slices, all_done } => Ok(Response::new(v1::LeaseResponse {
                answer,
                slices: slices.iter().map(|lease| convert::lease(lease, &self.timings)).collect(),
                all_done,
            })),
            other => Err(unexpected(&other)),
        }
    }

    async fn get_run_spec(
        &self,
        request: Request<v1::GetRunSpecRequest>,
    ) -> Result<Response<v1::RunSpec>, Status> {
        let v1::GetRunSpecRequest { session, epoch, run } = request.into_inner();
        let caller = convert::caller(session, epoch);
        self.call(move |reply| Event::AskRun { reply, caller, run }).await?;
        let entry = self.handle.catalog().get(run).ok_or(Refusal::NoRun(run))?;
        Ok(Response::new(entry.message()))
    }

    async fn heartbeat(
        &self,
        request: Request<v1::HeartbeatRequest>,
    ) -> Result<Response<v1::HeartbeatResponse>, Status> {
        let v1::HeartbeatRequest { session, epoch, answer_received, attempts, rss_bytes } =
            request.into_inner();
        let caller = convert::caller(session, epoch);
        let attempts = convert::tokens(attempts.iter().map(|attempt| attempt.token.as_ref()))?;
        let event =
            move |reply| Event::Heartbeat { reply, caller, answer_received, attempts, rss_bytes };
        match self.call(event).await? {
            Reply::Beat { cancel, drain, store_failed } => {
                Ok(Response::new(v1::HeartbeatResponse {
                    cancel: cancel.iter().map(convert::token_message).collect(),
                    drain,
                    timings: Some(convert::timings(&self.timings)),
                    store_failed: store_failed.unwrap_or_default(),
                }))
            }
            other => Err(unexpected(&other)),
        }
    }

    async fn upload_result(
        &self,
        request: Request<Streaming<v1::UploadPiece>>,
    ) -> Result<Response<v1::UploadResponse>, Status> {
        self.upload(request.into_inner()).await.map(Response::new)
    }

    async fn report_failure(
        &self,
        request: Request<v1::ReportFailureRequest>,
    ) -> Result<Response<v1::ReportFailureResponse>, Status> {
        let request = request.into_inner();
        let failure = convert::failure(request.failure())?;
        let token = convert::token(request.token.as_ref())?;
        let caller = convert::caller(request.session, request.epoch);
        let mut text = request.text;
        text.truncate(text.floor_char_boundary(MAX_FAILURE_TEXT));
        self.call(move |reply| Event::Failed { reply, caller, token, failure, text }).await?;
        Ok(Response::new(v1::ReportFailureResponse {}))
    }

    async fn release(
        &self,
        request: Request<v1::ReleaseRequest>,
    ) -> Result<Response<v1::ReleaseResponse>, Status> {
        let request = request.into_inner();
        let caller = convert::caller(request.session, request.epoch);
        let tokens = convert::tokens(request.tokens.iter().map(Some))?;
        tracing::debug!(slices = tokens.len(), reason = request.reason, "slices handed back");
        self.call(move |reply| Event::Release { reply, caller, tokens }).await?;
        Ok(Response::new(v1::ReleaseResponse {}))
    }

    async fn deregister(
        &self,
        request: Request<v1::DeregisterRequest>,
    ) -> Result<Response<v1::DeregisterResponse>, Status> {
        let v1::DeregisterRequest { session, epoch, reason } = request.into_inner();
        let caller = convert::caller(session, epoch);
        tracing::debug!(reason, "a worker leaves");
        self.call(move |reply| Event::Deregister { reply, caller }).await?;
        Ok(Response::new(v1::DeregisterResponse {}))
    }
}
