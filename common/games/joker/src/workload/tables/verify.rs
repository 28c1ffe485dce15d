//! Rows of the artifact recomputed by plain enumeration.

use fulldeck_job::{ArtifactSource, ComputeContext, QueryError, Sample, VerifyReport};
use rayon::prelude::*;

use super::TableRun;
use crate::boards::places;
use crate::table::{Place, pairs_beside};
use crate::workload::sample::elements;
use crate::{plain, to_text};

/// Differences that are reported one by one.
const EXAMPLES: usize = 10;
/// Elements recomputed between two merges of the report.
const CHUNK: usize = 256;

pub(super) fn verify(
    run: &TableRun,
    artifact: &dyn ArtifactSource,
    sample: &Sample,
    context: &ComputeContext<'_>,
) -> Result<VerifyReport, QueryError> {
    let mut report = VerifyReport::default();
    let chosen: Vec<u64> = elements(sample, run.all_elements()).collect();
    for chunk in chosen.chunks(CHUNK) {
        let check = |element: &u64| check(run, artifact, *element, context);
        let found = chunk.par_iter().map(check).collect::<Result<Vec<_>, _>>()?;
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

/// One line if a row differs.
fn check(
    run: &TableRun,
    artifact: &dyn ArtifactSource,
    mut element: u64,
    context: &ComputeContext<'_>,
) -> Result<Option<String>, QueryError> {
    context.poll().map_err(|_| QueryError::Cancelled)?;
    let deck = run.deck();
    // The last stage first: its rows are the cheap ones.
    let mut stage = run.stage;
    while element >= run.elements(stage) {
        element -= run.elements(stage);
        stage -= 1;
    }
    let pairs = pairs_beside(deck, stage);
    let place = Place { board: element as usize / pairs, pair: element as usize % pairs };
    let stored = run.read(artifact, stage, place)?;
    let board = run.boards()[stage].as_slice()[place.board];
    let (cards, unseen) = (board.cards().collect::<Vec<_>>(), board.unseen(deck));
    let (low, high) = places(place.pair);
    let hole = [unseen[low], unseen[high]];
    let computed = plain::odds(run.game.evaluator(), deck, hole, &cards);
    (context.progress)(1);
    Ok((stored != computed).then(|| {
        let (hole, board) = (to_text(&hole), to_text(&cards));
        format!("'{hole}' on '{board}': artifact {stored:?}, plain enumeration {computed:?}")
    }))
}
