//! Task `endgames`: random positions with open cards, searched with a budget; what is left unfinished is searched again
//! with sixteen times the budget, as slices of its own.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use fulldeck_job::{
    ArtifactSink, ArtifactSource, CheckError, Computation, ComputeContext, ComputeError,
    ElementType, Estimate, Parameters, Plan, PlanError, QueryError, Sample, Slice, VerifyReport,
    WorkloadError,
};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::pool::Pool;
use super::slices::{EvenJob, cut};
use crate::endgame::{Position, Solution, Solver, random_position, reference};

/// Outcome of each position: 0 unfinished, 1 the landlord wins, 2 the farmers win.
const OUTCOME: &str = "outcome";
/// Nodes of the search that finished it, or of the largest that did not.
const NODES: &str = "nodes";
/// Budget of a round in units of that of the round before.
const GROWTH: u64 = 16;
/// Bytes of a position's result: nodes times four and the outcome.
const BYTES: usize = 8;
/// Results beside the outcomes: finished in an earlier round.
const EARLIER: u64 = 3;
/// Nanoseconds of a node.
const NODE_NS: u64 = 350;
/// Nodes of a position by cards of each player, on average, up to twelve.
const MEAN_NODES: [u64; 13] =
    [1, 1, 10, 60, 200, 430, 1_700, 9_600, 43_000, 150_000, 600_000, 2_500_000, 10_000_000];

pub(super) struct Endgames {
    each: u32,
    positions: u32,
    budget: u64,
    rounds: u32,
    seed: u64,
    solvers: Pool<Solver>,
    /// What this process has found out in each round: a slice of the next round saves the search of those that are finished.
    /// Only a memory: what is not there is found out again.
    finished: OnceLock<Vec<Vec<AtomicU8>>>,
}

/// What is remembered of a position and a round.
const FINISHED: u8 = 1;
const UNFINISHED: u8 = 2;

impl Endgames {
    pub(super) fn new(parameters: &Parameters) -> Result<Self, WorkloadError> {
        let run = Self {
            each: parameters.integer("each") as u32,
            positions: parameters.integer("positions") as u32,
            budget: parameters.integer("budget"),
            rounds: parameters.integer("rounds") as u32,
            seed: parameters.integer("seed"),
            solvers: Pool::default(),
            finished: OnceLock::new(),
        };
        const MOST: u64 = 1 << 40;
        if run.round_budget(run.rounds - 1) > MOST {
            return Err(WorkloadError::Refused(format!(
                "budget {} and {} rounds end at more than {MOST} nodes: take fewer",
                run.budget, run.rounds
            )));
        }
        Ok(run)
    }

    const fn round_budget(&self, round: u32) -> u64 {
        self.budget * GROWTH.pow(round)
    }

    fn position(&self, index: u32) -> Position {
        random_position(self.seed, index.into(), self.each)
    }

    fn memory(&self, round: u32, index: u32) -> &AtomicU8 {
        let finished = self.finished.get_or_init(|| {
            let one = || (0..self.positions).map(|_| AtomicU8::new(0)).collect();
            (0..self.rounds).map(|_| one()).collect()
        });
        &finished[round as usize][index as usize]
    }

    fn search(&self, round: u32, index: u32) -> Solution {
        let position = self.position(index);
        let budget = self.round_budget(round);
        let solution = self.solvers.with(Solver::default, |solver| solver.solve(&position, budget));
        let found = if solution.landlord_wins.is_some() { FINISHED } else { UNFINISHED };
        self.memory(round, index).store(found, Ordering::Relaxed);
        solution
    }

    /// Result of a position in a round.
    fn result(&self, round: u32, index: u32) -> u64 {
        if round > 0 {
            let finished = match self.memory(round - 1, index).load(Ordering::Relaxed) {
                0 => self.search(round - 1, index).landlord_wins.is_some(),
                found => found == FINISHED,
            };
            if finished {
                self.memory(round, index).store(FINISHED, Ordering::Relaxed);
                return EARLIER;
            }
        }
        let solution = self.search(round, index);
        let outcome = match solution.landlord_wins {
            None => 0,
            Some(true) => 1,
            Some(false) => 2,
        };
        solution.nodes * 4 + outcome
    }

