//! Task `table`: the stages from no board to `stage` board cards.
//!
//! A result has the counts of a range of canonical boards: of four cards in the job `...-turns`, of five in the job
//! `...-rivers`, which there is only if that stage is kept. Both come straight from the full boards, so that slices share
//! nothing. The stages above follow when the artifact is put together.

use std::io;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use fulldeck_job::picture::{Picture, PictureKind};
use fulldeck_job::{
    ArtifactSink, ArtifactSource, CheckError, Computation, ComputeContext, ComputeError, Estimate,
    Job, JobIndex, Plan, PlanError, QueryError, Sample, Slice, VerifyReport,
};
use rayon::prelude::*;
use serde_json::{Map, Value};

use super::payload::{check_length, halves};
use super::slices::{Cut, cost_of_slice, rows};
use super::{Game, question};
use crate::boards::Boards;
use crate::showdown::{BOARD, Cards, Sweep, Won};
use crate::table::{Place, TURN, Turns, completions, locate, pairs_beside};
use crate::{Deck, DeckCard, HoleClass, Odds, Preflop, pictures};

mod artifact;
mod verify;

/// Cost of a board of four cards, in units of a full board.
const TURN_COST: u64 = 12;
/// Cost of a slice when the planner may choose: a tenth of a second or so.
const USUAL_COST: u64 = 24_000;
/// Most boards of a slice: results stay below 20 MB.
const MOST_BOARDS: u32 = 4_096;
/// Boards computed by one task.
const TASK_BOARDS: usize = 64;
/// Bytes of win and tie of a pair in a result.
const PAIR_BYTES: u64 = 4;

/// A run of task `table`.
pub(super) struct TableRun {
    game: Arc<Game>,
    stage: usize,
    /// By number of cards, up to five.
    boards: OnceLock<Vec<Boards>>,
}

impl TableRun {
    pub(super) const fn new(game: Arc<Game>, stage: usize) -> Self {
        Self { game, stage, boards: OnceLock::new() }
    }

    fn boards(&self) -> &[Boards] {
        self.boards.get_or_init(|| Boards::up_to(self.stage.max(TURN), self.game.deck))
    }

    fn deck(&self) -> Deck {
        self.game.deck
    }

    /// Rows of a stage.
    fn elements(&self, stage: usize) -> u64 {
        (self.boards()[stage].len() * pairs_beside(self.deck(), stage)) as u64
    }

    /// Rows of all stages that are kept.
    fn all_elements(&self) -> u64 {
        (0..=self.stage).map(|stage| self.elements(stage)).sum()
    }

