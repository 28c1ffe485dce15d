//! A worker from its first call to its last: registered, at work, draining, gone.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fulldeck_job::Registry;
use fulldeck_service::{StopLevel, StopSignal};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::executor::Executor;
use crate::ledger::Ledger;
use crate::link::{Kind, Link};
use crate::runs::Runs;
use crate::{WorkerError, WorkerOptions, batch, connect, heartbeat, lease};

/// Batches computed at a time: while one waits for its last threads or is being encoded, the other has work.
const MAX_COMPUTING: usize = 2;
/// Batches computed or waiting for it.
const MAX_SLOTS: usize = MAX_COMPUTING + 1;
/// Results sent at a time.
const MAX_UPLOADS: usize = 4;
/// How long a leaving worker tries to deliver what is finished.
const DELIVERY_WINDOW: Duration = Duration::from_secs(60);
/// How long a worker that must leave now says goodbye.
const FAREWELL: Duration = Duration::from_secs(2);

/// What a worker did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerSummary {
    /// Why it left.
    pub ending: Ending,
    /// Slices whose result was acknowledged as durable.
    pub committed: u64,
    /// Slices that were durable before, with the same bytes.
    pub duplicates: u64,
    /// Slices that failed, or whose result was refused.
    pub failed: u64,
    /// Slices no longer wanted.
    pub dropped: u64,
    /// Slices handed back.
    pub released: u64,
}

/// Why a worker left in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No run has anything left to do.
    AllDone,
    /// It was asked to, and finished what was short.
    Drained,
    /// It was asked to leave at once.
    Stopped,
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    committed: AtomicU64,
    duplicates: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
    released: AtomicU64,
}

impl Tally {
    pub(crate) fn committed(&self) {
        self.committed.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn duplicate(&self) {
        self.duplicates.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn dropped(&self) {
        self.dropped_many(1);
    }

    pub(crate) fn dropped_many(&self, count: usize) {
        self.dropped.fetch_add(count as u64, Ordering::Relaxed);
    }

    fn summary(&self, ending: Ending) -> WorkerSummary {
        WorkerSummary {
            ending,
            committed: self.committed.load(Ordering::Relaxed),
            duplicates: self.duplicates.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            dropped: self.dropped.load(Ordering::Relaxed),
            released: self.released.load(Ordering::Relaxed),
        }
    }
}

/// What the tasks of a worker share.
pub(crate) struct Worker {
    pub(crate) options: WorkerOptions,
    pub(crate) registry: Registry,
    pub(crate) link: Link,
    pub(crate) ledger: Ledger,
    pub(crate) runs: Runs,
    pub(crate) executor: Executor,
    pub(crate) tally: Tally,
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) turns: Arc<Semaphore>,
    pub(crate) space: Arc<Semaphore>,
    pub(crate) uploads: Semaphore,
    /// Tells this worker from all others, whatever its name; 0 if the system has no random numbers.
    pub(crate) instance: u64,
    generations: AtomicU64,
    drain: watch::Sender<bool>,
    failure: mpsc::Sender<WorkerError>,
    tasks: Mutex<JoinSet<()>>,
}

impl Worker {
    fn new(
        options: WorkerOptions,
        registry: Registry,
        failure: mpsc::Sender<WorkerError>,
    ) -> Result<Self, WorkerError> {
        let executor = Executor::new(options.threads)?;
        Ok(Self {
            options,
            registry,
            link: Link::new(),
            ledger: Ledger::new(),
            runs: Runs::default(),
            executor,
            tally: Tally::default(),
            slots: Arc::new(Semaphore::new(MAX_SLOTS)),
            turns: Arc::new(Semaphore::new(MAX_COMPUTING)),
            space: Arc::new(Semaphore::new(batch::SPACE_UNITS)),
            uploads: Semaphore::new(MAX_UPLOADS),
            instance: getrandom::u64().unwrap_or_default(),
            generations: AtomicU64::new(0),
            drain: watch::Sender::new(false),
            failure,
            tasks: Mutex::default(),
        })
    }

    /// Number of the next registration, from 1.
    pub(crate) fn next_generation(&self) -> u64 {
        self.generations.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The coordinator wants this worker to leave.
    pub(crate) fn order_drain(&self) {
        if !self.drain.send_replace(true) {
            tracing::info!("the coordinator asks this worker to drain");
        }
    }

    async fn drain_ordered(&self) {
        let mut drain = self.drain.subscribe();
        drain.wait_for(|ordered| *ordered).await.expect("the worker owns the sender");
    }

    /// The worker cannot go on. The first reason counts.
    pub(crate) fn fail(&self, error: WorkerError) {
        // Full: another reason came first.
        let _ = self.failure.try_send(error);
    }

    /// Starts a task that ends with the worker at the latest.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).spawn(task);
    }

    /// Forgets tasks that ended. One that panicked left attempts that nobody leads: the worker cannot go on.
    pub(crate) fn reap(&self) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(ended) = tasks.try_join_next() {
            if let Err(error) = ended {
                self.fail(WorkerError::Internal(error.to_string()));
            }
        }
    }

    /// Waits until another batch may be taken.
    pub(crate) async fn slot_free(&self) {
        drop(self.slots.acquire().await.expect("slots are never closed"));
    }

