//! Results and what becomes of them: `totals.csv` for people, `counts.npy` for programs.

use std::io;

use fulldeck_job::{
    ArtifactSink, ArtifactSource, CheckError, ComputeContext, ElementType, Plan, QueryError,
    Sample, Slice, VerifyReport,
};
use num_bigint::BigInt;
use serde_json::{Map, Value, json};

use super::Point;
use crate::pictures::Counts;
use crate::totals::{Counted, Totals, closed_form};

/// Bytes of a result: four counts.
pub(super) const PAYLOAD_BYTES: usize = 32;
/// The array: for each basket the columns of [`HEADER`].
const COUNTS: &str = "counts";
/// The table: the same.
const TOTALS: &str = "totals";
const HEADER: [&str; 7] = [
    "colours",
    "balls",
    "positions",
    "lost_normal",
    "winning_moves_normal",
    "lost_misere",
    "winning_moves_misere",
];
const ROW_BYTES: usize = HEADER.len() * 8;

pub(super) fn payload(counted: &Counted) -> Vec<u8> {
    let counts =
        [counted.lost, counted.winning_moves, counted.lost_misere, counted.winning_moves_misere];
    counts.iter().flat_map(|count| count.to_le_bytes()).collect()
}

fn read(payload: &[u8]) -> Option<Counted> {
    let payload: &[u8; PAYLOAD_BYTES] = payload.try_into().ok()?;
    let count = |position: usize| {
        let word = &payload[8 * position..][..8];
        word.iter().rev().fold(0, |count, byte| count << 8 | u64::from(*byte))
    };
    Some(Counted {
        lost: count(0),
        winning_moves: count(1),
        lost_misere: count(2),
        winning_moves_misere: count(3),
    })
}

/// A won position has from one winning move to one a colour (all balls, if it is the only colour that matters): a heap
/// can be made to fit the others in one way only.
pub(super) fn check(points: &[Point], slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
    let wrong = |what: &str| Err(CheckError(format!("slice {}: {what}", slice.id.0)));
    let Some(counted) = read(payload) else { return wrong("a result has 32 bytes") };
    let Some(point) = points.get(slice.job.0 as usize) else {
        return wrong("there is no such job");
    };
    let rows = u64::from(slice.rows);
    for (lost, moves, full_wins) in [
        (counted.lost, counted.winning_moves, 0),
        // The full basket, number 0, is won without a move.
        (counted.lost_misere, counted.winning_moves_misere, u64::from(slice.first_row == 0)),
    ] {
        let Some(won) = rows.checked_sub(lost) else { return wrong("more is lost than there is") };
        let least = won.saturating_sub(full_wins);
        if moves < least || moves > won * u64::from(point.colours) {
            return wrong("the winning moves do not fit the won positions");
        }
    }
    // Both rules agree but for positions of single balls, at most 2^colours of them.
    let single = 1u64.checked_shl(point.colours).unwrap_or(u64::MAX);
    if counted.lost.abs_diff(counted.lost_misere) > single {
        return wrong("the rules differ in too many positions");
    }
    Ok(())
}

/// Adds up the slices of each basket and compares the sum with the closed form.
pub(super) fn assemble(
    points: &[Point],
    plan: &Plan,
    payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
    sink: &mut dyn ArtifactSink,
) -> io::Result<()> {
    let mut counts = vec![Counted::default(); points.len()];
    for slice in plan.slices() {
        let payload = payloads.next().ok_or_else(|| io::Error::other("results are missing"))??;
        let counted = read(&payload).ok_or_else(|| io::Error::other("a result has 32 bytes"))?;
        counts[slice.job.0 as usize].add(&counted);
    }
    let mut rows: Vec<[u64; HEADER.len()]> = Vec::with_capacity(points.len());
    for (point, counted) in points.iter().zip(&counts) {
        if !agrees(point, counted, &closed_form(point.colours, point.balls)) {
            let (colours, balls) = (point.colours, point.balls);
            return Err(io::Error::other(format!(
                "{colours} colours of {balls} balls: the sum {counted:?} is not what the closed form gives"
            )));
        }
        rows.push([
            point.colours.into(),
            point.balls.into(),
            point.positions,
            counted.lost,
            counted.winning_moves,
            counted.lost_misere,
            counted.winning_moves_misere,
        ]);
    }
    let shape = [points.len() as u64, HEADER.len() as u64];
    let array = sink.array(COUNTS, ElementType::U64, &shape)?;
    let bytes: Vec<u8> = rows.iter().flatten().flat_map(|count| count.to_le_bytes()).collect();
    sink.write_at(array, 0, &bytes)?;
    let texts = rows.iter().map(|row| row.iter().map(u64::to_string).collect());
    sink.table(TOTALS, &HEADER, &mut texts.collect::<Vec<_>>().into_iter())?;
    let sum = |column: usize| rows.iter().map(|row| row[column]).sum::<u64>();
    sink.fact("baskets", json!(points.len()));
    sink.fact("positions", json!(sum(2)));
    sink.fact("lost_positions", json!(sum(3)));
    sink.fact("winning_moves", json!(sum(4)));
    sink.fact("winning_moves_misere", json!(sum(6)));
    Ok(())
}

