//! Arithmetic modulo primes below 2^63, by Montgomery's method and with precomputed factors.

/// `a * b mod modulus` for any modulus.
#[inline]
pub(crate) fn mul_mod(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

/// `base^exponent mod modulus`.
pub(crate) fn pow_mod(mut base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let mut power = 1 % modulus;
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = mul_mod(power, base, modulus);
        }
        base = mul_mod(base, base, modulus);
        exponent >>= 1;
    }
    power
}

/// A factor known in advance, with its quotient by the modulus: multiplying by it takes no division (V. Shoup).
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor {
    pub(super) value: u64,
    /// `floor(value * 2^64 / modulus)`.
    pub(super) quotient: u64,
}

impl Factor {
    pub(super) fn new(value: u64, modulus: u64) -> Self {
        let quotient = ((u128::from(value) << 64) / u128::from(modulus)) as u64;
        Self { value, quotient }
    }

    /// A number congruent to `value * x`, below twice the modulus; `x` is any word.
    #[inline(always)]
    pub(super) fn times(self, x: u64, modulus: u64) -> u64 {
        let quotient = ((u128::from(self.quotient) * u128::from(x)) >> 64) as u64;
        self.value.wrapping_mul(x).wrapping_sub(quotient.wrapping_mul(modulus))
    }
}

/// An odd modulus below 2^63 with what Montgomery's multiplication needs. A number `x` is held as `x * 2^64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Montgomery {
    pub(crate) modulus: u64,
    /// `-1 / modulus mod 2^64`.
    negated_inverse: u64,
    /// `2^128 mod modulus`.
    square_of_radix: u64,
}

impl Montgomery {
    /// # Panics
    /// If `modulus` is even, below 3, or not below 2^63.
    pub(crate) fn new(modulus: u64) -> Self {
        assert!(modulus % 2 == 1 && modulus > 1 && modulus < 1 << 63, "an odd modulus below 2^63");
        // Newton's iteration doubles the right low bits: 3, 6, 12, 24, 48, 96.
        let inverse = (0..5).fold(modulus, |inverse, _| {
            inverse.wrapping_mul(2u64.wrapping_sub(modulus.wrapping_mul(inverse)))
        });
        let radix = ((1u128 << 64) % u128::from(modulus)) as u64;
        Self {
            modulus,
            negated_inverse: inverse.wrapping_neg(),
            square_of_radix: mul_mod(radix, radix, modulus),
        }
    }

    /// `a * b / 2^64 mod modulus`, for a product below `modulus * 2^64`.
    #[inline(always)]
    pub(crate) fn mul(&self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        let factor = (product as u64).wrapping_mul(self.negated_inverse);
        let sum = (product + u128::from(factor) * u128::from(self.modulus)) >> 64;
        let sum = sum as u64;
        if sum >= self.modulus { sum - self.modulus } else { sum }
    }

    #[inline(always)]
    pub(crate) fn add(&self, a: u64, b: u64) -> u64 {
        let sum = a + b;
        if sum >= self.modulus { sum - self.modulus } else { sum }
    }

    /// Into Montgomery's form.
    #[inline]
    pub(crate) fn enter(&self, value: u64) -> u64 {
        self.mul(value % self.modulus, self.square_of_radix)
    }

    /// Out of Montgomery's form.
    #[inline]
    pub(crate) fn leave(&self, value: u64) -> u64 {
        self.mul(value, 1)
    }

    /// `base^exponent`, both sides in Montgomery's form.
    pub(crate) fn pow(&self, mut base: u64, mut exponent: u128) -> u64 {
        let mut power = self.enter(1);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = self.mul(power, base);
            }
            base = self.mul(base, base);
            exponent >>= 1;
        }
        power
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn both_ways_of_multiplying_are_the_plain_one(
            modulus in 1u64..1 << 61, a in any::<u64>(), b in any::<u64>(), exponent in any::<u64>()
        ) {
            let modulus = 2 * modulus + 1;
            let field = Montgomery::new(modulus);
            let expected = mul_mod(a % modulus, b % modulus, modulus);
            let (x, y) = (field.enter(a), field.enter(b));
            prop_assert_eq!(field.leave(field.mul(x, y)), expected);
            let sum = (u128::from(a) + u128::from(b)) % u128::from(modulus);
            prop_assert_eq!(u128::from(field.leave(field.add(x, y))), sum);
            let power = field.leave(field.pow(x, exponent.into()));
            prop_assert_eq!(power, pow_mod(a % modulus, exponent, modulus));
            let lazy = Factor::new(a % modulus, modulus).times(b, modulus);
            prop_assert!(lazy < 2 * modulus);
            prop_assert_eq!(lazy % modulus, expected);
        }
    }
}
