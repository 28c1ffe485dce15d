//! Slices of the fast engine against the rules, whatever the combination of groups.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use fulldeck_job::{
    ArrayId, ComputeContext, ComputeError, ElementType, JobIndex, MAX_SLICES, Slice,
};
use proptest::prelude::*;
use serde_json::json;

use super::artifact::{COUNT, count_at};
use super::*;
use crate::Outcome;
use crate::rules::Rules;

/// Many small slices: about three rows each.
const SLICES: u32 = 9_000;

pub(crate) fn run(cards: usize) -> MatrixRun {
    MatrixRun { cards, backend: Backend::best(), matrix: OnceLock::new() }
}

fn compute(run: &MatrixRun, slice: Slice) -> Vec<u8> {
    let context = ComputeContext { cancel: &AtomicBool::new(false), progress: &|_| () };
    let mut payloads = run.compute(&[slice], &context).unwrap();
    assert_eq!(payloads.len(), 1);
    payloads.remove(0)
}

/// Draws a slice of each job with cells in it and compares some of its cells.
fn slices_agree_with_rules(cards: usize, draws: &[(prop::sample::Index, prop::sample::Index)]) {
    let run = run(cards);
    let plan = run.plan(SLICES).unwrap();
    let rules = Rules::new(cards);
    let matrix = run.matrix();
    for (job, (slice, cell)) in (0u32..).zip(draws).take(plan.jobs().len()) {
        let filled = |slice: &&Slice| slice.job == JobIndex(job) && slice.elements > 0;
        let slices: Vec<Slice> = plan.slices().iter().filter(filled).copied().collect();
        let slice = slices[slice.index(slices.len())];
        let payload = compute(&run, slice);
        assert_eq!(run.check(&slice, &payload), Ok(()));
        let elements = slice.elements as usize;
        let at = cell.index(elements);
        for at in [0, at, elements - 1] {
            let (row, column) = matrix.slice_cells(&slice).nth(at).unwrap();
            let [a, b] = [row, column].map(|index| &matrix.clusters.as_slice()[index]);
            let (hands, expected) = rules.cell(a, b);
            let win = u64::from(count_at(&payload, at));
            let tie = u64::from(count_at(&payload[elements * COUNT..], at));
            let lose = u64::from(hands) * u64::from(matrix.boards) - win - tie;
            let what = format!("{} x {}", a.representative(), b.representative());
            assert_eq!(Outcome { win, tie, lose }, expected, "{what}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn omaha_slices_of_all_fifteen_jobs(
        draws in prop::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 15)
    ) {
        slices_agree_with_rules(4, &draws);
    }

    #[test]
    fn holdem_slices_of_all_three_jobs(
        draws in prop::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 3)
    ) {
        slices_agree_with_rules(2, &draws);
    }
}

#[test]
fn the_plan_covers_every_cell_once() {
    for (cards, jobs, cells) in [(2, 3, 14_365), (4, 15, 135_013_528), (5, 21, 9_039_678_570)] {
        let run = run(cards);
        for target in [0, 1, 100, 5_000] {
            let plan = run.plan(target).unwrap();
            assert_eq!(plan.jobs().len(), jobs);
            assert_eq!(plan.slices().iter().map(|slice| slice.elements).sum::<u64>(), cells);
        }
    }
}

/// Every cell of a part is named by one slice, and positions in the part go both ways.
fn slices_name_each_cell_once(matrix: &Matrix, part: &Part, slices: &[&Slice]) {
    let mut seen = vec![0u8; part.cells() as usize];
    for slice in slices {
        let cells: Vec<_> = matrix.slice_cells(slice).collect();
        assert_eq!(cells.len() as u64, slice.elements);
        for (row, column) in cells {
            assert!(part.holds(row as u64, column as u64));
            seen[part.position(row as u64, column as u64) as usize] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count == 1));
    for position in (0..part.cells()).step_by(if part.cells() > 100_000 { 997 } else { 1 }) {
        let (row, column) = part.cell_at(position);
        assert!(part.holds(row, column));
        assert_eq!(part.position(row, column), position);
    }
}

#[test]
fn six_hole_cards_are_planned_within_the_bounds() {
    let run = run(6);
    let plan = run.plan(0).unwrap();
    assert_eq!(plan.jobs().len(), 45);
    assert!(plan.slices().len() <= MAX_SLICES as usize);
    assert_eq!(plan.slices().iter().map(|slice| slice.elements).sum::<u64>(), 463_673_425_566);
    let batch = |wanted| plan.slices().iter().filter(move |slice| slice.batch == wanted);
    for first in [0, plan.slices().last().unwrap().batch / 2] {
        assert!(batch(first).map(|slice| slice.raw_bytes).sum::<u64>() < 512 << 20);
    }
}

