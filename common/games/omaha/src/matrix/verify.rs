//! Recomputing a sample of cells with the rules engine.

use fulldeck_cards::ClusterIndex;
use fulldeck_job::{ArtifactSource, ComputeContext, QueryError, Sample, VerifyReport};
use rayon::prelude::*;

use super::Matrix;
use super::stored::Stored;
use crate::rules::Rules;

/// Differences that are reported one by one.
const EXAMPLES: usize = 10;
/// Cells recomputed between two merges of the report.
const CHUNK: usize = 256;

/// Cells are drawn without replacement from the stored triangle, by a permutation that the seed chooses: a fraction of
/// one takes every cell once, and a seed names its sample.
pub(super) fn verify(
    matrix: &Matrix,
    artifact: &dyn ArtifactSource,
    sample: &Sample,
    context: &ComputeContext<'_>,
) -> Result<VerifyReport, QueryError> {
    let stored = Stored::open(matrix, artifact)?;
    let cells = stored.part().cells();
    let wanted = ((cells as f64 * sample.fraction).ceil() as u64).clamp(1, cells);
    let rules = Rules::new(matrix.cards);
    let order = Permutation::new(cells, sample.seed);
    let check = |draw: u64| -> Result<Option<String>, QueryError> {
        context.poll().map_err(|_| QueryError::Cancelled)?;
        let (row, column) = stored.part().cell_at(order.at(draw));
        let found = stored.cell(row as usize, column as usize)?;
        let [a, b] = [row, column].map(|index| matrix.clusters.cluster(ClusterIndex(index as u32)));
        let computed = rules.cell(a, b);
        (context.progress)(1);
        Ok((found != computed).then(|| {
            format!(
                "cell ({row}, {column}) {} x {}: artifact {found:?}, rules {computed:?}",
                a.representative(),
                b.representative()
            )
        }))
    };
    let mut report = VerifyReport::default();
    for first in (0..wanted).step_by(CHUNK) {
        let draws = first..(first + CHUNK as u64).min(wanted);
        let checked = draws.end - draws.start;
        let found = draws.into_par_iter().map(check).collect::<Result<Vec<_>, _>>()?;
        report.checked += checked;
        for difference in found.into_iter().flatten() {
            report.mismatched += 1;
            if report.examples.len() < EXAMPLES {
                report.examples.push(difference);
            }
        }
    }
    Ok(report)
}

/// A permutation of `0..len` without a table: a four-round Feistel network over the next even power of two, walked
/// until it lands inside.
struct Permutation {
    len: u64,
    half_bits: u32,
    seed: u64,
}

impl Permutation {
    fn new(len: u64, seed: u64) -> Self {
        let bits = 64 - (len - 1).max(1).leading_zeros();
        Self { len, half_bits: bits.div_ceil(2), seed }
    }

    /// Where position `index` goes.
    fn at(&self, index: u64) -> u64 {
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
