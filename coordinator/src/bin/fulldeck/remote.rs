//! A running coordinator, as its AdminService shows it.

use std::time::Duration;

use fulldeck_coordinator::store::RunControl;
use fulldeck_proto::MAX_MESSAGE_BYTES;
use fulldeck_proto::v1::admin_service_client::AdminServiceClient;
use fulldeck_proto::v1::{
    self, ControlRunRequest, DrainWorkerRequest, ExplainRequest, ExplainResponse, GetRunRequest,
    ListRunsRequest, ListWorkersRequest, MergeRequest, MergeResponse, QuarantineHostRequest,
    QueryRequest, ReleaseHostRequest, RetrySlicesRequest, RunStatus, SubmitRequest, SubmitResponse,
    UploadPiece, UploadResponse, WorkerStatus,
};
use fulldeck_service::{Access, AccessToken, BearerClient};
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Code, Request, Status, Streaming};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::cli::Link;
use crate::error::CliError;

/// How long an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a probe may take.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a result may take on its way, until it is durable.
const IMPORT_TIMEOUT: Duration = Duration::from_secs(120);
/// How long a merge may take: the largest artifacts are terabytes.
const MERGE_TIMEOUT: Duration = Duration::from_secs(24 * 3600);

/// A running coordinator.
#[derive(Clone)]
pub(crate) struct Admin {
    url: String,
    client: AdminServiceClient<InterceptedService<Channel, BearerClient>>,
}

/// The coordinator that `link` leads to; `None` when nothing names one, or the data folder has an access file that a
/// coordinator left which is gone.
pub(crate) async fn find(link: &Link) -> Result<Option<Admin>, CliError> {
    if let Some(access) = named(link)? {
        return Admin::connect(&access).await.map(Some);
    }
    let file = link.data.access_file();
    if !file.exists() {
        return Ok(None);
    }
    let access = Access::read(&file)?.with_tls(&link.tls)?;
    match Admin::connect(&access).await {
        Ok(admin) => Ok(Some(admin)),
        Err(error) => {
            tracing::debug!("{} is stale: {}", file.display(), error.message);
            Ok(None)
        }
    }
}

/// As [`find`], for commands that cannot do without.
pub(crate) async fn require(link: &Link) -> Result<Admin, CliError> {
    find(link).await?.ok_or_else(|| absent(link))
}

/// What is said where no coordinator runs.
pub(crate) fn absent(link: &Link) -> CliError {
    let (folder, words) = (link.data.data_dir.display(), link.data.words());
    CliError::unreachable(format!("no coordinator is running on {folder}")).hint(format!(
        "start one with 'fulldeck coordinator{words}', or name one with --coordinator URL"
    ))
}

/// The coordinator the command line names outright.
pub(crate) fn named(link: &Link) -> Result<Option<Access>, CliError> {
    if let Some(file) = &link.access {
        return Ok(Some(Access::read(file)?.with_tls(&link.tls)?));
    }
    match (&link.coordinator, &link.token_file) {
        (Some(url), Some(file)) => {
            let access = Access::new(url, AccessToken::read_file(file)?)?;
            Ok(Some(access.with_tls(&link.tls)?))
        }
        _ => Ok(None),
    }
}

/// Whether a coordinator serves, by its health service, which asks for no token; an error if nobody answers.
pub(crate) async fn serves(access: &Access) -> Result<bool, CliError> {
    let channel = fulldeck_service::connect(access).await?;
    let request = HealthCheckRequest { service: String::new() };
    let answer = HealthClient::new(channel).check(timed(request, PROBE_TIMEOUT)).await;
    match answer {
        Ok(answer) => Ok(answer.into_inner().status() == ServingStatus::Serving),
        Err(status) => match fulldeck_service::explained(access, &status).await {
            Some(error) => Err(error.into()),
            None => Err(CliError::unreachable(format!(
                "the coordinator at {} does not say how it is: {}",
                access.url,
                status.message()
            ))),
        },
    }
}

