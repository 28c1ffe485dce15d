//! Whole numbers of any size in base 10^18.
//!
//! Numbers of strategies are made by additions and multiplications alone and are wanted in decimal. In a decimal base
//! printing is free, where binary libraries spend most of their time converting; products of long numbers go through
//! number-theoretic transforms. Deliberately absent: signs, general division.

mod division;
mod limbs;
mod multiply;
mod prime_field;
mod schoolbook;
mod transform;

use std::cmp::Ordering;
use std::fmt;
use std::io::{self, Write};

pub(crate) use prime_field::{Montgomery, mul_mod};

/// The base: every limb is below it.
pub(crate) const BASE: u64 = 1_000_000_000_000_000_000;
/// Decimal digits of a limb.
pub(crate) const LIMB_DIGITS: usize = 18;
/// Limbs that are formatted at once when a number is written.
const WRITE_LIMBS: usize = 4096;

/// A whole number of any size, zero or more.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// Base 10^18, least significant first, without leading zeros: zero has no limbs.
    limbs: Vec<u64>,
}

impl Decimal {
    /// Zero.
    #[must_use]
    pub const fn zero() -> Self {
        Self { limbs: Vec::new() }
    }

    /// One.
    #[must_use]
    pub fn one() -> Self {
        Self { limbs: vec![1] }
    }

    /// From limbs below the base, least significant first; leading zeros are removed.
    pub(crate) fn from_limbs(mut limbs: Vec<u64>) -> Self {
        debug_assert!(limbs.iter().all(|limb| *limb < BASE), "limbs are below the base");
        let len = limbs.iter().rposition(|limb| *limb != 0).map_or(0, |last| last + 1);
        limbs.truncate(len);
        Self { limbs }
    }

    pub(crate) fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// Whether the number is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    /// Number of decimal digits; zero has one.
    #[must_use]
    pub fn digits(&self) -> u64 {
        match self.limbs.as_slice() {
            [] => 1,
            [rest @ .., top] => (rest.len() * LIMB_DIGITS) as u64 + u64::from(top.ilog10()) + 1,
        }
    }

    /// Adds `other` in place.
    pub fn add_assign(&mut self, other: &Self) {
        if self.limbs.len() < other.limbs.len() {
            self.limbs.resize(other.limbs.len(), 0);
        }
        let mut carry = false;
        for (position, limb) in self.limbs.iter_mut().enumerate() {
            let more = other.limbs.get(position).copied();
            if more.is_none() && !carry {
                return;
            }
            let sum = *limb + more.unwrap_or(0) + u64::from(carry);
            carry = sum >= BASE;
            *limb = if carry { sum - BASE } else { sum };
        }
        if carry {
            self.limbs.push(1);
        }
    }

    /// `self - other`, or `None` when that would be negative.
    #[must_use]
    pub fn checked_sub(mut self, other: &Self) -> Option<Self> {
        if self < *other {
            return None;
        }
        let mut borrow = false;
        for (position, limb) in self.limbs.iter_mut().enumerate() {
            let less = other.limbs.get(position).copied();
            if less.is_none() && !borrow {
                break;
            }
            let less = less.unwrap_or(0) + u64::from(borrow);
            borrow = *limb < less;
            *limb = if borrow { *limb + BASE - less } else { *limb - less };
        }
        Some(Self::from_limbs(self.limbs))
    }

    /// `self * other`.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Self {
        Self::from_limbs(multiply::product(&self.limbs, &other.limbs))
    }

    /// `self * self`, faster than [`Decimal::mul`].
    #[must_use]
    pub fn square(&self) -> Self {
        Self::from_limbs(multiply::square(&self.limbs))
    }

    /// `self` to the power of `exponent`.
    #[must_use]
    pub fn pow(&self, exponent: u128) -> Self {
        let mut power = Self::one();
        for bit in (0..128 - exponent.leading_zeros()).rev() {
            power = power.square();
            if exponent >> bit & 1 == 1 {
                power = power.mul(self);
            }
        }
        power
    }

    /// The remainder of dividing by `modulus`.
    ///
    /// # Panics
    /// If `modulus` is zero.
    #[must_use]
    pub fn residue(&self, modulus: u64) -> u64 {
        let base = BASE % modulus;
        self.limbs.iter().rev().fold(0, |rest, limb| {
            let raised = u128::from(rest) * u128::from(base) + u128::from(*limb);
            (raised % u128::from(modulus)) as u64
        })
    }

    /// The number, if it fits.
    #[must_use]
    pub fn to_u128(&self) -> Option<u128> {
        self.limbs.iter().rev().try_fold(0u128, |value, limb| {
            value.checked_mul(u128::from(BASE))?.checked_add(u128::from(*limb))
        })
    }

    /// Writes the digits, without a line end. Memory does not grow with the number.
    ///
    /// # Errors
    /// Any error of `out`.
    pub fn write_digits(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some((top, rest)) = self.limbs.split_last() else { return out.write_all(b"0") };
        write!(out, "{top}")?;
        let mut buffer = vec![0; WRITE_LIMBS * LIMB_DIGITS];
        for piece in rest.rchunks(WRITE_LIMBS) {
            let used = &mut buffer[..piece.len() * LIMB_DIGITS];
            for (limb, text) in piece.iter().rev().zip(used.chunks_mut(LIMB_DIGITS)) {
                format_limb(*limb, text);
            }
            out.write_all(used)?;
        }
        Ok(())
    }

    /// The first `count` digits, or all if there are fewer.
    #[must_use]
    pub fn first_digits(&self, count: usize) -> String {
        let limbs = count.div_ceil(LIMB_DIGITS) + 1;
        let top = &self.limbs[self.limbs.len().saturating_sub(limbs)..];
        let mut text = Self { limbs: top.to_vec() }.to_string();
        text.truncate(count);
        text
    }

    /// The last `count` digits, leading zeros among them; all digits if there are fewer.
    #[must_use]
    pub fn last_digits(&self, count: usize) -> String {
        let limbs = count.div_ceil(LIMB_DIGITS);
        if self.limbs.len() <= limbs {
            let text = self.to_string();
            return text[text.len().saturating_sub(count)..].to_owned();
        }
        let text: String = self.limbs[..limbs].iter().rev().map(|l| format!("{l:018}")).collect();
        text[text.len() - count..].to_owned()
    }
}