#[test]
fn slices_name_each_cell_of_holdem_once() {
    let run = run(2);
    let matrix = run.matrix();
    let plan = run.plan(30).unwrap();
    let all: Vec<&Slice> = plan.slices().iter().collect();
    slices_name_each_cell_once(matrix, &Part::whole(&matrix.clusters), &all);
    for (job, pair) in (0..).map(JobIndex).zip(&matrix.pairs) {
        let slices: Vec<&Slice> = plan.slices_of(job).collect();
        slices_name_each_cell_once(matrix, &Part::of_job(&matrix.clusters, *pair), &slices);
    }
}

/// A run whose rows are divided, as only those of six hole cards need to be.
fn divided(cards: usize) -> MatrixRun {
    let run = run(cards);
    let mut matrix = Matrix::new(cards, run.backend);
    matrix.rows = matrix
        .rows
        .iter()
        .flat_map(|row| {
            let Range { start, end } = row.others;
            let third = start + (end - start).div_ceil(3);
            [start..third, third..end].map(|others| Row { ranks: row.ranks, others })
        })
        .filter(|row| !row.others.is_empty())
        .collect();
    MatrixRun { matrix: matrix.into(), ..run }
}

/// An artifact in memory.
#[derive(Default)]
pub(crate) struct Memory {
    arrays: Vec<(String, Vec<u8>)>,
    facts: Map<String, Value>,
}

impl ArtifactSink for Memory {
    fn array(&mut self, name: &str, element: ElementType, shape: &[u64]) -> io::Result<ArrayId> {
        let bytes = shape.iter().product::<u64>() as usize * element.bytes();
        self.arrays.push((name.to_owned(), vec![0xee; bytes]));
        Ok(ArrayId(self.arrays.len() - 1))
    }

    fn write_at(&mut self, array: ArrayId, first: u64, bytes: &[u8]) -> io::Result<()> {
        self.arrays[array.0].1[first as usize * COUNT..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn table(
        &mut self,
        _: &str,
        _: &[&str],
        _: &mut dyn Iterator<Item = Vec<String>>,
    ) -> io::Result<()> {
        Ok(())
    }

    fn fact(&mut self, name: &str, value: Value) {
        self.facts.insert(name.to_owned(), value);
    }
}

impl ArtifactSource for Memory {
    fn read_at(&self, array: &str, first: u64, bytes: &mut [u8]) -> io::Result<()> {
        let (_, data) = self.arrays.iter().find(|(name, _)| name == array).unwrap();
        bytes.copy_from_slice(&data[first as usize * COUNT..][..bytes.len()]);
        Ok(())
    }

    fn fact(&self, name: &str) -> Option<&Value> {
        self.facts.get(name)
    }
}

/// Computes and assembles a run, or one job of it.
pub(crate) fn assembled(run: &MatrixRun, job: Option<JobIndex>) -> Memory {
    let plan = run.plan(9).unwrap();
    let mut memory = Memory::default();
    let slices: Vec<Slice> = match job {
        None => plan.slices().to_vec(),
        Some(job) => plan.slices_of(job).copied().collect(),
    };
    let mut payloads = slices.iter().map(|slice| {
        let payload = compute(run, *slice);
        assert_eq!(run.check(slice, &payload), Ok(()));
        Ok(payload)
    });
    match job {
        None => run.assemble(&plan, &mut payloads, &mut memory).unwrap(),
        Some(job) => {
            ArtifactSink::fact(&mut memory, "job", json!(plan.job(job).unwrap().name));
            run.assemble_job(&plan, job, &mut payloads, &mut memory).unwrap();
        }
    }
    memory
}

#[test]
fn divided_rows_make_the_same_artifact() {
    let divided = divided(2);
    assert!(divided.matrix().rows.len() > 150);
    let (whole, other) = (assembled(&run(2), None), assembled(&divided, None));
    assert_eq!(whole.arrays, other.arrays);
    assert_eq!(whole.facts, other.facts);
}

#[test]
fn divided_rows_of_omaha_name_each_cell_once() {
    let run = divided(4);
    let plan = run.plan(0).unwrap();
    let matrix = run.matrix();
    for job in [1, 14].map(JobIndex) {
        let slices: Vec<&Slice> = plan.slices_of(job).collect();
        let part = Part::of_job(&matrix.clusters, matrix.pairs[job.0 as usize]);
        slices_name_each_cell_once(matrix, &part, &slices);
    }
}

#[test]
fn the_artifact_of_a_job_answers_as_the_whole_does() {
    let run = run(2);
    let whole = assembled(&run, None);
    for (job, [inside, outside]) in [
        (0, ["AcKd QcJd", "AcKd 2c3c"]),
        (1, ["AcKd 2c3c", "AcKc 2c3c"]),
        (2, ["AcKc 2d3d", "AcKd 2c3d"]),
    ] {
        let part = assembled(&run, Some(JobIndex(job)));
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut question = words(inside);
        for _ in 0..2 {
            let expected = run.query(&whole, &question).unwrap();
            assert_eq!(run.query(&part, &question).unwrap(), expected);
            question.reverse();
        }
        let refused = run.query(&part, &words(outside)).unwrap_err().to_string();
        assert!(refused.contains("alone, not the cell"), "{refused}");
        let refused = run.query(&part, &words("AcKd")).unwrap_err().to_string();
        assert!(refused.contains("alone, not a whole row"), "{refused}");
        let context = ComputeContext { cancel: &AtomicBool::new(false), progress: &|_| () };
        let report = run.verify(&part, &Sample { fraction: 0.01, seed: 3 }, &context).unwrap();
        assert!(report.checked > 30 && report.mismatched == 0);
    }
}

#[test]
fn a_batch_gives_what_its_slices_give_alone() {
    let run = run(4);
    let plan = run.plan(SLICES).unwrap();
    let batch: Vec<Slice> =
        plan.slices().iter().filter(|slice| slice.batch == 300).copied().collect();
    assert_eq!(batch.len(), 15);
    let context = ComputeContext { cancel: &AtomicBool::new(false), progress: &|_| () };
    let together = run.compute(&batch, &context).unwrap();
    for (slice, payload) in batch.iter().zip(together) {
        assert_eq!(payload, compute(&run, *slice));
    }
}

#[test]
fn any_number_of_threads_gives_the_same_payloads() {
    let run = run(4);
    let plan = run.plan(SLICES).unwrap();
    let batch: Vec<Slice> = plan.slices().iter().filter(|s| s.batch == 500).copied().collect();
    let context = ComputeContext { cancel: &AtomicBool::new(false), progress: &|_| () };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run.compute(&batch, &context).unwrap())
    };
    let alone = with(1);
    assert!(alone.iter().any(|payload| !payload.is_empty()));
    for threads in [2, 7] {
        assert_eq!(with(threads), alone);
    }
}

