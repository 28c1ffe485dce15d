//! Waiting longer after each failure, with full jitter so that many workers do not call in step.

use std::time::Duration;

/// First upper bound of a wait.
const BASE: Duration = Duration::from_millis(200);
/// Doublings after which the bound no longer grows by itself.
const MAX_DOUBLINGS: u32 = 16;

/// Waits between tries: evenly drawn from (0, min(cap, 200 ms x 2^tries)].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Backoff {
    tries: u32,
}

impl Backoff {
    /// The next wait, at most `cap`.
    pub(crate) fn next(&mut self, cap: Duration) -> Duration {
        let bound = self.bound(cap);
        self.tries = (self.tries + 1).min(MAX_DOUBLINGS);
        // Without randomness the full wait is the safe choice.
        let share = getrandom::u64().unwrap_or(u64::MAX);
        bound.mul_f64((share as f64 / u64::MAX as f64).max(0.05))
    }

    pub(crate) fn reset(&mut self) {
        self.tries = 0;
    }

    fn bound(&self, cap: Duration) -> Duration {
        BASE.saturating_mul(1 << self.tries).min(cap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_the_cap_and_fall_back() {
        let cap = Duration::from_secs(5);
        let mut backoff = Backoff::default();
        let mut bound = BASE;
        for _ in 0..100 {
            let wait = backoff.next(cap);
            assert!(wait > Duration::ZERO && wait <= bound, "{wait:?} > {bound:?}");
            bound = (bound * 2).min(cap);
        }
        assert_eq!(backoff.bound(cap), cap);
        backoff.reset();
        assert_eq!(backoff.bound(cap), BASE);
    }

    #[test]
    fn waits_differ() {
        let mut backoff = Backoff::default();
        let waits: Vec<_> = (0..20).map(|_| backoff.next(Duration::from_secs(5))).collect();
        assert!(waits.windows(2).any(|pair| pair[0] > pair[1]), "{waits:?}");
    }
}
