//! The way from a client to a coordinator.

use std::error::Error;
use std::time::Duration;

use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tonic::transport::{Channel, Endpoint, Uri};
use tonic::{Code, Status};

use crate::Access;
use crate::tls::{Trouble, trouble};

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A silent connection is probed after this ...
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
/// ... and given up if the probe is not answered within this.
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(5);
/// The same at the level of TCP.
const TCP_KEEPALIVE: Duration = Duration::from_secs(30);
/// Largest headers of an answer, in bytes.
const MAX_HEADER_BYTES: u32 = 16 << 10;
/// A message that nobody expects at the beginning of a handshake: whoever speaks TLS answers it with an alert.
const QUESTION: [u8; 9] = [0x16, 3, 1, 0, 4, 0, 0, 0, 0];
/// First byte of an alert.
const ALERT: u8 = 0x15;

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// Nobody answers; that may pass.
    #[error("cannot connect to {url}: {why}")]
    Unreachable {
        /// Where nobody answers.
        url: String,
        /// What the system says.
        why: String,
    },
    /// Somebody answers who is not trusted, or speaks otherwise.
    #[error("{0}")]
    Untrusted(String),
    /// The coordinator asks for a client certificate, or for another one.
    #[error("{0}")]
    Refused(String),
}

impl From<Trouble> for ConnectError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Untrusted(text) => Self::Untrusted(text),
            Trouble::Refused(text) => Self::Refused(text),
        }
    }
}

fn unreachable(url: &str, why: impl Into<String>) -> ConnectError {
    ConnectError::Unreachable { url: url.to_owned(), why: why.into() }
}

/// Opens a connection, encrypted if the address says https.
///
/// # Errors
/// [`ConnectError`], in words a person can act on.
pub async fn connect(access: &Access) -> Result<Channel, ConnectError> {
    let url = &access.url;
    let endpoint = endpoint(access)?;
    // The connect timeout of the endpoint does not cover the lookup of the name.
    let connecting = timeout(2 * CONNECT_TIMEOUT, endpoint.connect()).await;
    let error = match connecting {
        Ok(Ok(channel)) => return Ok(channel),
        Ok(Err(error)) => error,
        Err(_) => return Err(unreachable(url, "it does not answer")),
    };
    let cause = root_cause(&error);
    let known = match trouble(url, &error) {
        Some(trouble) => Some(trouble.into()),
        None if access.is_encrypted() => None,
        None => plain_trouble(url).await,
    };
    Err(known.unwrap_or_else(|| unreachable(url, cause)))
}

/// What a failed call says of encryption; `None` if it has nothing to do with it. The two may disagree after the client
/// believes to be connected: then it is looked at again.
pub async fn explained(access: &Access, status: &Status) -> Option<ConnectError> {
    let answers = [Code::Unknown, Code::Unavailable, Code::Cancelled, Code::Internal];
    if !answers.contains(&status.code()) {
        return None;
    }
    match access.is_encrypted() {
        true => handshake_trouble(access).await,
        false => plain_trouble(&access.url).await,
    }
}

/// What speaks against a connection without encryption.
async fn plain_trouble(url: &str) -> Option<ConnectError> {
    speaks_tls(url).await.then(|| {
        ConnectError::Untrusted(format!(
            "what listens at {url} speaks TLS; its address begins with https:// then"
        ))
    })
}

/// What speaks against an encrypted connection: the server says it after the handshake.
async fn handshake_trouble(access: &Access) -> Option<ConnectError> {
    let (host, port) = place(&access.url)?;
    let name = ServerName::try_from(host.clone()).ok()?;
    let connector = TlsConnector::from(access.tls.rustls_config()?);
    let asking = async move {
        let stream = TcpStream::connect((host, port)).await?;
        let mut stream = connector.connect(name, stream).await?;
        stream.read_u8().await
    };
    let error = timeout(CONNECT_TIMEOUT, asking).await.ok()?.err()?;
    trouble(&access.url, &error).map(ConnectError::from)
}

/// Host, without brackets, and port of an address.
fn place(url: &str) -> Option<(String, u16)> {
    let uri: Uri = url.parse().ok()?;
    let host = uri.host()?.trim_start_matches('[').trim_end_matches(']').to_owned();
    Some((host, uri.port_u16()?))
}

fn endpoint(access: &Access) -> Result<Endpoint, ConnectError> {
    let url = &access.url;
    let refused = |error: &(dyn Error + 'static)| {
        ConnectError::Untrusted(format!("cannot speak TLS with {url}: {}", root_cause(error)))
    };
    let endpoint = Endpoint::from_shared(url.clone())
        .map_err(|error| unreachable(url, error.to_string()))?
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .tcp_keepalive(Some(TCP_KEEPALIVE))
        .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .keep_alive_while_idle(true)
        .http2_max_header_list_size(MAX_HEADER_BYTES);
    if !access.is_encrypted() {
        return Ok(endpoint);
    }
    let config = access.tls.config().timeout(CONNECT_TIMEOUT);
    endpoint.tls_config(config).map_err(|error| refused(&error))
}

/// Whether an address answers as TLS does.
async fn speaks_tls(url: &str) -> bool {
    let Some(place) = place(url) else { return false };
    let asking = async move {
        let mut stream = TcpStream::connect(place).await?;
        stream.write_all(&QUESTION).await?;
        stream.read_u8().await
    };
    matches!(timeout(CONNECT_TIMEOUT, asking).await, Ok(Ok(ALERT)))
}

/// The cause a person can act on: the transport's own text is 'transport error'.
#[must_use]
pub fn root_cause(error: &dyn Error) -> String {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}
