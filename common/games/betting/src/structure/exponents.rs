//! Numbers of unreduced strategies: a choice at every information set, as powers of primes.

use std::collections::BTreeMap;
use std::fmt;

use super::{Cards, Counts, Hands};
use crate::decimal::Decimal;

/// A product of powers of primes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Factored(BTreeMap<u32, Decimal>);

impl Factored {
    /// The primes and their exponents.
    pub fn powers(&self) -> impl Iterator<Item = (u32, &Decimal)> {
        self.0.iter().map(|(prime, exponent)| (*prime, exponent))
    }

    /// Multiplies by `number` to the power of `exponent`.
    ///
    /// # Panics
    /// If `number` is zero.
    pub fn multiply(&mut self, number: u32, exponent: &Decimal) {
        assert!(number > 0, "zero has no factors");
        let mut rest = number;
        let mut divisor = 2;
        while rest > 1 {
            if divisor * divisor > rest {
                divisor = rest;
            }
            let mut power = 0u64;
            while rest.is_multiple_of(divisor) {
                rest /= divisor;
                power += 1;
            }
            if power > 0 && !exponent.is_zero() {
                let more = exponent.mul(&Decimal::from(power));
                self.0.entry(divisor).or_default().add_assign(&more);
            }
            divisor += 1;
        }
    }
}

impl fmt::Display for Factored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("1");
        }
        let powers: Vec<_> = self.0.iter().map(|(p, exponent)| format!("{p}^{exponent}")).collect();
        f.write_str(&powers.join(" * "))
    }
}

/// The number of unreduced pure strategies of a player, from 0: one action for every information set, whether or not
/// own earlier choices exclude it.
///
/// # Panics
/// If there is no such player.
#[must_use]
pub fn unreduced(counts: &Counts, cards: &Cards, hands: &Hands, player: usize) -> Factored {
    let mut product = Factored::default();
    for (round, counts) in counts.rounds.iter().enumerate() {
        let own = cards.own(hands, round);
        for (actions, times) in &counts.decisions[player] {
            product.multiply(*actions, &times.mul(&own));
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_apart() {
        let mut product = Factored::default();
        assert_eq!(product.to_string(), "1");
        for number in 1..=12 {
            product.multiply(number, &Decimal::one());
        }
        assert_eq!(product.to_string(), "2^10 * 3^5 * 5^2 * 7^1 * 11^1");
        product.multiply(9_409, &Decimal::from(3u64));
        assert!(product.to_string().ends_with(" * 97^6"));
    }
}
