//! Division of short numbers by the base, with a precomputed reciprocal instead of the processor's slow division.
//!
//! Source: N. Möller, T. Granlund, "Improved division by invariant integers", IEEE Transactions on Computers 60 (2011),
//! algorithm 4.

use super::BASE;

/// Leading zeros of the base.
const SHIFT: u32 = BASE.leading_zeros();
/// The base, shifted until its highest bit is set.
const DIVISOR: u64 = BASE << SHIFT;
/// `floor((2^128 - 1) / DIVISOR) - 2^64`.
const RECIPROCAL: u64 = (u128::MAX / DIVISOR as u128 - (1 << 64)) as u64;

/// Quotient and remainder of `high * 2^64 + low` by [`DIVISOR`], for `high < DIVISOR`.
#[inline(always)]
fn divide(high: u64, low: u64) -> (u64, u64) {
    let estimate =
        u128::from(RECIPROCAL) * u128::from(high) + ((u128::from(high) << 64) | u128::from(low));
    let (mut quotient, fraction) = ((estimate >> 64) as u64, estimate as u64);
    quotient = quotient.wrapping_add(1);
    let mut rest = low.wrapping_sub(quotient.wrapping_mul(DIVISOR));
    if rest > fraction {
        quotient = quotient.wrapping_sub(1);
        rest = rest.wrapping_add(DIVISOR);
    }
    if rest >= DIVISOR {
        quotient = quotient.wrapping_add(1);
        rest -= DIVISOR;
    }
    (quotient, rest)
}

/// Quotient and remainder of a number below `BASE * 2^128`, most significant word first, by the base.
#[inline(always)]
pub(super) fn by_base([high, middle, low]: [u64; 3]) -> (u128, u64) {
    let rest = (high << SHIFT) | (middle >> (64 - SHIFT));
    let (upper, rest) = divide(rest, (middle << SHIFT) | (low >> (64 - SHIFT)));
    let (lower, rest) = divide(rest, low << SHIFT);
    (u128::from(upper) << 64 | u128::from(lower), rest >> SHIFT)
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use proptest::prelude::*;

    use super::*;

    fn words() -> impl Strategy<Value = u64> {
        prop_oneof![Just(0), Just(u64::MAX), Just(BASE - 1), any::<u64>()]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_base_is_divided_out(high in words(), middle in words(), low in words()) {
            let high = high % BASE;
            let (quotient, rest) = by_base([high, middle, low]);
            prop_assert!(rest < BASE);
            let whole = (BigUint::from(high) << 128) + (BigUint::from(middle) << 64) + low;
            prop_assert_eq!(BigUint::from(quotient) * BASE + rest, whole);
        }
    }
}
