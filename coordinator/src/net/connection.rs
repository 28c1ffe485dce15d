//! A connection, encrypted or not, that ends by itself when no token is shown in time.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_rustls::server::TlsStream;
use tonic::transport::server::Connected;

use super::Guest;

/// The bytes of a connection.
pub(super) enum Stream {
    Plain(TcpStream),
    Encrypted(Box<TlsStream<TcpStream>>),
}

/// A connection of a guest.
pub(crate) struct Connection {
    stream: Stream,
    pub(crate) guest: Arc<Guest>,
    /// Until when a token has to be shown; gone once it was.
    patience: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    pub(super) fn new(stream: Stream, guest: Arc<Guest>, deadline: Instant) -> Self {
        Self { stream, guest, patience: Some(Box::pin(sleep_until(deadline))) }
    }

    fn check_patience(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if self.guest.is_known() {
            self.patience = None;
        }
        match self.patience.as_mut().map(|patience| patience.as_mut().poll(context)) {
            Some(Poll::Ready(())) => Err(io::ErrorKind::TimedOut.into()),
            _ => Ok(()),
        }
    }
}

/// Calls the same method of whichever stream there is.
macro_rules! of_stream {
    ($connection:expr, $method:ident($($argument:expr),*)) => {
        match &mut $connection.get_mut().stream {
            Stream::Plain(stream) => Pin::new(stream).$method($($argument),*),
            Stream::Encrypted(stream) => Pin::new(stream).$method($($argument),*),
        }
    };
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check_patience(context)?;
        let read = ready!(of_stream!(self, poll_read(context, buffer)));
        Poll::Ready(read)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        of_stream!(self, poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        of_stream!(self, poll_write_vectored(context, slices))
    }

    fn is_write_vectored(&self) -> bool {
        match &self.stream {
            Stream::Plain(stream) => stream.is_write_vectored(),
            Stream::Encrypted(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        of_stream!(self, poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        of_stream!(self, poll_shutdown(context))
    }
}

impl Connected for Connection {
    type ConnectInfo = Arc<Guest>;

    fn connect_info(&self) -> Self::ConnectInfo {
        Arc::clone(&self.guest)
    }
}
