//! What a worker is told when it starts.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use fulldeck_service::{Access, AccessError, TlsFlags, host};

/// Most computing threads of one worker.
pub const MAX_THREADS: usize = 1024;

/// Where the coordinator's address and token come from.
#[derive(Clone, Debug)]
pub enum AccessSource {
    /// The access file a coordinator writes; read again at every reconnect, since a restart may change it;
    /// and what the command line says of encryption.
    File(PathBuf, TlsFlags),
    /// Given once and for all.
    Fixed(Access),
}

impl AccessSource {
    pub(crate) fn load(&self) -> Result<Access, AccessError> {
        match self {
            Self::File(path, flags) => Access::read(path)?.with_tls(flags),
            Self::Fixed(access) => Ok(access.clone()),
        }
    }
}

/// What a worker is told when it starts.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Where the coordinator is.
    pub access: AccessSource,
    /// Computing threads, 1 to [`MAX_THREADS`].
    pub threads: usize,
    /// Name for people.
    pub name: String,
    /// Vector unit in use, for people.
    pub cpu: String,
    /// How long an absent coordinator is waited for.
    pub reconnect_for: Duration,
    /// How long running slices may take when the worker is asked to leave.
    pub drain_window: Duration,
    /// Tells this machine from others: what fails on one is tried on another, and results are checked elsewhere.
    pub host_key: String,
    /// When this process has to end, if that is known: no slice is begun that would not be done by then.
    pub ends: Option<Instant>,
    /// Leave when no run has anything left to do.
    pub exit_when_done: bool,
}

impl WorkerOptions {
    /// The defaults: every thread this process may use, ten minutes of patience, half a minute to drain.
    #[must_use]
    pub fn new(access: AccessSource) -> Self {
        Self {
            access,
            threads: host::available_threads().min(MAX_THREADS),
            name: format!("{}-{}", host::host_name(), std::process::id()),
            cpu: host::vector_unit().to_owned(),
            reconnect_for: Duration::from_secs(600),
            drain_window: Duration::from_secs(30),
            host_key: host::host_key(),
            ends: None,
            exit_when_done: false,
        }
    }
}
