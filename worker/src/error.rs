//! Why a worker ended other than in order.

use std::time::Duration;

use fulldeck_service::{AccessError, ConnectError, exit};

use crate::MAX_THREADS;

/// Why a worker ended other than in order.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The access file or URL is of no use.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A senseless number of threads.
    #[error("a worker computes with 1 to {MAX_THREADS} threads, not {0}")]
    Threads(usize),
    /// The computing threads cannot be started.
    #[error("cannot start {threads} computing threads: {problem}")]
    Pool {
        /// Wanted number.
        threads: usize,
        /// Why not.
        problem: String,
    },
    /// Nobody answered for too long.
    #[error("no coordinator for {:.1} s, giving up: {last}{}", waited.as_secs_f64(), lost(*held))]
    Unreachable {
        /// How long it was tried.
        waited: Duration,
        /// What went wrong last.
        last: String,
        /// Slices that were held.
        held: usize,
    },
    /// The coordinator was there, but could neither take results nor grant work for too long.
    #[error("the coordinator takes no results for {:.1} s, giving up: {reason}{}", waited.as_secs_f64(), lost(*held))]
    Halted {
        /// How long that was so.
        waited: Duration,
        /// Why, in its words.
        reason: String,
        /// Slices that were held.
        held: usize,
    },
    /// The coordinator does not take this worker's token.
    #[error("the coordinator at {url} refuses this worker: {message}")]
    Refused {
        /// Where it is.
        url: String,
        /// Its words.
        message: String,
    },
    /// The two do not believe each other's certificates, or one of them speaks without encryption.
    #[error(transparent)]
    Connect(ConnectError),
    /// Worker and coordinator, or worker and run, are of different versions.
    #[error("{0}")]
    Conflict(String),
    /// Finished results stayed undelivered when the worker had to leave.
    #[error(
        "left with {0} slices undelivered: the coordinator could not take them; they will be computed again"
    )]
    Undelivered(usize),
    /// A defect of the worker itself.
    #[error("defect in the worker: {0}")]
    Internal(String),
}

fn lost(held: usize) -> String {
    match held {
        0 => String::new(),
        held => format!("; {held} slices in hand are lost and will be computed again"),
    }
}

impl WorkerError {
    /// The exit code of a program that ends with this error.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Access(_)
            | Self::Threads(_)
            | Self::Refused { .. }
            | Self::Connect(ConnectError::Refused(_)) => exit::USAGE,
            Self::Pool { .. } | Self::Internal(_) => exit::UNEXPECTED,
            Self::Connect(_)
            | Self::Unreachable { .. }
            | Self::Halted { .. }
            | Self::Undelivered(_) => exit::UNREACHABLE,
            Self::Conflict(_) => exit::CONFLICT,
        }
    }
}
