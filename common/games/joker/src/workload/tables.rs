//! Task `table`: the stages from no board to `stage` board cards.
//!
//! Slices are ranges of canonical boards of five cards. Where three or more board cards are kept, a result has the counts
//! of its boards, and the stages above follow when the artifact is put together. Where fewer are kept, a result has the
//! sums that its boards contribute to the last stage, and the results are added.

use std::io;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use fulldeck_job::{
    ArtifactSink, ArtifactSource, CheckError, Computation, ComputeContext, ComputeError, Estimate,
    Job, JobIndex, Plan, PlanError, QueryError, Sample, Slice, VerifyReport,
};
use rayon::prelude::*;
use serde_json::{Map, Value};

use super::payload::{check_length, halves, invalid, of_words, words};
use super::slices::{Cut, cost_of_slice, rows};
use super::{Game, question};
use crate::boards::{Boards, symmetries};
use crate::counting::choose;
use crate::showdown::{BOARD, Sweep, Won, opponents};
use crate::table::{Scatter, Stage, Table, five, pairs_beside};
use crate::{Deck, DeckCard};

mod artifact;

/// Boards of a slice when the planner may choose, and at most.
const USUAL_BOARDS: u64 = 2_048;
const MOST_BOARDS: u32 = 4_096;
/// Boards swept by one task.
const TASK_BOARDS: usize = 64;
/// Below so many board cards results are sums: those of larger stages would be larger than the counts of the boards.
const SUMS_BELOW: usize = 3;

