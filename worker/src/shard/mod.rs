//! A shard: a part of a plan, computed without a coordinator into bundles that one can import later.
//!
//! Main entry: [`compute_shard`]. Inside, `folder` knows what the output folder holds already and who else writes
//! there, `file` writes one bundle, `pace` says what still fits into the time. What was finished before is never
//! computed again, whatever ended the process.

mod file;
mod folder;
mod pace;

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use fulldeck_job::record::bundle::{BundleError, BundleHeader, BundledResult};
use fulldeck_job::{Computation, Plan, Slice};
use fulldeck_service::{StopLevel, StopSignal};
use tokio::task::JoinSet;

use self::file::BundleFile;
use self::folder::Folder;
use self::pace::Pace;
use crate::WorkerError;
use crate::executor::{CallFailure, Executor, Finished};
use crate::ledger::Control;

/// Calls computed at a time: while one waits for its last threads or is being encoded, the other has work.
const MAX_COMPUTING: usize = 2;
/// Most raw bytes that one call may produce; larger batches are computed in parts.
const MAX_CALL_BYTES: u64 = 128 << 20;
/// What is still being computed so long before the time is up is given up.
const LAST_MOMENTS: Duration = Duration::from_secs(5);

/// What is to be computed, and where the results go.
pub struct ShardJob {
    /// The run, its plan and the part of it.
    pub header: BundleHeader,
    /// The workload with its parameters.
    pub computation: Arc<dyn Computation>,
    /// The plan.
    pub plan: Arc<Plan>,
    /// Folder of the bundles; created if it is not there.
    pub folder: PathBuf,
    /// Computing threads, 1 to [`crate::MAX_THREADS`].
    pub threads: usize,
    /// First eight bytes of the BLAKE3 of this host's key; 0 when unknown.
    pub host: u64,
    /// When this process has to end, if that is known: nothing is begun that would not be done by then.
    pub ends: Option<Instant>,
    /// How long what is being computed may take when asked to stop.
    pub drain_window: Duration,
}

/// What became of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardSummary {
    /// Why it ended.
    pub ending: ShardEnding,
    /// Slices of the shard.
    pub slices: usize,
    /// How many of them the folder held before.
    pub held: usize,
    /// How many were computed now.
    pub computed: usize,
    /// Slices that cannot be computed, and why.
    pub failed: Vec<(u32, String)>,
    /// Bundles that were finished now.
    pub bundles: Vec<PathBuf>,
}

impl ShardSummary {
    /// Slices that are still to be computed.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.slices - self.held - self.computed
    }
}

/// Why the computing of a shard ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardEnding {
    /// Everything was computed, or failed.
    Done,
    /// What is left does not fit into the time.
    OutOfTime,
    /// It was asked to stop, and finished what was short.
    Drained,
    /// It was asked to stop at once.
    Stopped,
}

/// Why a shard could not be computed.
#[derive(Debug, thiserror::Error)]
pub enum ComputeShardError {
    /// The computing threads cannot be started.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// The folder or a file in it.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process computes the same shard into the same folder.
    #[error("another process computes this shard into {} right now; wait for it, or choose another folder", .0.display())]
    Busy(PathBuf),
    /// A bundle of the folder is of another plan of the same run.
    #[error("{} holds results of the same run cut into other slices; give the same --slices, or choose another folder", .0.display())]
    OtherPlan(PathBuf),
    /// A bundle of the folder cannot be read at all.
    #[error("{}: {source}", path.display())]
    Bundle {
        /// The bundle.
        path: PathBuf,
        /// What is wrong.
        source: BundleError,
    },
}

/// Computes what the folder does not hold of a shard, until that is done, the time is up, or somebody asks to stop.
/// However it ends, what was finished is kept, and the next call goes on from there.
///
/// # Errors
/// [`ComputeShardError`].
pub async fn compute_shard(
    job: ShardJob,
    stop: StopSignal,
) -> Result<ShardSummary, ComputeShardError> {
    let executor = Arc::new(Executor::new(job.threads)?);
    let mut folder = Folder::open(&job.folder, &job.header)?;
    let mine = job.header.shard.slices(&job.plan);
    let held = folder.held(&mine)?;
    let missing: Vec<Slice> = mine
        .iter()
        .filter(|slice| !held.contains(&slice.0))
        .filter_map(|slice| job.plan.slice(*slice).copied())
        .collect();
    tracing::info!(slices = mine.len(), held = mine.len() - missing.len(), "shard begins");
    let session = Session {
        calls: calls(&missing),
        control: Arc::default(),
        computing: JoinSet::new(),
        pace: Pace::new(job.ends),
        file: None,
        summary: ShardSummary {
            ending: ShardEnding::Done,
            slices: mine.len(),
            held: mine.len() - missing.len(),
            computed: 0,
            failed: Vec::new(),
            bundles: std::mem::take(&mut folder.salvaged),
        },
        executor,
        folder,
        job,
    };
    session.run(stop).await
}