    /// Board cards of the jobs, in the order of the plan.
    fn job_stages(&self) -> &'static [usize] {
        if self.stage == BOARD { &[TURN, BOARD] } else { &[TURN] }
    }

    /// Board cards of a slice, if it is of this plan.
    fn stage_of(&self, slice: &Slice) -> Option<usize> {
        let stage = self.job_stages().get(slice.job.0 as usize)?;
        (rows(slice).end as usize <= self.boards()[*stage].len()).then_some(*stage)
    }

    /// Counts of all pairs on the boards of a slice: all wins, then all ties.
    fn counts(&self, slice: &Slice, context: &ComputeContext<'_>) -> Result<Vec<u8>, ComputeError> {
        let stage = self
            .stage_of(slice)
            .ok_or_else(|| ComputeError::Invalid(format!("there is no slice {}", slice.id.0)))?;
        let boards = rows(slice).start as usize..rows(slice).end as usize;
        let tasks: Vec<Range<usize>> = boards
            .clone()
            .step_by(TASK_BOARDS)
            .map(|first| first..(first + TASK_BOARDS).min(boards.end))
            .collect();
        let parts = tasks
            .into_par_iter()
            .map(|range| {
                context.poll()?;
                let done = slice.cost * range.len() as u64 / boards.len() as u64;
                let part = self.compute_boards(stage, range);
                (context.progress)(done);
                Ok(part)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mut payload = Vec::with_capacity(slice.raw_bytes as usize);
        for part in [Won::win, Won::tie] {
            payload.extend(parts.iter().flatten().flat_map(|won| part(*won).to_le_bytes()));
        }
        Ok(payload)
    }

    fn compute_boards(&self, stage: usize, range: Range<usize>) -> Vec<Won> {
        let (evaluator, deck) = (self.game.evaluator(), self.deck());
        let mut counts = Vec::with_capacity(range.len() * pairs_beside(deck, stage));
        let boards = &self.boards()[stage].as_slice()[range];
        if stage == TURN {
            let mut turns = Turns::new(evaluator, deck);
            boards.iter().for_each(|board| turns.row(*board, &mut counts));
        } else {
            let mut sweep = Sweep::new(evaluator, deck);
            for board in boards {
                sweep.rows(Cards::of(board.cards()), &board.unseen(deck), &mut counts);
            }
        }
        counts
    }

    /// Win, tie and lose of a stored row.
    pub(super) fn read(
        &self,
        artifact: &dyn ArtifactSource,
        stage: usize,
        place: Place,
    ) -> Result<Odds, QueryError> {
        artifact::read(self.deck(), artifact, stage, place)
    }

    /// The odds of the starting hands, which every table keeps.
    fn preflop(&self, artifact: &dyn ArtifactSource) -> Result<Preflop, QueryError> {
        let odds = |class: HoleClass| {
            let place = self.locate(class.hole(), &[]).expect("a class has holes of its deck");
            Ok((class, self.read(artifact, 0, place)?))
        };
        let rows = HoleClass::all(self.deck()).into_iter().map(odds);
        Ok(Preflop::new(self.deck(), rows.collect::<Result<_, QueryError>>()?))
    }

    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    /// Where a hole on a board is in the arrays of its stage.
    pub(super) fn locate(&self, hole: [DeckCard; 2], board: &[DeckCard]) -> Option<Place> {
        locate(self.boards().get(board.len())?, self.deck(), hole, board)
    }

    pub(super) const fn stage(&self) -> usize {
        self.stage
    }
}

impl Computation for TableRun {
    fn estimate(&self) -> Estimate {
        let stored: u64 = self.job_stages().iter().map(|stage| self.elements(*stage)).sum();
        let boards = |stage: usize| self.boards()[stage].len() as f64;
        let rivers = if self.stage == BOARD { boards(BOARD) } else { 0.0 };
        Estimate {
            elements: self.all_elements(),
            core_seconds: boards(TURN) * TURN_SECONDS + rivers * RIVER_SECONDS + LIFT_SECONDS,
            worker_bytes: WORKER_BYTES,
            store_bytes: stored * PAIR_BYTES,
            artifact_bytes: (0..=self.stage)
                .map(|stage| self.elements(stage) * artifact::bytes(stage))
                .sum(),
        }
    }

    fn plan(&self, slice_target: u32) -> Result<Plan, PlanError> {
        let (mut jobs, mut slices) = (Vec::new(), Vec::new());
        let cost_of = |stage: usize| if stage == TURN { TURN_COST } else { 1 };
        let boards = |stage: usize| self.boards()[stage].len();
        let total =
            self.job_stages().iter().map(|stage| cost_of(*stage) * boards(*stage) as u64).sum();
        let cost = cost_of_slice(total, USUAL_COST, slice_target);
        for (index, stage) in (0..).zip(self.job_stages()) {
            let pairs = pairs_beside(self.deck(), *stage) as u64;
            let cut = Cut { job: JobIndex(index), cost, most_rows: MOST_BOARDS };
            cut.append(&mut slices, &vec![cost_of(*stage); boards(*stage)], |rows| {
                let elements = rows.len() as u64 * pairs;
                (elements, elements * PAIR_BYTES)
            });
            let what = if *stage == TURN { "turns" } else { "rivers" };
            let name = format!("{}-{what}", self.game.name());
            jobs.push(Job { name, family: String::new(), rows: boards(*stage) as u32 });
        }
        Plan::new(jobs, slices)
    }

    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        slices.iter().map(|slice| self.counts(slice, context)).collect()
    }

    /// Identities of every board: the wins and the losses of all pairs balance, no pair has more than all completions, and
    /// nobody beats the holder of both jokers.
    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        check_length(slice, payload)?;
        let stage = self
            .stage_of(slice)
            .ok_or_else(|| CheckError(format!("there is no slice {}", slice.id.0)))?;
        let pairs = pairs_beside(self.deck(), stage);
        let all = completions(self.deck(), stage);
        let (wins, ties) = payload.split_at(payload.len() / 2);
        let (mut wins, mut ties) = (halves(wins), halves(ties));
        for row in rows(slice) {
            let (mut shared, mut most, mut last) = (0, 0, 0);
            for (win, tie) in wins.by_ref().zip(ties.by_ref()).take(pairs) {
                let (win, tie) = (u64::from(win), u64::from(tie));
                shared += 2 * win + tie;
                last = win + tie;
                most = most.max(last);
            }
            let board = self.boards()[stage].as_slice()[row as usize];
            let both_free = self.deck() == Deck::Cards54 && board.jokers() == 0;
            if shared != all * pairs as u64 || most > all || (both_free && last != all) {
                return Err(CheckError(format!(
                    "board {row} of {stage} cards: wins, ties and losses do not balance"
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
        artifact::assemble(self, plan, payloads, sink)
    }

    fn query(
        &self,
        artifact: &dyn ArtifactSource,
        question: &[String],
    ) -> Result<Map<String, Value>, QueryError> {
        question::of_table(self, artifact, question)
    }

    fn pictures(&self) -> &'static [PictureKind] {
        match self.deck() {
            Deck::Cards52 => &[pictures::PREFLOP],
            _ => &[pictures::PREFLOP, pictures::DIFFERENCE],
        }
    }

    fn picture(
        &self,
        artifact: &dyn ArtifactSource,
        kind: &str,
        context: &ComputeContext<'_>,
    ) -> Result<Picture, QueryError> {
        if self.pictures().iter().all(|known| known.name != kind) {
            return Err(QueryError::no_picture(kind, self.pictures()));
        }
        let preflop = self.preflop(artifact)?;
        (context.progress)(self.all_elements());
        let rule = self.game.rule;
        Ok(match kind {
            "difference" => {
                pictures::difference(&preflop, Preflop::known(Deck::Cards52, rule), rule)
            }
            _ => pictures::preflop(&preflop, rule),
        })
    }

    fn verify(
        &self,
        artifact: &dyn ArtifactSource,
        sample: &Sample,
        context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, QueryError> {
        verify::verify(self, artifact, sample, context)
    }

    fn recheck(
        &self,
        slice: &Slice,
        payload: &[u8],
        sample: &Sample,
        context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, ComputeError> {
        verify::recheck(self, slice, payload, sample, context)
    }
}

/// CPU time of a board of four cards on one core of a current server, in seconds ...
const TURN_SECONDS: f64 = 5e-5;
/// ... of a full board, with its share of the merge ...
const RIVER_SECONDS: f64 = 1.5e-5;
/// ... and of everything above.
const LIFT_SECONDS: f64 = 0.5;
/// Memory of a worker: tables, and a slice or two.
const WORKER_BYTES: u64 = 96 << 20;
