//! Rows of the artifact, or of a result, recomputed by plain enumeration.

use fulldeck_job::{
    ArtifactSource, CheckError, Computation, ComputeContext, ComputeError, QueryError, Sample,
    Slice, VerifyReport,
};

use super::TableRun;
use crate::boards::places;
use crate::table::{Place, completions, pairs_beside};
use crate::{Odds, plain, to_text};

pub(super) fn verify(
    run: &TableRun,
    artifact: &dyn ArtifactSource,
    sample: &Sample,
    context: &ComputeContext<'_>,
) -> Result<VerifyReport, QueryError> {
    sample.recompute(run.all_elements(), |element| {
        context.poll().map_err(|_| QueryError::Cancelled)?;
        let (stage, place) = row_at(run, element);
        let stored = run.read(artifact, stage, place)?;
        (context.progress)(1);
        Ok(difference(run, stage, place, stored))
    })
}

/// The same for rows of a result.
pub(super) fn recheck(
    run: &TableRun,
    slice: &Slice,
    payload: &[u8],
    sample: &Sample,
    context: &ComputeContext<'_>,
) -> Result<VerifyReport, ComputeError> {
    run.check(slice, payload).map_err(|CheckError(why)| ComputeError::Invalid(why))?;
    let stage = run.stage_of(slice).expect("a slice that has been checked is of the plan");
    let pairs = pairs_beside(run.deck(), stage);
    let (wins, ties) = payload.split_at(payload.len() / 2);
    let count =
        |part: &[u8], at: usize| u64::from(u16::from_le_bytes([part[2 * at], part[2 * at + 1]]));
    sample.recompute(slice.elements, |element| {
        context.poll()?;
        let at = element as usize;
        let place = Place { board: slice.first_row as usize + at / pairs, pair: at % pairs };
        let (win, tie) = (count(wins, at), count(ties, at));
        let stored = Odds { win, tie, lose: completions(run.deck(), stage) - win - tie };
        (context.progress)(1);
        Ok(difference(run, stage, place, stored))
    })
}

/// The row of an element of the whole artifact: the last stage first, whose rows are the cheap ones.
fn row_at(run: &TableRun, mut element: u64) -> (usize, Place) {
    let mut stage = run.stage;
    while element >= run.elements(stage) {
        element -= run.elements(stage);
        stage -= 1;
    }
    let pairs = pairs_beside(run.deck(), stage);
    (stage, Place { board: element as usize / pairs, pair: element as usize % pairs })
}

/// One line if the row differs from plain enumeration.
fn difference(run: &TableRun, stage: usize, place: Place, stored: Odds) -> Option<String> {
    let board = run.boards()[stage].as_slice()[place.board];
    let (cards, unseen) = (board.cards().collect::<Vec<_>>(), board.unseen(run.deck()));
    let (low, high) = places(place.pair);
    let hole = [unseen[low], unseen[high]];
    let computed = plain::odds(run.game.evaluator(), run.deck(), hole, &cards);
    (stored != computed).then(|| {
        let (hole, board) = (to_text(&hole), to_text(&cards));
        format!("'{hole}' on '{board}': stored {stored:?}, by plain enumeration {computed:?}")
    })
}
