//! Random numbers that depend on a seed and a counter alone.

/// SplitMix64's finaliser of a counter.
pub(super) fn random(seed: u64, counter: u64) -> u64 {
    let mut x = seed.wrapping_add((counter + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
