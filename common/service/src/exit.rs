//! Exit codes of every fulldeck program.

/// Everything asked for was done.
pub const OK: u8 = 0;
/// An error nobody foresaw.
pub const UNEXPECTED: u8 = 1;
/// Wrong usage or bad input; nothing was created or lost.
pub const USAGE: u8 = 2;
/// What was named does not exist.
pub const NOT_FOUND: u8 = 3;
/// The run failed, or has parked slices.
pub const RUN_FAILED: u8 = 4;
/// Not done within the given time.
pub const TIMED_OUT: u8 = 5;
/// A verification found a difference.
pub const MISMATCH: u8 = 6;
/// The coordinator cannot be reached, is none, or takes no results for too long.
pub const UNREACHABLE: u8 = 7;
/// Versions or fingerprints differ.
pub const CONFLICT: u8 = 8;
/// The store or an artifact is damaged.
pub const STORE_DAMAGED: u8 = 9;
/// Stopped before complete, by a signal, a full disk or another failure of the store; the same command resumes.
pub const RESUMABLE: u8 = 10;
/// `doctor` found something that keeps this machine from being used, and for which there is no other code.
pub const NOT_READY: u8 = 11;
/// Ended by a second SIGINT.
pub const INTERRUPTED: u8 = 130;
/// Ended by a second SIGTERM.
pub const TERMINATED: u8 = 143;
