//! Shifts by whole limbs: fixed-point numbers are whole numbers that count a power of the base.

use super::{BASE, Decimal};

impl Decimal {
    /// `self * BASE^limbs`.
    pub(crate) fn shifted_up(&self, limbs: usize) -> Self {
        if self.is_zero() {
            return Self::zero();
        }
        let mut shifted = vec![0; limbs];
        shifted.extend_from_slice(&self.limbs);
        Self { limbs: shifted }
    }

    /// `floor(self / BASE^limbs)`.
    pub(crate) fn shifted_down(&self, limbs: usize) -> Self {
        Self { limbs: self.limbs.get(limbs..).unwrap_or_default().to_vec() }
    }

    /// `floor(self / BASE^from) mod BASE^(to - from)`.
    pub(crate) fn between(&self, from: usize, to: usize) -> Self {
        let to = to.min(self.limbs.len());
        Self::from_limbs(self.limbs.get(from..to).unwrap_or_default().to_vec())
    }

    /// `self * factor`, for a factor below the base.
    pub(crate) fn times(&self, factor: u64) -> Self {
        debug_assert!(factor < BASE, "longer factors are numbers");
        self.mul(&Self::from(factor))
    }
}