#[test]
fn a_second_engine_finds_a_wrong_cell() {
    let run = run(2);
    let plan = run.plan(120).unwrap();
    let small = |slice: &&Slice| slice.job == JobIndex(1) && (20..200).contains(&slice.elements);
    let slice = *plan.slices().iter().find(small).unwrap();
    let mut payload = compute(&run, slice);
    let context = ComputeContext { cancel: &AtomicBool::new(false), progress: &|_| () };
    let whole = Sample { fraction: 1.0, seed: 1 };
    let elements = slice.elements as usize;
    // One win more and one tie less is possible, but not right.
    let tied = (0..elements).find(|at| count_at(&payload[elements * COUNT..], *at) > 0).unwrap();
    let report = |payload: &[u8], sample| run.recheck(&slice, payload, sample, &context);
    assert_eq!(report(&payload, &Sample { fraction: 0.001, seed: 1 }).unwrap().mismatched, 0);
    for (at, change) in [(tied, 1), (elements + tied, -1)] {
        let count = count_at(&payload, at).wrapping_add_signed(change);
        payload[at * COUNT..][..COUNT].copy_from_slice(&count.to_le_bytes());
    }
    let found = report(&payload, &whole).unwrap();
    assert_eq!((found.checked, found.mismatched), (slice.elements, 1));
    payload[COUNT - 1] = 0xff;
    assert!(matches!(report(&payload, &whole), Err(ComputeError::Invalid(_))));
}

#[test]
fn wrong_payloads_are_refused() {
    let run = run(2);
    let plan = run.plan(1).unwrap();
    let slice = plan.slices()[0];
    let mut payload = compute(&run, slice);
    assert_eq!(run.check(&slice, &payload), Ok(()));
    assert!(run.check(&slice, &payload[1..]).is_err());
    payload[COUNT - 1] = 0xff;
    assert!(run.check(&slice, &payload).unwrap_err().0.contains("impossible"));
}

#[test]
fn computing_stops_when_asked() {
    let run = run(4);
    let slice = run.plan(0).unwrap().slices()[0];
    let context = ComputeContext { cancel: &AtomicBool::new(true), progress: &|_| () };
    assert_eq!(run.compute(&[slice], &context), Err(ComputeError::Cancelled));
}
