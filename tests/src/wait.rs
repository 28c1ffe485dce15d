//! Waiting for a condition, never for a time.

use std::time::{Duration, Instant};

/// No step of a scenario takes nearly as long, even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// Between two looks; short, so that kills hit where they were aimed.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Looks until `condition` gives something, and gives that.
///
/// # Panics
/// After [`PATIENCE`], naming what was waited for.
#[track_caller]
pub fn until<T>(what: &str, condition: impl FnMut() -> Option<T>) -> T {
    within(PATIENCE, condition).unwrap_or_else(|| panic!("{what}: not in {PATIENCE:?}"))
}

/// Looks until `condition` gives something or the time is over.
pub(crate) fn within<T>(time: Duration, mut condition: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + time;
    loop {
        // The time is read first: a condition that holds in time is never missed.
        let left = deadline.saturating_duration_since(Instant::now());
        if let Some(found) = condition() {
            return Some(found);
        }
        if left.is_zero() {
            return None;
        }
        std::thread::park_timeout(LOOK_EVERY.min(left));
    }
}