    /// Nanoseconds of a position in the first round, and in a later one.
    fn position_ns(&self, round: u32) -> u64 {
        let nodes = MEAN_NODES[self.each as usize].min(self.round_budget(round));
        // One position in some hundreds is left for a later round.
        NODE_NS * if round == 0 { nodes } else { nodes / 64 } + 100
    }
}

impl Computation for Endgames {
    fn estimate(&self) -> Estimate {
        let positions = u64::from(self.positions);
        let ns: u64 = (0..self.rounds).map(|round| positions * self.position_ns(round)).sum();
        Estimate {
            elements: positions,
            core_seconds: ns as f64 * 1e-9,
            worker_bytes: (64 << 20) + 16 * self.round_budget(self.rounds - 1).min(1 << 28),
            store_bytes: positions * BYTES as u64,
            artifact_bytes: positions * (BYTES as u64 + 1),
        }
    }

    fn plan(&self, slice_target: u32) -> Result<Plan, PlanError> {
        let jobs = (0..self.rounds).map(|round| EvenJob {
            name: format!("budget-{}", self.round_budget(round)),
            family: if round == 0 { "all positions" } else { "what was left unfinished" },
            rows: self.positions,
            row_bytes: BYTES as u64,
            row_cost: self.position_ns(round),
        });
        cut(jobs.collect(), slice_target)
    }

    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        slices
            .iter()
            .map(|slice| {
                let (round, end) = (slice.job.0, slice.first_row + slice.rows);
                if round >= self.rounds || end > self.positions {
                    return Err(ComputeError::Invalid("the slice is not of this run".to_owned()));
                }
                let results = (slice.first_row..end)
                    .into_par_iter()
                    .map(|index| {
                        context.poll()?;
                        let result = self.result(round, index);
                        (context.progress)(self.position_ns(round));
                        Ok(result.to_le_bytes())
                    })
                    .collect::<Result<Vec<_>, ComputeError>>()?;
                Ok(results.concat())
            })
            .collect()
    }

    /// Nobody searches more nodes than the budget, and whoever gives up has searched all of it.
    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        if payload.len() != slice.rows as usize * BYTES {
            return Err(CheckError(format!(
                "{} bytes for {} positions",
                payload.len(),
                slice.rows
            )));
        }
        let budget = self.round_budget(slice.job.0);
        for (index, (nodes, outcome)) in (slice.first_row..).zip(results(payload)) {
            let right = match outcome {
                0 => nodes == budget,
                EARLIER => nodes == 0 && slice.job.0 > 0,
                _ => nodes <= budget,
            };
            if !right {
                return Err(CheckError(format!(
                    "position {index}: outcome {outcome} after {nodes} of {budget} nodes cannot be"
                )));
            }
        }
        Ok(())
    }

    fn assemble(
        &self,
        plan: &Plan,
        payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        let outcomes = sink.array(OUTCOME, ElementType::U8, &[self.positions.into()])?;
        let nodes = sink.array(NODES, ElementType::U64, &[self.positions.into()])?;
        let mut totals = Totals::default();
        for (slice, payload) in plan.slices().iter().zip(payloads) {
            let payload = payload?;
            let round = slice.job.0;
            for (index, (count, outcome)) in (u64::from(slice.first_row)..).zip(results(&payload)) {
                if outcome != EARLIER {
                    sink.write_at(outcomes, index, &[outcome as u8])?;
                    sink.write_at(nodes, index, &count.to_le_bytes())?;
                    totals.add(outcome, count, round + 1 == self.rounds);
                }
            }
        }
        totals.write(sink)
    }

    fn query(
        &self,
        artifact: &dyn ArtifactSource,
        question: &[String],
    ) -> Result<Map<String, Value>, QueryError> {
        let wrong = || {
            QueryError::Question(format!(
                "'{}' is no position: a number from 0 to {} is right",
                question.join(" "),
                self.positions - 1
            ))
        };
        let [number] = question else { return Err(wrong()) };
        let index =
            number.parse().ok().filter(|index| *index < self.positions).ok_or_else(wrong)?;
        let (outcome, nodes) = stored(artifact, index)?;
        let position = self.position(index);
        let winner = match outcome {
            0 => "unfinished",
            1 => "landlord",
            _ => "farmers",
        };
        let mut answer = Map::new();
        answer.insert("position".into(), json!(index));
        for (name, hand) in ["landlord", "farmer_down", "farmer_up"].iter().zip(position.hands) {
            answer.insert((*name).into(), json!(hand.to_string()));
        }
        answer.insert("to_move".into(), json!("landlord"));
        answer.insert("winner".into(), json!(winner));
        answer.insert("nodes".into(), json!(nodes));
        Ok(answer)
    }

    fn verify(
        &self,
        artifact: &dyn ArtifactSource,
        sample: &Sample,
        context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, QueryError> {
        // What was left unfinished has no outcome to compare.
        let unfinished = AtomicU64::new(0);
        let mut report = sample.recompute(self.positions.into(), |index| {
            context.poll().map_err(|_| QueryError::Cancelled)?;
            let (outcome, _) = stored(artifact, index as u32)?;
            (context.progress)(1);
            if outcome == 0 {
                unfinished.fetch_add(1, Ordering::Relaxed);
                return Ok(None);
            }
            let wins = reference::Memory::default().landlord_wins(&self.position(index as u32));
            let found = if wins { 1 } else { 2 };
            let text = || format!("position {index}: artifact {outcome}, reference {found}");
            Ok::<_, QueryError>((outcome != found).then(text))
        })?;
        report.checked -= unfinished.into_inner();
        Ok(report)
    }
}

