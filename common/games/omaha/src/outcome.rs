//! Exact counts of wins, ties and losses.

use std::ops::{Add, AddAssign, Mul};

/// Boards (times hands, where a cluster stands for several) that the first side wins, ties and loses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Won by the first side.
    pub win: u64,
    /// Split.
    pub tie: u64,
    /// Lost by the first side.
    pub lose: u64,
}

impl Outcome {
    /// All of them.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.win + self.tie + self.lose
    }

    /// Seen from the other side.
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self { win: self.lose, tie: self.tie, lose: self.win }
    }

    /// Share of the pot: wins plus half the ties, over all; `None` when there is nothing to share.
    #[must_use]
    pub fn equity(&self) -> Option<f64> {
        let total = self.total();
        // Doubled in u128 first: exact up to the one division.
        (total > 0).then(|| {
            (2 * u128::from(self.win) + u128::from(self.tie)) as f64
                / (2 * u128::from(total)) as f64
        })
    }
}

impl Add for Outcome {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { win: self.win + other.win, tie: self.tie + other.tie, lose: self.lose + other.lose }
    }
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<u64> for Outcome {
    type Output = Self;

    fn mul(self, factor: u64) -> Self {
        Self { win: self.win * factor, tie: self.tie * factor, lose: self.lose * factor }
    }
}
