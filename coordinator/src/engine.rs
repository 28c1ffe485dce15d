//! The task that owns the scheduler: it gives it time and events, and does what it says.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fulldeck_job::Digest;
use prometheus_client::metrics::counter::Counter;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use crate::catalog::Catalog;
use crate::scheduler::{
    Core, Effect, Event, LeaseNote, Millis, Notice, Refusal, Reply, ReplyId, Storing, Timings,
};
use crate::store::{Change, Decision, LeaseRecord, NewResult};
use crate::writer::{Busy, Task, Writer, Written};

/// Calls that may wait for the scheduler.
const QUEUE: usize = 1_024;
/// Lease notes that wait for the next commit; the oldest are given up beyond that, for they only save work after a
/// restart.
const MAX_PENDING_NOTES: usize = 1_024;

const _: () = assert!(MAX_PENDING_NOTES < crate::writer::MAX_GROUP_CHANGES);

type Look = Box<dyn FnOnce(&Core, Millis) + Send>;

enum Command {
    Call {
        event: Box<dyn FnOnce(ReplyId) -> Event + Send>,
        /// The bytes that belong to the event.
        result: Option<Box<NewResult>>,
        reply: oneshot::Sender<Reply>,
    },
    Inspect(Look),
    Tell(Box<Event>),
    Stop,
}

/// What happened since the start, for whoever watches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) commits: Counter,
    pub(crate) committed_bytes: Counter,
    pub(crate) leases_expired: Counter,
    pub(crate) failures: Counter,
    pub(crate) parked: Counter,
    pub(crate) mismatches: Counter,
}

/// The way to the scheduler.
#[derive(Clone)]
pub(crate) struct Engine {
    commands: mpsc::Sender<Command>,
    failed: watch::Receiver<Option<String>>,
    held: watch::Receiver<Option<String>>,
    counters: Counters,
}

impl Engine {
    /// Starts the task.
    pub(crate) fn start(
        core: Core,
        timings: Timings,
        catalog: Arc<Catalog>,
        writer: Writer,
        written: mpsc::Receiver<Written>,
    ) -> (Self, tokio::task::JoinHandle<()>) {
        let (commands, receiver) = mpsc::channel(QUEUE);
        let (failing, failed) = watch::channel(None);
        let (holding, held) = watch::channel(None);
        let counters = Counters::default();
        let task = EngineTask {
            core,
            timings,
            catalog,
            writer,
            origin: Instant::now(),
            next_reply: 0,
            waiting: BTreeMap::new(),
            results: BTreeMap::new(),
            in_flight: BTreeMap::new(),
            notes: Vec::new(),
            failing,
            holding,
            counters: counters.clone(),
        };
        let task = tokio::spawn(task.run(receiver, written));
        (Self { commands, failed, held, counters }, task)
    }

    /// A call and its answer.
    ///
    /// # Errors
    /// What the scheduler refuses; [`Refusal::Closing`] if it is gone.
    pub(crate) async fn call(
        &self,
        event: impl FnOnce(ReplyId) -> Event + Send + 'static,
    ) -> Result<Reply, Refusal> {
        self.call_with(None, event).await
    }

    /// As [`Engine::call`], with the bytes of a result.
    pub(crate) async fn call_with(
        &self,
        result: Option<Box<NewResult>>,
        event: impl FnOnce(ReplyId) -> Event + Send + 'static,
    ) -> Result<Reply, Refusal> {
        let (reply, answer) = oneshot::channel();
        let command = Command::Call { event: Box::new(event), result, reply };
        self.commands.send(command).await.map_err(|_| Refusal::Closing)?;
        match answer.await.map_err(|_| Refusal::Closing)? {
            Reply::Refused(refusal) => Err(refusal),
            reply => Ok(reply),
        }
    }

    /// Looks at the scheduler between two steps.
    pub(crate) async fn inspect<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Core, Millis) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let (sender, answer) = oneshot::channel();
        let command = Command::Inspect(Box::new(move |core, now| {
            // Whoever asked may have gone.
            let _ = sender.send(look(core, now));
        }));
        self.commands.send(command).await.map_err(|_| Refusal::Closing)?;
        answer.await.map_err(|_| Refusal::Closing)
    }

    /// An event that nobody waits for.
    pub(crate) async fn tell(&self, event: Event) -> Result<(), Refusal> {
        self.commands.send(Command::Tell(Box::new(event))).await.map_err(|_| Refusal::Closing)
    }

    /// Ends the task; what waits is refused.
    pub(crate) async fn stop(&self) {
        // Already gone is as good.
        let _ = self.commands.send(Command::Stop).await;
    }

    /// Calls that wait.
    pub(crate) fn queue_depth(&self) -> usize {
        self.commands.max_capacity() - self.commands.capacity()
    }

    /// What happened since the start.
    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Why the store takes nothing more, as long as it does not.
    pub(crate) fn failed(&self) -> watch::Receiver<Option<String>> {
        self.failed.clone()
    }

    /// Why nothing more is leased for want of space, as long as that is so.
    pub(crate) fn held(&self) -> watch::Receiver<Option<String>> {
        self.held.clone()
    }
}

