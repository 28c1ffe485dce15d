//! Keeping the worker registered.

use std::io::ErrorKind;
use std::time::Duration;

use fulldeck_proto::{PROTOCOL, v1};
use fulldeck_service::{Access, AccessError, ConnectError, host};
use tokio::time::{Instant, sleep};
use tonic::{Code, Status};

use crate::WorkerError;
use crate::backoff::Backoff;
use crate::client::{self, Connection};
use crate::options::AccessSource;
use crate::session::Worker;

/// Refusals of the token or of a certificate in a row, before the first registration, after which waiting makes no sense.
const MAX_LOCKED_OUT: u32 = 3;
/// Time between two lines about the same absence.
const REMIND_EVERY: Duration = Duration::from_secs(60);

/// Why one try to register failed.
enum Trouble {
    /// May pass.
    Passing(String),
    /// The token or a certificate is refused: passes only if the access file gets another one.
    LockedOut(WorkerError),
    /// Will not pass.
    Final(WorkerError),
}

/// Registers, and registers again whenever the connection is lost; returns only when that makes no sense any more.
pub(crate) async fn keep_registered(worker: &Worker) -> WorkerError {
    loop {
        if let Err(error) = register(worker).await {
            return error;
        }
        tokio::select! {
            () = worker.link.lost() => {}
            error = halted_too_long(worker) => return error,
        }
    }
}

/// Waits until the coordinator, though it is there, has taken nothing for too long.
async fn halted_too_long(worker: &Worker) -> WorkerError {
    loop {
        let reason = worker.link.halted().await;
        let waited = worker.link.idle();
        let left = worker.options.reconnect_for.saturating_sub(waited);
        if left.is_zero() {
            return WorkerError::Halted { waited, reason, held: worker.ledger.counts().total() };
        }
        sleep(left).await;
    }
}

async fn register(worker: &Worker) -> Result<(), WorkerError> {
    let mut said: Option<Instant> = None;
    let mut backoff = Backoff::default();
    let mut locked_out = 0;
    loop {
        let last = match try_register(worker).await {
            Ok(()) => return Ok(()),
            Err(Trouble::Final(error)) => return Err(error),
            Err(Trouble::Passing(last)) => last,
            Err(Trouble::LockedOut(error)) => {
                locked_out += 1;
                if !worker.link.was_up() && locked_out >= MAX_LOCKED_OUT {
                    return Err(error);
                }
                error.to_string()
            }
        };
        let waited = worker.link.idle();
        let left = worker.options.reconnect_for.saturating_sub(waited);
        if left.is_zero() {
            let held = worker.ledger.counts().total();
            return Err(WorkerError::Unreachable { waited, last, held });
        }
        let wait = backoff.next(worker.link.timings().reconnect_cap).min(left);
        // Once, and then as a reminder: it is tried far more often.
        if said.is_none_or(|said| said.elapsed() >= REMIND_EVERY) {
            said = Some(Instant::now());
            tracing::warn!("not connected: {last}; trying for {:.0} s more", left.as_secs_f64());
        } else {
            tracing::debug!("not connected: {last}; trying again in {wait:.1?}");
        }
        sleep(wait).await;
    }
}

async fn try_register(worker: &Worker) -> Result<(), Trouble> {
    let access = load(worker)?;
    // Always a new channel: an old one may never notice that its peer is gone.
    let mut client = client::open(&access).await.map_err(no_connection)?;
    let generation = worker.next_generation();
    let (tokens, held): (Vec<_>, Vec<_>) = worker.ledger.offer(generation).into_iter().unzip();
    let offered = held.len();
    let answer = match client::register(&mut client, request(worker, held)).await {
        Ok(answer) => answer,
        // A client certificate is judged after the client believes to be connected.
        Err(status) => match fulldeck_service::explained(&access, &status).await {
            Some(error) => return Err(no_connection(error)),
            None => return Err(trouble(&access.url, &status)),
        },
    };
    let dropped = worker.ledger.decide(&tokens, &answer.held);
    worker.tally.dropped_many(dropped);
    worker.link.adopt(answer.timings.as_ref());
    tracing::info!(
        url = access.url,
        epoch = answer.epoch,
        held = offered - dropped,
        dropped,
        "registered"
    );
    let (session, epoch) = (answer.session, answer.epoch);
    worker.link.up(Connection { client, session, epoch, generation });
    Ok(())
}

/// A file that is not there yet, or not any more, may come; one that cannot be read or is wrong from the start is told
/// at once.
fn load(worker: &Worker) -> Result<Access, Trouble> {
    worker.options.access.load().map_err(|error| match (&worker.options.access, error) {
        (AccessSource::File(..), AccessError::Read { path, source })
            if source.kind() == ErrorKind::NotFound =>
        {
            Trouble::Passing(AccessError::Read { path, source }.to_string())
        }
        (AccessSource::File(..), error) if worker.link.was_up() => {
            Trouble::Passing(error.to_string())
        }
        (_, error) => Trouble::Final(error.into()),
    })
}

fn request(worker: &Worker, held: Vec<v1::HeldAttempt>) -> v1::RegisterRequest {
    let options = &worker.options;
    let version = |workload: &std::sync::Arc<dyn fulldeck_job::Workload>| v1::WorkloadVersion {
        name: workload.name().to_owned(),
        algorithm_version: workload.algorithm_version(),
    };
    v1::RegisterRequest {
        protocol_major: PROTOCOL.0,
        protocol_minor: PROTOCOL.1,
        build: fulldeck_service::build(),
        workloads: worker.registry.iter().map(version).collect(),
        threads: options.threads as u32,
        memory_bytes: host::usable_memory().unwrap_or_default(),
        cpu: options.cpu.clone(),
        host_key: options.host_key.clone(),
        name: options.name.clone(),
        held,
        instance: worker.instance,
        ends_in_ms: options.ends.map(time_until),
    }
}

/// Milliseconds until then; 0 if it has passed.
fn time_until(then: std::time::Instant) -> u64 {
    let left = then.saturating_duration_since(std::time::Instant::now());
    u64::try_from(left.as_millis()).unwrap_or(u64::MAX)
}

fn no_connection(error: ConnectError) -> Trouble {
    match error {
        absent @ ConnectError::Unreachable { .. } => Trouble::Passing(absent.to_string()),
        // Passes only if the access file or the certificates change.
        other => Trouble::LockedOut(WorkerError::Connect(other)),
    }
}

fn trouble(url: &str, status: &Status) -> Trouble {
    let message = status.message();
    match status.code() {
        Code::Unauthenticated | Code::PermissionDenied => {
            Trouble::LockedOut(WorkerError::Refused {
                url: url.to_owned(),
                message: message.to_owned(),
            })
        }
        Code::FailedPrecondition | Code::InvalidArgument => Trouble::Final(WorkerError::Conflict(
            format!("the coordinator at {url} refuses this worker: {message}"),
        )),
        Code::Unimplemented => Trouble::Final(WorkerError::Conflict(format!(
            "the server at {url} does not speak fulldeck's worker protocol {}.{}: {message}",
            PROTOCOL.0, PROTOCOL.1
        ))),
        _ => Trouble::Passing(format!("the coordinator at {url} does not register: {message}")),
    }
}
