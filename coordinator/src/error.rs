//! Why a coordinator does not start, and why a request is not served.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use fulldeck_artifact::ArtifactError;
use fulldeck_job::{ParameterError, PlanError, QueryError, WorkloadError};
use fulldeck_service::{AccessError, TlsError, TokenBookError, TokenError};

use crate::merge::MergeError;
use crate::scheduler::Refusal;
use crate::self_signed::SelfSignedError;
use crate::store::StoreError;

/// Why a coordinator does not start. Nothing was changed but for what opening a store repairs.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The access file cannot be read or written.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// No token can be drawn.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The hashes of the tokens cannot be read or written.
    #[error(transparent)]
    TokenBook(#[from] TokenBookError),
    /// Certificate or key are of no use.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// No certificate can be made.
    #[error(transparent)]
    SelfSigned(#[from] SelfSignedError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; choose another address with {flag}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The flag that names it.
        flag: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// An address that others can reach, without encryption.
    #[error(
        "{address} can be reached from other machines, and tokens would cross the network unencrypted; encrypt by \
         --tls-self-signed or --tls-cert and --tls-key, give {flag} a loopback address, or say --insecure-plaintext if \
         the network is trusted"
    )]
    PublicPlaintext {
        /// The address.
        address: SocketAddr,
        /// The flag that names it.
        flag: &'static str,
    },
    /// The store holds a run that this program computes differently, or not at all.
    #[error("{0}")]
    Conflict(String),
    /// A thread cannot be started.
    #[error("cannot start the {thread} thread: {reason}")]
    Thread {
        /// Which.
        thread: &'static str,
        /// What the system said.
        reason: String,
    },
}

/// Why a coordinator did not stop in order.
#[derive(Debug, thiserror::Error)]
pub enum ShutdownError {
    /// The network side failed.
    #[error("the server ended with an error: {0}")]
    Server(#[from] tonic::transport::Error),
    /// A part of the coordinator panicked: a defect.
    #[error("the {0} of the coordinator failed")]
    Panicked(&'static str),
    /// The store had failed before; starting again goes on with what is durable.
    #[error("the store failed: {0}")]
    Store(String),
}

/// Why a request is not served. The kinds are those a program tells apart by exit code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// What was named does not exist.
    #[error("{0}")]
    NotFound(String),
    /// The request makes no sense: what, where, and what would be right.
    #[error("{0}")]
    BadInput(String),
    /// It stopped before it was complete and can go on: slices are missing, or space on the disk.
    #[error("{0}")]
    Incomplete(String),
    /// Versions or fingerprints differ.
    #[error("{0}")]
    Conflict(String),
    /// Stored data is damaged.
    #[error("{0}")]
    Damaged(String),
    /// A bound is reached; later it may be served.
    #[error("{0}")]
    Exhausted(String),
    /// The store has failed or a disk is full: nothing that was acknowledged is lost, and starting again goes on.
    #[error("{0}")]
    Halted(String),
    /// The coordinator is ending.
    #[error("{0}")]
    Unavailable(String),
    /// Anything else.
    #[error("{0}")]
    Internal(String),
}

impl From<Refusal> for RequestError {
    fn from(refusal: Refusal) -> Self {
        let text = refusal.to_string();
        match refusal {
            Refusal::NoRun(_) | Refusal::NoWorker(_) | Refusal::NotQuarantined(_) => {
                Self::NotFound(text)
            }
            Refusal::TooManyWorkers => Self::Exhausted(text),
            Refusal::StoreFailed(_) => Self::Halted(text),
            Refusal::Stale | Refusal::Closing => Self::Unavailable(text),
        }
    }
}

impl From<ParameterError> for RequestError {
    fn from(error: ParameterError) -> Self {
        Self::BadInput(error.to_string())
    }
}

impl From<WorkloadError> for RequestError {
    fn from(error: WorkloadError) -> Self {
        Self::BadInput(error.to_string())
    }
}

impl From<PlanError> for RequestError {
    fn from(error: PlanError) -> Self {
        Self::BadInput(error.to_string())
    }
}

impl From<QueryError> for RequestError {
    fn from(error: QueryError) -> Self {
        let text = error.to_string();
        match error {
            QueryError::Question(_) => Self::BadInput(text),
            QueryError::Cancelled => Self::Unavailable(text),
            QueryError::Artifact(_) => Self::Damaged(text),
        }
    }
}

impl From<ArtifactError> for RequestError {
    fn from(error: ArtifactError) -> Self {
        let text = error.to_string();
        match error {
            ArtifactError::Missing(_) => Self::NotFound(text),
            ArtifactError::Version { .. } => Self::Conflict(text),
            ArtifactError::Damaged { .. } => Self::Damaged(text),
            ArtifactError::DiskFull { .. } => Self::Halted(text),
            ArtifactError::Forbidden { .. } => Self::BadInput(text),
            ArtifactError::Io { .. } => Self::Internal(text),
        }
    }
}

impl From<&StoreError> for RequestError {
    fn from(error: &StoreError) -> Self {
        let text = error.to_string();
        match error {
            StoreError::Damaged { .. } => Self::Damaged(text),
            StoreError::Format { .. } | StoreError::HandedOver { .. } => Self::Conflict(text),
            StoreError::DiskFull { .. } | StoreError::Poisoned { .. } => Self::Halted(text),
            _ => Self::Internal(text),
        }
    }
}

impl From<Arc<StoreError>> for RequestError {
    fn from(error: Arc<StoreError>) -> Self {
        Self::from(&*error)
    }
}

impl From<MergeError> for RequestError {
    fn from(error: MergeError) -> Self {
        let text = error.to_string();
        match error {
            MergeError::Incomplete { .. } => Self::Incomplete(text),
            MergeError::NoPart(_) => Self::BadInput(text),
            MergeError::Damaged { .. } => Self::Damaged(text),
            MergeError::Read { .. } | MergeError::Thread(_) | MergeError::Assemble(_) => {
                Self::Internal(text)
            }
            MergeError::Artifact(error) => error.into(),
        }
    }
}
