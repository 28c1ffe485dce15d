//! What goes into the scheduler and what comes out.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use fulldeck_job::{Digest, Fingerprint, JobIndex, Plan, SliceId};

use super::{Millis, ReplyId, SessionId, Token};
use crate::store::{Decided, Decision, RunControl};

/// Timings of the protocol; told to workers when they register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timings {
    /// Between two heartbeats.
    pub heartbeat: Millis,
    /// A lease that is not renewed ends after this.
    pub lease: Millis,
    /// Longest wait of a lease call.
    pub lease_wait: Millis,
    /// Longest pause between two attempts to reconnect.
    pub reconnect_cap: Millis,
}

impl Default for Timings {
    fn default() -> Self {
        Self {
            heartbeat: Millis(3_000),
            lease: Millis(30_000),
            lease_wait: super::MAX_LEASE_WAIT,
            reconnect_cap: Millis(5_000),
        }
    }
}

/// Session and epoch of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The worker's session.
    pub session: SessionId,
    /// The epoch in which it registered.
    pub epoch: u64,
}

/// A run as it is submitted or found in the store.
#[derive(Clone, Debug)]
pub struct RunSeed {
    /// Number.
    pub run: u32,
    /// Fingerprint.
    pub fingerprint: Fingerprint,
    /// Workload.
    pub workload: String,
    /// Its algorithm version.
    pub algorithm_version: u32,
    /// The plan.
    pub plan: Arc<Plan>,
    /// Slices that are durable already.
    pub committed: Vec<(SliceId, Digest)>,
    /// Leases of the coordinator's earlier life. Their slices are held back for one lease time, so that workers which
    /// still compute them can say so.
    pub unconfirmed: Vec<(SliceId, Token)>,
    /// What was decided about it.
    pub decided: Decided,
}

/// An attempt that a registering worker still holds.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Its token.
    pub token: Token,
    /// Fingerprint of its run.
    pub fingerprint: Fingerprint,
    /// Its slice.
    pub slice: SliceId,
    /// Digest of the result, if it is finished.
    pub finished: Option<Digest>,
}

/// What a registering worker shall do with an attempt it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldVerdict {
    /// Compute on.
    Keep,
    /// Send the finished result.
    Upload,
    /// Forget it.
    Drop,
}

/// A worker introduces itself.
#[derive(Clone, Debug, Default)]
pub struct Registration {
    /// Name for people.
    pub name: String,
    /// Machine and user.
    pub host_key: String,
    /// Vector unit in use.
    pub cpu: String,
    /// Version of the program.
    pub build: String,
    /// Computing threads.
    pub threads: u32,
    /// What it can compute: names and algorithm versions.
    pub workloads: Vec<(String, u32)>,
    /// Tells this worker from all others, also when it registers again; 0 if it does not say.
    pub instance: u64,
    /// When it has to end, if that is known.
    pub ends_in: Option<Millis>,
    /// Attempts it still holds.
    pub held: Vec<Held>,
}

/// A result is announced: everything but the bytes.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// Token of the attempt.
    pub token: Token,
    /// Fingerprint of the run.
    pub fingerprint: Fingerprint,
    /// The slice, with its range.
    pub slice: SliceId,
    /// Job of the slice.
    pub job: JobIndex,
    /// First row.
    pub first_row: u32,
    /// Number of rows.
    pub rows: u32,
    /// Number of elements.
    pub elements: u64,
    /// Length of the raw result, in bytes.
    pub raw_bytes: u64,
    /// Digest of the raw result.
    pub digest: Digest,
}

/// Why a slice was not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The computation panicked.
    Panic,
    /// The process that computed it vanished.
    Lost,
    /// Out of memory.
    OutOfMemory,
    /// Longer than the hard limit.
    Timeout,
    /// The result did not pass its checks.
    Invalid,
    /// The worker cannot compute this run; never counted.
    Refused,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Panic => "panic",
            Self::Lost => "lost",
            Self::OutOfMemory => "out of memory",
            Self::Timeout => "timeout",
            Self::Invalid => "invalid result",
            Self::Refused => "refused",
        })
    }
}

