//! The HTTP side: health, readiness, metrics, and runs and workers as JSON. It only shows.
//!
//! Whoever reaches a listener on loopback may look; elsewhere a token is needed for all but health and readiness.

mod metrics;
mod routes;
mod server;
#[cfg(test)]
mod tests;

pub(crate) use metrics::Sources;
pub(crate) use routes::Site;
pub(crate) use server::{DOOR, serve};