fn agrees(point: &Point, counted: &Counted, totals: &Totals) -> bool {
    totals.positions == BigInt::from(point.positions)
        && totals.lost == BigInt::from(counted.lost)
        && totals.lost == BigInt::from(counted.lost_misere)
        && totals.winning_moves == BigInt::from(counted.winning_moves)
        && totals.winning_moves_misere == BigInt::from(counted.winning_moves_misere)
}

fn read_row(
    artifact: &dyn ArtifactSource,
    index: usize,
) -> Result<[u64; HEADER.len()], QueryError> {
    let mut bytes = [0; ROW_BYTES];
    artifact.read_at(COUNTS, (index * HEADER.len()) as u64, &mut bytes)?;
    let word = |position: usize| {
        let word = &bytes[8 * position..][..8];
        word.iter().rev().fold(0, |count, byte| count << 8 | u64::from(*byte))
    };
    Ok(std::array::from_fn(word))
}

/// The totals of every basket, under the normal rule.
pub(super) fn counts(
    points: &[Point],
    artifact: &dyn ArtifactSource,
) -> Result<Vec<Counts>, QueryError> {
    let rows = points.iter().enumerate().map(|(index, point)| {
        let [_, _, positions, lost, winning_moves, ..] = read_row(artifact, index)?;
        let Point { colours, balls, .. } = *point;
        Ok(Counts { colours, balls, positions, lost, winning_moves })
    });
    rows.collect()
}

/// Two words, colours and balls, ask for the row of this basket.
pub(super) fn answer(
    points: &[Point],
    artifact: &dyn ArtifactSource,
    question: &[String],
) -> Result<Map<String, Value>, QueryError> {
    let wrong = |what: String| QueryError::Question(what);
    let [colours, balls] = question else {
        let words = question.len();
        return Err(wrong(format!("{words} words given: colours and balls are right, e.g. 3 3")));
    };
    let number =
        |text: &String| text.parse::<u32>().map_err(|_| wrong(format!("'{text}' is no number")));
    let (colours, balls) = (number(colours)?, number(balls)?);
    let found = points.iter().position(|point| point.colours == colours && point.balls == balls);
    let index = found.ok_or_else(|| {
        wrong(format!("the run has no basket of {colours} colours and {balls} balls"))
    })?;
    let row = read_row(artifact, index)?;
    Ok(HEADER.iter().zip(row).map(|(name, count)| ((*name).to_owned(), json!(count))).collect())
}

/// Rows drawn by the seed, against the closed form.
pub(super) fn verify(
    points: &[Point],
    artifact: &dyn ArtifactSource,
    sample: &Sample,
    context: &ComputeContext<'_>,
) -> Result<VerifyReport, QueryError> {
    let mut report = VerifyReport::default();
    for index in sample.draw(points.len() as u64) {
        let index = index as usize;
        context.poll().map_err(|_| QueryError::Cancelled)?;
        let point = &points[index];
        let row = read_row(artifact, index)?;
        let counted = Counted {
            lost: row[3],
            winning_moves: row[4],
            lost_misere: row[5],
            winning_moves_misere: row[6],
        };
        let named = row[..3] == [point.colours.into(), point.balls.into(), point.positions];
        (context.progress)(1);
        let closed = closed_form(point.colours, point.balls);
        let right = named && agrees(point, &counted, &closed);
        report.add((!right).then(|| {
            let (colours, balls) = (point.colours, point.balls);
            format!(
                "{colours} colours of {balls} balls: artifact {counted:?}, closed form {closed:?}"
            )
        }));
    }
    Ok(report)
}
