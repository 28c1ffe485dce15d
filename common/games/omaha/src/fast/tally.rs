//! Wins and losses in one word, so that sums of both cost one addition.

use std::ops::{Add, AddAssign, Mul, Neg};

/// A signed count of wins (low half) and of losses (high half), each within 32 bits. Sums and products by small
/// factors act on both halves at once; the borrow between them is undone when they are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally(u64);

impl Tally {
    pub(crate) const ZERO: Self = Self(0);

    pub(crate) const fn new(win: i32, lose: i32) -> Self {
        Self((win as i64 as u64).wrapping_add((lose as i64 as u64) << 32))
    }

    pub(crate) const fn win(self) -> i32 {
        self.0 as i32
    }

    pub(crate) const fn lose(self) -> i32 {
        (self.0.wrapping_sub(self.win() as i64 as u64) >> 32) as i32
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Neg for Tally {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.wrapping_neg())
    }
}

impl Mul<u64> for Tally {
    type Output = Self;

    fn mul(self, factor: u64) -> Self {
        Self(self.0.wrapping_mul(factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_keep_their_signs() {
        for (win, lose) in [(0, 0), (-1, 0), (0, -1), (5, -7), (-5, 7), (-26_000_000, 26_000_000)] {
            let tally = Tally::new(win, lose);
            assert_eq!((tally.win(), tally.lose()), (win, lose));
            let sum = tally * 3 + Tally::new(2, -3) + -Tally::new(1, 1);
            assert_eq!((sum.win(), sum.lose()), (3 * win + 1, 3 * lose - 4));
        }
    }
}
