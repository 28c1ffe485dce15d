//! A number of any size from its residues: the Chinese remainder theorem by product trees.
//!
//! With `M` the product of all moduli, `x = sum of c_i * (M / p_i) - q * M`, where `c_i = r_i / (M / p_i) mod p_i`. Both
//! the sum and all `M / p_i mod p_i` come from trees: sums `N = N_1 P_2 + N_2 P_1` go up; down goes, for each node, the
//! fraction of `D / P` with `D = sum of M / p_i`, and `D mod p_i = M / p_i mod p_i`. On the way down a fraction is only
//! multiplied (the scaled remainder tree: D. J. Bernstein, "Scaled remainder trees", 2004), so that the one division is
//! a reciprocal of `M`.

use rayon::prelude::*;

use crate::decimal::{BASE, Decimal, Montgomery};

/// Moduli of a leaf.
const LEAF: usize = 16;
/// Limbs of a node's fraction beyond those of its product. What is cut off at a level is less than one unit of the last
/// of them, and multiplying by what divides the product on the way down keeps it as small against every later one.
const GUARD: usize = 2;

/// A modulus and the residue of the wanted number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Residue {
    pub(super) modulus: u64,
    pub(super) residue: u64,
}

/// Why residues have no common number. Only damaged ones are like that.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum RemainderError {
    /// Two moduli are the same, or not prime.
    #[error("modulus {0} has no inverse where it must have one")]
    Modulus(u64),
    /// The number is not small against the product of the moduli.
    #[error("the moduli are too few for the number")]
    TooFew,
}

/// The number below `M / 2^32` with these residues modulo distinct odd primes below 2^63.
pub(super) fn number(residues: &[Residue]) -> Result<Decimal, RemainderError> {
    let tree = Tree::new(residues);
    let derivative = tree.sum(residues, |_| 1);
    let cofactors = tree.remainders(residues, &derivative);
    let coefficients = residues
        .par_iter()
        .zip(&cofactors)
        .map(|(residue, cofactor)| {
            let field = Montgomery::new(residue.modulus);
            let cofactor = field.enter(*cofactor);
            let inverse = field.pow(cofactor, u128::from(residue.modulus) - 2);
            match field.leave(field.mul(inverse, cofactor)) {
                1 => Ok(field.leave(field.mul(inverse, field.enter(residue.residue)))),
                _ => Err(RemainderError::Modulus(residue.modulus)),
            }
        })
        .collect::<Result<Vec<u64>, _>>()?;
    let sum = tree.sum(residues, |index| coefficients[index]);
    // The sum of c_i / p_i is q and the small fraction x / M; both in units of 2^-64.
    let scaled: u128 = residues
        .iter()
        .zip(&coefficients)
        .map(|(residue, coefficient)| {
            (u128::from(*coefficient) << 64) / u128::from(residue.modulus)
        })
        .sum();
    let quotient = (scaled + (1 << 63)) >> 64;
    let multiple = tree.root().mul(&Decimal::from(quotient));
    let number = sum.checked_sub(&multiple).ok_or(RemainderError::TooFew)?;
    // A residue that does not belong gives a number as long as the product.
    if number.limbs().len() < tree.root().limbs().len() {
        Ok(number)
    } else {
        Err(RemainderError::TooFew)
    }
}

/// Products of the moduli: of each leaf, of each pair of leaves, and so on to the whole.
struct Tree {
    levels: Vec<Vec<Decimal>>,
}

impl Tree {
    fn new(residues: &[Residue]) -> Self {
        let leaf = |leaf: &[Residue]| {
            let moduli = leaf.iter().map(|residue| Decimal::from(residue.modulus));
            moduli.reduce(|a, b| a.mul(&b)).unwrap_or_else(Decimal::one)
        };
        let mut levels = vec![residues.par_chunks(LEAF).map(leaf).collect::<Vec<_>>()];
        while let Some(below) = levels.last().filter(|below| below.len() > 1) {
            let above = below.par_chunks(2).map(|pair| match pair {
                [a, b] => a.mul(b),
                alone => alone[0].clone(),
            });
            let above = above.collect();
            levels.push(above);
        }
        Self { levels }
    }

