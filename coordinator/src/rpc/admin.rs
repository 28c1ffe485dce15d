//! AdminService.

use fulldeck_proto::v1;
use fulldeck_proto::v1::admin_service_server::AdminService;
use tonic::{Request, Response, Status};

use crate::handle::CoordinatorHandle;

pub(super) struct Admin(pub(super) CoordinatorHandle);

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

    async fn query(
        &self,
        request: Request<v1::QueryRequest>,
    ) -> Result<Response<v1::QueryResponse>, Status> {
        let v1::QueryRequest { run, question, job } = request.into_inner();
        let answer_json = self.0.query(&run, job.as_deref(), &question).await?;
        Ok(Response::new(v1::QueryResponse { answer_json }))
    }
}
