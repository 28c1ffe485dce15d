//! Small seeded random numbers: a failed story can be told again.

use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;
use std::time::Duration;

/// The variable that fixes the seed.
const SEED: &str = "FULLDECK_SEED";

/// How many faults a story has: so many, or as many as the variable `name` asks for, for a night or a weekend.
///
/// # Panics
/// If the variable is no number.
#[must_use]
pub fn faults(name: &str, usually: u32) -> u32 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")),
        Err(_) => usually,
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014): 64 bits of state, good enough to choose moments.
#[derive(Debug)]
pub struct Random {
    seed: u64,
    state: u64,
}

impl Random {
    /// From `FULLDECK_SEED`, or from a new seed.
    ///
    /// # Panics
    /// If the variable is no number.
    #[must_use]
    pub fn new() -> Self {
        let seed = match std::env::var(SEED) {
            Ok(text) => text.parse().unwrap_or_else(|_| panic!("{SEED}={text} is no number")),
            // Its keys come from the operating system.
            Err(_) => RandomState::new().hash_one(SEED),
        };
        Self { seed, state: seed }
    }

    /// What [`Random::new`] began with.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number of a range that is not empty.
    pub fn number(&mut self, range: Range<u64>) -> u64 {
        range.start + self.bits() % (range.end - range.start)
    }

    /// True in half of all cases.
    pub fn coin(&mut self) -> bool {
        self.bits() >> 63 == 1
    }

    /// One of several things.
    pub fn one_of<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.number(0..things.len() as u64) as usize]
    }

    /// A time of a range in milliseconds.
    pub fn moment(&mut self, milliseconds: Range<u64>) -> Duration {
        Duration::from_millis(self.number(milliseconds))
    }
}

impl Default for Random {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_first_numbers_are_those_of_the_paper() {
        let mut random = Random { seed: 1_234_567, state: 1_234_567 };
        let first = [random.bits(), random.bits(), random.bits()];
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn numbers_stay_in_their_range_and_differ() {
        let mut random = Random { seed: 1, state: 1 };
        let numbers: Vec<_> = (0..200).map(|_| random.number(5..9)).collect();
        for wanted in 5..9 {
            assert!(numbers.contains(&wanted));
        }
        assert!(numbers.iter().all(|number| (5..9).contains(number)));
    }
}
