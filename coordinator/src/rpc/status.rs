//! The one place where errors become gRPC statuses.

use fulldeck_service::Role;
use tonic::{Code, Status};

use crate::error::RequestError;
use crate::scheduler::{Refusal, Reply};

impl From<RequestError> for Status {
    fn from(error: RequestError) -> Self {
        let code = match &error {
            RequestError::NotFound(_) => Code::NotFound,
            RequestError::BadInput(_) => Code::InvalidArgument,
            RequestError::Incomplete(_) | RequestError::Halted(_) => Code::FailedPrecondition,
            RequestError::Conflict(_) => Code::AlreadyExists,
            RequestError::Damaged(_) => Code::DataLoss,
            RequestError::Exhausted(_) => Code::ResourceExhausted,
            RequestError::Unavailable(_) => Code::Unavailable,
            RequestError::Internal(_) => Code::Internal,
        };
        Self::new(code, error.to_string())
    }
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        let code = match &refusal {
            Refusal::Stale => Code::Aborted,
            Refusal::NoRun(_) | Refusal::NoWorker(_) | Refusal::NotQuarantined(_) => Code::NotFound,
            Refusal::TooManyWorkers => Code::ResourceExhausted,
            // Not Unavailable: the connection is good, and building another one would not help.
            Refusal::StoreFailed(_) => Code::FailedPrecondition,
            Refusal::Closing => Code::Unavailable,
        };
        Self::new(code, refusal.to_string())
    }
}

/// The worker and this coordinator cannot work together.
pub(super) fn conflict(message: String) -> Status {
    Status::failed_precondition(message)
}

/// A message that makes no sense.
pub(super) fn malformed(message: impl Into<String>) -> Status {
    Status::invalid_argument(message)
}

/// Too much at the same time; it passes.
pub(super) fn busy(message: impl Into<String>) -> Status {
    Status::resource_exhausted(message)
}

/// The caller took too long.
pub(super) fn too_slow(message: impl Into<String>) -> Status {
    Status::deadline_exceeded(message)
}

/// An answer that does not fit its call: a defect.
pub(super) fn unexpected(reply: &Reply) -> Status {
    tracing::error!(?reply, "the scheduler's answer does not fit the call");
    Status::internal("the scheduler's answer does not fit the call")
}

/// The call carries no token.
pub(super) fn stranger() -> Status {
    Status::unauthenticated("the call carries no token; use the access file the coordinator wrote")
}

/// The call carries a token that opens nothing (any more).
pub(super) fn unknown_token() -> Status {
    Status::unauthenticated(
        "the token is not this coordinator's; use the access file it wrote when it started",
    )
}

/// The token opens other things.
pub(super) fn too_little(role: Role, needed: Role, what: &str) -> Status {
    Status::permission_denied(format!(
        "the {role} token does not allow {what}; use the {needed}'s access file, {}",
        needed.access_file()
    ))
}
