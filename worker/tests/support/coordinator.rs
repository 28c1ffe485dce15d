//! A coordinator in miniature. Its state outlives the server, as a store would.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use bytes::Bytes;
use fulldeck_job::record::{self, Codec};
use fulldeck_job::{Digest, Parameters, Plan, RunSpec, Workload as _};
use fulldeck_proto::v1::worker_service_server::{WorkerService, WorkerServiceServer};
use fulldeck_proto::v1::{self, AttemptPhase, HeldDecision, UploadOutcome, upload_piece::Piece};
use fulldeck_proto::{MAX_MESSAGE_BYTES, PROTOCOL};
use fulldeck_service::{Access, AccessToken, presented};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::service::interceptor::InterceptedService;
use tonic::{Request, Response, Status, Streaming};

use super::PATIENCE;
use super::toy::{Toy, payload};

/// What a worker said.
#[derive(Clone, Debug)]
pub enum Event {
    Register(v1::RegisterRequest),
    Beat(Vec<v1::AttemptProgress>),
    Upload(UploadOutcome),
    Failure { slice: u32, class: v1::FailureClass, text: String },
    Release { slices: Vec<u32>, reason: String },
    Deregister,
}

/// What goes wrong with an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Committed, but the answer is lost.
    LostAnswer,
    /// This outcome, and nothing is committed.
    Answer(UploadOutcome),
    /// No answer for as long as the server lives.
    Hang,
}

pub struct State {
    pub token: AccessToken,
    pub epoch: u64,
    pub sessions: u64,
    pub spec: v1::RunSpec,
    pub waiting: VecDeque<Vec<u32>>,
    pub issued: BTreeMap<(u64, u64), u32>,
    pub committed: BTreeMap<u32, Digest>,
    pub failed: usize,
    pub events: Vec<Event>,
    pub faults: VecDeque<Fault>,
    pub cancel: Vec<u32>,
    pub refuse_register: Option<Status>,
    pub hard_limit_ms: u64,
    /// Why neither results are taken nor work is granted.
    pub store_failed: String,
    plan: Plan,
    answers: u64,
    sequence: u64,
}

impl State {
    pub fn count(&self, matches: impl Fn(&Event) -> bool) -> usize {
        self.events.iter().filter(|event| matches(event)).count()
    }

    pub fn beats(&self) -> usize {
        self.count(|event| matches!(event, Event::Beat(_)))
    }

    pub fn registrations(&self) -> Vec<v1::RegisterRequest> {
        let registration = |event: &Event| match event {
            Event::Register(request) => Some(request.clone()),
            _ => None,
        };
        self.events.iter().filter_map(registration).collect()
    }

    pub fn outcomes(&self, wanted: UploadOutcome) -> usize {
        self.count(|event| matches!(event, Event::Upload(outcome) if *outcome == wanted))
    }

    fn slice_of(&self, token: Option<&v1::AttemptToken>) -> Option<u32> {
        token.and_then(|token| self.issued.get(&(token.epoch, token.sequence)).copied())
    }

    fn serves(&self) -> Result<(), Status> {
        match &self.store_failed[..] {
            "" => Ok(()),
            reason => Err(Status::failed_precondition(reason)),
        }
    }

    fn current(&self, session: u64, epoch: u64) -> Result<(), Status> {
        if (session, epoch) == (self.sessions, self.epoch) {
            Ok(())
        } else {
            Err(Status::aborted("stale epoch"))
        }
    }
}

/// The state with a bell that rings at every change.
#[derive(Clone)]
pub struct Book {
    state: Arc<Mutex<State>>,
    changed: Arc<watch::Sender<u64>>,
}

