//! Recomputing a sample of cells with the rules engine.

use fulldeck_job::{
    ArtifactSource, CheckError, ComputeContext, ComputeError, Permutation, QueryError, Sample,
    Slice, VerifyReport,
};
use rayon::prelude::*;

use super::Matrix;
use super::artifact::{COUNT, check, count_at};
use super::stored::Stored;
use crate::Outcome;
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
    let rules = Rules::new(matrix.cards);
    compare(&rules, matrix, cells, sample, |cell| {
        context.poll().map_err(|_| QueryError::Cancelled)?;
        let (row, column) = stored.part().cell_at(cell);
        let (row, column) = (row as usize, column as usize);
        let found = stored.cell(row, column)?;
        (context.progress)(1);
        Ok((row, column, found))
    })
}

/// The same for the result of one slice.
pub(super) fn recheck(
    matrix: &Matrix,
    slice: &Slice,
    payload: &[u8],
    sample: &Sample,
    context: &ComputeContext<'_>,
) -> Result<VerifyReport, ComputeError> {
    check(matrix, slice, payload).map_err(|CheckError(why)| ComputeError::Invalid(why))?;
    let rules = Rules::new(matrix.cards);
    let cells: Vec<_> = matrix.slice_cells(slice).collect();
    let (wins, ties) = payload.split_at(cells.len() * COUNT);
    let disjoint = matrix.disjoint();
    compare(&rules, matrix, slice.elements, sample, |cell| {
        context.poll()?;
        let (row, column) = cells[cell as usize];
        let hands = disjoint.hands(disjoint.from(row).placements(column), column);
        let [win, tie] = [wins, ties].map(|counts| u64::from(count_at(counts, cell as usize)));
        let lose = u64::from(hands) * u64::from(matrix.boards) - win - tie;
        Ok((row, column, (hands, Outcome { win, tie, lose })))
    })
}

/// Computes the sampled of so many cells again; `found` tells row, column, number of hands and outcome of a cell.
fn compare<E: Send>(
    rules: &Rules,
    matrix: &Matrix,
    cells: u64,
    sample: &Sample,
    found: impl Fn(u64) -> Result<(usize, usize, (u32, Outcome)), E> + Sync,
) -> Result<VerifyReport, E> {
    let mut report = VerifyReport::default();
    if cells == 0 {
        return Ok(report);
    }
    let wanted = ((cells as f64 * sample.fraction).ceil() as u64).clamp(1, cells);
    let order = Permutation::new(cells, sample.seed);
    let check = |draw: u64| -> Result<Option<String>, E> {
        let (row, column, found) = found(order.at(draw))?;
        let [a, b] = [row, column].map(|index| &matrix.clusters.as_slice()[index]);
        let computed = rules.cell(a, b);
        Ok((found != computed).then(|| {
            format!(
                "cell ({row}, {column}) {} x {}: found {found:?}, rules {computed:?}",
                a.representative(),
                b.representative()
            )
        }))
    };
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
