//! Numbers to count with that lie together in memory.

use crate::decimal::Decimal;

/// What histories are counted with.
pub(super) trait Tally: Copy + PartialEq {
    const ZERO: Self;
    const ONE: Self;

    fn add(&mut self, more: &Self);
}

/// For a first look at how large the counts become.
impl Tally for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    fn add(&mut self, more: &Self) {
        *self += more;
    }
}

/// A whole number below `2^(64 * N)`, least significant word first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Tally for Wide<N> {
    const ZERO: Self = Self([0; N]);
    const ONE: Self = {
        let mut words = [0; N];
        words[0] = 1;
        Self(words)
    };

    /// # Panics
    /// If the sum does not fit: the width was chosen too small.
    #[inline(always)]
    fn add(&mut self, more: &Self) {
        let mut carry = false;
        for (word, more) in self.0.iter_mut().zip(&more.0) {
            let (sum, first) = word.overflowing_add(*more);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*word, carry) = (sum, first || second);
        }
        assert!(!carry, "the width was chosen for the largest count");
    }
}

impl<const N: usize> Wide<N> {
    pub(super) fn decimal(&self) -> Decimal {
        let radix = Decimal::from(1u128 << 64);
        self.0.iter().rev().fold(Decimal::zero(), |value, word| {
            let mut value = value.mul(&radix);
            value.add_assign(&Decimal::from(*word));
            value
        })
    }
}