/// Slices that are computed together: those of a batch, as far as their results fit into memory.
fn calls(slices: &[Slice]) -> VecDeque<Vec<Slice>> {
    let mut calls: VecDeque<Vec<Slice>> = VecDeque::new();
    for slice in slices {
        match calls.back_mut() {
            Some(call)
                if call[0].batch == slice.batch
                    && bytes(call) + slice.raw_bytes <= MAX_CALL_BYTES =>
            {
                call.push(*slice);
            }
            _ => calls.push_back(vec![*slice]),
        }
    }
    calls
}

fn bytes(call: &[Slice]) -> u64 {
    call.iter().map(|slice| slice.raw_bytes).sum()
}

fn cost(call: &[Slice]) -> u64 {
    call.iter().map(|slice| slice.cost).sum()
}

/// A call that ended.
struct Ended {
    call: Vec<Slice>,
    took: Duration,
    outcome: Result<Vec<Finished>, CallFailure>,
}

struct Session {
    job: ShardJob,
    folder: Folder,
    executor: Arc<Executor>,
    calls: VecDeque<Vec<Slice>>,
    control: Arc<Control>,
    computing: JoinSet<Ended>,
    pace: Pace,
    file: Option<BundleFile>,
    summary: ShardSummary,
}

impl Session {
    async fn run(mut self, stop: StopSignal) -> Result<ShardSummary, ComputeShardError> {
        let mut give_up = self.job.ends.and_then(|ends| ends.checked_sub(LAST_MOMENTS));
        loop {
            self.begin();
            let draining = self.summary.ending != ShardEnding::Done;
            tokio::select! {
                biased;
                () = stop.reached(StopLevel::Stop), if self.summary.ending != ShardEnding::Stopped => {
                    self.stop_beginning(ShardEnding::Stopped);
                    self.control.cancel.store(true, Ordering::Relaxed);
                }
                () = stop.reached(StopLevel::Drain), if !draining => {
                    self.stop_beginning(ShardEnding::Drained);
                    let window = Instant::now() + self.job.drain_window;
                    give_up = Some(give_up.map_or(window, |earlier| earlier.min(window)));
                }
                () = until(give_up), if !self.control.cancel.load(Ordering::Relaxed) => {
                    tracing::warn!("no time is left: what is being computed is given up");
                    if !draining {
                        self.stop_beginning(ShardEnding::OutOfTime);
                    }
                    self.control.cancel.store(true, Ordering::Relaxed);
                }
                ended = self.computing.join_next() => match ended {
                    Some(Ok(ended)) => self.ended(ended)?,
                    Some(Err(error)) => {
                        return Err(WorkerError::Internal(error.to_string()).into());
                    }
                    None => break,
                }
            }
        }
        self.seal()?;
        Ok(self.summary)
    }

    fn stop_beginning(&mut self, ending: ShardEnding) {
        self.summary.ending = ending;
        self.calls.clear();
    }

    /// Begins as many calls as may be computed at a time, and as fit into what is left of the time.
    fn begin(&mut self) {
        while self.computing.len() < MAX_COMPUTING {
            let Some(call) = self.calls.pop_front() else { return };
            if !self.pace.fits(cost(&call)) {
                tracing::warn!(
                    missing = self.summary.missing(),
                    "what is left does not fit into the time"
                );
                self.stop_beginning(ShardEnding::OutOfTime);
                return;
            }
            let (executor, control) = (Arc::clone(&self.executor), Arc::clone(&self.control));
            let computation = Arc::clone(&self.job.computation);
            self.computing.spawn(async move {
                let begun = Instant::now();
                let outcome = executor.compute(computation, call.clone(), control).await;
                Ended { call, took: begun.elapsed(), outcome }
            });
        }
    }

    /// Keeps what a call gave. Writing waits for the disk; there is nothing else this task should do meanwhile.
    fn ended(&mut self, ended: Ended) -> Result<(), ComputeShardError> {
        let Ended { call, took, outcome } = ended;
        let results = match outcome {
            Ok(results) => results,
            Err(CallFailure::Cancelled) => return Ok(()),
            Err(CallFailure::Panicked(why) | CallFailure::Invalid(why)) => {
                tracing::error!(
                    slice = call[0].id.0,
                    slices = call.len(),
                    why,
                    "cannot be computed"
                );
                self.summary.failed.extend(call.iter().map(|slice| (slice.id.0, why.clone())));
                return Ok(());
            }
        };
        self.pace.note(cost(&call), took);
        let compute_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX) / call.len() as u64;
        if self.file.as_ref().is_some_and(BundleFile::is_full) {
            self.seal()?;
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(self.folder.next_file()?),
        };
        for (slice, finished) in call.iter().zip(&results) {
            file.append(&BundledResult {
                slice,
                digest: finished.digest,
                codec: finished.codec,
                stored: &finished.stored,
                compute_ms,
                host: self.job.host,
            })?;
        }
        file.sync()?;
        self.summary.computed += call.len();
        let (missing, seconds) = (self.summary.missing(), took.as_secs_f64());
        tracing::info!(slice = call[0].id.0, slices = call.len(), seconds, missing, "kept");
        Ok(())
    }

    fn seal(&mut self) -> Result<(), ComputeShardError> {
        if let Some(file) = self.file.take() {
            self.summary.bundles.push(file.seal()?);
        }
        Ok(())
    }
}

/// Waits for a moment; for ever without one.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}