/// Bytes of win and tie of a pair on a full board.
const RIVER_BYTES: u64 = 4;
/// Bytes of the sums of win and tie of a pair.
const SUM_BYTES: u64 = 16;

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
        self.boards.get_or_init(|| Boards::up_to(BOARD, self.game.deck))
    }

    fn deck(&self) -> Deck {
        self.game.deck
    }

    fn keeps_sums(&self) -> bool {
        self.stage < SUMS_BELOW
    }

    /// Rows of a stage.
    fn elements(&self, stage: usize) -> u64 {
        (self.boards()[stage].len() * pairs_beside(self.deck(), stage)) as u64
    }

    /// Bytes of the sums of one result.
    fn sum_bytes(&self) -> u64 {
        self.elements(self.stage) * SUM_BYTES
    }

    /// Number of pairs on a full board.
    fn river_pairs(&self) -> usize {
        pairs_beside(self.deck(), BOARD)
    }

    /// Counts of all pairs on the boards of a slice: all wins, then all ties.
    fn rivers(&self, slice: &Slice, context: &ComputeContext<'_>) -> Result<Vec<u8>, ComputeError> {
        let parts = self.sweep(slice, context, |sweep, range| {
            let mut part = (Vec::new(), Vec::new());
            for board in &self.boards()[BOARD].as_slice()[range] {
                for Won { win, tie } in sweep.board(five(*board)) {
                    part.0.extend_from_slice(&win.to_le_bytes());
                    part.1.extend_from_slice(&tie.to_le_bytes());
                }
            }
            part
        })?;
        let mut payload = Vec::with_capacity(slice.raw_bytes as usize);
        parts.iter().for_each(|(wins, _)| payload.extend_from_slice(wins));
        parts.iter().for_each(|(_, ties)| payload.extend_from_slice(ties));
        Ok(payload)
    }

    /// What the boards of a slice contribute to the last stage.
    fn sums(&self, slice: &Slice, context: &ComputeContext<'_>) -> Result<Vec<u8>, ComputeError> {
        let empty = || Scatter::<u64>::new(self.deck(), self.boards()[self.stage].clone());
        let parts = self.sweep(slice, context, |sweep, range| {
            let mut sums = empty();
            for board in &self.boards()[BOARD].as_slice()[range] {
                let won = sweep.board(five(*board));
                sums.add(*board, |pair| won[pair]);
            }
            sums
        })?;
        let mut whole = empty();
        parts.iter().for_each(|part| whole.merge(part.sums().iter().copied()));
        Ok(of_words(whole.sums().iter().flatten().copied()))
    }

    /// Shares the boards of a slice among the threads; the parts come in the order of the boards.
    fn sweep<T: Send>(
        &self,
        slice: &Slice,
        context: &ComputeContext<'_>,
        part: impl Fn(&mut Sweep<'_>, Range<usize>) -> T + Sync,
    ) -> Result<Vec<T>, ComputeError> {
        let all = rows(slice).start as usize..rows(slice).end as usize;
        if all.end > self.boards()[BOARD].len() {
            return Err(ComputeError::Invalid(format!("there is no board {}", all.end - 1)));
        }
        let task = if self.keeps_sums() {
            all.len().div_ceil(rayon::current_num_threads())
        } else {
            TASK_BOARDS
        };
        let tasks: Vec<Range<usize>> =
            all.clone().step_by(task).map(|first| first..(first + task).min(all.end)).collect();
        tasks
            .into_par_iter()
            .map_init(
                || Sweep::new(self.game.evaluator(), self.deck()),
                |sweep, range| {
                    context.poll()?;
                    let boards = range.len() as u64;
                    let done = part(sweep, range);
                    (context.progress)(boards);
                    Ok(done)
                },
            )
            .collect()
    }

    /// Identities of every board: the wins and the losses of all pairs balance, no pair has more than all opponents, and
    /// nobody beats the holder of both jokers.
    fn check_rivers(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        let pairs = self.river_pairs();
        let all = opponents(self.deck());
        let (wins, ties) = payload.split_at(payload.len() / 2);
        let (mut wins, mut ties) = (halves(wins), halves(ties));
        for row in rows(slice) {
            let (mut balance, mut most, mut last) = (0, 0, 0);
            for (win, tie) in wins.by_ref().zip(ties.by_ref()).take(pairs) {
                let (win, tie) = (u32::from(win), u32::from(tie));
                balance += u64::from(2 * win + tie);
                last = win + tie;
                most = most.max(last);
            }
            let board = self.boards()[BOARD].as_slice()[row as usize];
            let both_free = self.deck() == Deck::Cards54 && board.jokers() == 0;
            if balance != u64::from(all) * pairs as u64 || most > all || (both_free && last != all)
            {
                return Err(CheckError(format!(
                    "board {row}: its wins, ties and losses do not balance ({balance} halves of {all} x {pairs})"
                )));
            }
        }
        Ok(())
    }

    /// The sums of a slice add up to what its boards have to give.
    fn check_sums(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        let boards =
            &self.boards()[BOARD].as_slice()[rows(slice).start as usize..rows(slice).end as usize];
        let weight = |board: &crate::boards::Board| {
            u64::from(symmetries(self.deck()) / board.stabilizer_order(self.deck()))
        };
        let weights: u64 = boards.iter().map(weight).sum();
        let of_board = self.river_pairs() as u64 * u64::from(opponents(self.deck()));
        let expected = weights * of_board * choose(BOARD as u64, self.stage as u64);
        let mut halves = 0u64;
        let mut numbers = words(payload);
        while let (Some(win), Some(tie)) = (numbers.next(), numbers.next()) {
            let more = win.checked_mul(2).and_then(|win| win.checked_add(tie));
            halves = more.and_then(|more| halves.checked_add(more)).unwrap_or(u64::MAX);
        }
        if halves == expected {
            return Ok(());
        }
        Err(CheckError(format!("{halves} halves of outcomes where {expected} are to be shared")))
    }
}

impl Computation for TableRun {
    fn estimate(&self) -> Estimate {
        let elements: u64 = (0..=self.stage).map(|stage| self.elements(stage)).sum();
        let boards = self.boards()[BOARD].len() as u64;
        let rivers = boards * self.river_pairs() as u64 * RIVER_BYTES;
        let slices = boards.div_ceil(USUAL_BOARDS);
        Estimate {
            elements,
            core_seconds: boards as f64 * BOARD_SECONDS,
            worker_bytes: WORKER_BYTES,
            store_bytes: if self.keeps_sums() { slices * self.sum_bytes() } else { rivers },
            artifact_bytes: (0..=self.stage)
                .map(|stage| self.elements(stage) * artifact::bytes(stage))
                .sum(),
        }
    }

