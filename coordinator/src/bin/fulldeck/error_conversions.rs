//! The one place where an error of a library gets its exit code.

use std::io;

use fulldeck_artifact::ArtifactError;
use fulldeck_coordinator::merge::MergeError;
use fulldeck_coordinator::store::StoreError;
use fulldeck_coordinator::{RequestError, ShutdownError, StartError};
use fulldeck_job::{ComputeError, ParameterError, PlanError, QueryError, WorkloadError};
use fulldeck_service::{AccessError, ConnectError, TlsError, TokenBookError, TokenError};
use fulldeck_worker::WorkerError;
use fulldeck_worker::shard::ComputeShardError;

use crate::error::CliError;

/// Errors whose every case is bad input.
macro_rules! bad_input {
    ($($error:ty),*) => {
        $(impl From<$error> for CliError {
            fn from(error: $error) -> Self {
                Self::usage(error.to_string())
            }
        })*
    };
}

bad_input!(
    ParameterError,
    WorkloadError,
    PlanError,
    AccessError,
    TlsError,
    TokenBookError,
    TokenError
);

impl From<QueryError> for CliError {
    fn from(error: QueryError) -> Self {
        let text = error.to_string();
        match error {
            QueryError::Question(_) => Self::usage(text),
            QueryError::Cancelled => Self::unexpected(text),
            QueryError::Artifact(_) => Self::damaged(text),
        }
    }
}

impl From<ArtifactError> for CliError {
    fn from(error: ArtifactError) -> Self {
        RequestError::from(error).into()
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        let text = error.to_string();
        match error {
            StoreError::NoStore { .. } => Self::not_found(text),
            StoreError::Unusable { .. }
            | StoreError::Unfit { .. }
            | StoreError::NotEmpty { .. }
            | StoreError::Locked { .. } => Self::usage(text),
            StoreError::Format { .. } | StoreError::HandedOver { .. } => Self::conflict(text),
            StoreError::Damaged { .. } => Self::damaged(text),
            StoreError::DiskFull { .. }
            | StoreError::Index { .. }
            | StoreError::Poisoned { .. } => Self::incomplete(text),
            _ => Self::unexpected(text),
        }
    }
}

impl From<StartError> for CliError {
    fn from(error: StartError) -> Self {
        let text = error.to_string();
        match error {
            StartError::Store(error) => error.into(),
            StartError::Access(AccessError::Write { source, .. }) if is_full(&source) => {
                Self::incomplete(text).hint("free some space and start again")
            }
            StartError::Access(_)
            | StartError::Listen { .. }
            | StartError::PublicPlaintext { .. }
            | StartError::Tls(_)
            | StartError::SelfSigned { .. }
            | StartError::TokenBook(_) => Self::usage(text),
            StartError::Conflict(_) => Self::conflict(text),
            StartError::Token(_) | StartError::Thread { .. } => Self::unexpected(text),
        }
    }
}

impl From<ShutdownError> for CliError {
    fn from(error: ShutdownError) -> Self {
        let text = error.to_string();
        match error {
            ShutdownError::Store(_) => Self::incomplete(text),
            ShutdownError::Server(_) | ShutdownError::Panicked(_) => Self::unexpected(text),
        }
    }
}

impl From<ConnectError> for CliError {
    fn from(error: ConnectError) -> Self {
        let text = error.to_string();
        match error {
            ConnectError::Refused(_) => Self::usage(text),
            ConnectError::Unreachable { url, why } => {
                Self::unreachable(format!("no coordinator answers at {url}: {why}"))
            }
            ConnectError::Untrusted(_) => Self::unreachable(text),
        }
    }
}

impl From<ComputeError> for CliError {
    fn from(error: ComputeError) -> Self {
        Self::unexpected(format!("computing failed: {error}"))
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

impl From<RequestError> for CliError {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::NotFound(text) => Self::not_found(text),
            RequestError::BadInput(text) => Self::usage(text),
            RequestError::Incomplete(text) | RequestError::Halted(text) => Self::incomplete(text),
            RequestError::Conflict(text) => Self::conflict(text),
            RequestError::Damaged(text) => Self::damaged(text),
            RequestError::Unavailable(text) => Self::unreachable(text),
            RequestError::Exhausted(text) | RequestError::Internal(text) => Self::unexpected(text),
        }
    }
}

impl From<MergeError> for CliError {
    fn from(error: MergeError) -> Self {
        RequestError::from(error).into()
    }
}

impl From<WorkerError> for CliError {
    fn from(error: WorkerError) -> Self {
        let text = error.to_string();
        match error {
            WorkerError::Access(_) | WorkerError::Threads(_) | WorkerError::Refused { .. } => {
                Self::usage(text)
            }
            WorkerError::Connect(error) => error.into(),
            WorkerError::Unreachable { .. }
            | WorkerError::Halted { .. }
            | WorkerError::Undelivered(_) => Self::unreachable(text),
            WorkerError::Conflict(_) => Self::conflict(text),
            WorkerError::Pool { .. } | WorkerError::Internal(_) => Self::unexpected(text),
        }
    }
}

impl From<ComputeShardError> for CliError {
    fn from(error: ComputeShardError) -> Self {
        let text = error.to_string();
        match error {
            ComputeShardError::Worker(error) => error.into(),
            ComputeShardError::Io { source, .. } if is_full(&source) => {
                Self::incomplete(text).hint("free some space, then the same command goes on")
            }
            ComputeShardError::Io { .. } | ComputeShardError::Busy(_) => Self::usage(text),
            ComputeShardError::OtherPlan(_) | ComputeShardError::Bundle { .. } => {
                Self::conflict(text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};
    use std::path::PathBuf;

    use fulldeck_service::exit;

    use super::*;

    #[test]
    fn a_merge_that_cannot_write_says_what_to_do() {
        let path = PathBuf::from("D/artifacts/x");
        let code = |error: ArtifactError| CliError::from(MergeError::Artifact(error)).exit;
        assert_eq!(code(ArtifactError::DiskFull { path: path.clone() }), exit::RESUMABLE);
        for kind in [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem] {
            let (path, source) = (path.clone(), kind.into());
            let error = ArtifactError::Forbidden { action: "create", path, source };
            assert_eq!(code(error), exit::USAGE);
        }
        let source = Error::other("odd");
        assert_eq!(code(ArtifactError::Io { action: "read", path, source }), exit::UNEXPECTED);
    }
}
