//! Computes slices for a coordinator: takes leases, computes them on its own threads, delivers the results, and
//! outlives restarts and absences of the coordinator.
//!
//! Main entry: [`run`]. Inside, `session` decides when to lease and when to leave, `connect` keeps the worker
//! registered, `ledger` knows every attempt it holds, `batch` leads leased slices from lease to delivery,
//! `executor` is the bridge to the computing threads.
//!
//! Deliberately absent: every game, and every database.

mod backoff;
mod batch;
mod client;
mod connect;
mod error;
mod executor;
mod heartbeat;
mod lease;
mod ledger;
mod link;
mod options;
mod runs;
mod session;
mod token;
mod upload;

pub use error::WorkerError;
pub use options::{AccessSource, MAX_THREADS, WorkerOptions};
pub use session::{Ending, WorkerSummary, run};