impl Book {
    /// A run of the toy, nothing leased yet.
    pub fn new(parameters: &[&str]) -> Self {
        let toy = Toy::new();
        let parameters = Parameters::parse(toy.parameters(), parameters).unwrap();
        let plan = toy.prepare(&parameters).unwrap().plan(0).unwrap();
        let spec =
            RunSpec { workload: "toy".into(), algorithm_version: 1, parameters, slice_target: 0 };
        let mut batches: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for slice in plan.slices() {
            batches.entry(slice.batch).or_default().push(slice.id.0);
        }
        let state = State {
            token: AccessToken::random().unwrap(),
            epoch: 1,
            sessions: 0,
            spec: v1::RunSpec {
                run: 1,
                workload: spec.workload.clone(),
                algorithm_version: 1,
                parameters: spec.parameters.canonical(),
                slice_target: 0,
                fingerprint: Bytes::copy_from_slice(&spec.fingerprint().0),
                plan_digest: Bytes::copy_from_slice(&plan.digest().0),
            },
            waiting: batches.into_values().collect(),
            issued: BTreeMap::new(),
            committed: BTreeMap::new(),
            failed: 0,
            events: Vec::new(),
            faults: VecDeque::new(),
            cancel: Vec::new(),
            refuse_register: None,
            hard_limit_ms: 0,
            store_failed: String::new(),
            plan,
            answers: 0,
            sequence: 0,
        };
        Self { state: Arc::new(Mutex::new(state)), changed: Arc::new(watch::Sender::new(0)) }
    }

    pub fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.state.lock().unwrap());
        self.changed.send_modify(|count| *count += 1);
        result
    }

    pub fn look<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.state.lock().unwrap())
    }

    /// Waits until the state fulfils `condition`; fails, and shows what was said, if it never does.
    pub async fn until(&self, what: &str, condition: impl Fn(&State) -> bool) {
        let mut changed = self.changed.subscribe();
        let reached = async {
            while !self.look(&condition) {
                changed.changed().await.unwrap();
            }
        };
        if tokio::time::timeout(PATIENCE, reached).await.is_err() {
            panic!("{what} never happened: {:#?}", self.look(|state| state.events.clone()));
        }
    }
}

/// A running server; dropping it cuts every connection, as a crash would.
pub struct Server {
    pub address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Server {
    pub async fn start(book: &Book) -> Self {
        Self::start_at(book, "127.0.0.1:0".parse().unwrap()).await
    }

    pub async fn start_at(book: &Book, address: SocketAddr) -> Self {
        let deadline = Instant::now() + PATIENCE;
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.unwrap();
        let listener = loop {
            let bound = runtime.spawn(TcpListener::bind(address)).await.unwrap();
            match bound {
                Ok(listener) => break listener,
                // The crashed predecessor may not have let go yet.
                Err(error) => assert!(Instant::now() < deadline, "{error}"),
            }
        };
        let address = listener.local_addr().unwrap();
        let service = WorkerServiceServer::new(Service(book.clone()))
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES);
        let token = book.look(|state| state.token.clone());
        let guard = move |request: Request<()>| {
            let headers = request.metadata().clone().into_headers();
            match presented(&headers).is_some_and(|presented| token.matches(presented)) {
                true => Ok(request),
                false => Err(Status::unauthenticated("the token is not this coordinator's")),
            }
        };
        runtime.spawn(
            tonic::transport::Server::builder()
                .add_service(InterceptedService::new(service, guard))
                .serve_with_incoming(TcpListenerStream::new(listener)),
        );
        Self { address, runtime: Some(runtime) }
    }

    /// A crash, and a new life at the same address.
    pub async fn restart(self, book: &Book) -> Self {
        let address = self.address;
        drop(self);
        book.with(|state| state.epoch += 1);
        Self::start_at(book, address).await
    }