    fn root(&self) -> &Decimal {
        &self.levels.last().expect("there is a level")[0]
    }

    /// The sum of `coefficient(i) * M / p_i`.
    fn sum(&self, residues: &[Residue], coefficient: impl Fn(usize) -> u64 + Sync) -> Decimal {
        let leaf = |(position, leaf): (usize, &[Residue])| {
            let (mut sum, mut product) = (Decimal::zero(), Decimal::one());
            for (index, residue) in leaf.iter().enumerate() {
                let modulus = Decimal::from(residue.modulus);
                sum = sum.mul(&modulus);
                let coefficient = Decimal::from(coefficient(position * LEAF + index));
                sum.add_assign(&product.mul(&coefficient));
                product = product.mul(&modulus);
            }
            sum
        };
        let mut sums: Vec<Decimal> = residues.par_chunks(LEAF).enumerate().map(leaf).collect();
        for products in &self.levels[..self.levels.len() - 1] {
            sums = sums
                .par_chunks(2)
                .zip(products.par_chunks(2))
                .map(|pair| match pair {
                    ([a, b], [p, q]) => {
                        let mut sum = a.mul(q);
                        sum.add_assign(&b.mul(p));
                        sum
                    }
                    (alone, _) => alone[0].clone(),
                })
                .collect();
        }
        sums.pop().unwrap_or_default()
    }

    /// `number mod p_i` for every modulus, for a number below the product of all.
    fn remainders(&self, residues: &[Residue], number: &Decimal) -> Vec<u64> {
        let root = self.root();
        let limbs = root.limbs().len() + GUARD;
        let mut fractions = vec![Fraction { value: quotient(number, root, limbs), limbs }];
        for products in self.levels[..self.levels.len() - 1].iter().rev() {
            fractions = products
                .par_iter()
                .enumerate()
                .map(|(position, product)| {
                    let parent = &fractions[position / 2];
                    match products.get(position ^ 1) {
                        Some(sibling) => parent.times(sibling, product.limbs().len() + GUARD),
                        None => parent.clone(),
                    }
                })
                .collect();
        }
        let leaves = residues.par_chunks(LEAF).zip(&self.levels[0]).zip(&fractions);
        let remainders = leaves.flat_map_iter(|((leaf, product), fraction)| {
            let remainder = fraction.numerator(product);
            leaf.iter().map(move |residue| remainder.residue(residue.modulus))
        });
        remainders.collect()
    }
}

/// `value / BASE^limbs`, from 0 to 1.
#[derive(Clone)]
struct Fraction {
    value: Decimal,
    limbs: usize,
}

impl Fraction {
    /// The first `limbs` limbs of the fractional part of `self * factor`.
    fn times(&self, factor: &Decimal, limbs: usize) -> Self {
        let value = self.value.mul(factor).between(self.limbs - limbs, self.limbs);
        Self { value, limbs }
    }

    /// The whole number nearest to `self * denominator`.
    fn numerator(&self, denominator: &Decimal) -> Decimal {
        let mut product = self.value.mul(denominator);
        product.add_assign(&Decimal::from(BASE / 2).shifted_up(self.limbs - 1));
        product.shifted_down(self.limbs)
    }
}

/// `number * BASE^limbs / divisor` within a few units, for a number below the divisor.
fn quotient(number: &Decimal, divisor: &Decimal, limbs: usize) -> Decimal {
    let top = divisor.limbs().last().expect("a divisor is not zero");
    // A factor that makes the divisor's top limb at least half of the base.
    let factor = BASE / (top + 1);
    let (number, divisor) = (number.times(factor), divisor.times(factor));
    let precision = limbs + 1;
    let inverse = reciprocal(&divisor, precision);
    number.mul(&inverse).shifted_down(divisor.limbs().len() + precision - limbs)
}

