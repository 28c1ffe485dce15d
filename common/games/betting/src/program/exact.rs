//! The number itself.

use std::cmp::Reverse;

use super::{Program, Ring, residue};
use crate::decimal::Decimal;

/// Whole numbers.
struct Whole;

impl Ring for Whole {
    type Value = Decimal;

    fn constant(&self, value: u64) -> Decimal {
        Decimal::from(value)
    }

    fn add_assign(&self, sum: &mut Decimal, more: &Decimal) {
        sum.add_assign(more);
    }

    /// All powers at once, from the highest bit of the exponents down: squares are shared.
    fn product(&self, factors: &[(&Decimal, u128)]) -> Decimal {
        let bits = factors.iter().map(|(_, exponent)| 128 - exponent.leading_zeros()).max();
        let mut power = Decimal::one();
        for bit in (0..bits.unwrap_or(0)).rev() {
            power = power.square();
            let set = factors.iter().filter(|(_, exponent)| exponent >> bit & 1 == 1);
            let set: Vec<&Decimal> = set.map(|(factor, _)| *factor).collect();
            if !set.is_empty() {
                power = power.mul(&multiply_all(&set));
            }
        }
        power
    }
}

/// The product of at least one number, the shortest first.
fn multiply_all(factors: &[&Decimal]) -> Decimal {
    let mut parts: Vec<Decimal> = factors.iter().map(|factor| (*factor).clone()).collect();
    while parts.len() > 1 {
        parts.sort_by_key(|part| Reverse(part.digits()));
        let pairs = parts.len().div_ceil(2);
        for _ in 0..parts.len() - pairs {
            let (Some(a), Some(b)) = (parts.pop(), parts.pop()) else { break };
            let product = a.mul(&b);
            parts.insert(0, product);
        }
    }
    parts.pop().unwrap_or_else(Decimal::one)
}

/// The result of a program. Size and time are the caller's worry: see [`super::estimate`].
#[must_use]
pub fn exact(program: &Program) -> Decimal {
    program.contracted().evaluate(&Whole)
}

/// Primes by whose residues a number is checked: 2^61 - 1, and the largest below 2^62.
const CHECK_MODULI: [u64; 2] = [(1 << 61) - 1, (1 << 62) - 57];

/// A computed number that does not have the residues it must have: a defect of the program or the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the number is {found} modulo {modulus}, where it must be {expected}: a defect of the program or the machine"
)]
pub struct Disagreement {
    /// The modulus.
    pub modulus: u64,
    /// The number's residue.
    pub found: u64,
    /// The residue found without the number.
    pub expected: u64,
}

/// The result of a program, checked against residues of the program itself.
///
/// # Errors
/// [`Disagreement`].
pub fn checked(program: &Program) -> Result<Decimal, Disagreement> {
    let number = exact(program);
    for modulus in CHECK_MODULI {
        let (found, expected) = (number.residue(modulus), residue(program, modulus));
        if found != expected {
            return Err(Disagreement { modulus, found, expected });
        }
    }
    Ok(number)
}
