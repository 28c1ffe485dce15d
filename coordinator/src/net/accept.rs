//! Accepts connections: counted, encrypted where asked for, and none waits for the handshake of another.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_rustls::TlsAcceptor;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::TcpIncoming;

use super::connection::{Connection, Stream};
use super::door::{Door, Full, Guest};
use super::refusals::Refusals;

/// A silent peer is probed by TCP after this.
const TCP_KEEPALIVE: Duration = Duration::from_secs(30);
/// Connections that wait to be served.
const QUEUE: usize = 16;
/// Pause when the system has no more files to give.
const OUT_OF_FILES: Duration = Duration::from_millis(100);

/// What a listener needs.
#[derive(Clone)]
pub(crate) struct Doorway {
    pub(crate) door: Arc<Door>,
    pub(crate) tls: Option<TlsAcceptor>,
    pub(crate) refusals: Refusals,
}

/// Accepts for as long as the stream is there.
pub(crate) fn accept_all(
    incoming: TcpIncoming,
    doorway: Doorway,
) -> ReceiverStream<io::Result<Connection>> {
    let (ready, connections) = mpsc::channel(QUEUE);
    tokio::spawn(async move {
        let mut incoming = incoming.with_nodelay(Some(true)).with_keepalive(Some(TCP_KEEPALIVE));
        loop {
            let accepted = tokio::select! {
                accepted = incoming.next() => accepted,
                () = ready.closed() => return,
            };
            match accepted {
                None => return,
                Some(Ok(stream)) => doorway.receive(stream, &ready),
                Some(Err(error)) => {
                    tracing::debug!("a connection is not accepted: {error}");
                    sleep(OUT_OF_FILES).await;
                }
            }
        }
    });
    ReceiverStream::new(connections)
}

impl Doorway {
    fn receive(&self, stream: TcpStream, ready: &mpsc::Sender<io::Result<Connection>>) {
        // Gone already: nobody to serve.
        let Ok(peer) = stream.peer_addr() else { return };
        let guest = match self.door.enter(peer) {
            Ok(guest) => guest,
            Err(Full::Places) => {
                let all = self.door.limits.connections;
                return self.refusals.note(peer.ip(), &format!("there are {all} connections"));
            }
            Err(Full::Strangers) => {
                let all = self.door.limits.strangers_per_address;
                let reason = format!("{all} connections of this address have shown no token yet");
                return self.refusals.note(peer.ip(), &reason);
            }
        };
        let (doorway, ready) = (self.clone(), ready.clone());
        tokio::spawn(async move {
            if let Some(connection) = doorway.greet(stream, guest).await {
                // Nobody serves any more: the connection ends.
                let _ = ready.send(Ok(connection)).await;
            }
        });
    }

    async fn greet(&self, stream: TcpStream, guest: Arc<Guest>) -> Option<Connection> {
        let deadline = Instant::now() + self.door.limits.patience;
        let stream = match &self.tls {
            None => Stream::Plain(stream),
            Some(tls) => match timeout_at(deadline, tls.accept(stream)).await {
                Ok(Ok(stream)) => Stream::Encrypted(Box::new(stream)),
                Ok(Err(error)) => {
                    let reason = format!("no TLS connection comes about: {error}");
                    self.refusals.note(guest.peer.ip(), &reason);
                    return None;
                }
                Err(_) => {
                    self.refusals.note(guest.peer.ip(), "the TLS handshake took too long");
                    return None;
                }
            },
        };
        Some(Connection::new(stream, guest, deadline))
    }
}
