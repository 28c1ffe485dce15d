//! Task `estimate-error`: how far the known estimate is from the exact odds on random deals. A deal is a pure function of
//! seed and number. Errors are rounded to billionths before they are added, so that sums do not depend on any order.

use std::io;
use std::sync::{Arc, OnceLock};

use fulldeck_job::{
    ArtifactSink, ArtifactSource, CheckError, Computation, ComputeContext, ComputeError,
    ElementType, Estimate, Job, JobIndex, Plan, PlanError, QueryError, Sample, Slice, VerifyReport,
    mix,
};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::Game;
use super::payload::{check_length, invalid, of_words, words};
use super::question::refused;
use super::slices::{Cut, cost_of_slice, rows};
use crate::{DeckCard, Histogram, Positions, Weighting, estimate, odds, plain, to_text};

const BILLION: f64 = 1e9;
/// Deals of a slice when the planner may choose, by board cards: a second or so of one core.
const USUAL_DEALS: [u64; 6] = [0, 0, 16, 128, 1_024, 4_096];
const SUMMARY: &str = "errors";
const RESULT_BYTES: u64 = 8 * Errors::NUMBERS as u64;

/// Errors of many deals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Errors {
    deals: u64,
    /// Sum, in billionths.
    sum: u64,
    above_a_tenth: u64,
    above_a_fifth: u64,
    /// The largest, in billionths, and the first deal that has it.
    worst: u64,
    worst_deal: u64,
}

impl Errors {
    const NUMBERS: usize = 6;

    fn of(deal: u64, error: u64) -> Self {
        let above = |billionths: u64| u64::from(error > billionths);
        let (above_a_tenth, above_a_fifth) = (above(100_000_000), above(200_000_000));
        Self { deals: 1, sum: error, above_a_tenth, above_a_fifth, worst: error, worst_deal: deal }
    }

    /// In any order the same.
    fn and(self, other: Self) -> Self {
        // Of equal errors the smaller number counts; no deals have no worst.
        let key = |errors: &Self| (errors.deals > 0, errors.worst, u64::MAX - errors.worst_deal);
        let worst = if key(&self) >= key(&other) { self } else { other };
        Self {
            deals: self.deals + other.deals,
            sum: self.sum + other.sum,
            above_a_tenth: self.above_a_tenth + other.above_a_tenth,
            above_a_fifth: self.above_a_fifth + other.above_a_fifth,
            worst: worst.worst,
            worst_deal: worst.worst_deal,
        }
    }

    const fn numbers(self) -> [u64; Self::NUMBERS] {
        let Self { deals, sum, above_a_tenth, above_a_fifth, worst, worst_deal } = self;
        [deals, sum, above_a_tenth, above_a_fifth, worst, worst_deal]
    }

    fn read(payload: &[u8]) -> Self {
        let mut numbers = words(payload);
        let mut next = || numbers.next().expect("six numbers");
        Self {
            deals: next(),
            sum: next(),
            above_a_tenth: next(),
            above_a_fifth: next(),
            worst: next(),
            worst_deal: next(),
        }
    }
}

/// A run of task `estimate-error`.
pub(super) struct EstimateErrorRun {
    game: Arc<Game>,
    stage: usize,
    deals: u32,
    seed: u64,
    positions: OnceLock<Positions>,
}

impl EstimateErrorRun {
    pub(super) const fn new(game: Arc<Game>, stage: usize, deals: u32, seed: u64) -> Self {
        Self { game, stage, deals, seed, positions: OnceLock::new() }
    }

    fn positions(&self) -> &Positions {
        self.positions.get_or_init(|| {
            Positions::new(Histogram::count(self.game.evaluator(), self.game.deck, 7))
        })
    }

    /// Hole and board of a deal: the first cards of a shuffled deck.
    fn deal(&self, number: u64) -> ([DeckCard; 2], Vec<DeckCard>) {
        let mut deck: Vec<DeckCard> = self.game.deck.cards().collect();
        let stream = mix(self.seed ^ mix(number));
        for at in 0..2 + self.stage {
            let bits = mix(stream.wrapping_add(at as u64));
            let left = (deck.len() - at) as u128;
            deck.swap(at, at + ((u128::from(bits) * left) >> 64) as usize);
        }
        ([deck[0], deck[1]], deck[2..2 + self.stage].to_vec())
    }

    /// Estimate, equity, and the error in billionths.
    fn compare(
        &self,
        number: u64,
        exact: impl Fn([DeckCard; 2], &[DeckCard]) -> f64,
    ) -> (f64, f64, u64) {
        let (hole, board) = self.deal(number);
        let evaluator = self.game.evaluator();
        let guess = estimate::estimate(evaluator, self.positions(), hole, &board, Weighting::Plain)
            .estimate;
        let equity = exact(hole, &board);
        (guess, equity, ((guess - equity).abs() * BILLION).round() as u64)
    }

    fn fast(&self, hole: [DeckCard; 2], board: &[DeckCard]) -> f64 {
        let odds = odds::against_random(self.game.evaluator(), self.game.deck, hole, board);
        odds.expect("deals are different cards of the deck").equity()
    }
}

impl Computation for EstimateErrorRun {
    fn estimate(&self) -> Estimate {
        let deals = u64::from(self.deals);
        Estimate {
            elements: deals,
            core_seconds: deals as f64 / USUAL_DEALS[self.stage] as f64,
            worker_bytes: 16 << 20,
            store_bytes: deals.div_ceil(USUAL_DEALS[self.stage]) * RESULT_BYTES,
            artifact_bytes: 4 << 10,
        }
    }