    fn plan(&self, slice_target: u32) -> Result<Plan, PlanError> {
        let costs = vec![1; self.boards()[BOARD].len()];
        let mut slices = Vec::new();
        let cut = Cut {
            job: JobIndex(0),
            cost: cost_of_slice(costs.len() as u64, USUAL_BOARDS, slice_target),
            most_rows: if self.keeps_sums() { u32::MAX } else { MOST_BOARDS },
        };
        cut.append(&mut slices, &costs, |rows| {
            if self.keeps_sums() {
                return (self.elements(self.stage), self.sum_bytes());
            }
            let pairs = rows.len() as u64 * self.river_pairs() as u64;
            (pairs, pairs * RIVER_BYTES)
        });
        let name = self.game.name();
        Plan::new(vec![Job { name, family: String::new(), rows: costs.len() as u32 }], slices)
    }

    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        let one = |slice: &Slice| match self.keeps_sums() {
            true => self.sums(slice, context),
            false => self.rivers(slice, context),
        };
        slices.iter().map(one).collect()
    }

    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        check_length(slice, payload)?;
        if self.keeps_sums() {
            self.check_sums(slice, payload)
        } else {
            self.check_rivers(slice, payload)
        }
    }

    fn assemble(
        &self,
        plan: &Plan,
        payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        let last = if self.keeps_sums() {
            self.add_up(payloads)?
        } else {
            artifact::rivers(self, plan, payloads, sink)?
        };
        if payloads.next().is_some() {
            return Err(invalid("more results than the plan has slices".to_owned()));
        }
        let above = self.boards()[..last.cards()].to_vec();
        artifact::write(self, &Table::above(last, above), sink)
    }

    fn query(
        &self,
        artifact: &dyn ArtifactSource,
        question: &[String],
    ) -> Result<Map<String, Value>, QueryError> {
        question::of_table(self, artifact, question)
    }

    fn verify(
        &self,
        artifact: &dyn ArtifactSource,
        sample: &Sample,
        context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, QueryError> {
        artifact::verify(self, artifact, sample, context)
    }
}

impl TableRun {
    /// The last stage from the sums of all slices.
    fn add_up(&self, payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>) -> io::Result<Stage> {
        let mut sums = Scatter::<u64>::new(self.deck(), self.boards()[self.stage].clone());
        for payload in &mut *payloads {
            let payload = payload?;
            let numbers = payload.chunks_exact(SUM_BYTES as usize).map(|pair| {
                let mut two = words(pair);
                std::array::from_fn(|_| two.next().expect("sixteen bytes are two numbers"))
            });
            sums.merge(numbers);
        }
        Ok(sums.to_stage())
    }

    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    /// Where a hole on a board is in the arrays of its stage.
    pub(super) fn locate(
        &self,
        hole: [DeckCard; 2],
        board: &[DeckCard],
    ) -> Option<crate::table::Place> {
        crate::table::locate(self.boards().get(board.len())?, self.deck(), hole, board)
    }

    pub(super) const fn stage(&self) -> usize {
        self.stage
    }
}

/// CPU time of one board on one core of a current server, in seconds, its share of the merge included.
const BOARD_SECONDS: f64 = 4e-5;
/// Memory of a worker: slices and tables.
const WORKER_BYTES: u64 = 64 << 20;

/// Win, tie and lose of a row of an artifact.
pub(super) fn read(
    run: &TableRun,
    artifact: &dyn ArtifactSource,
    stage: usize,
    place: crate::table::Place,
) -> Result<crate::Odds, QueryError> {
    artifact::read(run.deck(), artifact, stage, place.board, place.pair)
}
