//! Recomputing a sample of cells with the rules engine.

use fulldeck_job::{
    ArtifactSource, CheckError, ComputeContext, ComputeError, QueryError, Sample, Slice,
    VerifyReport,
};

use super::Matrix;
use super::artifact::{COUNT, check, count_at};
use super::stored::Stored;
use crate::Outcome;
use crate::rules::Rules;

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
    compare(matrix, cells, sample, |cell| {
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
    let cells: Vec<_> = matrix.slice_cells(slice).collect();
    let (wins, ties) = payload.split_at(cells.len() * COUNT);
    let disjoint = matrix.disjoint();
    compare(matrix, slice.elements, sample, |cell| {
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
    matrix: &Matrix,
    cells: u64,
    sample: &Sample,
    found: impl Fn(u64) -> Result<(usize, usize, (u32, Outcome)), E> + Sync,
) -> Result<VerifyReport, E> {
    let rules = Rules::new(matrix.cards);
    sample.recompute(cells, |cell| {
        let (row, column, found) = found(cell)?;
        let [a, b] = [row, column].map(|index| &matrix.clusters.as_slice()[index]);
        let computed = rules.cell(a, b);
        Ok((found != computed).then(|| {
            format!(
                "cell ({row}, {column}) {} x {}: found {found:?}, rules {computed:?}",
                a.representative(),
                b.representative()
            )
        }))
    })
}
