//! What the processes of fulldeck share: the access file and its token, the stop signal, logging, facts about the
//! host, and exit codes.
//!
//! Main types: [`Access`] (where a coordinator is and the token that opens it), [`connect`] (the way there),
//! [`TokenBook`] (which token has which [`Role`]), [`ServerTls`] and [`ClientTls`] (encryption), [`StopSignal`] (drain, then stop), [`UsageError`] (a wrong command line in one
//! line).
//!
//! Deliberately absent: anything about runs, slices or games.

mod access;
mod array_task;
mod bearer;
mod connect;
pub mod exit;
pub mod host;
pub mod logging;
mod role;
mod secret_file;
mod stop;
mod time_limit;
mod tls;
mod token;
mod token_book;
mod usage;

pub use access::{Access, AccessError};
pub use array_task::{ArrayTask, ArrayTaskError};
pub use bearer::{BearerClient, presented};
pub use connect::{ConnectError, connect, explained, root_cause};
pub use role::Role;
pub use secret_file::write_secret;
pub use stop::{StopLevel, StopSignal, StopSource};
pub use time_limit::TimeLimit;
pub use tls::{ClientTls, ServerTls, ServerTlsFiles, TlsError, TlsFlags};
pub use token::{AccessToken, TokenError};
pub use token_book::{TOKEN_BOOK, TokenBook, TokenBookError};
pub use usage::UsageError;

/// Version of this build, as in `fulldeck --version`.
#[must_use]
pub const fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Version, operating system and architecture of this build, for logs and for registering.
#[must_use]
pub fn build() -> String {
    format!("{} {}-{}", version(), std::env::consts::OS, std::env::consts::ARCH)
}
