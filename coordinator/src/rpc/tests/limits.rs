//! Too much, too slow, too large, or nonsense: it is refused, and others do not notice.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tonic::Code;

use super::*;
use crate::rpc::DOOR;

/// How every HTTP/2 connection begins.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

async fn from(address: [u8; 4], to: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((address, 0).into())?;
    socket.connect(to).await
}

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// Writes as much as is taken, then reads until the other side closes.
async fn until_closed(mut stream: TcpStream, bytes: &[u8]) {
    // It may close before it has read all.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
}

#[tokio::test]
async fn nonsense_closes_its_connection_and_no_other() {
    let site = Site::new().await;
    site.submit(&[]).await;
    let mut worker = site.worker().await;
    let address = site.coordinator.address();
    let settings = frame(4, 0, 0, &[]);
    let endless: Vec<u8> = std::iter::once(frame(1, 0, 1, &[0x82]))
        .chain((0..64).map(|_| frame(9, 0, 1, &[0x40; 16_000])))
        .flatten()
        .collect();
    let nonsense = [
        b"GET / HTTP/1.1\r\nhost: x\r\n\r\n".to_vec(),
        vec![0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3],
        vec![0xff; 100_000],
        [PREFACE, &frame(0, 0, 0, b"data of no stream")].concat(),
        [PREFACE, &settings, &[0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1], &[7; 100_000]].concat(),
        [PREFACE, &settings, &endless].concat(),
    ];
    for (number, bytes) in nonsense.iter().enumerate() {
        let stream = TcpStream::connect(address).await.unwrap();
        let closed = timeout(PATIENCE, until_closed(stream, bytes)).await;
        assert!(closed.is_ok(), "case {number} stays open");
        let leases = worker.lease(1, 0).await.unwrap().slices;
        assert!(worker.beat(&leases).await.is_ok(), "case {number} harmed others");
    }
    worker.work().await;
}

#[tokio::test]
async fn a_flood_of_silent_connections_does_not_keep_others_out() {
    let site = Site::new().await;
    site.submit(&[]).await;
    let address = site.coordinator.address();
    let mut silent = Vec::new();
    for _ in 0..DOOR.strangers_per_address + 50 {
        let mut stream = from([127, 0, 0, 2], address).await.unwrap();
        let _ = stream.write_all(PREFACE).await;
        silent.push(stream);
    }
    // Those beyond the bound are closed at once ...
    let mut last = silent.pop().unwrap();
    let mut rest = Vec::new();
    let closed = timeout(PATIENCE / 4, last.read_to_end(&mut rest)).await;
    assert!(closed.is_ok(), "one more than allowed stays open");
    // ... a worker of another address is served ...
    let mut worker = timeout(PATIENCE / 4, site.worker()).await.unwrap();
    timeout(PATIENCE, worker.work()).await.unwrap();
    // ... and the silent ones do not stay.
    let mut first = silent.swap_remove(0);
    let ended = timeout(2 * DOOR.patience, first.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "a silent connection stays open");
}

#[tokio::test]
async fn what_is_too_large_is_refused_and_the_connection_stays() {
    let site = Site::new().await;
    site.submit(&[]).await;
    let mut worker = site.worker().await;
    let leases = worker.lease(1, 0).await.unwrap().slices;
    let large = fulldeck_proto::MAX_MESSAGE_BYTES + 1;

    let failure = v1::ReportFailureRequest { text: "x".repeat(large), ..Default::default() };
    let refused = worker.client.report_failure(failure).await.unwrap_err();
    assert_eq!(refused.code(), Code::OutOfRange, "{refused}");
    let (header, _) = worker.compute(&leases[0]).await;
    let chunk = v1::Chunk { offset: 0, data: vec![0; large].into() };
    let pieces = tokio_stream::iter(pieces(header, [chunk]));
    let refused = worker.client.upload_result(pieces).await.unwrap_err();
    assert_eq!(refused.code(), Code::OutOfRange, "{refused}");
    let mut request = tonic::Request::new(v1::HeartbeatRequest::default());
    request.metadata_mut().insert("x-padding", "x".repeat(20 << 10).parse().unwrap());
    assert!(worker.client.heartbeat(request).await.is_err(), "headers of 20 KiB");

    assert!(worker.beat(&leases).await.is_ok());
    assert_eq!(worker.finish(&leases[0]).await.unwrap(), v1::UploadOutcome::Committed);
}

#[tokio::test]
async fn many_waiting_calls_of_one_connection_harm_no_other() {
    let site = Site::new().await;
    let (greedy, mut modest) = (site.worker().await, site.worker().await);
    let mut waiting = JoinSet::new();
    for _ in 0..300 {
        let mut greedy = greedy.clone();
        waiting.spawn(async move { greedy.lease(1, 20_000).await });
    }
    for _ in 0..20 {
        assert!(timeout(PATIENCE / 4, modest.beat(&[])).await.unwrap().is_ok());
    }
    waiting.abort_all();
    assert!(modest.beat(&[]).await.is_ok());
}

#[tokio::test]
async fn a_request_that_never_ends_is_given_up() {
    let site = Site::new().await;
    let mut worker = site.worker().await;
    let pieces = tokio_stream::pending::<v1::UploadPiece>();
    let mut request = tonic::Request::new(pieces);
    request.set_timeout(Duration::from_millis(300));
    let refused = timeout(PATIENCE, worker.client.upload_result(request)).await.unwrap();
    let code = refused.unwrap_err().code();
    assert!(matches!(code, Code::DeadlineExceeded | Code::Cancelled), "{code:?}");
    assert!(worker.beat(&[]).await.is_ok());
}