    /// Hands attempts back, if there is anybody to hand them to, and forgets them.
    async fn release(&self, tokens: &[crate::token::Token], reason: &str) {
        if tokens.is_empty() {
            return;
        }
        if let Some(connection) = self.link.current() {
            let answer = connection.release(tokens, reason).await;
            self.link.report(&connection, Kind::Other, &answer);
            if answer.is_ok() {
                self.tally.released.fetch_add(tokens.len() as u64, Ordering::Relaxed);
            }
        }
        for token in tokens {
            self.ledger.remove(*token);
        }
    }

    /// Finishes what ends within `window`, hands back the rest, delivers what is finished. Nothing is waited for that a
    /// coordinator which takes no results would be asked to take.
    async fn leave(&self, window: Duration, reason: &str) {
        self.release(&self.ledger.withdraw(false), reason).await;
        let counts = self.ledger.counts();
        if counts.computing > 0 && !window.is_zero() {
            tracing::info!(slices = counts.computing, ?window, "finishing what is being computed");
        }
        // Out of time: what is left is handed back.
        tokio::select! {
            _ = timeout(window, self.ledger.until(|counts| counts.computing == 0)) => {}
            _ = self.link.halted() => {}
        }
        self.release(&self.ledger.withdraw(true), reason).await;
        // Out of time: the caller counts what is left.
        tokio::select! {
            biased;
            _ = timeout(DELIVERY_WINDOW, self.ledger.until(|counts| counts.total() == 0)) => {}
            _ = self.link.halted() => {}
        }
    }

    /// Hands everything back, stops the heartbeats and says goodbye, in moments.
    async fn farewell(&self, beats: &mut JoinSet<()>, reason: &str) {
        let goodbye = async {
            self.release(&self.ledger.withdraw(true), reason).await;
            self.release(&self.ledger.clear(), reason).await;
            // A beat after the goodbye would be one of a stranger.
            beats.shutdown().await;
            if let Some(connection) = self.link.current()
                && let Err(status) = connection.deregister(reason).await
            {
                tracing::warn!("could not deregister: {}", status.message());
            }
        };
        if timeout(FAREWELL, goodbye).await.is_err() {
            tracing::warn!("left without goodbye: the coordinator does not answer");
        }
    }
}

/// Cancels computing when the worker is dropped on whatever way.
struct CancelOnDrop(Arc<Worker>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.ledger.clear();
        self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }
}

/// Why the worker stops taking work.
enum Turn {
    AllDone,
    Drain(&'static str),
    Failed(WorkerError),
}

/// Works for a coordinator until asked to leave, until everything is done (if so wished), or until it makes no sense
/// any more.
///
/// # Errors
/// [`WorkerError`] when the worker cannot start, cannot go on, or leaves with results undelivered.
pub async fn run(
    options: WorkerOptions,
    registry: Registry,
    stop: StopSignal,
) -> Result<WorkerSummary, WorkerError> {
    let (failure, mut failures) = mpsc::channel(1);
    let worker = Arc::new(Worker::new(options, registry, failure)?);
    let _cancel = CancelOnDrop(Arc::clone(&worker));
    let mut beats = JoinSet::new();
    beats.spawn(heartbeat::beat_forever(Arc::clone(&worker)));
    let connected = connect::keep_registered(&worker);
    tokio::pin!(connected);

    let mut given_up = false;
    let turn = tokio::select! {
        biased;
        () = stop.reached(StopLevel::Drain) => Turn::Drain("asked to stop"),
        () = worker.drain_ordered() => Turn::Drain("drained by the coordinator"),
        Some(error) = failures.recv() => Turn::Failed(error),
        error = &mut connected => match error {
            error @ WorkerError::Halted { .. } => {
                given_up = true;
                Turn::Failed(error)
            }
            // Nobody is left to say goodbye to.
            error => return Err(error),
        },
        () = lease::lease_forever(&worker) => Turn::AllDone,
        Some(crash) = beats.join_next() => Turn::Failed(crashed(crash)),
    };
    let (reason, window) = match &turn {
        Turn::AllDone => ("all done", worker.options.drain_window),
        Turn::Drain(reason) => (*reason, worker.options.drain_window),
        Turn::Failed(_) => ("the worker cannot go on", Duration::ZERO),
    };
    tokio::select! {
        biased;
        () = stop.reached(StopLevel::Stop) => {
            worker.farewell(&mut beats, "stopped").await;
            return match turn {
                Turn::Failed(error) => Err(error),
                _ => Ok(worker.tally.summary(Ending::Stopped)),
            };
        }
        error = &mut connected, if !given_up => return Err(match turn {
            Turn::Failed(first) => first,
            _ => error,
        }),
        () = worker.leave(window, reason) => {}
    }
    let undelivered = worker.ledger.counts().total();
    worker.farewell(&mut beats, reason).await;
    match turn {
        Turn::Failed(error) => Err(error),
        _ if undelivered > 0 => Err(WorkerError::Undelivered(undelivered)),
        Turn::AllDone => Ok(worker.tally.summary(Ending::AllDone)),
        Turn::Drain(_) => Ok(worker.tally.summary(Ending::Drained)),
    }
}

fn crashed(crash: Result<(), tokio::task::JoinError>) -> WorkerError {
    let problem = crash.err().map_or_else(|| "it ended".to_owned(), |error| error.to_string());
    WorkerError::Internal(format!("no more heartbeats: {problem}"))
}
