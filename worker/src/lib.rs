//! Computes slices for a coordinator: takes leases, computes them on its own threads, delivers the results, and
//! outlives restarts and absences of the coordinator.
//!
//! Main entry: [`run`]; [`CommandLine`] is that of the slim program. Inside, `session` decides when to lease and when to leave, `connect` keeps the worker
//! registered, `ledger` knows every attempt it holds, `batch` leads leased slices from lease to delivery,
//! `executor` is the bridge to the computing threads. [`shard`] computes a part of a plan without a coordinator.
//!
//! Deliberately absent: every game, and every database.

mod backoff;
mod batch;
mod client;
mod command_line;
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
pub mod shard;
mod token;
mod upload;

pub use command_line::{CommandLine, OptionsError, host_name, thread_count};
pub use error::WorkerError;
pub use options::{AccessSource, MAX_THREADS, WorkerOptions};
pub use session::{Ending, WorkerSummary, run};
