//! Totals over all positions of `colours` x `balls`: by looking at every position, and in closed form.

use std::ops::Range;

use num_bigint::BigInt;

/// What is counted over positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Positions in which the player to move loses, normal rule.
    pub lost: u64,
    /// Winning moves of all positions together, normal rule.
    pub winning_moves: u64,
    /// The same if the last ball loses.
    pub lost_misere: u64,
    /// The same if the last ball loses.
    pub winning_moves_misere: u64,
}

impl Counted {
    /// Adds in place.
    pub fn add(&mut self, more: &Self) {
        self.lost += more.lost;
        self.winning_moves += more.winning_moves;
        self.lost_misere += more.lost_misere;
        self.winning_moves_misere += more.winning_moves_misere;
    }
}

/// Positions whose last colours are looked at together, at most.
const BLOCK: usize = 4096;

/// Positions of one basket, numbered by missing balls in mixed radix, colour 1 slowest.
#[derive(Clone, Debug)]
pub struct Positions {
    colours: usize,
    balls: u16,
    /// The last colours' heaps, by colour and number within the block.
    heaps: Vec<Vec<u16>>,
    /// Their exclusive or.
    xors: Vec<u16>,
}

impl Positions {
    /// # Panics
    /// Without colours, without balls, or with more than 1,000 balls.
    #[must_use]
    pub fn new(colours: usize, balls: u16) -> Self {
        assert!(colours > 0 && (1..=1000).contains(&balls), "there is a basket");
        let radix = usize::from(balls) + 1;
        let mut inner = 1;
        while inner < colours && radix.pow(inner as u32 + 1) <= BLOCK {
            inner += 1;
        }
        let len = radix.pow(inner as u32);
        let heap = |colour: usize| {
            let stride = radix.pow((inner - 1 - colour) as u32);
            (0..len).map(|number| (number / stride % radix) as u16).collect::<Vec<_>>()
        };
        let heaps: Vec<_> = (0..inner).map(heap).collect();
        let xors = (0..len).map(|number| heaps.iter().fold(0, |xor, heap| xor ^ heap[number]));
        Self { colours, balls, xors: xors.collect(), heaps }
    }

    /// Number of positions, if it fits.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        (u64::from(self.balls) + 1).checked_pow(self.colours as u32)
    }

    /// Looks at every position of a range of numbers.
    #[must_use]
    pub fn count_range(&self, range: Range<u64>) -> Counted {
        let block = self.xors.len() as u64;
        let outer = self.colours - self.heaps.len();
        let mut counted = Counted::default();
        let mut at = range.start;
        let mut nims = Vec::with_capacity(self.xors.len());
        while at < range.end {
            let prefix = self.digits(at / block, outer);
            let first = (at % block) as usize;
            let end = (first as u64 + (range.end - at)).min(block) as usize;
            self.count_block(&prefix, first..end, &mut nims, &mut counted);
            at += (end - first) as u64;
        }
        self.correct_for_misere(range, &mut counted);
        counted
    }

    /// `count` digits of a number, the first slowest.
    fn digits(&self, mut number: u64, count: usize) -> Vec<u16> {
        let radix = u64::from(self.balls) + 1;
        let mut digits = vec![0; count];
        for digit in digits.iter_mut().rev() {
            *digit = (number % radix) as u16;
            number /= radix;
        }
        digits
    }

    /// A move wins if it makes the exclusive or of the heaps zero: of a heap `h` that is possible if `h ^ nim < h`.
    fn count_block(
        &self,
        prefix: &[u16],
        within: Range<usize>,
        nims: &mut Vec<u16>,
        counted: &mut Counted,
    ) {
        let outer = prefix.iter().fold(0, |xor, heap| xor ^ heap);
        nims.clear();
        nims.extend(self.xors[within.clone()].iter().map(|xor| xor ^ outer));
        let lost = sum(nims.iter().map(|nim| u16::from(*nim == 0)));
        let mut moves = 0;
        for heap in prefix {
            moves += sum(nims.iter().map(|nim| u16::from(heap ^ nim < *heap)));
        }
        for heaps in &self.heaps {
            let pairs = heaps[within.clone()].iter().zip(nims.iter());
            moves += sum(pairs.map(|(heap, nim)| u16::from(heap ^ nim < *heap)));
        }
        counted.lost += lost;
        counted.lost_misere += lost;
        counted.winning_moves += moves;
        counted.winning_moves_misere += moves;
    }

    /// The rules differ only where no colour misses two balls. There the parity of the missing balls decides: an odd
    /// number is won by any move, or lost; an even one the other way round.
    fn correct_for_misere(&self, range: Range<u64>, counted: &mut Counted) {
        let radix = u64::from(self.balls) + 1;
        // Numbers in base two read as numbers in the radix: their order is the same.
        let number = |bits: u64| {
            (0..self.colours).rev().fold(0, |number: u64, bit| number * radix + (bits >> bit & 1))
        };
        for bits in 0..1u64 << self.colours.min(63) {
            let number = number(bits);
            if number >= range.end {
                break;
            }
            if number >= range.start {
                let missing = u64::from(bits.count_ones());
                if missing % 2 == 1 {
                    counted.lost_misere += 1;
                    counted.winning_moves_misere -= missing;
                } else {
                    counted.lost_misere -= 1;
                    counted.winning_moves_misere += missing;
                }
            }
        }
    }
}

