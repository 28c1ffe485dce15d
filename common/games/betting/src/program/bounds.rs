//! Length and first digits of a number that nobody computes: bounds with a few limbs.

use super::{Program, Ring};
use crate::decimal::{Decimal, LIMB_DIGITS};

/// Limbs that are tried until the bounds agree.
const PRECISIONS: [usize; 4] = [4, 8, 16, 32];

/// A number below and a number above, both of few limbs and a power of the base.
#[derive(Clone, Debug)]
pub struct Bounds {
    low: Floating,
    high: Floating,
}

/// `mantissa * 10^(18 * exponent)`.
#[derive(Clone, Debug)]
struct Floating {
    mantissa: Decimal,
    exponent: u128,
}

/// Whether what does not fit is dropped or counted as one unit more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Down,
    Up,
}

impl Floating {
    fn new(value: u64) -> Self {
        Self { mantissa: Decimal::from(value), exponent: 0 }
    }

    fn rounded(self, limbs: usize, rounding: Rounding) -> Self {
        let held = self.mantissa.limbs();
        if held.len() <= limbs {
            return self;
        }
        let (dropped, kept) = held.split_at(held.len() - limbs);
        let mut mantissa = Decimal::from_limbs(kept.to_vec());
        if rounding == Rounding::Up && dropped.iter().any(|limb| *limb != 0) {
            mantissa.add_assign(&Decimal::one());
        }
        let exponent = self
            .exponent
            .checked_add(dropped.len() as u128)
            .expect("lengths of numbers stay below 2^128");
        // Rounding up may have made one limb more, a one followed by zeros.
        Self { mantissa, exponent }.rounded(limbs, rounding)
    }

    fn mul(&self, other: &Self, limbs: usize, rounding: Rounding) -> Self {
        let exponent =
            self.exponent.checked_add(other.exponent).expect("lengths of numbers stay below 2^128");
        Self { mantissa: self.mantissa.mul(&other.mantissa), exponent }.rounded(limbs, rounding)
    }

    fn pow(&self, exponent: u128, limbs: usize, rounding: Rounding) -> Self {
        let mut power = Self::new(1);
        for bit in (0..128 - exponent.leading_zeros()).rev() {
            power = power.mul(&power, limbs, rounding);
            if exponent >> bit & 1 == 1 {
                power = power.mul(self, limbs, rounding);
            }
        }
        power
    }

    fn add(&self, other: &Self, limbs: usize, rounding: Rounding) -> Self {
        let (small, large) =
            if self.exponent <= other.exponent { (self, other) } else { (other, self) };
        // Further apart than this the smaller one is less than a unit of the larger one's last limb.
        let apart = large.exponent - small.exponent;
        let mut sum = large.clone();
        if apart > (2 * limbs) as u128 {
            if rounding == Rounding::Up && !small.mantissa.is_zero() {
                sum.mantissa.add_assign(&Decimal::one());
            }
            return sum.rounded(limbs, rounding);
        }
        let mut shifted = vec![0; apart as usize];
        shifted.extend_from_slice(sum.mantissa.limbs());
        sum = Self { mantissa: Decimal::from_limbs(shifted), exponent: small.exponent };
        sum.mantissa.add_assign(&small.mantissa);
        sum.rounded(limbs, rounding)
    }

    /// Number of decimal digits.
    fn digits(&self) -> u128 {
        u128::from(self.mantissa.digits()) + self.exponent * LIMB_DIGITS as u128
    }
}

struct Enclosure {
    limbs: usize,
}

impl Ring for Enclosure {
    type Value = Bounds;

    fn constant(&self, value: u64) -> Bounds {
        Bounds { low: Floating::new(value), high: Floating::new(value) }
    }

    fn add_assign(&self, sum: &mut Bounds, more: &Bounds) {
        sum.low = sum.low.add(&more.low, self.limbs, Rounding::Down);
        sum.high = sum.high.add(&more.high, self.limbs, Rounding::Up);
    }

    fn product(&self, factors: &[(&Bounds, u128)]) -> Bounds {
        let limbs = self.limbs;
        let mut product = self.constant(1);
        for (factor, exponent) in factors {
            let low = factor.low.pow(*exponent, limbs, Rounding::Down);
            let high = factor.high.pow(*exponent, limbs, Rounding::Up);
            product.low = product.low.mul(&low, limbs, Rounding::Down);
            product.high = product.high.mul(&high, limbs, Rounding::Up);
        }
        product
    }
}

/// What is known of a number without computing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Number of decimal digits, exact.
    pub digits: u128,
    /// The first 20 digits, exact; all of them if there are fewer.
    pub first20: String,
    /// The decimal logarithm: its whole part is exact, its fraction rounded down.
    pub log10: String,
}

impl Estimate {
    /// Six digits of the fraction follow the whole part.
    const FRACTION: f64 = 1e6;

    fn of(bounds: &Bounds) -> Option<Self> {
        let digits = bounds.low.digits();
        let first = |bound: &Floating| bound.mantissa.first_digits(20);
        let first20 = first(&bounds.low);
        if digits != bounds.high.digits() || first20 != first(&bounds.high) {
            return None;
        }
        // Short numbers whose mantissa lost trailing zeros are padded.
        let whole = usize::try_from(digits).unwrap_or(usize::MAX).min(20);
        let first20 = format!("{first20:0<whole$}");
        let leading: f64 = first20[..whole.min(17)].parse().ok()?;
        let fraction = leading.log10() - (whole.min(17) - 1) as f64;
        let fraction = (fraction * Self::FRACTION).floor().clamp(0.0, Self::FRACTION - 1.0);
        let log10 = format!("{}.{fraction:06}", digits - 1);
        Some(Self { digits, first20, log10 })
    }
}

/// Length and first digits of a program's result, proved by bounds; `None` if even many digits leave them open (a
/// number within a hair of a power of ten).
///
/// # Panics
/// If the length exceeds 128 bits.
#[must_use]
pub fn estimate(program: &Program) -> Option<Estimate> {
    PRECISIONS
        .iter()
        .find_map(|limbs| Estimate::of(&program.evaluate(&Enclosure { limbs: *limbs })))
}
