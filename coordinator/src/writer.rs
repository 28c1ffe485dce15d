//! The thread that owns the store. It commits in groups: one wait for the disk makes many results durable.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fulldeck_job::SliceId;
use tokio::sync::{mpsc, oneshot};

use crate::intake::MAX_UPLOADS;
use crate::revival::Revival;
use crate::scheduler::{Event, ReplyId};
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
    /// There is space again: see to what is kept for bad times.
    Tend,
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
    /// The store takes changes again; these events bring the scheduler to its state, in order.
    Back { events: Vec<Event> },
}

/// The way to the writer. When all clones are gone, it finishes and closes the store.
#[derive(Clone)]
pub(crate) struct Writer(SyncSender<Task>);

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(
        store: Box<dyn Store>,
        revival: Revival,
        written: mpsc::Sender<Written>,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (sender, tasks) = sync_channel(QUEUE);
        let keeper = Keeper { store, revival, written, broken: None, kept: Vec::new() };
        let thread = std::thread::Builder::new()
            .name("fulldeck-writer".to_owned())
            .spawn(move || keeper.run(&tasks))?;
        Ok((Self(sender), thread))
    }

    /// Hands a task over without waiting.
    pub(crate) fn submit(&self, task: Task) -> Result<(), Busy> {
        self.0.try_send(task).map_err(|_| Busy)
    }
}

/// What the thread owns.
struct Keeper {
    store: Box<dyn Store>,
    revival: Revival,
    written: mpsc::Sender<Written>,
    /// Why the store takes nothing, if so.
    broken: Option<Arc<StoreError>>,
    /// Decisions that are to be durable once it takes something again.
    kept: Vec<Change>,
}

impl Keeper {
    fn run(mut self, tasks: &Receiver<Task>) {
        loop {
            let wait = self.broken.as_ref().and_then(|_| self.revival.wait(Instant::now()));
            let received = match wait {
                None => tasks.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(Duration::ZERO) => Err(RecvTimeoutError::Timeout),
                Some(wait) => tasks.recv_timeout(wait),
            };
            match received {
                Ok(first) => self.take(gather(first, tasks)),
                Err(RecvTimeoutError::Timeout) => self.revive(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        drop(self.store);
        tracing::debug!("store closed");
    }

    fn take(&mut self, group: Vec<Task>) {
        let mut batch = Batch::of(group);
        let kept = std::mem::take(&mut batch.kept);
        if batch.tends && self.broken.is_none() {
            self.store.tend();
        }
        if let Some(error) = &self.broken {
            self.kept.extend(kept);
            return batch.fail(error, &self.written);
        }
        if batch.changes.is_empty() {
            return;
        }
        match self.store.commit(&batch.changes) {
            Ok(places) => batch.succeed(places, &self.written),
            Err(error) => {
                self.kept.extend(kept);
                self.revival.failed(Instant::now(), &error);
                let error = Arc::new(error);
                tell(&self.written, Written::Broken { reason: error.to_string() });
                batch.fail(&error, &self.written);
                self.broken = Some(error);
            }
        }
    }

    /// Opens the store again, if there is hope.
    fn revive(&mut self) {
        match self.revival.attempt(self.store.as_mut(), &self.kept, Instant::now()) {
            Some(events) => {
                self.broken = None;
                self.kept.clear();
                tell(&self.written, Written::Back { events });
            }
            None => tracing::debug!("the store stays closed"),
        }
    }
}

/// The receiver is gone only while the coordinator ends: then nobody waits for an answer.
fn tell(written: &mpsc::Sender<Written>, message: Written) {
    let _ = written.blocking_send(message);
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
            Self::Run { .. }
            | Self::Discard { .. }
            | Self::Decide { .. }
            | Self::Notes(_)
            | Self::Tend => 0,
        }
    }

    fn changes(&self) -> usize {
        match self {
            Self::Result { notes, .. } => 1 + notes.len(),
            Self::Run { .. } | Self::Discard { .. } => 1,
            Self::Decide { decisions, .. } => decisions.len(),
            Self::Notes(notes) => notes.len(),
            Self::Tend => 0,
        }
    }
}

/// Who waits for a task.
enum Waiter {
    Upload(ReplyId),
    Caller(Done),
}

/// A group of tasks, ready for the store.
#[derive(Default)]
struct Batch {
    changes: Vec<Change>,
    waiters: Vec<Waiter>,
    /// Decisions of the scheduler: it does not take them again when they fail.
    kept: Vec<Change>,
    tends: bool,
}

impl Batch {
    fn of(group: Vec<Task>) -> Self {
        let mut batch = Self::default();
        for task in group {
            match task {
                Task::Result { upload, result, instead, notes } => {
                    batch.changes.extend(notes);
                    batch.changes.push(match instead {
                        false => Change::Result(*result),
                        true => Change::Replace(*result),
                    });
                    batch.waiters.push(Waiter::Upload(upload));
                }
                Task::Run { record, done } => {
                    batch.changes.push(Change::NewRun(record));
                    batch.waiters.push(Waiter::Caller(done));
                }
                Task::Discard { run, slice, done } => {
                    batch.changes.push(Change::Discard { run, slice });
                    batch.waiters.push(Waiter::Caller(done));
                }
                Task::Decide { run, decisions, done } => {
                    let decided = decisions.into_iter();
                    batch
                        .changes
                        .extend(decided.map(|decision| Change::Decision { run, decision }));
                    batch.waiters.push(Waiter::Caller(done));
                }
                Task::Notes(notes) => {
                    let decided = |note: &&Change| matches!(note, Change::Decision { .. });
                    batch.kept.extend(notes.iter().filter(decided).cloned());
                    batch.changes.extend(notes);
                }
                Task::Tend => batch.tends = true,
            }
        }
        batch
    }

    fn succeed(self, places: Vec<Place>, written: &mpsc::Sender<Written>) {
        let mut places = places.into_iter();
        for waiter in self.waiters {
            match waiter {
                Waiter::Upload(upload) => {
                    let place = places.next().expect("a commit answers one place a result");
                    tell(written, Written::Stored { upload, place });
                }
                Waiter::Caller(done) => {
                    let _ = done.send(Ok(()));
                }
            }
        }
    }

    fn fail(self, error: &Arc<StoreError>, written: &mpsc::Sender<Written>) {
        for waiter in self.waiters {
            match waiter {
                Waiter::Upload(upload) => {
                    tell(written, Written::Failed { upload, reason: error.to_string() });
                }
                Waiter::Caller(done) => {
                    let _ = done.send(Err(Arc::clone(error)));
                }
            }
        }
    }
}
