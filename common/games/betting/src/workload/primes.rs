//! The moduli: primes just below 2^62, found cell by cell.

use crate::decimal::Montgomery;

/// Numbers of a cell.
pub(super) const CELL: u64 = 8192;
/// Most primes taken from a cell; about 190 are there, fewer than 128 in one cell of a million.
pub(super) const CELL_PRIMES: usize = 128;
/// Cells are counted downwards from here.
const TOP: u64 = 1 << 62;
/// Most cells, so that every number has 62 bits.
pub(super) const MAX_CELLS: u32 = 1 << 24;

/// Primes that are sieved out.
const SMALL: [u64; 45] = {
    let mut primes = [0; 45];
    let (mut found, mut number) = (0, 3);
    while found < 45 {
        let mut divisor = 3;
        while divisor * divisor <= number && number % divisor != 0 {
            divisor += 2;
        }
        if divisor * divisor > number {
            primes[found] = number;
            found += 1;
        }
        number += 2;
    }
    primes
};

/// Bases that together decide every number below 2^64 (J. Sinclair, 2011). The first rejects nearly all composites; the
/// others are tried at once, so that their multiplications overlap.
const FIRST_BASE: [u64; 1] = [2];
const OTHER_BASES: [u64; 6] = [325, 9375, 28178, 450_775, 9_780_504, 1_795_265_022];

/// The numbers of a cell: `TOP - (cell + 1) * CELL .. TOP - cell * CELL`.
pub(super) fn bounds(cell: u32) -> std::ops::Range<u64> {
    let end = TOP - u64::from(cell) * CELL;
    end - CELL..end
}

/// The largest [`CELL_PRIMES`] primes of a cell, or all if there are fewer, from the largest down.
pub(super) fn primes(cell: u32) -> Vec<u64> {
    let range = bounds(cell);
    // Odd numbers only: entry k stands for range.start + 1 + 2 * k.
    let mut composite = [false; CELL as usize / 2];
    for prime in SMALL {
        let rest = (range.start + 1) % prime;
        // The first k with 2 * k = -rest modulo the prime.
        let twice = if rest == 0 { 0 } else { prime - rest };
        let first = if twice.is_multiple_of(2) { twice / 2 } else { (twice + prime) / 2 };
        for entry in (first as usize..composite.len()).step_by(prime as usize) {
            composite[entry] = true;
        }
    }
    let candidates = (0..composite.len()).rev().filter(|entry| !composite[*entry]);
    let numbers = candidates.map(|entry| range.start + 1 + 2 * entry as u64);
    numbers.filter(|number| is_prime(*number)).take(CELL_PRIMES).collect()
}

/// Whether an odd number from 3 to 2^63 is prime.
pub(super) fn is_prime(number: u64) -> bool {
    let field = Montgomery::new(number);
    passes(&field, FIRST_BASE) && passes(&field, OTHER_BASES)
}

/// Miller's test to some bases; a base that the number divides says nothing.
fn passes<const N: usize>(field: &Montgomery, bases: [u64; N]) -> bool {
    let number = field.modulus;
    let bases = bases.map(|base| field.enter(base));
    let (one, minus_one) = (field.enter(1), field.enter(number - 1));
    let twos = (number - 1).trailing_zeros();
    let odd = (number - 1) >> twos;
    let square = |powers: [u64; N]| powers.map(|power| field.mul(power, power));
    let mut powers = bases;
    for bit in (0..odd.ilog2()).rev() {
        powers = square(powers);
        if odd >> bit & 1 == 1 {
            powers = std::array::from_fn(|lane| field.mul(powers[lane], bases[lane]));
        }
    }
    let mut passed: [bool; N] = std::array::from_fn(|lane| {
        bases[lane] == 0 || powers[lane] == one || powers[lane] == minus_one
    });
    for _ in 1..twos {
        powers = square(powers);
        passed = std::array::from_fn(|lane| passed[lane] || powers[lane] == minus_one);
    }
    passed.iter().all(|passed| *passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_primes_are_those_of_division() {
        for number in (3..20_000u64).step_by(2) {
            let divided = (3..).step_by(2).take_while(|d| d * d <= number).all(|d| number % d != 0);
            assert_eq!(is_prime(number), divided, "{number}");
        }
        // Strong pseudoprimes to the first bases, and large primes.
        for composite in [2_047, 3_215_031_751, 3_474_749_660_383, 341_550_071_728_321] {
            assert!(!is_prime(composite), "{composite}");
        }
        assert!(is_prime((1 << 61) - 1) && is_prime(TOP - 57));
    }

    #[test]
    fn a_cell_gives_its_largest_primes() {
        for cell in [0, 1, 77_777] {
            let found = primes(cell);
            let all: Vec<u64> = bounds(cell)
                .rev()
                .filter(|n| n % 2 == 1 && is_prime(*n))
                .take(CELL_PRIMES)
                .collect();
            assert_eq!(found, all);
            assert_eq!(found.len(), CELL_PRIMES);
        }
        assert_eq!(bounds(0).end, bounds(1).end + CELL);
    }
}
