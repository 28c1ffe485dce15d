//! Many workers at one coordinator, which has nothing to wait for but the disk and them.

#![allow(clippy::print_stderr, reason = "figures are what this test is for")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fulldeck_job::Digest;
use fulldeck_proto::v1::admin_service_client::AdminServiceClient;
use fulldeck_proto::v1::worker_service_client::WorkerServiceClient;
use fulldeck_proto::{PROTOCOL, v1};
use fulldeck_service::{Access, BearerClient};
use fulldeck_tests::{EMPTY_COORDINATOR, Process, Scene, empty, until};
use tokio::sync::Mutex;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};

type Client = WorkerServiceClient<InterceptedService<Channel, BearerClient>>;

/// Between two heartbeats of a worker.
const BEAT: Duration = Duration::from_secs(3);

/// How long calls took, in microseconds.
#[derive(Default)]
struct Times(Mutex<Vec<u64>>);

impl Times {
    async fn note(&self, since: Instant) {
        self.0.lock().await.push(since.elapsed().as_micros() as u64);
    }

    /// The time below which so many of a thousand lie, in milliseconds.
    async fn quantile(&self, of_thousand: usize) -> f64 {
        let mut times = self.0.lock().await;
        times.sort_unstable();
        let at = (times.len() * of_thousand / 1_000).min(times.len().saturating_sub(1));
        times.get(at).map_or(0.0, |micros| *micros as f64 / 1_000.0)
    }
}

#[derive(Default)]
struct Figures {
    committed: AtomicU64,
    leases: Times,
    uploads: Times,
    beats: Times,
    statuses: Times,
}

async fn channel(access: &Access) -> Channel {
    let endpoint = Endpoint::from_shared(access.url.clone()).expect("an address");
    endpoint.connect().await.expect("a connection")
}

/// One worker: registers, leases, sends, beats, until everything is done.
async fn work(access: Access, number: u64, figures: Arc<Figures>) {
    let bearer = BearerClient::new(&access.token);
    let mut client = WorkerServiceClient::with_interceptor(channel(&access).await, bearer);
    let request = v1::RegisterRequest {
        protocol_major: PROTOCOL.0,
        protocol_minor: PROTOCOL.1,
        workloads: vec![v1::WorkloadVersion { name: "empty".into(), algorithm_version: 1 }],
        host_key: format!("host{}", number % 100),
        name: format!("worker{number}"),
        instance: number + 1,
        ..Default::default()
    };
    let registered = client.register(request).await.expect("registration").into_inner();
    let (session, epoch) = (registered.session, registered.epoch);
    let held = Arc::new(Mutex::new((Vec::new(), 0)));
    let beating = tokio::spawn(beat(client.clone(), session, epoch, held.clone(), figures.clone()));
    loop {
        let answer_received = held.lock().await.1;
        let request =
            v1::LeaseRequest { session, epoch, free_slots: 1, answer_received, wait_ms: 20_000 };
        let asked = Instant::now();
        let leased = client.lease(request).await.expect("an answer").into_inner();
        let attempts = leased.slices.iter().filter_map(|slice| slice.token.clone()).collect();
        *held.lock().await = (attempts, leased.answer);
        if leased.slices.is_empty() {
            if leased.all_done {
                break;
            }
            continue;
        }
        figures.leases.note(asked).await;
        for slice in leased.slices {
            let token = slice.token.clone();
            let sent = Instant::now();
            let outcome = upload(&mut client, session, epoch, slice).await;
            figures.uploads.note(sent).await;
            held.lock().await.0.retain(|held| Some(held) != token.as_ref());
            match outcome {
                v1::UploadOutcome::Committed => {
                    figures.committed.fetch_add(1, Ordering::Relaxed);
                }
                // Somebody else was given it as well, because it took so long.
                v1::UploadOutcome::Duplicate => {}
                other => panic!("{other:?}"),
            }
        }
    }
    beating.abort();
    let request = v1::DeregisterRequest { session, epoch, reason: "done".into() };
    client.deregister(request).await.expect("a goodbye");
}

async fn beat(
    mut client: Client,
    session: u64,
    epoch: u64,
    held: Arc<Mutex<(Vec<v1::AttemptToken>, u64)>>,
    figures: Arc<Figures>,
) {
    loop {
        tokio::time::sleep(BEAT).await;
        let (tokens, answer_received) = held.lock().await.clone();
        let attempts = tokens
            .into_iter()
            .map(|token| v1::AttemptProgress { token: Some(token), ..Default::default() })
            .collect();
        let request =
            v1::HeartbeatRequest { session, epoch, answer_received, attempts, rss_bytes: 1 };
        let sent = Instant::now();
        client.heartbeat(request).await.expect("an answer");
        figures.beats.note(sent).await;
    }
}