/// Eighteen digits of a limb.
fn format_limb(limb: u64, text: &mut [u8]) {
    let mut halves = [limb / 1_000_000_000, limb % 1_000_000_000];
    for (half, text) in halves.iter_mut().zip(text.chunks_mut(LIMB_DIGITS / 2)) {
        for digit in text.iter_mut().rev() {
            *digit = b'0' + (*half % 10) as u8;
            *half /= 10;
        }
    }
}

impl From<u64> for Decimal {
    fn from(value: u64) -> Self {
        Self::from_limbs(vec![value % BASE, value / BASE])
    }
}

impl From<u128> for Decimal {
    fn from(value: u128) -> Self {
        let base = u128::from(BASE);
        let limb = |value: u128| (value % base) as u64;
        Self::from_limbs(vec![limb(value), limb(value / base), limb(value / base / base)])
    }
}

/// Text that is no whole number in decimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a whole number in decimal digits is right")]
pub struct NotDecimal;

impl std::str::FromStr for Decimal {
    type Err = NotDecimal;

    fn from_str(text: &str) -> Result<Self, NotDecimal> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NotDecimal);
        }
        let limb = |digits: &[u8]| {
            digits.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'))
        };
        Ok(Self::from_limbs(text.as_bytes().rchunks(LIMB_DIGITS).map(limb).collect()))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_length = self.limbs.len().cmp(&other.limbs.len());
        by_length.then_with(|| self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(self.digits() as usize);
        self.write_digits(&mut text).map_err(|_| fmt::Error)?;
        f.pad_integral(true, "", std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.limbs.len() {
            0..=4 => write!(f, "{self}"),
            _ => write!(f, "{}..({} digits)", self.first_digits(LIMB_DIGITS), self.digits()),
        }
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use proptest::prelude::*;

    use super::*;

    fn big(number: &Decimal) -> BigUint {
        number.to_string().parse().unwrap()
    }

    /// Numbers whose limbs are often extreme, up to `limbs` of them.
    fn numbers(limbs: usize) -> impl Strategy<Value = Decimal> {
        let limb = prop_oneof![Just(0), Just(BASE - 1), 0..BASE];
        prop::collection::vec(limb, 0..=limbs).prop_map(Decimal::from_limbs)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn sums_differences_and_products_are_those_of_another_library(
            a in numbers(300), b in numbers(40), modulus in 1..=u64::MAX
        ) {
            let mut sum = a.clone();
            sum.add_assign(&b);
            prop_assert_eq!(big(&sum), big(&a) + big(&b));
            prop_assert_eq!(sum.checked_sub(&b), Some(a.clone()));
            prop_assert_eq!(b.clone().checked_sub(&a).is_some(), b >= a);
            prop_assert_eq!(big(&a.mul(&b)), big(&a) * big(&b));
            prop_assert_eq!(big(&a.square()), big(&a) * big(&a));
            prop_assert_eq!(BigUint::from(a.residue(modulus)), big(&a) % modulus);
            prop_assert_eq!(a.cmp(&b), big(&a).cmp(&big(&b)));
        }

        #[test]
        fn digits_and_ends_are_those_of_the_text(a in numbers(5), count in 1usize..60) {
            let text = a.to_string();
            prop_assert_eq!(a.digits() as usize, text.len());
            prop_assert_eq!(a.first_digits(count), &text[..count.min(text.len())]);
            prop_assert_eq!(a.last_digits(count), &text[text.len().saturating_sub(count)..]);
            prop_assert_eq!(text.parse(), Ok(a));
        }

        #[test]
        fn powers(base in 0u64..50, exponent in 0u32..60) {
            let expected = BigUint::from(base).pow(exponent);
            prop_assert_eq!(big(&Decimal::from(base).pow(exponent.into())), expected);
        }
    }

    #[test]
    fn small_numbers_convert_both_ways() {
        for value in [0, 1, 9, 10, u128::from(BASE) - 1, u128::from(BASE), u128::MAX] {
            assert_eq!(Decimal::from(value).to_u128(), Some(value));
            assert_eq!(Decimal::from(value).to_string(), value.to_string());
        }
        assert_eq!(Decimal::from(u128::MAX).square().to_u128(), None);
        for text in ["", "-1", "1e5", " 1"] {
            assert_eq!(text.parse::<Decimal>(), Err(NotDecimal), "{text}");
        }
    }
}