/// Something happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// Nothing but time passed.
    Tick,
    /// A run is computed from now on, or not; durable already.
    Control {
        /// Who waits.
        reply: ReplyId,
        /// Run.
        run: u32,
        /// What was decided.
        control: RunControl,
    },
    /// Parked slices are computed again; durable already.
    Retry {
        /// Who waits.
        reply: ReplyId,
        /// Run.
        run: u32,
        /// Slices.
        slices: Vec<SliceId>,
    },
    /// A worker is to take nothing more, hand back what it cannot finish soon, and leave.
    Drain {
        /// Who waits.
        reply: ReplyId,
        /// The worker.
        session: SessionId,
    },
    /// Nothing is leased to the workers of a host for a while.
    Quarantine {
        /// Who waits.
        reply: ReplyId,
        /// The host.
        host_key: String,
        /// Why.
        reason: String,
    },
    /// A host may have work again.
    ReleaseHost {
        /// Who waits.
        reply: ReplyId,
        /// The host.
        host_key: String,
    },
    /// A run was submitted, or found in the store.
    RunAdded(RunSeed),
    /// Lease only slices of these jobs of a run; of all jobs if none is named.
    Focus {
        /// Who waits.
        reply: ReplyId,
        /// Run.
        run: u32,
        /// Jobs.
        jobs: BTreeSet<JobIndex>,
    },
    /// A worker registers.
    Register {
        /// Who waits.
        reply: ReplyId,
        /// The worker.
        registration: Registration,
    },
    /// A worker asks for work.
    Lease {
        /// Who waits.
        reply: ReplyId,
        /// The worker.
        caller: Caller,
        /// Batches it could start or queue.
        free_slots: u32,
        /// Number of the last answer that arrived.
        answer_received: u64,
        /// How long it would wait for work.
        wait: Millis,
    },
    /// A worker wants to know what a run is about.
    AskRun {
        /// Who waits.
        reply: ReplyId,
        /// The worker.
        caller: Caller,
        /// The run.
        run: u32,
    },
    /// A worker lives, and computes these attempts.
    Heartbeat {
        /// Who waits.
        reply: ReplyId,
        /// The worker.
        caller: Caller,
        /// Number of the last lease answer that arrived.
        answer_received: u64,
        /// Every attempt it holds.
        attempts: Vec<Token>,
        /// Its resident memory.
        rss_bytes: u64,
    },
    /// A result is announced; answered with `Proceed` or an outcome.
    Offer {
        /// Who waits.
        reply: ReplyId,
        /// The worker.
        caller: Caller,
        /// What it has.
        offer: Offer,
    },
    /// The bytes of an announced result arrived, and are what its digest says.
    Result {
        /// Who waits; also the name of the upload in [`Effect::Persist`] and [`Event::Persisted`].
        reply: ReplyId,
        /// The worker.
        session: SessionId,
        /// What was announced.
        offer: Offer,
        /// How long it was computed.
        compute_ms: u64,
    },
    /// A result that nobody was given to compute is announced; answered like [`Event::Offer`].
    ImportOffer {
        /// Who waits.
        reply: ReplyId,
        /// What it is; its token names this start and no attempt.
        offer: Offer,
    },
    /// The bytes of such a result arrived, and are what its digest says.
    Import {
        /// Who waits; also the name of the upload, as in [`Event::Result`].
        reply: ReplyId,
        /// What was announced.
        offer: Offer,
        /// How long it was computed.
        compute_ms: u64,
    },
    /// A result is durable.
    Persisted {
        /// The upload.
        upload: ReplyId,
    },
    /// A result could not be made durable; the store is not to be used any more.
    PersistFailed {
        /// The upload.
        upload: ReplyId,
        /// Why.
        reason: String,
    },
    /// The store takes nothing more.
    StoreFailed {
        /// Why.
        reason: String,
    },
    /// The store takes results again.
    StoreBack {
        /// Results that are durable in it and may not be known to be.
        found: Vec<Found>,
        /// Slices, with their runs, whose results it no longer has.
        lost: Vec<(u32, SliceId)>,
    },
    /// Nothing more is leased for want of space, until this comes without a reason.
    HoldLeases {
        /// Why.
        reason: Option<String>,
    },
    /// A slice could not be computed.
    Failed {
        /// Who waits.
        reply: ReplyId,
        /// The worker.
        caller: Caller,
        /// The attempt.
        token: Token,
        /// What happened.
        failure: Failure,
        /// In words.
        text: String,
    },
    /// Attempts are handed back in order.
    Release {
        /// Who waits.
        reply: ReplyId,
        /// The worker.
        caller: Caller,
        /// The attempts.
        tokens: Vec<Token>,
    },
    /// The worker leaves.
    Deregister {
        /// Who waits.
        reply: ReplyId,
        /// The worker.
        caller: Caller,
    },
    /// The stored result of a slice proved damaged and was given up.
    Discarded {
        /// Run.
        run: u32,
        /// Slice.
        slice: SliceId,
    },
    /// The coordinator ends: nobody waits any longer, nothing is leased.
    Close,
}

