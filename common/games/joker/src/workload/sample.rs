//! Choosing elements to recompute.

use fulldeck_job::Sample;

/// Elements of a sample, ascending: one drawn from each of as many equal parts as elements are wanted, so that none is
/// drawn twice and a share of one takes all.
pub(super) fn elements(sample: &Sample, all: u64) -> impl Iterator<Item = u64> {
    let wanted = ((all as f64 * sample.fraction).ceil() as u64).clamp(1, all);
    let seed = sample.seed;
    let start = move |part: u64| (u128::from(part) * u128::from(all) / u128::from(wanted)) as u64;
    (0..wanted).map(move |part| {
        let (first, end) = (start(part), start(part + 1));
        first + mix(seed.wrapping_add(mix(part))) % (end - first)
    })
}

/// SplitMix64's step and finaliser: a counter in, 64 random bits out.
pub(super) const fn mix(counter: u64) -> u64 {
    let x = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_ascending_and_a_share_of_one_is_all() {
        for (fraction, all, count) in [(1.0, 1000, 1000), (0.1, 999, 100), (1e-9, 5, 1)] {
            let sample = Sample { fraction, seed: 3 };
            let chosen: Vec<u64> = elements(&sample, all).collect();
            assert_eq!(chosen.len(), count);
            assert!(chosen.is_sorted_by(|a, b| a < b) && chosen.iter().all(|at| *at < all));
        }
    }
}
