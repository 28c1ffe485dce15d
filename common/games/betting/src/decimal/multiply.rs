//! Products: column by column when short, by transforms modulo three primes when long.

use rayon::prelude::*;

use super::division::by_base;
use super::prime_field::{Factor, pow_mod};
use super::schoolbook;
use super::transform::{MODULI, transforms};

/// Shorter factors of at most so many limbs are multiplied column by column.
const SCHOOLBOOK_LIMBS: usize = 100;
/// A factor so many times longer than the other is cut into pieces.
const UNBALANCED: usize = 3;

/// The limbs of `a * b`; leading ones may be zero.
pub(super) fn product(a: &[u64], b: &[u64]) -> Vec<u64> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.len() <= SCHOOLBOOK_LIMBS {
        return schoolbook::product(short, long);
    }
    if long.len() < UNBALANCED * short.len() {
        return convolve(short, Some(long));
    }
    let mut limbs = vec![0; short.len() + long.len()];
    for (position, piece) in long.chunks(2 * short.len()).enumerate() {
        let part = product(short, piece);
        add_at(&mut limbs, 2 * position * short.len(), &part);
    }
    limbs
}

/// The limbs of `a * a`; leading ones may be zero.
pub(super) fn square(a: &[u64]) -> Vec<u64> {
    if a.len() <= SCHOOLBOOK_LIMBS { schoolbook::product(a, a) } else { convolve(a, None) }
}

/// Adds `part` to `limbs` from limb `first` on; the sum fits.
fn add_at(limbs: &mut [u64], first: usize, part: &[u64]) {
    let mut carry = 0;
    for (position, limb) in limbs[first..].iter_mut().enumerate() {
        let more = part.get(position).copied();
        if more.is_none() && carry == 0 {
            return;
        }
        let sum = *limb + more.unwrap_or(0) + carry;
        carry = u64::from(sum >= super::BASE);
        *limb = sum - carry * super::BASE;
    }
}

fn convolve(a: &[u64], b: Option<&[u64]>) -> Vec<u64> {
    let limbs = a.len() + b.map_or(a.len(), <[u64]>::len);
    let len = (limbs - 1).next_power_of_two();
    let sums: Vec<Vec<u64>> =
        transforms().par_iter().map(|transform| transform.convolution(a, b, len)).collect();
    carry(&sums, limbs)
}

/// Sums known modulo three primes, as limbs: sum `k` counts for the base to the power of `k`.
fn carry(sums: &[Vec<u64>], limbs: usize) -> Vec<u64> {
    let garner = Garner::new();
    let mut result = Vec::with_capacity(limbs);
    let mut carry = 0u128;
    let residues = sums[0].iter().zip(&sums[1]).zip(&sums[2]);
    for ((first, second), third) in residues.take(limbs - 1) {
        let sum = garner.join([*first, *second, *third]);
        let (quotient, limb) = by_base(add(sum, carry));
        carry = quotient;
        result.push(limb);
    }
    result.push(carry as u64);
    result
}

#[inline(always)]
fn add([high, middle, low]: [u64; 3], more: u128) -> [u64; 3] {
    let (sum, overflow) = (u128::from(middle) << 64 | u128::from(low)).overflowing_add(more);
    [high + u64::from(overflow), (sum >> 64) as u64, sum as u64]
}

/// The least number with given residues modulo the three primes p, q and r, by H. Garner's method.
struct Garner {
    /// `1 / p mod q`.
    p_mod_q: Factor,
    /// `1 / p mod r`.
    p_mod_r: Factor,
    /// `1 / q mod r`.
    q_mod_r: Factor,
}

impl Garner {
    fn new() -> Self {
        let [p, q, r] = MODULI;
        let inverse =
            |value: u64, modulus: u64| Factor::new(pow_mod(value, modulus - 2, modulus), modulus);
        Self { p_mod_q: inverse(p % q, q), p_mod_r: inverse(p, r), q_mod_r: inverse(q, r) }
    }

    /// Three words, most significant first.
    #[inline(always)]
    fn join(&self, [x, y, z]: [u64; 3]) -> [u64; 3] {
        let [p, q, r] = MODULI;
        let below =
            |value: u64, modulus: u64| if value >= modulus { value - modulus } else { value };
        // The moduli are so close that a residue is below twice each other modulus.
        let second = below(self.p_mod_q.times(y + q - below(x, q), q), q);
        let third = below(self.p_mod_r.times(z + r - below(x, r), r), r);
        let third = below(self.q_mod_r.times(third + r - below(second, r), r), r);
        // x + p * (second + q * third)
        let inner = u128::from(q) * u128::from(third) + u128::from(second);
        let low = u128::from(p) * u128::from(inner as u64) + u128::from(x);
        let high = u128::from(p) * (inner >> 64) + (low >> 64);
        [(high >> 64) as u64, high as u64, low as u64]
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use proptest::prelude::*;

    use super::*;
    use crate::decimal::{BASE, Decimal};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn transforms_multiply_as_columns_do(
            a in prop::collection::vec(0..BASE, 1..400), b in prop::collection::vec(0..BASE, 1..900)
        ) {
            let expected = schoolbook::product(&a, &b);
            prop_assert_eq!(&convolve(&a, Some(&b)), &expected);
            prop_assert_eq!(Decimal::from_limbs(product(&a, &b)), Decimal::from_limbs(expected));
            prop_assert_eq!(convolve(&a, None), schoolbook::product(&a, &a));
        }
    }

    #[test]
    fn the_largest_limbs_do_not_overflow() {
        for len in [101, 256, 257, 1000, 5000] {
            let nines = vec![BASE - 1; len];
            // (10^n - 1)^2 = 10^(2n) - 2 * 10^n + 1
            let mut expected = vec![0; 2 * len];
            expected[0] = 1;
            expected[len] = BASE - 2;
            expected[len + 1..].fill(BASE - 1);
            assert_eq!(square(&nines), expected);
            assert_eq!(product(&nines, &nines), expected);
        }
    }

    #[test]
    fn residues_are_joined() {
        let [p, q, r] = MODULI.map(BigUint::from);
        let whole = &p * &q * &r - 1u32;
        let word = |number: BigUint| u64::try_from(number).unwrap();
        let residues = [&p, &q, &r].map(|modulus| word(&whole % modulus));
        let joined = Garner::new().join(residues);
        let value = joined.iter().fold(BigUint::ZERO, |value, word| (value << 64) + *word);
        assert_eq!(value, whole);
    }
}
