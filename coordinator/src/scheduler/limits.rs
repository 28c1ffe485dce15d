//! Bounds and fixed times of the scheduler.

use super::Millis;

/// Most workers registered at the same time.
pub const MAX_WORKERS: usize = 4_096;
/// Most attempts a worker may name in one call.
pub const MAX_HELD: usize = 16_384;
/// Most runs in one store.
pub const MAX_RUNS: usize = 10_000;
/// Most attempts of one slice that are remembered while it is open; older ones are fenced.
pub const MAX_ATTEMPTS_REMEMBERED: usize = 16;
/// Most attempts of one slice at the same time.
pub const MAX_HOLDERS: usize = 2;
/// Counted failures after which a slice is parked.
pub const MAX_FAILURES: u8 = 4;
/// Longest failure text that is kept, in bytes.
pub const MAX_FAILURE_TEXT: usize = 4 << 10;
/// Parked slices that a status lists.
pub const MAX_PARKED_LISTED: usize = 50;
/// Longest wait of a lease call.
pub const MAX_LEASE_WAIT: Millis = Millis(20_000);
/// Back-off after the first failure of a slice; doubled by each further one.
pub const FIRST_BACKOFF: Millis = Millis(1_000);
/// Longest back-off.
pub const MAX_BACKOFF: Millis = Millis(60_000);
/// A leased batch may take this long before anything is known about the speed of the run.
pub const UNMEASURED_HARD_LIMIT: Millis = Millis(24 * 3_600_000);
/// A leased batch may always take this long.
pub const MIN_HARD_LIMIT: Millis = Millis(600_000);
/// A leased batch may take this many times what is expected.
pub const HARD_LIMIT_FACTOR: u64 = 10;
/// Distinct hosts on which a slice fails before it is parked.
pub const MAX_FAILED_HOSTS: usize = 3;
/// Entries of a slice's history that are kept while it is open.
pub const MAX_HISTORY: usize = 16;
/// Hosts that are remembered.
pub const MAX_HOSTS: usize = 16_384;
/// Attempts of a host that are remembered.
pub const TRIALS_REMEMBERED: usize = 20;
/// Failures among these that went well elsewhere, before a host is quarantined.
pub const MAX_BLAMED: usize = 3;
/// First quarantine of a host; doubled each time.
pub const FIRST_QUARANTINE: Millis = Millis(30 * 60_000);
/// Doublings of a quarantine.
pub const MAX_QUARANTINE_DOUBLINGS: u32 = 6;
/// A copy is leased of a slice that takes this many times the median of its job's finished ones ...
pub const STRAGGLER_FACTOR: u64 = 2;
/// ... or this many times if it had a copy before ...
pub const SECOND_STRAGGLER_FACTOR: u64 = 4;
/// ... and at least this long: a copy of something shorter is not worth it ...
pub const MIN_STRAGGLER_AGE: Millis = Millis(5_000);
/// ... once this many of a hundred slices of the job are finished.
pub const STRAGGLER_FINISHED_PERCENT: u64 = 75;
/// Copies of this many of a hundred slices of a run.
pub const MAX_COPIES_PERCENT: u64 = 10;
/// Times of finished slices that are remembered for each job.
pub const PACES_REMEMBERED: usize = 255;
/// Work that could be leased may lie around so long before the log says so.
pub const STUCK_AFTER: Millis = Millis(30_000);
/// Explanations in one answer.
pub const MAX_EXPLAINED: usize = 50;
/// A slice is leased only if this many tenths of its expected time ...
pub const TIME_LEFT_TENTHS: u64 = 13;
/// ... and this fit into what is left to its worker.
pub const TIME_LEFT_MARGIN: Millis = Millis(15_000);
/// Good results in a row after which not every result of a host is checked, where checks are adaptive.
pub const ADAPTIVE_TRUST: u64 = 10;
/// Between two looks at calls that wait: is anything late, or stuck?
pub const LOOK_EVERY: Millis = Millis(5_000);
