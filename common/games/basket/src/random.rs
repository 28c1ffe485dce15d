//! Random choices that depend on a seed and a counter alone.

/// A number below `bound`, for a bound above zero: SplitMix64's finaliser, scaled. The bias is below `bound / 2^64`.
pub(crate) fn below(bound: usize, seed: u64, counter: u64) -> usize {
    let mut x = seed.wrapping_add((counter + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    ((u128::from(x) * bound as u128) >> 64) as usize
}
