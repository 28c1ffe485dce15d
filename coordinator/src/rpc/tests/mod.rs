//! The services over real sockets, with a worker that a test plays by hand.

mod life;
mod limits;
mod revival;
mod roles;
mod squares;
mod uploads;
mod whole;

use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fulldeck_job::record::{Codec, encode_payload};
use fulldeck_job::{ComputeContext, Digest, Plan, Registry, Slice};
use fulldeck_proto::v1::admin_service_client::AdminServiceClient;
use fulldeck_proto::v1::worker_service_client::WorkerServiceClient;
use fulldeck_proto::{MAX_CHUNK_BYTES, PROTOCOL, v1};
use fulldeck_service::{Access, BearerClient};
use tonic::Status;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};

use crate::store::{MemoryDisk, MemoryStore, Store};
use crate::{Coordinator, CoordinatorOptions, ShutdownError};

type Authenticated = InterceptedService<Channel, BearerClient>;

/// Nothing in these tests takes long: a test that waits longer has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// The workload of these tests, for tests of other parts too.
pub(crate) fn squares_registry() -> Registry {
    squares::registry()
}

fn loopback() -> SocketAddr {
    ([127, 0, 0, 1], 0).into()
}

async fn channel(access: &Access) -> Channel {
    Endpoint::from_shared(access.url.clone()).unwrap().timeout(PATIENCE).connect().await.unwrap()
}

async fn admin(access: &Access) -> AdminServiceClient<Authenticated> {
    AdminServiceClient::with_interceptor(channel(access).await, BearerClient::new(&access.token))
}

/// A coordinator on a store in memory, and the folder of its access file and artifacts.
struct Site {
    coordinator: Coordinator,
    folder: tempfile::TempDir,
    disk: MemoryDisk,
}

impl Site {
    async fn new() -> Self {
        Self::on(MemoryDisk::new([3; 16]), tempfile::tempdir().unwrap()).await
    }

    async fn on(disk: MemoryDisk, folder: tempfile::TempDir) -> Self {
        let store = MemoryStore::open(&disk).unwrap();
        Self::with_store(disk, folder, Box::new(store)).await
    }

    async fn with_store(
        disk: MemoryDisk,
        folder: tempfile::TempDir,
        store: Box<dyn Store>,
    ) -> Self {
        let options = CoordinatorOptions::new(folder.path().to_owned(), loopback());
        Self::with_options(disk, folder, store, options).await
    }

    async fn with_options(
        disk: MemoryDisk,
        folder: tempfile::TempDir,
        store: Box<dyn Store>,
        options: CoordinatorOptions,
    ) -> Self {
        let coordinator = Coordinator::start_on(options, squares::registry(), store).await.unwrap();
        Self { coordinator, folder, disk }
    }

    async fn restart(self) -> Self {
        self.coordinator.shutdown().await.unwrap();
        Self::on(self.disk, self.folder).await
    }

    async fn submit(&self, parameters: &[&str]) -> v1::SubmitResponse {
        let parameters: Vec<_> = parameters.iter().map(|word| (*word).to_owned()).collect();
        self.coordinator.handle().submit("squares", &parameters, 0).await.unwrap()
    }

    async fn status(&self) -> v1::RunStatus {
        self.coordinator.handle().status("last").await.unwrap()
    }

    async fn worker(&self) -> Player {
        Player::register(self.coordinator.access(), registration()).await.unwrap()
    }
}

fn registration() -> v1::RegisterRequest {
    v1::RegisterRequest {
        protocol_major: PROTOCOL.0,
        protocol_minor: PROTOCOL.1,
        build: "0.0.0 test".into(),
        workloads: vec![v1::WorkloadVersion { name: "squares".into(), algorithm_version: 1 }],
        threads: 1,
        memory_bytes: 1,
        cpu: "portable".into(),
        host_key: "host".into(),
        name: "amy".into(),
        held: Vec::new(),
        instance: 0,
        ends_in_ms: None,
    }
}

/// A worker, played by hand.
#[derive(Clone)]
struct Player {
    client: WorkerServiceClient<Authenticated>,
    session: u64,
    epoch: u64,
    answer: u64,
    held: Vec<v1::HeldDecision>,
    registry: Registry,
}

impl Player {
    async fn register(access: &Access, request: v1::RegisterRequest) -> Result<Self, Status> {
        let bearer = BearerClient::new(&access.token);
        let mut client = WorkerServiceClient::with_interceptor(channel(access).await, bearer);
        let answer = client.register(request).await?.into_inner();
        Ok(Self {
            client,
            session: answer.session,
            epoch: answer.epoch,
            answer: 0,
            held: answer.held().collect(),
            registry: squares::registry(),
        })
    }