impl Admin {
    /// Connects, and makes sure that the token is right.
    pub(crate) async fn connect(access: &Access) -> Result<Self, CliError> {
        let channel = fulldeck_service::connect(access).await?;
        let client =
            AdminServiceClient::with_interceptor(channel, BearerClient::new(&access.token))
                .max_decoding_message_size(MAX_MESSAGE_BYTES)
                .max_encoding_message_size(MAX_MESSAGE_BYTES);
        let mut admin = Self { url: access.url.clone(), client };
        let first = admin.client.list_workers(timed(ListWorkersRequest {}, ANSWER_TIMEOUT)).await;
        let Err(status) = first else { return Ok(admin) };
        // A client certificate is judged after the client believes to be connected.
        if let Some(error) = fulldeck_service::explained(access, &status).await {
            return Err(error.into());
        }
        match status {
            // Of a web server, or of another service: no coordinator answers its simplest question like that.
            status if broken(&status) => Err(CliError::unreachable(format!(
                "what listens at {} does not answer as a fulldeck coordinator",
                access.url
            ))
            .hint("give the address that 'fulldeck coordinator' prints")),
            status => Err(admin.refused(&status)),
        }
    }

    pub(crate) async fn submit(
        &mut self,
        workload: &str,
        parameters: &[String],
        slice_target: u32,
        dry_run: bool,
    ) -> Result<SubmitResponse, CliError> {
        let request = SubmitRequest {
            workload: workload.to_owned(),
            parameters: parameters.to_vec(),
            slice_target,
            dry_run,
        };
        let answer = self.client.submit(timed(request, ANSWER_TIMEOUT)).await;
        answer.map(tonic::Response::into_inner).map_err(|status| self.refused(&status))
    }

    pub(crate) async fn runs(&mut self) -> Result<Vec<RunStatus>, CliError> {
        let answer = self.client.list_runs(timed(ListRunsRequest {}, ANSWER_TIMEOUT)).await;
        answer.map(|answer| answer.into_inner().runs).map_err(|status| self.refused(&status))
    }

    pub(crate) async fn run(&mut self, run: &str) -> Result<RunStatus, CliError> {
        let request = GetRunRequest { run: run.to_owned() };
        let answer = self.client.get_run(timed(request, ANSWER_TIMEOUT)).await;
        answer.map(tonic::Response::into_inner).map_err(|status| self.refused(&status))
    }

    pub(crate) async fn workers(&mut self) -> Result<Vec<WorkerStatus>, CliError> {
        let answer = self.client.list_workers(timed(ListWorkersRequest {}, ANSWER_TIMEOUT)).await;
        answer.map(|answer| answer.into_inner().workers).map_err(|status| self.refused(&status))
    }

    pub(crate) async fn merge(
        &mut self,
        run: &str,
        job: Option<&str>,
        again: bool,
    ) -> Result<MergeResponse, CliError> {
        let request = MergeRequest { run: run.to_owned(), job: job.map(str::to_owned), again };
        let answer = self.client.merge(timed(request, MERGE_TIMEOUT)).await;
        answer.map(tonic::Response::into_inner).map_err(|status| self.refused(&status))
    }

    /// A run as it is now, and whenever it has changed, until it ends.
    pub(crate) async fn watch(&mut self, run: &str) -> Result<Watched, CliError> {
        let request = GetRunRequest { run: run.to_owned() };
        let answer = self.client.watch_run(request).await;
        let stream = answer.map_err(|status| self.refused(&status))?.into_inner();
        Ok(Watched { stream, url: self.url.clone() })
    }

    pub(crate) async fn control(
        &mut self,
        run: &str,
        control: RunControl,
    ) -> Result<RunStatus, CliError> {
        let control = match control {
            RunControl::Open => v1::RunControl::Open,
            RunControl::Paused => v1::RunControl::Pause,
            RunControl::Cancelled => v1::RunControl::Cancel,
        };
        let request = ControlRunRequest { run: run.to_owned(), control: control.into() };
        let answer = self.client.control_run(timed(request, ANSWER_TIMEOUT)).await;
        answer.map(tonic::Response::into_inner).map_err(|status| self.refused(&status))
    }

    /// Which slices will be computed again.
    pub(crate) async fn retry(&mut self, run: &str, slices: &[u32]) -> Result<Vec<u32>, CliError> {
        let request = RetrySlicesRequest { run: run.to_owned(), slices: slices.to_vec() };
        let answer = self.client.retry_slices(timed(request, ANSWER_TIMEOUT)).await;
        answer.map(|answer| answer.into_inner().slices).map_err(|status| self.refused(&status))
    }

    pub(crate) async fn explain(
        &mut self,
        run: &str,
        slice: Option<u32>,
    ) -> Result<ExplainResponse, CliError> {
        let request = ExplainRequest { run: run.to_owned(), slice };
        let answer = self.client.explain(timed(request, ANSWER_TIMEOUT)).await;
        answer.map(tonic::Response::into_inner).map_err(|status| self.refused(&status))
    }