struct EngineTask {
    core: Core,
    timings: Timings,
    catalog: Arc<Catalog>,
    writer: Writer,
    origin: Instant,
    next_reply: u64,
    waiting: BTreeMap<ReplyId, oneshot::Sender<Reply>>,
    /// Results that came with a call and are not on their way to the disk yet.
    results: BTreeMap<ReplyId, Box<NewResult>>,
    /// Run, slice and digest of the results on their way to the disk.
    in_flight: BTreeMap<ReplyId, (u32, fulldeck_job::SliceId, Digest)>,
    notes: Vec<Change>,
    failing: watch::Sender<Option<String>>,
    holding: watch::Sender<Option<String>>,
    counters: Counters,
}

impl EngineTask {
    async fn run(
        mut self,
        mut commands: mpsc::Receiver<Command>,
        mut written: mpsc::Receiver<Written>,
    ) {
        loop {
            let deadline = self.core.next_deadline();
            let wake = self.origin + Duration::from_millis(deadline.map_or(0, |at| at.0));
            tokio::select! {
                Some(message) = written.recv() => self.written(message),
                command = commands.recv() => match command {
                    None | Some(Command::Stop) => break,
                    Some(command) => self.command(command),
                },
                () = tokio::time::sleep_until(wake), if deadline.is_some() => {
                    self.step(Event::Tick);
                }
            }
        }
        if !self.notes.is_empty() {
            let notes = std::mem::take(&mut self.notes);
            if self.writer.submit(Task::Notes(notes)).is_err() {
                tracing::debug!("leases are not noted: the writer is busy or gone");
            }
        }
    }

    fn now(&self) -> Millis {
        Millis(u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Call { event, result, reply } => {
                self.next_reply += 1;
                let id = ReplyId(self.next_reply);
                self.waiting.insert(id, reply);
                if let Some(result) = result {
                    self.results.insert(id, result);
                }
                self.step(event(id));
                // What was not taken is not wanted.
                self.results.remove(&id);
            }
            Command::Inspect(look) => look(&self.core, self.now()),
            Command::Tell(event) => self.step(*event),
            Command::Stop => {}
        }
    }

    fn written(&mut self, message: Written) {
        match message {
            Written::Stored { upload, place } => {
                self.counters.commits.inc();
                self.counters.committed_bytes.inc_by(place.stored_bytes.into());
                if let Some((run, slice, digest)) = self.in_flight.remove(&upload)
                    && let Some(entry) = self.catalog.get(run)
                {
                    entry.note(slice, digest, place);
                }
                self.step(Event::Persisted { upload });
            }
            Written::Failed { upload, reason } => {
                self.in_flight.remove(&upload);
                self.step(Event::PersistFailed { upload, reason });
            }
            Written::Broken { reason } => self.step(Event::StoreFailed { reason }),
            Written::Back { events } => events.into_iter().for_each(|event| self.step(event)),
        }
    }

    fn step(&mut self, event: Event) {
        let now = self.now();
        for effect in self.core.step(now, event) {
            match effect {
                Effect::Reply { to, reply } => {
                    if let Some(waiting) = self.waiting.remove(&to) {
                        // A caller that went away asks again; lost lease answers are sent again.
                        let _ = waiting.send(reply);
                    }
                }
                Effect::Persist { upload, host_key, storing } => {
                    self.persist(upload, &host_key, storing);
                }
                Effect::Decide { run, decision } => self.decide(run, decision),
                Effect::NoteLeases(leases) => self.note(Change::Leases, leases),
                Effect::EndLeases(leases) => self.note(Change::EndLeases, leases),
                Effect::Tell(notice) => self.log(&notice),
            }
        }
    }

    fn persist(&mut self, upload: ReplyId, host_key: &str, storing: Storing) {
        let failure = match self.results.remove(&upload) {
            None => "its bytes are missing",
            Some(mut result) => {
                // Of an imported result the bundle says who computed it.
                if !host_key.is_empty() {
                    result.host = host_number(host_key);
                }
                self.in_flight.insert(upload, (result.run, result.slice.id, result.digest));
                let mut notes = std::mem::take(&mut self.notes);
                if storing == Storing::Doubted {
                    let decision = Decision::Doubt { slice: result.slice.id };
                    notes.push(Change::Decision { run: result.run, decision });
                }
                let instead = storing == Storing::Instead;
                match self.writer.submit(Task::Result { upload, result, instead, notes }) {
                    Ok(()) => return,
                    Err(Busy) => "the writer is busy or gone",
                }
            }
        };
        self.in_flight.remove(&upload);
        self.step(Event::PersistFailed { upload, reason: failure.to_owned() });
    }

