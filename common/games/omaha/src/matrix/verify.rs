//! Recomputing a sample of cells with the rules engine.

use fulldeck_cards::ClusterIndex;
use fulldeck_job::{ArtifactSource, ComputeContext, QueryError, Sample, VerifyReport};
use rayon::prelude::*;

use super::Matrix;
use super::question::read_cell;
use crate::rules::Rules;

/// Differences that are reported one by one.
const EXAMPLES: usize = 10;
/// Cells recomputed between two merges of the report.
const CHUNK: usize = 64;

/// Cells are drawn with replacement from both orientations by a counter-based generator: every cell is as likely as
/// any other, and a seed names its sample.
pub(super) fn verify(
    matrix: &Matrix,
    artifact: &dyn ArtifactSource,
    sample: &Sample,
    context: &ComputeContext<'_>,
) -> Result<VerifyReport, QueryError> {
    let clusters = matrix.clusters.len() as u64;
    let wanted = ((matrix.cells() as f64 * sample.fraction).ceil() as u64).clamp(1, matrix.cells());
    let rules = Rules::new(matrix.cards);
    let check = |draw: u64| -> Result<Option<String>, QueryError> {
        context.poll().map_err(|_| QueryError::Cancelled)?;
        let row = uniform(sample.seed, 2 * draw, clusters);
        let column = uniform(sample.seed, 2 * draw + 1, clusters);
        let stored = read_cell(matrix, artifact, row, column)?;
        let [a, b] = [row, column].map(|index| matrix.clusters.cluster(ClusterIndex(index as u32)));
        let computed = rules.cell(a, b);
        (context.progress)(1);
        Ok((stored != computed).then(|| {
            format!(
                "cell ({row}, {column}) {} x {}: artifact {stored:?}, rules {computed:?}",
                a.representative(),
                b.representative()
            )
        }))
    };
    let mut report = VerifyReport::default();
    let draws: Vec<u64> = (0..wanted).collect();
    for chunk in draws.chunks(CHUNK) {
        let found = chunk.par_iter().map(|draw| check(*draw)).collect::<Result<Vec<_>, _>>()?;
        report.checked += chunk.len() as u64;
        for difference in found.into_iter().flatten() {
            report.mismatched += 1;
            if report.examples.len() < EXAMPLES {
                report.examples.push(difference);
            }
        }
    }
    Ok(report)
}

/// Draw `counter` of a stream below `bound` (SplitMix64, multiply-shift).
fn uniform(seed: u64, counter: u64, bound: u64) -> u64 {
    let mut x = seed.wrapping_add((counter + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    ((u128::from(x) * u128::from(bound)) >> 64) as u64
}
