//! Results into the artifact.

use std::io;

use fulldeck_job::{ArrayId, ArtifactSink, ArtifactSource, ElementType, Plan, QueryError};
use serde_json::json;

use super::TableRun;
use crate::boards::symmetries;
use crate::showdown::Won;
use crate::table::{Counts, Place, Stage, TURN, Table, completions, pairs_beside};
use crate::workload::frequencies;
use crate::workload::payload::{halves, invalid};
use crate::{Classes, Deck, Histogram, HoleClass, Odds, Preflop, to_text};

/// Names of the arrays of a stage.
pub(super) fn names(stage: usize) -> [String; 2] {
    ["win", "tie"].map(|name| format!("{name}_{stage}"))
}

/// Counts of four and five board cards fit two bytes: at most 51,888 completions.
pub(super) const fn element(stage: usize) -> ElementType {
    if stage >= TURN { ElementType::U16 } else { ElementType::U32 }
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

/// Writes the counts of boards of four and five cards as they come, if they are kept, and everything above the former.
pub(super) fn assemble(
    run: &TableRun,
    plan: &Plan,
    payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
    sink: &mut dyn ArtifactSink,
) -> io::Result<()> {
    let mut kept = Vec::new();
    for stage in run.job_stages() {
        kept.push((*stage <= run.stage).then(|| arrays(run, *stage, sink)).transpose()?);
    }
    let mut turns = Vec::with_capacity(run.elements(TURN) as usize);
    for (slice, payload) in plan.slices().iter().zip(&mut *payloads) {
        let payload = payload?;
        if payload.len() as u64 != slice.raw_bytes {
            return Err(invalid(format!("slice {} has {} bytes", slice.id.0, payload.len())));
        }
        let job = slice.job.0 as usize;
        let stage = run.job_stages()[job];
        let first = u64::from(slice.first_row) * pairs_beside(run.deck(), stage) as u64;
        let (wins, ties) = payload.split_at(payload.len() / 2);
        for (array, counts) in kept[job].iter().flatten().zip([wins, ties]) {
            sink.write_at(*array, first, counts)?;
        }
        if stage == TURN {
            turns.extend(halves(wins).zip(halves(ties)).map(|(win, tie)| Won::new(win, tie)));
        }
    }
    if payloads.next().is_some() {
        return Err(invalid("more results than the plan has slices".to_owned()));
    }
    let [above @ .., last] = &run.boards()[..=TURN] else { unreachable!("boards of four cards") };
    let last = Stage::new(run.deck(), last.clone(), Counts::Narrow(turns));
    write(run, &Table::above(last, above.to_vec()), sink)
}

/// Writes the stages above, and the tables for people.
fn write(run: &TableRun, table: &Table, sink: &mut dyn ArtifactSink) -> io::Result<()> {
    for stage in table.stages().iter().filter(|stage| stage.cards() <= run.stage) {
        check_balance(stage)?;
        if stage.cards() < TURN {
            write_stage(run, stage, sink)?;
        }
    }
    for stage in 0..=run.stage {
        write_boards(run, stage, sink)?;
    }
    write_preflop(&Preflop::of(table), sink)?;
    write_positions(run, sink)?;
    sink.fact("deck", json!(run.deck().size()));
    sink.fact("rule", json!(run.game.rule.name()));
    for stage in 0..=run.stage {
        sink.fact(&format!("boards_{stage}"), json!(run.boards()[stage].len()));
    }
    sink.fact("rows", json!(run.all_elements()));
    Ok(())
}

/// On every board, the wins and losses of all pairs balance.
fn check_balance(stage: &Stage) -> io::Result<()> {
    let total = completions(stage.deck(), stage.cards());
    for (number, board) in stage.boards().as_slice().iter().enumerate() {
        let halves = |[win, tie]: [u32; 2]| 2 * u128::from(win) + u128::from(tie);
        let shared: u128 = stage.row(number).map(halves).sum();
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
    for (part, array) in arrays(run, stage.cards(), sink)?.into_iter().enumerate() {
        for board in 0..stage.boards().len() {
            let counts = stage.row(board).map(|counts| counts[part]);
            let bytes: Vec<u8> = counts.flat_map(u32::to_le_bytes).collect();
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
        frequencies::write_positions(&histogram, &classes, cards, sink)?;
        all.push((cards, histogram));
    }
    frequencies::write_types(&all, &classes, sink)
}

/// Win, tie and lose of a stored row.
pub(super) fn read(
    deck: Deck,
    artifact: &dyn ArtifactSource,
    stage: usize,
    place: Place,
) -> Result<Odds, QueryError> {
    let at = (place.board * pairs_beside(deck, stage) + place.pair) as u64;
    let mut counts = [0u64; 2];
    for (count, name) in counts.iter_mut().zip(names(stage)) {
        let mut bytes = [0; 8];
        artifact.read_at(&name, at, &mut bytes[..element(stage).bytes()])?;
        *count = u64::from_le_bytes(bytes);
    }
    let [win, tie] = counts;
    let total = completions(deck, stage);
    let lose = total.checked_sub(win + tie).ok_or_else(|| {
        let board = place.board;
        QueryError::Artifact(invalid(format!(
            "board {board} of {stage} cards has {win} wins and {tie} ties of {total}"
        )))
    })?;
    Ok(Odds { win, tie, lose })
}
