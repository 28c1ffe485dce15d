//! The thread that owns the store. It commits in groups: one wait for the disk makes many results durable.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fulldeck_job::SliceId;
use tokio::sync::{mpsc, oneshot};

use crate::intake::MAX_UPLOADS;
use crate::scheduler::ReplyId;
use crate::store::{
    Change, Decision, MAX_COMMIT_CHANGES, NewResult, Place, RunRecord, Store, StoreError,
};

/// Most tasks in one group.
const MAX_GROUP_TASKS: usize = 256;
/// A group is closed once it holds so many changes, lease notes included.
pub(crate) const MAX_GROUP_CHANGES: usize = MAX_COMMIT_CHANGES / 2;
/// A group is closed once it holds so many bytes of results.
const MAX_GROUP_BYTES: usize = 64 << 20;
/// A group is closed so long after its first task.
const MAX_GROUP_WAIT: Duration = Duration::from_millis(5);
/// Tasks that may wait for the writer: every upload in progress, and some more.
const QUEUE: usize = MAX_UPLOADS + 1_024;

/// What the writer is to make durable.
pub(crate) enum Task {
    /// A result, perhaps instead of a wrong one, and what to note with it.
    Result { upload: ReplyId, result: Box<NewResult>, instead: bool, notes: Vec<Change> },
    /// A new run.
    Run { record: RunRecord, done: Done },
    /// A result that proved damaged is given up.
    Discard { run: u32, slice: SliceId, done: Done },
    /// Decisions of a person about a run.
    Decide { run: u32, decisions: Vec<Decision>, done: Done },
    /// What is noted, and nobody waits for.
    Notes(Vec<Change>),
}

/// The writer has too many tasks already, or is gone; the task is given up.
#[derive(Debug)]
pub(crate) struct Busy;

type Done = oneshot::Sender<Result<(), Arc<StoreError>>>;

/// What became of a task.
pub(crate) enum Written {
    /// The result of an upload is durable.
    Stored { upload: ReplyId, place: Place },
    /// It is not, and never will be.
    Failed { upload: ReplyId, reason: String },
    /// The store takes nothing more.
    Broken { reason: String },
}

/// The way to the writer. When all clones are gone, it finishes and closes the store.
#[derive(Clone)]
pub(crate) struct Writer(SyncSender<Task>);

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(
        store: Box<dyn Store>,
        written: mpsc::Sender<Written>,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (sender, tasks) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("fulldeck-writer".to_owned())
            .spawn(move || run(store, &tasks, &written))?;
        Ok((Self(sender), thread))
    }

    /// Hands a task over without waiting.
    pub(crate) fn submit(&self, task: Task) -> Result<(), Busy> {
        self.0.try_send(task).map_err(|_| Busy)
    }
}

fn run(mut store: Box<dyn Store>, tasks: &Receiver<Task>, written: &mpsc::Sender<Written>) {
    while let Ok(first) = tasks.recv() {
        let group = gather(first, tasks);
        commit(store.as_mut(), group, written);
    }
    tracing::debug!("store closed");
}

fn gather(first: Task, tasks: &Receiver<Task>) -> Vec<Task> {
    let until = Instant::now() + MAX_GROUP_WAIT;
    let (mut bytes, mut changes) = (first.bytes(), first.changes());
    let mut group = vec![first];
    while group.len() < MAX_GROUP_TASKS && changes < MAX_GROUP_CHANGES && bytes < MAX_GROUP_BYTES {
        match tasks.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(task) => {
                bytes += task.bytes();
                changes += task.changes();
                group.push(task);
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    group
}

impl Task {
    fn bytes(&self) -> usize {
        match self {
            Self::Result { result, .. } => result.stored.len(),
            Self::Run { .. } | Self::Discard { .. } | Self::Decide { .. } | Self::Notes(_) => 0,
        }
    }

    fn changes(&self) -> usize {
        match self {
            Self::Result { notes, .. } => 1 + notes.len(),
            Self::Run { .. } | Self::Discard { .. } => 1,
            Self::Decide { decisions, .. } => decisions.len(),
            Self::Notes(notes) => notes.len(),
        }
    }
}

/// Who waits for a task.
enum Waiter {
    Upload(ReplyId),
    Caller(Done),
}

fn commit(store: &mut dyn Store, group: Vec<Task>, written: &mpsc::Sender<Written>) {
    let mut changes = Vec::new();
    let mut waiters = Vec::new();
    for task in group {
        match task {
            Task::Result { upload, result, instead, notes } => {
                changes.extend(notes);
                changes.push(match instead {
                    false => Change::Result(*result),
                    true => Change::Replace(*result),
                });
                waiters.push(Waiter::Upload(upload));
            }
            Task::Run { record, done } => {
                changes.push(Change::NewRun(record));
                waiters.push(Waiter::Caller(done));
            }
            Task::Discard { run, slice, done } => {
                changes.push(Change::Discard { run, slice });
                waiters.push(Waiter::Caller(done));
            }
            Task::Decide { run, decisions, done } => {
                changes.extend(
                    decisions.into_iter().map(|decision| Change::Decision { run, decision }),
                );
                waiters.push(Waiter::Caller(done));
            }
            Task::Notes(notes) => changes.extend(notes),
        }
    }
    // The receiver is gone only while the coordinator ends: then nobody waits for an answer.
    let tell = |message| {
        let _ = written.blocking_send(message);
    };
    match store.commit(&changes) {
        Ok(places) => {
            let mut places = places.into_iter();
            for waiter in waiters {
                match waiter {
                    Waiter::Upload(upload) => {
                        let place = places.next().expect("a commit answers one place a result");
                        tell(Written::Stored { upload, place });
                    }
                    Waiter::Caller(done) => {
                        let _ = done.send(Ok(()));
                    }
                }
            }
        }
        Err(error) => {
            let error = Arc::new(error);
            tell(Written::Broken { reason: error.to_string() });
            for waiter in waiters {
                match waiter {
                    Waiter::Upload(upload) => {
                        tell(Written::Failed { upload, reason: error.to_string() });
                    }
                    Waiter::Caller(done) => {
                        let _ = done.send(Err(Arc::clone(&error)));
                    }
                }
            }
        }
    }
}
