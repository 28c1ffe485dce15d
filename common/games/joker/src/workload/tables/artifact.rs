//! Results into the artifact, and elements of it recomputed.

use std::io;

use fulldeck_job::{
    ArrayId, ArtifactSink, ArtifactSource, ComputeContext, ElementType, Plan, QueryError, Sample,
    VerifyReport,
};
use rayon::prelude::*;
use serde_json::json;

use super::TableRun;
use crate::boards::{places, symmetries};
use crate::showdown::{BOARD, Won};
use crate::table::{Scatter, Stage, Table, completions, pairs_beside};
use crate::workload::payload::{halves, invalid};
use crate::workload::sample::elements;
use crate::workload::slices::rows;
use crate::{Classes, Deck, Histogram, HoleClass, Odds, Preflop, plain, to_text};

/// Differences that are reported one by one.
const EXAMPLES: usize = 10;
/// Elements recomputed between two merges of the report.
const CHUNK: usize = 256;

/// Names of the arrays of a stage.
pub(super) fn names(stage: usize) -> [String; 2] {
    ["win", "tie"].map(|name| format!("{name}_{stage}"))
}

/// Counts of four and five board cards fit two bytes: at most 51,888 completions.
pub(super) const fn element(stage: usize) -> ElementType {
    if stage >= 4 { ElementType::U16 } else { ElementType::U32 }
}

/// Bytes of win and tie of a row of a stage.
pub(super) const fn bytes(stage: usize) -> u64 {
    2 * element(stage).bytes() as u64
}

fn arrays(run: &TableRun, stage: usize, sink: &mut dyn ArtifactSink) -> io::Result<[ArrayId; 2]> {
    let shape = [run.boards()[stage].len() as u64, pairs_beside(run.deck(), stage) as u64];
    let [win, tie] = names(stage);
    Ok([sink.array(&win, element(stage), &shape)?, sink.array(&tie, element(stage), &shape)?])
}

/// Writes the counts of full boards as they come, if they are kept, and adds them up to the stage of four board cards.
pub(super) fn rivers(
    run: &TableRun,
    plan: &Plan,
    payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
    sink: &mut dyn ArtifactSink,
) -> io::Result<Stage> {
    let pairs = run.river_pairs();
    let kept = (run.stage == BOARD).then(|| arrays(run, BOARD, sink)).transpose()?;
    let mut scatter = Scatter::<u32>::new(run.deck(), run.boards()[BOARD - 1].clone());
    let mut row = Vec::with_capacity(pairs);
    for (slice, payload) in plan.slices().iter().zip(&mut *payloads) {
        let payload = payload?;
        if payload.len() as u64 != slice.raw_bytes {
            return Err(invalid(format!("slice {} has {} bytes", slice.id.0, payload.len())));
        }
        let (wins, ties) = payload.split_at(payload.len() / 2);
        for (array, counts) in kept.iter().flatten().zip([wins, ties]) {
            sink.write_at(*array, u64::from(slice.first_row) * pairs as u64, counts)?;
        }
        let mut won = halves(wins).zip(halves(ties)).map(|(win, tie)| Won { win, tie });
        for at in rows(slice) {
            row.clear();
            row.extend(won.by_ref().take(pairs));
            scatter.add(run.boards()[BOARD].as_slice()[at as usize], |pair| row[pair]);
        }
    }
    Ok(scatter.into_stage())
}

/// Writes everything above the full boards, and the tables for people.
pub(super) fn write(run: &TableRun, table: &Table, sink: &mut dyn ArtifactSink) -> io::Result<()> {
    for stage in table.stages().iter().filter(|stage| stage.cards() <= run.stage) {
        check_balance(stage)?;
        write_stage(run, stage, sink)?;
    }
    for stage in 0..=run.stage {
        write_boards(run, stage, sink)?;
    }
    write_preflop(&Preflop::of(table), sink)?;
    write_positions(run, sink)?;
    sink.fact("deck", json!(run.deck().size()));
    sink.fact("rule", json!(run.game.rule.name()));
    let kept = 0..=run.stage;
    for stage in kept.clone() {
        sink.fact(&format!("boards_{stage}"), json!(run.boards()[stage].len()));
    }
    sink.fact("rows", json!(kept.map(|stage| run.elements(stage)).sum::<u64>()));
    Ok(())
}

/// On every board, the wins and losses of all pairs balance.
fn check_balance(stage: &Stage) -> io::Result<()> {
    let total = completions(stage.deck(), stage.cards());
    for (number, board) in stage.boards().as_slice().iter().enumerate() {
        let halves = |[win, tie]: &[u32; 2]| 2 * u128::from(*win) + u128::from(*tie);
        let shared: u128 = stage.row(number).iter().map(halves).sum();
        if shared != u128::from(total) * stage.pairs() as u128 {
            let cards: Vec<_> = board.cards().collect();
            return Err(invalid(format!(
                "the counts on board '{}' do not balance",
                to_text(&cards)
            )));
        }
    }
    Ok(())
}

