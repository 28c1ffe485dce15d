//! Drawing without replacement, reproducibly and without memory.

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

/// SplitMix64's finaliser.
fn mix(seed: u64) -> u64 {
    let mut x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

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