async fn upload(
    client: &mut Client,
    session: u64,
    epoch: u64,
    slice: v1::LeasedSlice,
) -> v1::UploadOutcome {
    let payload = empty::payload(slice.slice);
    let bytes = payload.len() as u64;
    let mut header = v1::UploadHeader {
        session,
        epoch,
        token: slice.token,
        fingerprint: slice.fingerprint,
        slice: slice.slice,
        first_row: slice.slice,
        rows: 1,
        elements: 1,
        raw_bytes: bytes,
        stored_bytes: bytes,
        digest: Digest::of(&payload).0.to_vec().into(),
        compute_ms: 1,
        ..Default::default()
    };
    header.set_codec(v1::Codec::Raw);
    let chunk = v1::Chunk { offset: 0, data: payload.to_vec().into() };
    let pieces = [v1::upload_piece::Piece::Header(header), v1::upload_piece::Piece::Chunk(chunk)];
    loop {
        let message = |piece| v1::UploadPiece { piece: Some(piece) };
        let pieces = tokio_stream::iter(pieces.clone().map(message));
        match client.upload_result(pieces).await {
            Ok(answer) => return answer.into_inner().outcome(),
            // Too many at the same time: it passes.
            Err(busy) if busy.code() == tonic::Code::ResourceExhausted => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Asks for the status again and again, as a person who watches.
async fn look(access: Access, figures: Arc<Figures>) {
    let bearer = BearerClient::new(&access.token);
    let mut admin = AdminServiceClient::with_interceptor(channel(&access).await, bearer);
    loop {
        let asked = Instant::now();
        admin.get_run(v1::GetRunRequest { run: "last".into() }).await.expect("a run");
        figures.statuses.note(asked).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

fn peak_mib(process: &Process) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id()));
    let status = status.expect("the state of a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") >> 10
}

fn load(workers: u64, slices: u32) {
    let scene = Scene::new();
    let mut coordinator = scene.start(EMPTY_COORDINATOR, &format!("data {slices}"));
    let access = until("an access file", || Access::read(&scene.path("data/access.toml")).ok());
    let figures = Arc::new(Figures::default());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let seconds = runtime.block_on(async {
        let started = Instant::now();
        let looking = tokio::spawn(look(access.clone(), figures.clone()));
        let working: Vec<_> = (0..workers)
            .map(|number| tokio::spawn(work(access.clone(), number, figures.clone())))
            .collect();
        for worker in working {
            worker.await.expect("a worker that ends well");
        }
        looking.abort();
        started.elapsed().as_secs_f64()
    });
    assert_eq!(figures.committed.load(Ordering::Relaxed), u64::from(slices));
    let shown = runtime.block_on(async {
        let rate = f64::from(slices) / seconds;
        let of = |times: &'static str, half: f64, late: f64, most: f64| {
            format!("{times} {half:.1} ms (median) {late:.1} ms (99 %) {most:.1} ms (most)")
        };
        let mut lines = vec![format!(
            "{workers} workers, {slices} slices: {seconds:.1} s, {rate:.0} durable results a second, {} MiB",
            peak_mib(&coordinator)
        )];
        for (name, times) in [
            ("lease", &figures.leases),
            ("upload", &figures.uploads),
            ("heartbeat", &figures.beats),
            ("status", &figures.statuses),
        ] {
            let (half, late) = (times.quantile(500).await, times.quantile(990).await);
            lines.push(of(name, half, late, times.quantile(1_000).await));
        }
        lines.join("\n")
    });
    eprintln!("{shown}");
    coordinator.terminate();
    assert_eq!(coordinator.code(), 0, "{}", coordinator.stderr());
    assert!(!coordinator.stderr().contains("stuck"), "{}", coordinator.stderr());
}

#[test]
fn every_result_of_many_workers_is_durable_once() {
    load(100, 5_000);
}

/// The figures of `docs/reliability.md`: cargo test --release -p fulldeck-tests --test load -- --ignored --nocapture
#[test]
#[ignore = "takes a quiet machine for a minute"]
fn a_thousand_workers() {
    load(1_000, 100_000);
}