    fn plan(&self, slice_target: u32) -> Result<Plan, PlanError> {
        let costs = vec![1; self.deals as usize];
        let cost = cost_of_slice(costs.len() as u64, USUAL_DEALS[self.stage], slice_target);
        let mut slices = Vec::new();
        let cut = Cut { job: JobIndex(0), cost, most_rows: u32::MAX };
        cut.append(&mut slices, &costs, |rows| (rows.len() as u64, RESULT_BYTES));
        let name = format!("{}-2-{}", self.game.name(), self.stage);
        Plan::new(vec![Job { name, family: String::new(), rows: self.deals }], slices)
    }

    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        let one = |slice: &Slice| {
            let errors = rows(slice)
                .into_par_iter()
                .map(|deal| {
                    context.poll()?;
                    let deal = u64::from(deal);
                    let (_, _, error) = self.compare(deal, |hole, board| self.fast(hole, board));
                    (context.progress)(1);
                    Ok(Errors::of(deal, error))
                })
                .try_reduce(Errors::default, |a, b| Ok(a.and(b)))?;
            Ok(of_words(errors.numbers()))
        };
        slices.iter().map(one).collect()
    }

    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        check_length(slice, payload)?;
        let errors = Errors::read(payload);
        let there = rows(slice).map(u64::from).any(|deal| deal == errors.worst_deal);
        let possible = errors.worst <= BILLION as u64 && errors.sum <= errors.worst * errors.deals;
        let ordered =
            errors.above_a_fifth <= errors.above_a_tenth && errors.above_a_tenth <= errors.deals;
        if errors.deals == u64::from(slice.rows) && there && possible && ordered {
            return Ok(());
        }
        Err(CheckError(format!("{errors:?} is impossible for {} deals", slice.rows)))
    }

    fn assemble(
        &self,
        plan: &Plan,
        payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        let mut all = Errors::default();
        for (slice, payload) in plan.slices().iter().zip(&mut *payloads) {
            let payload = payload?;
            if payload.len() as u64 != RESULT_BYTES {
                return Err(invalid(format!("slice {} has {} bytes", slice.id.0, payload.len())));
            }
            all = all.and(Errors::read(&payload));
        }
        if payloads.next().is_some() {
            return Err(invalid("more results than the plan has slices".to_owned()));
        }
        let array = sink.array(SUMMARY, ElementType::U64, &[Errors::NUMBERS as u64])?;
        sink.write_at(array, 0, &of_words(all.numbers()))?;
        for (name, value) in self.describe(all) {
            sink.fact(&name, value);
        }
        Ok(())
    }

    fn query(
        &self,
        _artifact: &dyn ArtifactSource,
        question: &[String],
    ) -> Result<Map<String, Value>, QueryError> {
        let wrong =
            || refused(format!("the number of a deal is asked for, from 0 to {}", self.deals - 1));
        let [text] = question else { return Err(wrong()) };
        let deal: u32 = text.parse().ok().filter(|deal| *deal < self.deals).ok_or_else(wrong)?;
        let (hole, board) = self.deal(deal.into());
        let (guess, equity, error) =
            self.compare(deal.into(), |hole, board| self.fast(hole, board));
        let mut answer = Map::new();
        answer.insert("deal".into(), json!(deal));
        answer.insert("hole".into(), json!(to_text(&hole)));
        answer.insert("board".into(), json!(to_text(&board)));
        answer.insert("equity".into(), json!(equity));
        answer.insert("estimate".into(), json!(guess));
        answer.insert("error".into(), json!(error as f64 / BILLION));
        Ok(answer)
    }

    /// Recomputes deals by plain enumeration; none may be worse than the worst.
    fn verify(
        &self,
        artifact: &dyn ArtifactSource,
        sample: &Sample,
        context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, QueryError> {
        let mut bytes = [0; RESULT_BYTES as usize];
        artifact.read_at(SUMMARY, 0, &mut bytes)?;
        let stored = Errors::read(&bytes);
        let game = &self.game;
        let plain = |hole, board: &[DeckCard]| {
            plain::odds(game.evaluator(), game.deck, hole, board).equity()
        };
        let check = |deal: u64| {
            context.poll().map_err(|_| QueryError::Cancelled)?;
            (context.progress)(1);
            let (_, _, slow) = self.compare(deal, plain);
            let (_, _, fast) = self.compare(deal, |hole, board| self.fast(hole, board));
            let worst = if deal == stored.worst_deal { stored.worst } else { fast };
            let right = slow == fast && slow <= stored.worst && worst == slow;
            Ok::<_, QueryError>((!right).then(|| {
                format!("deal {deal}: error {fast} billionths, by plain enumeration {slow}")
            }))
        };
        let mut report = sample.recompute(self.deals.into(), check)?;
        report.add(check(stored.worst_deal)?);
        Ok(report)
    }
}

impl EstimateErrorRun {
    fn describe(&self, all: Errors) -> Map<String, Value> {
        let (hole, board) = self.deal(all.worst_deal);
        let mut facts = Map::new();
        facts.insert("board_cards".into(), json!(self.stage));
        facts.insert("deals".into(), json!(all.deals));
        facts.insert("sum_of_errors_billionths".into(), json!(all.sum));
        facts.insert("mean_error".into(), json!((all.sum / all.deals.max(1)) as f64 / BILLION));
        facts.insert("above_a_tenth".into(), json!(all.above_a_tenth));
        facts.insert("above_a_fifth".into(), json!(all.above_a_fifth));
        facts.insert("worst_error".into(), json!(all.worst as f64 / BILLION));
        facts.insert("worst_deal".into(), json!(all.worst_deal));
        facts.insert("worst_hole".into(), json!(to_text(&hole)));
        facts.insert("worst_board".into(), json!(to_text(&board)));
        facts
    }
}
