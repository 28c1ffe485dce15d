//! Slices of the fast engine against the rules, whatever the combination of groups.

use std::sync::atomic::AtomicBool;

use fulldeck_cards::ClusterIndex;
use fulldeck_job::{ComputeContext, ComputeError, JobIndex, Slice};
use proptest::prelude::*;

use super::artifact::{COUNT, count_at};
use super::*;
use crate::Outcome;
use crate::rules::Rules;

/// Many small slices: about three rows each.
const SLICES: u32 = 9_000;

fn run(cards: usize) -> MatrixRun {
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
            let [a, b] = [row, column].map(|index| matrix.clusters.cluster(ClusterIndex(index)));
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

#[test]
fn slices_name_each_cell_of_holdem_once() {
    let run = run(2);
    let matrix = run.matrix();
    let mut seen = vec![0u8; matrix.cells() as usize];
    for slice in run.plan(30).unwrap().slices() {
        for (row, column) in matrix.slice_cells(slice) {
            seen[matrix.position(row.into(), column.into()) as usize] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count == 1));
    for position in 0..matrix.cells() {
        let (row, column) = matrix.cell_at(position);
        assert!(row <= column);
        assert_eq!(matrix.position(row, column), position);
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