    pub(crate) async fn drain(&mut self, worker: &str) -> Result<WorkerStatus, CliError> {
        let request = DrainWorkerRequest { worker: worker.to_owned() };
        let answer = self.client.drain_worker(timed(request, ANSWER_TIMEOUT)).await;
        answer.map(tonic::Response::into_inner).map_err(|status| self.refused(&status))
    }

    /// The key of the host.
    pub(crate) async fn quarantine(
        &mut self,
        host: &str,
        reason: &str,
    ) -> Result<String, CliError> {
        let request = QuarantineHostRequest { host: host.to_owned(), reason: reason.to_owned() };
        let answer = self.client.quarantine_host(timed(request, ANSWER_TIMEOUT)).await;
        answer.map(|answer| answer.into_inner().host_key).map_err(|status| self.refused(&status))
    }

    /// The key of the host.
    pub(crate) async fn release(&mut self, host: &str) -> Result<String, CliError> {
        let request = ReleaseHostRequest { host: host.to_owned() };
        let answer = self.client.release_host(timed(request, ANSWER_TIMEOUT)).await;
        answer.map(|answer| answer.into_inner().host_key).map_err(|status| self.refused(&status))
    }

    /// The answer is JSON text.
    pub(crate) async fn query(
        &mut self,
        run: &str,
        job: Option<&str>,
        words: &[String],
    ) -> Result<String, CliError> {
        let request = QueryRequest {
            run: run.to_owned(),
            question: words.to_vec(),
            job: job.map(str::to_owned),
        };
        let answer = self.client.query(timed(request, ANSWER_TIMEOUT)).await;
        answer.map(|answer| answer.into_inner().answer_json).map_err(|status| self.refused(&status))
    }

    /// Brings one result of a bundle.
    pub(crate) async fn import(&mut self, pieces: Vec<UploadPiece>) -> Result<Sent, CliError> {
        let request = timed(tokio_stream::iter(pieces), IMPORT_TIMEOUT);
        match self.client.import_result(request).await {
            Ok(answer) => Ok(Sent::Answered(answer.into_inner())),
            Err(status) if status.code() == Code::ResourceExhausted => {
                Ok(Sent::Busy(status.message().to_owned()))
            }
            Err(status) => Err(self.refused(&status)),
        }
    }

    fn refused(&self, status: &Status) -> CliError {
        refused(&self.url, status)
    }
}

/// What became of a result that was sent.
pub(crate) enum Sent {
    /// It was judged.
    Answered(UploadResponse),
    /// There is too much on its way: send it again later.
    Busy(String),
}

/// A run that is watched.
pub(crate) struct Watched {
    stream: Streaming<RunStatus>,
    url: String,
}

impl Watched {
    /// The run as soon as it has changed; `None` after it has ended.
    pub(crate) async fn next(&mut self) -> Result<Option<RunStatus>, CliError> {
        self.stream.message().await.map_err(|status| refused(&self.url, &status))
    }
}

/// The one place where an answer of the network becomes an error of the program.
fn refused(url: &str, status: &Status) -> CliError {
    let message = status.message().to_owned();
    match status.code() {
        Code::NotFound => CliError::not_found(message),
        Code::InvalidArgument | Code::OutOfRange => CliError::usage(message),
        Code::Unauthenticated | Code::PermissionDenied => {
            CliError::usage(format!("the coordinator at {url} refuses: {message}"))
        }
        Code::FailedPrecondition => CliError::incomplete(message),
        Code::DeadlineExceeded => CliError::timed_out(format!("{url}: {message}")),
        Code::Unavailable | Code::Cancelled => {
            CliError::unreachable(format!("the coordinator at {url} went away: {message}"))
        }
        Code::Aborted | Code::AlreadyExists => CliError::conflict(message),
        Code::DataLoss => CliError::damaged(message),
        code => CliError::unexpected(format!("{url}: {code:?}: {message}")),
    }
}

/// Whether the connection failed, or whoever is at the other end does not know the service.
fn broken(status: &Status) -> bool {
    let of_the_connection = std::error::Error::source(status).is_some();
    let strange = [Code::Internal, Code::Unknown, Code::Unimplemented, Code::Cancelled];
    of_the_connection || strange.contains(&status.code())
}

fn timed<T>(message: T, timeout: Duration) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(timeout);
    request
}
