//! Drawing elements to recompute, without drawing one twice.

use fulldeck_job::Sample;

use crate::game::Random;

const PURPOSE: &[u8; 24] = b"fulldeck doudizhu sample";

/// The chosen ones of `0..elements`: from a random start, every so many, a step that meets each once.
pub(super) fn draw(sample: &Sample, elements: u64) -> impl Iterator<Item = u64> {
    let wanted = ((elements as f64 * sample.fraction).ceil() as u64).clamp(1, elements);
    let mut random = Random::stream(sample.seed, PURPOSE, 0);
    let mut below = |bound: u64| {
        let bound = bound.min(u64::from(u32::MAX)) as u32;
        u64::from(random.below(bound))
    };
    let start = below(elements);
    let mut step = below(elements) + 1;
    while gcd(step, elements) != 1 {
        step += 1;
    }
    (0..wanted).map(move |index| {
        let place =
            (u128::from(start) + u128::from(index) * u128::from(step)) % u128::from(elements);
        place as u64
    })
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_sample_draws_each_once() {
        for elements in [1, 2, 10, 97, 1_000] {
            for seed in 0..5 {
                let mut all: Vec<_> = draw(&Sample { fraction: 1.0, seed }, elements).collect();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..elements));
            }
        }
    }
}
