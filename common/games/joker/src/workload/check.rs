//! Task `check`: every class of starting hands by plain enumeration of all boards and all opponents, one job a class. A
//! row is a pair of first board cards; a result has win, tie and lose; results are added, and must be the table's.

use std::io;
use std::sync::Arc;

use fulldeck_job::{
    ArtifactSink, ArtifactSource, CheckError, Computation, ComputeContext, ComputeError,
    ElementType, Estimate, Job, JobIndex, Plan, PlanError, QueryError, Sample, Slice, VerifyReport,
};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::Game;
use super::payload::{check_length, invalid, of_words, words};
use super::question::refused;
use super::slices::{Cut, cost_of_slice, rows};
use crate::answers::counts;
use crate::counting::choose;
use crate::showdown::{BOARD, opponents};
use crate::table::completions;
use crate::{DeckCard, HoleClass, Odds, Preflop, parse_hand, plain};

/// Comparisons of a slice when the planner may choose: some seconds.
const USUAL_COMPARISONS: u64 = 400_000_000;
const COUNTS: &str = "odds";
const RESULT_BYTES: u64 = 24;

/// A run of task `check`.
pub(super) struct CheckRun {
    game: Arc<Game>,
    classes: Vec<HoleClass>,
}

impl CheckRun {
    pub(super) fn new(game: Arc<Game>) -> Self {
        let classes = HoleClass::all(game.deck);
        Self { game, classes }
    }

    /// Cards that are not in the hole.
    fn left(&self) -> u64 {
        self.game.deck.size() as u64 - 2
    }

    /// Number of pairs of first board cards: places low < high among the cards left, in lexicographic order.
    fn rows(&self) -> u32 {
        choose(self.left(), 2) as u32
    }

    fn first_two(&self, row: u32) -> (usize, usize) {
        let cards = self.left() as usize;
        let (mut low, mut rest) = (0, row as usize);
        while rest >= cards - 1 - low {
            rest -= cards - 1 - low;
            low += 1;
        }
        (low, low + 1 + rest)
    }

    /// Comparisons of a row.
    fn comparisons(&self, row: u32) -> u64 {
        let after = self.left() - 1 - self.first_two(row).1 as u64;
        choose(after, BOARD as u64 - 2) * u64::from(opponents(self.game.deck))
    }

    fn enumerate(&self, slice: &Slice, context: &ComputeContext<'_>) -> Result<Odds, ComputeError> {
        let class = self
            .classes
            .get(slice.job.0 as usize)
            .filter(|_| rows(slice).end <= self.rows())
            .ok_or_else(|| ComputeError::Invalid(format!("there is no slice {}", slice.id.0)))?;
        let hole = class.hole();
        let left: Vec<DeckCard> =
            self.game.deck.cards().filter(|card| !hole.contains(card)).collect();
        rows(slice)
            .into_par_iter()
            .map(|row| {
                let (low, high) = self.first_two(row);
                let mut odds = Odds::default();
                // One third card at a time, so that a call can stop.
                for third in high + 1..left.len() {
                    context.poll()?;
                    let board = vec![left[low], left[high], left[third]];
                    plain::complete(
                        self.game.evaluator(),
                        hole,
                        board,
                        &left,
                        third + 1,
                        &mut odds,
                    );
                }
                (context.progress)(self.comparisons(row));
                Ok(odds)
            })
            .try_reduce(Odds::default, |a, b| Ok(a.and(b)))
    }

    fn read(&self, artifact: &dyn ArtifactSource, class: usize) -> Result<Odds, QueryError> {
        let mut bytes = [0; RESULT_BYTES as usize];
        artifact.read_at(COUNTS, 3 * class as u64, &mut bytes)?;
        Ok(odds_of(&bytes))
    }
}

fn odds_of(payload: &[u8]) -> Odds {
    let mut numbers = words(payload);
    let mut next = || numbers.next().expect("three numbers");
    Odds { win: next(), tie: next(), lose: next() }
}

impl Computation for CheckRun {
    fn estimate(&self) -> Estimate {
        let comparisons = self.classes.len() as u64 * completions(self.game.deck, 0);
        Estimate {
            elements: self.classes.len() as u64,
            core_seconds: comparisons as f64 * COMPARISON_SECONDS,
            worker_bytes: 8 << 20,
            store_bytes: comparisons / USUAL_COMPARISONS * RESULT_BYTES,
            artifact_bytes: 16 << 10,
        }
    }

