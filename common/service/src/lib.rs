//! What the processes of fulldeck share: the access file and its token, the stop signal, logging, facts about the
//! host, and exit codes.
//!
//! Main types: [`Access`] (where a coordinator is and the token that opens it), [`BearerClient`] and
//! [`BearerServer`] (the token on the wire), [`StopSignal`] (drain, then stop), [`UsageError`] (a wrong command line in one
//! line).
//!
//! Deliberately absent: anything about runs, slices or games.

mod access;
mod bearer;
pub mod exit;
pub mod host;
pub mod logging;
mod stop;
mod token;
mod usage;

pub use access::{Access, AccessError};
pub use bearer::{BearerClient, BearerServer};
pub use stop::{StopLevel, StopSignal, StopSource};
pub use token::{AccessToken, TokenError};
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