/// Nodes and outcomes of a payload.
fn results(payload: &[u8]) -> impl Iterator<Item = (u64, u64)> {
    payload.chunks(BYTES).map(|bytes| {
        let word = u64::from_le_bytes(bytes.try_into().expect("eight bytes a position"));
        (word / 4, word % 4)
    })
}

fn stored(artifact: &dyn ArtifactSource, index: u32) -> io::Result<(u8, u64)> {
    let (mut outcome, mut nodes) = ([0], [0; 8]);
    artifact.read_at(OUTCOME, index.into(), &mut outcome)?;
    artifact.read_at(NODES, index.into(), &mut nodes)?;
    Ok((outcome[0], u64::from_le_bytes(nodes)))
}

/// Sums over all positions.
#[derive(Default)]
struct Totals {
    landlord: u64,
    farmers: u64,
    unfinished: u64,
    nodes: u64,
    /// By number of binary digits of the nodes.
    histogram: Vec<u64>,
}

impl Totals {
    fn add(&mut self, outcome: u64, nodes: u64, last_round: bool) {
        match outcome {
            0 if !last_round => return,
            0 => self.unfinished += 1,
            1 => self.landlord += 1,
            _ => self.farmers += 1,
        }
        self.nodes += nodes;
        let digits = (u64::BITS - nodes.leading_zeros()) as usize;
        self.histogram.resize(self.histogram.len().max(digits + 1), 0);
        self.histogram[digits] += 1;
    }

    fn write(&self, sink: &mut dyn ArtifactSink) -> io::Result<()> {
        let mut rows = self.histogram.iter().enumerate().map(|(digits, positions)| {
            let (from, to) = ((1u64 << digits) / 2, (1u64 << digits) - 1);
            [from, to, *positions].map(|field| field.to_string()).to_vec()
        });
        sink.table("histogram", &["from", "to", "positions"], &mut rows)?;
        for (name, count) in [
            ("positions", self.landlord + self.farmers + self.unfinished),
            ("landlord_wins", self.landlord),
            ("farmers_win", self.farmers),
            ("unfinished", self.unfinished),
            ("nodes", self.nodes),
        ] {
            sink.fact(name, json!(count));
        }
        Ok(())
    }
}
