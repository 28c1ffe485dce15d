//! What still fits into the time.

use std::time::{Duration, Instant};

/// The expected time of a call is taken this much longer ...
const CAUTION: f64 = 1.3;
/// ... and so much more is left for the rest.
const RESERVE: Duration = Duration::from_secs(15);

/// How fast calls are, and when the process has to end.
pub(super) struct Pace {
    ends: Option<Instant>,
    cost: u64,
    took: Duration,
}

impl Pace {
    pub(super) fn new(ends: Option<Instant>) -> Self {
        Self { ends, cost: 0, took: Duration::ZERO }
    }

    /// A call of this cost took so long.
    pub(super) fn note(&mut self, cost: u64, took: Duration) {
        self.cost = self.cost.saturating_add(cost);
        self.took += took;
    }

    /// Whether a call of this cost would be done in time; the first is begun when there is any time at all.
    pub(super) fn fits(&self, cost: u64) -> bool {
        let Some(ends) = self.ends else { return true };
        let left = ends.saturating_duration_since(Instant::now());
        left > self.expected(cost).mul_f64(CAUTION) + RESERVE
    }

    fn expected(&self, cost: u64) -> Duration {
        match self.cost {
            0 => Duration::ZERO,
            // Bounded, so that no product is too long for a duration.
            known => self.took.mul_f64((cost as f64 / known as f64).min(1e6)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_would_be_done_in_time_is_begun() {
        let limited = |seconds| Pace::new(Some(Instant::now() + Duration::from_secs(seconds)));
        assert!(Pace::new(None).fits(u64::MAX));
        assert!(limited(20).fits(1) && !limited(10).fits(1));
        let mut pace = limited(100);
        pace.note(10, Duration::from_secs(20));
        assert!(pace.fits(30), "60 s are expected, 78 s with caution");
        assert!(!pace.fits(35), "70 s are expected, 91 s with caution");
    }
}