/// Something is to be done.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Answer a call.
    Reply {
        /// The call.
        to: ReplyId,
        /// The answer.
        reply: Reply,
    },
    /// Make the result of an upload durable, then report [`Event::Persisted`] or [`Event::PersistFailed`].
    Persist {
        /// The upload.
        upload: ReplyId,
        /// Host of the worker that sent it; empty if it is not known any more.
        host_key: String,
        /// What becomes of the result that is stored already, or of this one.
        storing: Storing,
    },
    /// Make a decision durable soon; nobody waits for it.
    Decide {
        /// Run.
        run: u32,
        /// What was decided.
        decision: Decision,
    },
    /// Note leases in the store with the next commit; nobody waits for it.
    NoteLeases(Vec<LeaseNote>),
    /// These leases ended without a result; noted like [`Effect::NoteLeases`].
    EndLeases(Vec<LeaseNote>),
    /// Tell the log.
    Tell(Notice),
}

/// How a result is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storing {
    /// As the result of its slice.
    Plainly,
    /// As a result that counts only once another host has found the same.
    Doubted,
    /// In place of one that proved wrong.
    Instead,
}

/// A lease, as the store remembers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseNote {
    /// Run.
    pub run: u32,
    /// Slice.
    pub slice: SliceId,
    /// Token.
    pub token: Token,
    /// The worker's session, if it is known.
    pub session: Option<SessionId>,
    /// The worker's host; empty if it is not known.
    pub host_key: String,
}

/// A leased slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Token.
    pub token: Token,
    /// Run.
    pub run: u32,
    /// Fingerprint of the run.
    pub fingerprint: Fingerprint,
    /// Slice.
    pub slice: SliceId,
    /// Its batch, as the plan numbers it.
    pub batch: u32,
    /// The batch shall be given up after this.
    pub hard_limit: Millis,
}

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Durable now.
    Committed {
        /// The attempt was not the slice's current one.
        late: bool,
    },
    /// Was durable before, with the same digest.
    Duplicate,
    /// Was durable before, with another digest.
    Mismatch {
        /// The durable one.
        committed: Digest,
    },
    /// The attempt is not of this coordinator's lives, or too old.
    Fenced,
    /// No run here has this fingerprint, or its plan has no such range.
    WrongRun,
    /// The run was cancelled.
    Gone,
}

/// Answer of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// To `Register`.
    Registered {
        /// The new session.
        session: SessionId,
        /// What to do with each attempt that was named, in order.
        held: Vec<HeldVerdict>,
    },
    /// To `Lease`.
    Leased {
        /// Number of this answer.
        answer: u64,
        /// The slices; whole batches.
        slices: Vec<Lease>,
        /// No run has anything left to lease or to wait for.
        all_done: bool,
    },
    /// To `Heartbeat`.
    Beat {
        /// Attempts nobody waits for.
        cancel: Vec<Token>,
        /// It shall leave.
        drain: bool,
        /// Why no results are taken and no work is granted, if so.
        store_failed: Option<String>,
    },
    /// To `Offer`: send the bytes.
    Proceed {
        /// Run of the result.
        run: u32,
    },
    /// To `Offer` and `Result`.
    Outcome(Outcome),
    /// To everything else.
    Done,
    /// To anything.
    Refused(Refusal),
}