/// `BASE^(len + precision) / divisor` within a few units, for a divisor of `len` limbs whose top limb is at least half
/// of the base: Newton's iteration, which doubles the right limbs.
fn reciprocal(divisor: &Decimal, precision: usize) -> Decimal {
    let len = divisor.limbs().len();
    let base = u128::from(BASE);
    let mut inverse = Decimal::from(base * base / u128::from(divisor.limbs()[len - 1]));
    let mut limbs = 1;
    while limbs < precision {
        let next = (2 * limbs - 1).max(limbs + 1).min(precision);
        let leading = match len.checked_sub(next) {
            Some(dropped) => divisor.shifted_down(dropped),
            None => divisor.shifted_up(next - len),
        };
        let one = Decimal::one().shifted_up(limbs + next);
        let product = leading.mul(&inverse);
        let shifted = inverse.shifted_up(next - limbs);
        let correct = |error: Decimal| error.mul(&inverse).shifted_down(2 * limbs);
        inverse = match one.clone().checked_sub(&product) {
            Some(error) => {
                let mut sum = shifted;
                sum.add_assign(&correct(error));
                sum
            }
            None => {
                let error = product.checked_sub(&one).expect("one of the differences exists");
                shifted.checked_sub(&correct(error)).expect("corrections are small")
            }
        };
        limbs = next;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use proptest::prelude::*;

    use super::super::primes::primes;
    use super::*;

    fn big(number: &Decimal) -> BigUint {
        number.to_string().parse().unwrap()
    }

    fn moduli(count: usize) -> Vec<u64> {
        (0..).flat_map(primes).take(count).collect()
    }

    fn residues(number: &Decimal, moduli: &[u64]) -> Vec<Residue> {
        let residue =
            |modulus: &u64| Residue { modulus: *modulus, residue: number.residue(*modulus) };
        moduli.iter().map(residue).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_number_comes_back_from_its_residues(
            limbs in prop::collection::vec(0..BASE, 0..700), spare in 2usize..40
        ) {
            let value = Decimal::from_limbs(limbs);
            let moduli = moduli(value.limbs().len() + spare);
            prop_assert_eq!(number(&residues(&value, &moduli)), Ok(value));
        }

        #[test]
        fn quotients_are_those_of_another_library(
            dividend in prop::collection::vec(0..BASE, 1..60), divisor in prop::collection::vec(0..BASE, 1..60),
            top in prop_oneof![Just(1), Just(BASE - 1), 1..BASE], limbs in 1usize..90
        ) {
            let divisor = Decimal::from_limbs([divisor, vec![top]].concat());
            let dividend = Decimal::from_limbs(dividend);
            prop_assume!(dividend < divisor);
            let exact = (big(&dividend) * BigUint::from(BASE).pow(limbs as u32)) / big(&divisor);
            let found = big(&quotient(&dividend, &divisor, limbs));
            let apart = if found > exact { found - exact } else { exact - found };
            prop_assert!(apart < BigUint::from(8u32), "{} units", apart);
        }
    }

    #[test]
    fn every_remainder_is_that_of_division() {
        for count in [1, 2, 15, 16, 17, 33, 100, 1000, 4000] {
            let moduli = moduli(count);
            let residues = residues(&Decimal::zero(), &moduli);
            let tree = Tree::new(&residues);
            let value = tree.sum(&residues, |_| 1);
            let expected: Vec<u64> = moduli.iter().map(|modulus| value.residue(*modulus)).collect();
            assert_eq!(tree.remainders(&residues, &value), expected, "{count}");
        }
    }

    #[test]
    fn damage_is_noticed() {
        let moduli = moduli(40);
        let value = Decimal::from(12_345u64);
        let mut wrong = residues(&value, &moduli);
        wrong[7].residue += 1;
        assert_eq!(number(&wrong), Err(RemainderError::TooFew));
        let mut twice = residues(&value, &moduli);
        twice[8] = twice[7];
        assert_eq!(number(&twice), Err(RemainderError::Modulus(moduli[7])));
    }
}