fn write_stage(run: &TableRun, stage: &Stage, sink: &mut dyn ArtifactSink) -> io::Result<()> {
    let ids = arrays(run, stage.cards(), sink)?;
    let narrow = element(stage.cards()) == ElementType::U16;
    for (which, array) in ids.into_iter().enumerate() {
        let mut bytes = Vec::with_capacity(4 * stage.pairs());
        for board in 0..stage.boards().len() {
            bytes.clear();
            for count in stage.row(board) {
                match narrow {
                    true => {
                        let count = u16::try_from(count[which]).map_err(|_| {
                            invalid(format!("{} does not fit two bytes", count[which]))
                        })?;
                        bytes.extend_from_slice(&count.to_le_bytes());
                    }
                    false => bytes.extend_from_slice(&count[which].to_le_bytes()),
                }
            }
            sink.write_at(array, (board * stage.pairs()) as u64, &bytes)?;
        }
    }
    Ok(())
}

fn write_boards(run: &TableRun, stage: usize, sink: &mut dyn ArtifactSink) -> io::Result<()> {
    let deck = run.deck();
    let mut rows = run.boards()[stage].as_slice().iter().enumerate().map(|(index, board)| {
        let cards: Vec<_> = board.cards().collect();
        let orbit = symmetries(deck) / board.stabilizer_order(deck);
        vec![index.to_string(), to_text(&cards), orbit.to_string()]
    });
    sink.table(&format!("boards_{stage}"), &["index", "board", "orbit"], &mut rows)
}

fn write_preflop(preflop: &Preflop, sink: &mut dyn ArtifactSink) -> io::Result<()> {
    let deck = preflop.deck();
    let row = |(class, odds): &(HoleClass, Odds)| {
        let numbers = [class.holes(deck), odds.win, odds.tie, odds.lose];
        std::iter::once(class.to_string()).chain(numbers.map(|n| n.to_string())).collect()
    };
    let header = ["class", "holes", "win", "tie", "lose"];
    sink.table("preflop", &header, &mut preflop.rows().iter().map(row))
}

/// Tables of all values by hand size, and of all types.
fn write_positions(run: &TableRun, sink: &mut dyn ArtifactSink) -> io::Result<()> {
    let classes = Classes::new();
    let mut all = Vec::new();
    for cards in 5..=7 {
        let histogram = Histogram::count(run.game.evaluator(), run.deck(), cards);
        crate::workload::frequencies::write_positions(&histogram, &classes, cards, sink)?;
        all.push((cards, histogram));
    }
    crate::workload::frequencies::write_types(&all, &classes, sink)
}

/// Win, tie and lose of a stored row.
pub(super) fn read(
    deck: Deck,
    artifact: &dyn ArtifactSource,
    stage: usize,
    board: usize,
    pair: usize,
) -> Result<Odds, QueryError> {
    let at = (board * pairs_beside(deck, stage) + pair) as u64;
    let mut counts = [0u64; 2];
    for (count, name) in counts.iter_mut().zip(names(stage)) {
        let mut bytes = [0; 8];
        artifact.read_at(&name, at, &mut bytes[..element(stage).bytes()])?;
        *count = u64::from_le_bytes(bytes);
    }
    let [win, tie] = counts;
    let total = completions(deck, stage);
    let lose = total.checked_sub(win + tie).ok_or_else(|| {
        QueryError::Artifact(invalid(format!(
            "board {board} of {stage} cards has {win} wins and {tie} ties of {total}"
        )))
    })?;
    Ok(Odds { win, tie, lose })
}

/// Recomputes rows by plain enumeration.
pub(super) fn verify(
    run: &TableRun,
    artifact: &dyn ArtifactSource,
    sample: &Sample,
    context: &ComputeContext<'_>,
) -> Result<VerifyReport, QueryError> {
    let deck = run.deck();
    let all: u64 = (0..=run.stage).map(|stage| run.elements(stage)).sum();
    let check = |mut element: u64| -> Result<Option<String>, QueryError> {
        context.poll().map_err(|_| QueryError::Cancelled)?;
        // The last stage first: the first elements are the cheap ones.
        let mut stage = run.stage;
        while element >= run.elements(stage) {
            element -= run.elements(stage);
            stage -= 1;
        }
        let pairs = pairs_beside(deck, stage);
        let (board, pair) = ((element as usize) / pairs, (element as usize) % pairs);
        let stored = read(deck, artifact, stage, board, pair)?;
        let canonical = run.boards()[stage].as_slice()[board];
        let (cards, unseen) = (canonical.cards().collect::<Vec<_>>(), canonical.unseen(deck));
        let (low, high) = places(pair);
        let hole = [unseen[low], unseen[high]];
        let computed = plain::odds(run.game.evaluator(), deck, hole, &cards);
        (context.progress)(1);
        Ok((stored != computed).then(|| {
            let (hole, board) = (to_text(&hole), to_text(&cards));
            format!("'{hole}' on '{board}': artifact {stored:?}, plain enumeration {computed:?}")
        }))
    };
    let mut report = VerifyReport::default();
    let chosen: Vec<u64> = elements(sample, all).collect();
    for chunk in chosen.chunks(CHUNK) {
        let found = chunk.par_iter().map(|at| check(*at)).collect::<Result<Vec<_>, _>>()?;
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