    pub fn access(&self, book: &Book) -> Access {
        let token = book.look(|state| state.token.clone());
        Access::new(&format!("http://{}", self.address), token).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

struct Service(Book);

#[tonic::async_trait]
impl WorkerService for Service {
    async fn register(
        &self,
        request: Request<v1::RegisterRequest>,
    ) -> Result<Response<v1::RegisterResponse>, Status> {
        let request = request.into_inner();
        assert_eq!(request.protocol_major, PROTOCOL.0);
        self.0.with(|state| {
            if let Some(status) = state.refuse_register.clone() {
                return Err(status);
            }
            let decide = |held: &v1::HeldAttempt| {
                let decision = match state.slice_of(held.token.as_ref()) {
                    None => HeldDecision::Drop,
                    Some(slice) if state.committed.contains_key(&slice) => HeldDecision::Drop,
                    Some(_) if held.phase() == AttemptPhase::Finished => HeldDecision::Upload,
                    Some(_) => HeldDecision::Keep,
                };
                decision as i32
            };
            let held = request.held.iter().map(decide).collect();
            state.sessions += 1;
            state.answers = 0;
            state.events.push(Event::Register(request));
            Ok(Response::new(v1::RegisterResponse {
                session: state.sessions,
                epoch: state.epoch,
                store_id: Bytes::from_static(&[7; 16]),
                timings: Some(v1::Timings {
                    heartbeat_ms: 25,
                    lease_ms: 30_000,
                    lease_wait_ms: 100,
                    reconnect_cap_ms: 50,
                }),
                held,
            }))
        })
    }

    async fn lease(
        &self,
        request: Request<v1::LeaseRequest>,
    ) -> Result<Response<v1::LeaseResponse>, Status> {
        let request = request.into_inner();
        self.0.with(|state| {
            state.current(request.session, request.epoch)?;
            state.serves()?;
            assert_eq!(request.answer_received, state.answers, "no answer was lost");
            assert!(request.free_slots > 0, "a worker without room does not ask");
            state.answers += 1;
            let mut slices = Vec::new();
            for _ in 0..request.free_slots {
                for slice in state.waiting.pop_front().unwrap_or_default() {
                    state.sequence += 1;
                    state.issued.insert((state.epoch, state.sequence), slice);
                    slices.push(v1::LeasedSlice {
                        token: Some(v1::AttemptToken {
                            store_id: Bytes::from_static(&[7; 16]),
                            epoch: state.epoch,
                            start_id: 9,
                            sequence: state.sequence,
                        }),
                        run: 1,
                        fingerprint: state.spec.fingerprint.clone(),
                        slice,
                        batch: state.plan.slices()[slice as usize].batch,
                        lease_ms: 30_000,
                        hard_limit_ms: state.hard_limit_ms,
                    });
                }
            }
            let ended = state.committed.len() + state.failed;
            let all_done = ended == state.plan.slices().len();
            Ok(Response::new(v1::LeaseResponse { answer: state.answers, slices, all_done }))
        })
    }

    async fn get_run_spec(
        &self,
        request: Request<v1::GetRunSpecRequest>,
    ) -> Result<Response<v1::RunSpec>, Status> {
        let request = request.into_inner();
        self.0.with(|state| {
            state.current(request.session, request.epoch)?;
            Ok(Response::new(state.spec.clone()))
        })
    }

    async fn heartbeat(
        &self,
        request: Request<v1::HeartbeatRequest>,
    ) -> Result<Response<v1::HeartbeatResponse>, Status> {
        let request = request.into_inner();
        self.0.with(|state| {
            state.current(request.session, request.epoch)?;
            let cancel = request
                .attempts
                .iter()
                .filter_map(|attempt| attempt.token.clone())
                .filter(|token| {
                    state.slice_of(Some(token)).is_some_and(|slice| state.cancel.contains(&slice))
                })
                .collect();
            state.events.push(Event::Beat(request.attempts));
            Ok(Response::new(v1::HeartbeatResponse {
                cancel,
                drain: false,
                timings: None,
                store_failed: state.store_failed.clone(),
            }))
        })
    }

    async fn upload_result(
        &self,
        request: Request<Streaming<v1::UploadPiece>>,
    ) -> Result<Response<v1::UploadResponse>, Status> {
        let mut pieces = request.into_inner();
        let Some(Piece::Header(header)) = pieces.message().await?.and_then(|piece| piece.piece)
        else {
            return Err(Status::invalid_argument("no header"));
        };
        let mut stored = Vec::new();
        while let Some(piece) = pieces.message().await? {
            let Some(Piece::Chunk(chunk)) = piece.piece else {
                return Err(Status::invalid_argument("a second header"));
            };
            assert_eq!(chunk.offset as usize, stored.len());
            stored.extend_from_slice(&chunk.data);
        }
        let fault = self.0.with(|state| {
            state.current(header.session, header.epoch)?;
            state.serves()?;
            Ok::<_, Status>(state.faults.pop_front())
        })?;
        let outcome = match fault {
            Some(Fault::Hang) => std::future::pending().await,
            Some(Fault::Answer(outcome)) => outcome,
            None | Some(Fault::LostAnswer) => self.0.with(|state| commit(state, &header, &stored)),
        };
        self.0.with(|state| state.events.push(Event::Upload(outcome)));
        if fault == Some(Fault::LostAnswer) {
            return Err(Status::unavailable("the answer is lost"));
        }
        let detail = String::new();
        Ok(Response::new(v1::UploadResponse { outcome: outcome.into(), detail }))
    }

    async fn report_failure(
        &self,
        request: Request<v1::ReportFailureRequest>,
    ) -> Result<Response<v1::ReportFailureResponse>, Status> {
        let request = request.into_inner();
        self.0.with(|state| {
            state.current(request.session, request.epoch)?;
            let slice = state.slice_of(request.token.as_ref()).unwrap();
            let class = request.failure();
            state.failed += 1;
            state.events.push(Event::Failure { slice, class, text: request.text });
            Ok(Response::new(v1::ReportFailureResponse {}))
        })
    }

    async fn release(
        &self,
        request: Request<v1::ReleaseRequest>,
    ) -> Result<Response<v1::ReleaseResponse>, Status> {
        let request = request.into_inner();
        self.0.with(|state| {
            state.current(request.session, request.epoch)?;
            let slices = request.tokens.iter().map(|token| state.slice_of(Some(token)).unwrap());
            let slices = slices.collect();
            state.events.push(Event::Release { slices, reason: request.reason });
            Ok(Response::new(v1::ReleaseResponse {}))
        })
    }

    async fn deregister(
        &self,
        request: Request<v1::DeregisterRequest>,
    ) -> Result<Response<v1::DeregisterResponse>, Status> {
        let request = request.into_inner();
        self.0.with(|state| {
            state.current(request.session, request.epoch)?;
            state.events.push(Event::Deregister);
            Ok(Response::new(v1::DeregisterResponse {}))
        })
    }
}

fn commit(state: &mut State, header: &v1::UploadHeader, stored: &[u8]) -> UploadOutcome {
    let slice = state.slice_of(header.token.as_ref()).expect("a token of this store");
    assert_eq!(slice, header.slice);
    assert_eq!(header.fingerprint, state.spec.fingerprint);
    let planned = state.plan.slices()[slice as usize];
    assert_eq!((header.first_row, header.rows), (planned.first_row, planned.rows));
    let codec = if header.codec() == v1::Codec::Zstd { Codec::Zstd } else { Codec::Raw };
    let raw = record::decode_payload(codec, stored, header.raw_bytes, 1 << 20).unwrap();
    assert_eq!(raw, payload(slice));
    let digest = Digest::of(&raw);
    assert_eq!(header.digest.as_ref(), digest.0);
    match state.committed.insert(slice, digest) {
        None => UploadOutcome::Committed,
        Some(before) if before == digest => UploadOutcome::Duplicate,
        Some(_) => UploadOutcome::Mismatch,
    }
}
