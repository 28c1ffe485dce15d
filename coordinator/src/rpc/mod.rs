//! The network side: the services of package `fulldeck.v1`, health and reflection.
//!
//! Every call but those of the health service carries the token.

mod admin;
mod convert;
mod register;
mod server;
mod status;
#[cfg(test)]
mod tests;
mod upload;
mod watch;
mod worker;

pub(crate) use server::Server;
