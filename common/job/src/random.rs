//! Random choices that depend on a seed and a counter alone: the same everywhere, in any order.

/// SplitMix64 (Steele, Lea and Flood 2014): a counter in, 64 random bits out.
#[must_use]
pub const fn mix(counter: u64) -> u64 {
    let x = counter.wrapping_add(STEP);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Number `counter` of the sequence that `seed` begins.
#[must_use]
pub const fn random(seed: u64, counter: u64) -> u64 {
    mix(seed.wrapping_add(counter.wrapping_mul(STEP)))
}

/// The same, below `bound`, which is above zero. The bias is below `bound / 2^64`.
#[must_use]
pub const fn random_below(bound: usize, seed: u64, counter: u64) -> usize {
    ((random(seed, counter) as u128 * bound as u128) >> 64) as usize
}

/// A permutation of `0..len` without a table: a four-round Feistel network over the next even power of two, walked
/// until it lands inside.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    len: u64,
    half_bits: u32,
    seed: u64,
}

impl Permutation {
    /// The permutation that `seed` names.
    ///
    /// # Panics
    /// If `len` is 0.
    #[must_use]
    pub fn new(len: u64, seed: u64) -> Self {
        assert!(len > 0, "nothing cannot be permuted");
        let bits = 64 - (len - 1).max(1).leading_zeros();
        Self { len, half_bits: bits.div_ceil(2), seed }
    }

    /// Where position `index` goes.
    #[must_use]
    pub fn at(&self, index: u64) -> u64 {
        let mut value = index;
        loop {
            value = self.shuffle(value);
            if value < self.len {
                return value;
            }
        }
    }

    fn shuffle(&self, value: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (value >> self.half_bits, value & mask);
        for round in 0..4 {
            let mixed = mix(self.seed.wrapping_add(round << 60).wrapping_add(right));
            (left, right) = (right, left ^ (mixed & mask));
        }
        left << self.half_bits | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The first numbers of SplitMix64 from the seed 1234567.
        let known =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([0, 1, 2].map(|counter| random(1_234_567, counter)), known);
        assert!((0..100).all(|counter| random_below(7, 3, counter) < 7));
    }

    #[test]
    fn every_cell_is_drawn_once() {
        for len in [1, 2, 3, 100, 14_365] {
            for seed in [0, 1, u64::MAX] {
                let order = Permutation::new(len, seed);
                let mut drawn: Vec<u64> = (0..len).map(|index| order.at(index)).collect();
                drawn.sort_unstable();
                assert!(drawn.into_iter().eq(0..len), "{len} {seed}");
            }
        }
    }
}