    async fn lease(&mut self, free_slots: u32, wait_ms: u64) -> Result<v1::LeaseResponse, Status> {
        let request = v1::LeaseRequest {
            session: self.session,
            epoch: self.epoch,
            free_slots,
            answer_received: self.answer,
            wait_ms,
        };
        let answer = self.client.lease(request).await?.into_inner();
        self.answer = answer.answer;
        Ok(answer)
    }

    async fn beat(&mut self, leases: &[v1::LeasedSlice]) -> Result<v1::HeartbeatResponse, Status> {
        let attempts = leases
            .iter()
            .map(|lease| v1::AttemptProgress { token: lease.token.clone(), phase: 1, cost_done: 0 })
            .collect();
        let request = v1::HeartbeatRequest {
            session: self.session,
            epoch: self.epoch,
            answer_received: self.answer,
            attempts,
            rss_bytes: 5,
        };
        Ok(self.client.heartbeat(request).await?.into_inner())
    }

    async fn plan(&mut self, run: u32) -> (Plan, std::sync::Arc<dyn fulldeck_job::Computation>) {
        let request = v1::GetRunSpecRequest { session: self.session, epoch: self.epoch, run };
        let spec = self.client.get_run_spec(request).await.unwrap().into_inner();
        let workload = self.registry.get(&spec.workload).unwrap();
        let parameters =
            fulldeck_job::Parameters::from_canonical(workload.parameters(), &spec.parameters);
        let computation = workload.prepare(&parameters.unwrap()).unwrap();
        let plan = computation.plan(spec.slice_target).unwrap();
        assert_eq!(plan.digest().0[..], spec.plan_digest[..]);
        (plan, computation)
    }

    /// Computes a leased slice: header and encoded payload.
    async fn compute(&mut self, lease: &v1::LeasedSlice) -> (v1::UploadHeader, Vec<u8>) {
        let (plan, computation) = self.plan(lease.run).await;
        let slice = plan.slices()[lease.slice as usize];
        let context = ComputeContext { cancel: &AtomicBool::new(false), progress: &|_| {} };
        let raw = computation.compute(&[slice], &context).unwrap().remove(0);
        self.package(lease, &slice, &raw)
    }

    fn package(
        &self,
        lease: &v1::LeasedSlice,
        slice: &Slice,
        raw: &[u8],
    ) -> (v1::UploadHeader, Vec<u8>) {
        let (codec, stored) = encode_payload(raw, Codec::Zstd);
        let header = v1::UploadHeader {
            session: self.session,
            epoch: self.epoch,
            token: lease.token.clone(),
            fingerprint: lease.fingerprint.clone(),
            slice: slice.id.0,
            job: slice.job.0,
            first_row: slice.first_row,
            rows: slice.rows,
            elements: slice.elements,
            raw_bytes: raw.len() as u64,
            stored_bytes: stored.len() as u64,
            codec: i32::from(codec.number()),
            digest: Digest::of(raw).0.to_vec().into(),
            compute_ms: 1,
            engine: "test".into(),
            host: 0,
        };
        (header, stored)
    }

    async fn upload(
        &mut self,
        header: v1::UploadHeader,
        stored: &[u8],
    ) -> Result<v1::UploadResponse, Status> {
        let chunks = stored.chunks(MAX_CHUNK_BYTES).enumerate().map(|(number, data)| v1::Chunk {
            offset: (number * MAX_CHUNK_BYTES) as u64,
            data: data.to_vec().into(),
        });
        let pieces = pieces(header, chunks);
        Ok(self.client.upload_result(tokio_stream::iter(pieces)).await?.into_inner())
    }

    async fn finish(&mut self, lease: &v1::LeasedSlice) -> Result<v1::UploadOutcome, Status> {
        let (header, stored) = self.compute(lease).await;
        Ok(self.upload(header, &stored).await?.outcome())
    }

    /// Computes until nothing is left.
    async fn work(&mut self) {
        loop {
            let answer = self.lease(2, 1_000).await.unwrap();
            for lease in &answer.slices {
                assert_eq!(self.finish(lease).await.unwrap(), v1::UploadOutcome::Committed);
            }
            if answer.all_done {
                return;
            }
        }
    }
}

fn pieces(
    header: v1::UploadHeader,
    chunks: impl IntoIterator<Item = v1::Chunk>,
) -> Vec<v1::UploadPiece> {
    let header = v1::upload_piece::Piece::Header(header);
    let chunks = chunks.into_iter().map(v1::upload_piece::Piece::Chunk);
    std::iter::once(header)
        .chain(chunks)
        .map(|piece| v1::UploadPiece { piece: Some(piece) })
        .collect()
}
