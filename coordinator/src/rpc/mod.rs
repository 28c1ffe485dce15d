//! The network side: the services of package `fulldeck.v1`, health and reflection.
//!
//! Every call but those of the health service carries a token; `calls` says of which role.

mod admin;
mod calls;
mod convert;
mod guard;
mod import;
mod register;
mod server;
mod status;
#[cfg(test)]
mod tests;
mod upload;
mod watch;
mod worker;

pub(crate) use guard::Guard;
pub(crate) use server::{DOOR, Server};
#[cfg(test)]
pub(crate) use tests::squares_registry;
