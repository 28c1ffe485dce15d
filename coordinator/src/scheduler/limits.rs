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