/// Why a call is not served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Unknown session, or of another epoch.
    #[error("stale epoch: the coordinator does not know this session, register again")]
    Stale,
    /// No such worker.
    #[error("there is no worker with session {0}")]
    NoWorker(SessionId),
    /// No such host, or nothing is kept away from it.
    #[error("the host '{0}' is not in quarantine")]
    NotQuarantined(String),
    /// No such run.
    #[error("there is no run {0}")]
    NoRun(u32),
    /// Beyond [`super::MAX_WORKERS`].
    #[error("{} workers are registered already, that is the most", super::MAX_WORKERS)]
    TooManyWorkers,
    /// The store takes nothing more.
    #[error("the coordinator cannot store results ({0}): keep the result and try again later")]
    StoreFailed(String),
    /// The coordinator ends.
    #[error("the coordinator is shutting down: try again later")]
    Closing,
}

/// What the log is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A worker registered.
    WorkerJoined {
        /// Session.
        session: SessionId,
        /// Name.
        name: String,
        /// Attempts it keeps or uploads.
        kept: usize,
        /// Its earlier session, which ended with this.
        instead_of: Option<SessionId>,
    },
    /// A worker left in order.
    WorkerLeft {
        /// Session.
        session: SessionId,
        /// Name.
        name: String,
    },
    /// Nothing was heard of a worker for a lease time.
    WorkerLost {
        /// Session.
        session: SessionId,
        /// Name.
        name: String,
        /// Slices that it had when it was last heard of, and that are waiting again.
        slices: usize,
    },
    /// Leases ended without renewal, although their worker was heard of; or leases of the coordinator's earlier life,
    /// of whose worker nothing was heard.
    LeasesExpired {
        /// Run.
        run: u32,
        /// Slices.
        slices: Vec<SliceId>,
    },
    /// A failure was reported.
    SliceFailed {
        /// Run.
        run: u32,
        /// Slice.
        slice: SliceId,
        /// Counted failures so far.
        failures: u8,
        /// Reason.
        reason: String,
    },
    /// A slice is given up until somebody says `retry`.
    SliceParked {
        /// Run.
        run: u32,
        /// Slice.
        slice: SliceId,
        /// Reason.
        reason: String,
    },
    /// A slice is leased a second time, because the first attempt takes too long.
    Copied {
        /// Run.
        run: u32,
        /// Slice.
        slice: SliceId,
        /// Who has it now, too.
        session: SessionId,
    },
    /// Nothing is leased to a host for a while.
    Quarantined {
        /// Host.
        host_key: String,
        /// For how long.
        lasts: Millis,
        /// Why.
        reason: String,
    },
    /// A doubted result was found again by others, or proved wrong.
    Checked {
        /// Run.
        run: u32,
        /// Slice.
        slice: SliceId,
        /// Whether the stored one was wrong and was replaced.
        replaced: bool,
    },
    /// Work could be leased, but is not: a defect of the scheduler.
    Stuck {
        /// For how long.
        since: Millis,
        /// The first explanations.
        explanations: Vec<String>,
    },
    /// A run was paused, opened or cancelled.
    Controlled {
        /// Run.
        run: u32,
        /// What was decided.
        control: RunControl,
    },
    /// A second result of a slice has another digest.
    Mismatch {
        /// Run.
        run: u32,
        /// Slice.
        slice: SliceId,
        /// The durable digest.
        committed: Digest,
        /// The other.
        offered: Digest,
        /// Who sent the other.
        session: SessionId,
    },
    /// Nothing is open any more.
    RunEnded {
        /// Run.
        run: u32,
        /// Slices that were given up.
        parked: u32,
    },
    /// The store takes nothing more.
    StoreFailed {
        /// Why.
        reason: String,
    },
    /// The store takes results again.
    StoreBack {
        /// Results that were durable and had not been acknowledged.
        found: usize,
        /// Results that it no longer has.
        lost: usize,
    },
    /// Nothing more is leased for want of space.
    LeasingHeld {
        /// Why.
        reason: String,
    },
    /// There is space again.
    LeasingGoesOn,
}

/// A result that is durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its run.
    pub run: u32,
    /// Its slice.
    pub slice: SliceId,
    /// Its digest.
    pub digest: Digest,
    /// Whether it counts only once another host has found the same.
    pub doubted: bool,
}