/// A sum of zeros and ones, at most [`BLOCK`] of them: short enough for 16 bits.
fn sum(bits: impl Iterator<Item = u16>) -> u64 {
    u64::from(bits.sum::<u16>())
}

/// Totals of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    /// Positions.
    pub positions: BigInt,
    /// Positions in which the player to move loses, by either rule.
    pub lost: BigInt,
    /// Winning moves of all positions together, normal rule.
    pub winning_moves: BigInt,
    /// The same if the last ball loses.
    pub winning_moves_misere: BigInt,
}

/// The closed form. With `B` the least power of two above `balls` and characters `(-1)^popcount(t & d)` summed over
/// heaps, `H(t) = sum over d of +-1` and `G(t) = sum over d of +-(balls - d)`:
/// `lost = sum of H(t)^colours / B`, `winning moves = colours * sum of H(t)^(colours - 1) * G(t) / B`.
///
/// # Panics
/// Without colours or balls.
#[must_use]
pub fn closed_form(colours: u32, balls: u32) -> Totals {
    assert!(colours > 0 && balls > 0, "there is a basket");
    let size = (balls + 1).next_power_of_two();
    let entry = |value: &dyn Fn(u32) -> i64| {
        let mut values: Vec<i64> =
            (0..size).map(|d| if d <= balls { value(d) } else { 0 }).collect();
        walsh_hadamard(&mut values);
        values
    };
    let (heaps, moves) = (entry(&|_| 1), entry(&|d| i64::from(balls - d)));
    let (mut lost, mut winning) = (BigInt::ZERO, BigInt::ZERO);
    for (heap, moves) in heaps.iter().zip(moves) {
        let power = BigInt::from(*heap).pow(colours - 1);
        winning += &power * moves;
        lost += power * heap;
    }
    let winning_moves = winning * colours / size;
    // Misere differs for one colour alone: with more, single balls are won and lost equally often.
    let winning_moves_misere = &winning_moves - BigInt::from(u32::from(colours == 1));
    Totals {
        positions: BigInt::from(balls + 1).pow(colours),
        lost: lost / size,
        winning_moves,
        winning_moves_misere,
    }
}

/// The fast Walsh-Hadamard transform, in place.
fn walsh_hadamard(values: &mut [i64]) {
    let mut half = 1;
    while half < values.len() {
        for block in values.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (x, y) in low.iter_mut().zip(high) {
                (*x, *y) = (*x + *y, *x - *y);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Basket, Rule, theory};

    /// Position by position, by the theory.
    fn plain(colours: usize, balls: u16, range: Range<u64>) -> Counted {
        let basket = Basket::even(colours, balls.into()).unwrap();
        let last = basket.positions().unwrap() - 1;
        let mut counted = Counted::default();
        for number in range {
            // Numbers count missing balls here and placed ones there.
            let position = basket.position_at(last - number);
            let count = |rule| {
                let lost = u64::from(!theory::wins(&basket, &position, rule));
                (lost, theory::winning_moves(&basket, &position, rule).len() as u64)
            };
            let (lost, winning_moves) = count(Rule::Normal);
            let (lost_misere, winning_moves_misere) = count(Rule::Misere);
            counted.add(&Counted { lost, winning_moves, lost_misere, winning_moves_misere });
        }
        counted
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_range_is_counted_as_by_the_theory(
            colours in 1usize..=6, balls in 1u16..=9, a in any::<prop::sample::Index>(), len in 0u64..3000
        ) {
            let positions = Positions::new(colours, balls);
            let count = positions.count().unwrap();
            let start = a.index(count as usize) as u64;
            let range = start..(start + len).min(count);
            prop_assert_eq!(positions.count_range(range.clone()), plain(colours, balls, range));
        }

        #[test]
        fn the_closed_form_is_what_is_counted(colours in 1u32..=4, balls in 1u32..=40) {
            let positions = Positions::new(colours as usize, balls as u16);
            let count = positions.count().unwrap();
            prop_assume!(count < 300_000);
            let counted = positions.count_range(0..count);
            let totals = closed_form(colours, balls);
            prop_assert_eq!(totals.positions, BigInt::from(count));
            prop_assert_eq!(&totals.lost, &BigInt::from(counted.lost));
            prop_assert_eq!(totals.lost, BigInt::from(counted.lost_misere));
            prop_assert_eq!(totals.winning_moves, BigInt::from(counted.winning_moves));
            prop_assert_eq!(totals.winning_moves_misere, BigInt::from(counted.winning_moves_misere));
        }
    }

    #[test]
    fn capacities_of_all_ones_in_binary_lose_a_fixed_share() {
        for (colours, balls) in [(2, 1), (3, 3), (4, 7), (7, 15), (50, 31)] {
            let totals = closed_form(colours, balls);
            assert_eq!(totals.lost, BigInt::from(balls + 1).pow(colours - 1));
        }
    }
}