    /// Decisions of the scheduler itself are durable soon. One that is lost with a crash is taken again.
    fn decide(&mut self, run: u32, decision: Decision) {
        let task = Task::Notes(vec![Change::Decision { run, decision }]);
        if self.writer.submit(task).is_err() {
            tracing::warn!(run, "a decision is not noted: the writer is busy or gone");
        }
    }

    fn note(&mut self, change: fn(Vec<LeaseRecord>) -> Change, leases: Vec<LeaseNote>) {
        let unix_ms = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
        let deadline_ms = unix_ms.saturating_add(self.timings.lease.0);
        let records = leases
            .into_iter()
            .map(|note| LeaseRecord {
                run: note.run,
                slice: note.slice,
                token: note.token,
                session: note.session.map_or(0, |session| session.0),
                host: host_number(&note.host_key),
                deadline_ms,
            })
            .collect();
        if self.notes.len() == MAX_PENDING_NOTES {
            self.notes.remove(0);
        }
        self.notes.push(change(records));
    }

    fn log(&self, notice: &Notice) {
        match notice {
            Notice::WorkerJoined { session, name, kept, instead_of: None } => {
                tracing::info!(%session, name, kept, "worker joined");
            }
            Notice::WorkerJoined { session, name, kept, instead_of: Some(earlier) } => {
                tracing::info!(%session, name, kept, %earlier, "worker joined again");
            }
            Notice::WorkerLeft { session, name } => {
                tracing::info!(%session, name, "worker left");
            }
            Notice::WorkerLost { session, name, slices } => {
                tracing::warn!(%session, name, slices, "worker lost, its slices wait again");
            }
            Notice::LeasesExpired { run, slices } => {
                self.counters.leases_expired.inc_by(slices.len() as u64);
                let first = slices.first().map_or(0, |slice| slice.0);
                tracing::warn!(run, slices = slices.len(), first, "leases expired");
            }
            Notice::SliceFailed { run, slice, failures, reason } => {
                self.counters.failures.inc();
                tracing::warn!(run, slice = slice.0, failures, reason, "slice failed");
            }
            Notice::SliceParked { run, slice, reason } => {
                self.counters.parked.inc();
                tracing::error!(run, slice = slice.0, reason, "slice parked");
            }
            Notice::Mismatch { run, slice, committed, offered, session } => {
                self.counters.mismatches.inc();
                let (committed, offered) = (committed.short(), offered.short());
                tracing::error!(run, slice = slice.0, committed, offered, %session, "results differ");
            }
            Notice::Copied { run, slice, session } => {
                tracing::info!(run, slice = slice.0, %session, "slice leased a second time");
            }
            Notice::Quarantined { host_key, lasts, reason } => {
                let minutes = lasts.seconds() / 60.0;
                tracing::error!(host_key, minutes, reason, "host in quarantine");
            }
            Notice::Checked { run, slice, replaced: false } => {
                tracing::debug!(run, slice = slice.0, "result confirmed");
            }
            Notice::Checked { run, slice, replaced: true } => {
                tracing::error!(run, slice = slice.0, "a stored result was wrong and is replaced");
            }
            Notice::Stuck { since, explanations } => {
                let seconds = since.seconds();
                tracing::error!(seconds, ?explanations, "stuck: work could be leased, but is not");
            }
            Notice::Controlled { run, control } => {
                tracing::info!(run, ?control, "run controlled");
            }
            Notice::RunEnded { run, parked } => tracing::info!(run, parked, "run ended"),
            // Said once, by whoever runs the coordinator: see `CoordinatorHandle::store_failed`.
            Notice::StoreFailed { reason } => {
                tracing::debug!(reason, "the store failed");
                self.failing.send_replace(Some(reason.clone()));
            }
            Notice::StoreBack { found, lost } => {
                tracing::info!(found, lost, "the store goes on");
                self.failing.send_replace(None);
            }
            Notice::LeasingHeld { reason } => {
                tracing::warn!("nothing more is leased: {reason}");
                self.holding.send_replace(Some(reason.clone()));
            }
            Notice::LeasingGoesOn => {
                tracing::info!("slices are leased again");
                self.holding.send_replace(None);
            }
        }
    }
}

/// First eight bytes of the BLAKE3 of a host key; 0 if it is not known.
fn host_number(host_key: &str) -> u64 {
    if host_key.is_empty() {
        return 0;
    }
    let digest = Digest::of(host_key.as_bytes()).0;
    u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes"))
}