    fn plan(&self, slice_target: u32) -> Result<Plan, PlanError> {
        let costs: Vec<u64> = (0..self.rows()).map(|row| self.comparisons(row)).collect();
        let total = costs.iter().sum::<u64>() * self.classes.len() as u64;
        let cost = cost_of_slice(total, USUAL_COMPARISONS, slice_target);
        let (mut jobs, mut slices) = (Vec::new(), Vec::new());
        for (index, class) in (0..).zip(&self.classes) {
            let cut = Cut { job: JobIndex(index), cost, most_rows: u32::MAX };
            cut.append(&mut slices, &costs, |_| (1, RESULT_BYTES));
            let name = match class {
                HoleClass::TwoJokers => "jokers".to_owned(),
                HoleClass::Joker(rank) => format!("{rank}-joker"),
                other => other.to_string(),
            };
            jobs.push(Job { name, family: String::new(), rows: self.rows() });
        }
        Plan::new(jobs, slices)
    }

    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        let one = |slice: &Slice| {
            let odds = self.enumerate(slice, context)?;
            Ok(of_words([odds.win, odds.tie, odds.lose]))
        };
        slices.iter().map(one).collect()
    }

    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        check_length(slice, payload)?;
        let total: u64 = rows(slice).map(|row| self.comparisons(row)).sum();
        match words(payload).try_fold(0u64, u64::checked_add) {
            Some(found) if found == total => Ok(()),
            found => Err(CheckError(format!("{found:?} comparisons where there are {total}"))),
        }
    }

    fn assemble(
        &self,
        plan: &Plan,
        payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        let mut sums = vec![Odds::default(); self.classes.len()];
        for (slice, payload) in plan.slices().iter().zip(&mut *payloads) {
            let payload = payload?;
            if payload.len() as u64 != RESULT_BYTES {
                return Err(invalid(format!("slice {} has {} bytes", slice.id.0, payload.len())));
            }
            let sum = &mut sums[slice.job.0 as usize];
            *sum = sum.and(odds_of(&payload));
        }
        if payloads.next().is_some() {
            return Err(invalid("more results than the plan has slices".to_owned()));
        }
        let array = sink.array(COUNTS, ElementType::U64, &[sums.len() as u64, 3])?;
        let numbers = sums.iter().flat_map(|odds| [odds.win, odds.tie, odds.lose]);
        sink.write_at(array, 0, &of_words(numbers))?;
        let mut lines = self.classes.iter().zip(&sums).map(|(class, odds)| {
            let numbers = [class.holes(self.game.deck), odds.win, odds.tie, odds.lose];
            std::iter::once(class.to_string()).chain(numbers.map(|n| n.to_string())).collect()
        });
        sink.table("preflop", &["class", "holes", "win", "tie", "lose"], &mut lines)?;
        sink.fact("deck", json!(self.game.deck.size()));
        sink.fact("rule", json!(self.game.rule.name()));
        sink.fact("classes", json!(self.classes.len()));
        sink.fact("comparisons_each", json!(completions(self.game.deck, 0)));
        let known = Preflop::known(self.game.deck, self.game.rule);
        let same = known.rows().iter().zip(&sums).filter(|((_, odds), sum)| odds == *sum).count();
        sink.fact("classes_equal_to_the_table", json!(same));
        Ok(())
    }

    fn query(
        &self,
        artifact: &dyn ArtifactSource,
        question: &[String],
    ) -> Result<Map<String, Value>, QueryError> {
        let [text] = question else {
            return Err(refused(
                "one hole or class of starting hands is asked for, e.g. AsKs or AKs",
            ));
        };
        let class = match HoleClass::named(text) {
            Some(class) => class,
            None => {
                let hole = parse_hand(text, self.game.deck, &[2]).map_err(refused)?;
                HoleClass::of([hole[0], hole[1]])
            }
        };
        let index = self.classes.iter().position(|known| *known == class).ok_or_else(|| {
            refused(format!("the deck of {} has no hole {class}", self.game.deck))
        })?;
        let mut answer = Map::new();
        answer.insert("class".into(), json!(class.to_string()));
        answer.extend(counts(self.read(artifact, index)?));
        Ok(answer)
    }

    /// Compares with the table that comes with the program: all classes, whatever the sample.
    fn verify(
        &self,
        artifact: &dyn ArtifactSource,
        _sample: &Sample,
        context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, QueryError> {
        let mut report = VerifyReport::default();
        let known = Preflop::known(self.game.deck, self.game.rule);
        for (index, (class, odds)) in known.rows().iter().enumerate() {
            let stored = self.read(artifact, index)?;
            let difference = || format!("{class}: artifact {stored:?}, table {odds:?}");
            report.add((stored != *odds).then(difference));
            (context.progress)(1);
        }
        Ok(report)
    }
}

/// CPU time of one comparison on one core of a current server, in seconds.
const COMPARISON_SECONDS: f64 = 4e-9;
