//! AdminService.

use fulldeck_proto::v1;
use fulldeck_proto::v1::admin_service_server::AdminService;
use tonic::{Request, Response, Status, Streaming};

use super::import::Importer;
use super::status::malformed;
use super::watch::{self, RunStream};
use crate::handle::CoordinatorHandle;
use crate::store::RunControl;

pub(super) struct Admin(pub(super) CoordinatorHandle, pub(super) Importer);

#[tonic::async_trait]
impl AdminService for Admin {
    async fn submit(
        &self,
        request: Request<v1::SubmitRequest>,
    ) -> Result<Response<v1::SubmitResponse>, Status> {
        let v1::SubmitRequest { workload, parameters, slice_target, dry_run } =
            request.into_inner();
        let answer = if dry_run {
            self.0.dry_run(&workload, &parameters, slice_target).await?
        } else {
            self.0.submit(&workload, &parameters, slice_target).await?
        };
        Ok(Response::new(answer))
    }

    async fn list_runs(
        &self,
        _: Request<v1::ListRunsRequest>,
    ) -> Result<Response<v1::ListRunsResponse>, Status> {
        Ok(Response::new(v1::ListRunsResponse { runs: self.0.runs().await? }))
    }

    async fn get_run(
        &self,
        request: Request<v1::GetRunRequest>,
    ) -> Result<Response<v1::RunStatus>, Status> {
        Ok(Response::new(self.0.status(&request.into_inner().run).await?))
    }

    async fn list_workers(
        &self,
        _: Request<v1::ListWorkersRequest>,
    ) -> Result<Response<v1::ListWorkersResponse>, Status> {
        Ok(Response::new(v1::ListWorkersResponse { workers: self.0.workers().await? }))
    }

    async fn merge(
        &self,
        request: Request<v1::MergeRequest>,
    ) -> Result<Response<v1::MergeResponse>, Status> {
        let v1::MergeRequest { run, job, again } = request.into_inner();
        Ok(Response::new(self.0.merge(&run, job.as_deref(), again).await?))
    }

    async fn control_run(
        &self,
        request: Request<v1::ControlRunRequest>,
    ) -> Result<Response<v1::RunStatus>, Status> {
        let request = request.into_inner();
        let control = match request.control() {
            v1::RunControl::Open => RunControl::Open,
            v1::RunControl::Pause => RunControl::Paused,
            v1::RunControl::Cancel => RunControl::Cancelled,
            v1::RunControl::Unspecified => return Err(malformed("what to do is missing")),
        };
        Ok(Response::new(self.0.control(&request.run, control).await?))
    }

    async fn retry_slices(
        &self,
        request: Request<v1::RetrySlicesRequest>,
    ) -> Result<Response<v1::RetrySlicesResponse>, Status> {
        let v1::RetrySlicesRequest { run, slices } = request.into_inner();
        let slices = self.0.retry(&run, &slices).await?;
        Ok(Response::new(v1::RetrySlicesResponse { slices }))
    }

    async fn explain(
        &self,
        request: Request<v1::ExplainRequest>,
    ) -> Result<Response<v1::ExplainResponse>, Status> {
        let v1::ExplainRequest { run, slice } = request.into_inner();
        Ok(Response::new(self.0.explain(&run, slice).await?))
    }

    async fn drain_worker(
        &self,
        request: Request<v1::DrainWorkerRequest>,
    ) -> Result<Response<v1::WorkerStatus>, Status> {
        Ok(Response::new(self.0.drain(&request.into_inner().worker).await?))
    }

    async fn quarantine_host(
        &self,
        request: Request<v1::QuarantineHostRequest>,
    ) -> Result<Response<v1::QuarantineHostResponse>, Status> {
        let v1::QuarantineHostRequest { host, reason } = request.into_inner();
        let host_key = self.0.quarantine(&host, &reason).await?;
        Ok(Response::new(v1::QuarantineHostResponse { host_key }))
    }

    async fn release_host(
        &self,
        request: Request<v1::ReleaseHostRequest>,
    ) -> Result<Response<v1::ReleaseHostResponse>, Status> {
        let host_key = self.0.release_host(&request.into_inner().host).await?;
        Ok(Response::new(v1::ReleaseHostResponse { host_key }))
    }

    type WatchRunStream = RunStream;

    async fn watch_run(
        &self,
        request: Request<v1::GetRunRequest>,
    ) -> Result<Response<RunStream>, Status> {
        Ok(Response::new(watch::run(self.0.clone(), request.into_inner().run).await?))
    }

    async fn import_result(
        &self,
        request: Request<Streaming<v1::UploadPiece>>,
    ) -> Result<Response<v1::UploadResponse>, Status> {
        self.1.import(&self.0, request.into_inner()).await.map(Response::new)
    }

    async fn query(
        &self,
        request: Request<v1::QueryRequest>,
    ) -> Result<Response<v1::QueryResponse>, Status> {
        let v1::QueryRequest { run, question, job } = request.into_inner();
        let answer_json = self.0.query(&run, job.as_deref(), &question).await?;
        Ok(Response::new(v1::QueryResponse { answer_json }))
    }
}
