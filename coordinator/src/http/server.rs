//! Serves HTTP/1.1 over accepted connections, within bounds.

use std::io;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_stream::{Stream, StreamExt as _};
use tower::ServiceExt as _;

use super::routes::{Site, router};
use crate::net::{Connection, DoorLimits};

/// Time in which the head of a request has to arrive.
const HEAD: Duration = Duration::from_secs(10);
/// Largest head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 16 << 10;
/// A connection lives at most so long: whoever looks on connects again.
const LIFE: Duration = Duration::from_secs(300);

/// Bounds of the connections.
pub(crate) const DOOR: DoorLimits =
    DoorLimits { connections: 256, strangers_per_address: 64, patience: Duration::from_secs(10) };

/// Serves until `stopping` says so, or the coordinator is dropped.
pub(crate) async fn serve(
    mut incoming: impl Stream<Item = io::Result<Connection>> + Unpin,
    site: Site,
    mut stopping: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = incoming.next() => accepted,
            Some(_) = connections.join_next() => continue,
            _ = stopping.wait_for(|stop| *stop) => return,
        };
        match accepted {
            None => return,
            Some(Ok(connection)) => {
                connections.spawn(timeout(LIFE, attend(connection, site.clone())));
            }
            Some(Err(error)) => tracing::debug!("an HTTP connection fails: {error}"),
        }
    }
}

async fn attend(connection: Connection, site: Site) {
    let guest = connection.guest.clone();
    let routes = router(site);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(guest.clone());
        routes.clone().oneshot(request)
    });
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(connection), service)
        .await;
    if let Err(error) = served {
        tracing::debug!("an HTTP connection ends: {error}");
    }
}
