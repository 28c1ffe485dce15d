//! The matrix as payoffs, and one pass over it.

use std::ops::Range;

use fulldeck_eval::arch::{Backend, PAYOFF_ROWS, PayoffColumns, PayoffRow};
use fulldeck_job::{ArtifactSource, ComputeContext};
use rayon::prelude::*;

use super::stakes::{PushFoldError, Stakes, Strategies};
use crate::matrix::{Matrix, Stored};
use crate::pictures::Strengths;

/// Blocks of rows, whatever the number of threads: each adds up what it finds for the columns, and the blocks' sums are
/// added in their order, so that the result does not depend on who computes what.
const BLOCKS: usize = 64;
/// Bytes of a cell: the lead, and the number of hands.
const CELL_BYTES: u64 = 5;

/// A matrix as gains: for every cell of its upper triangle the boards won less those lost, and the number of hands.
pub struct Payoffs {
    pub(super) matrix: Matrix,
    backend: Backend,
    lead: Vec<i32>,
    hands: Vec<u8>,
    blocks: Vec<Range<usize>>,
}

/// What each cluster gains on average by the more daring of its two actions over the other, in big blinds a hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Advantages {
    /// Of pushing over folding, by cluster.
    pub push: Vec<f64>,
    /// Of calling over folding, by cluster, counted over all hands that the small blind is dealt.
    pub call: Vec<f64>,
}

impl Payoffs {
    /// Loads a whole matrix of hands of `cards` cards; `usable_bytes` is how much memory it may take.
    ///
    /// # Errors
    /// [`PushFoldError`] if the artifact is of one job alone or damaged, does not fit, or the call is cancelled.
    pub fn load(
        artifact: &dyn ArtifactSource,
        cards: usize,
        backend: Backend,
        usable_bytes: u64,
        context: &ComputeContext<'_>,
    ) -> Result<Self, PushFoldError> {
        let matrix = Matrix::new(cards, backend);
        let clusters = matrix.clusters().len();
        let cells = clusters * (clusters + 1) / 2;
        let bytes = cells as u64 * CELL_BYTES;
        if bytes > usable_bytes {
            return Err(PushFoldError::TooLarge { cards, bytes, usable: usable_bytes });
        }
        let (mut lead, mut hands) = (vec![0; cells], vec![0; cells]);
        let stored = Stored::open(&matrix, artifact)?;
        let mut rows = Vec::with_capacity(clusters);
        let (mut lead_rest, mut hands_rest) = (&mut lead[..], &mut hands[..]);
        for row in 0..clusters {
            let (lead_row, hands_row);
            (lead_row, lead_rest) = lead_rest.split_at_mut(clusters - row);
            (hands_row, hands_rest) = hands_rest.split_at_mut(clusters - row);
            rows.push((lead_row, hands_row));
        }
        rows.into_par_iter().enumerate().try_for_each(|(row, (lead, hands))| {
            context.poll().map_err(|_| PushFoldError::Cancelled)?;
            for (at, (count, outcome)) in stored.triangle_row(row)?.into_iter().enumerate() {
                lead[at] = (outcome.win as i64 - outcome.lose as i64) as i32;
                hands[at] = count as u8;
            }
            (context.progress)(lead.len() as u64);
            Ok::<_, PushFoldError>(())
        })?;
        let blocks = blocks(clusters);
        Ok(Self { matrix, backend, lead, hands, blocks })
    }

    /// Number of clusters.
    #[must_use]
    pub fn clusters(&self) -> usize {
        self.matrix.clusters().len()
    }

    /// Hands of each cluster.
    #[must_use]
    pub fn orbits(&self) -> Vec<f64> {
        self.matrix.clusters().as_slice().iter().map(|cluster| cluster.orbit().into()).collect()
    }

    /// How strong each cluster is against a random hand.
    pub(super) fn strengths(&self) -> Strengths {
        let clusters = self.matrix.clusters().as_slice();
        let boards = i64::from(self.matrix.boards());
        // Twice what is won, less half the pot, is the lead.
        let (mut lead, mut all) = (vec![0i64; clusters.len()], vec![0i64; clusters.len()]);
        let mut cells = self.lead.iter().zip(&self.hands);
        for row in 0..clusters.len() {
            let orbit = i64::from(clusters[row].orbit());
            for (column, (led, hands)) in (row..clusters.len()).zip(&mut cells) {
                let (led, met) = (orbit * i64::from(*led), orbit * i64::from(*hands) * boards);
                lead[row] += led;
                all[row] += met;
                if column > row {
                    lead[column] -= led;
                    all[column] += met;
                }
            }
        }
        let won = lead.iter().zip(&all).map(|(lead, all)| (all + lead) as u64).collect();
        Strengths::new(won, all.into_iter().map(|all| 2 * all as u64).collect())
    }

    /// Bytes that a pass reads.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.lead.len() as u64 * CELL_BYTES
    }

    /// Reads everything once, and does as little with it as possible: what a pass would take if it had nothing to compute.
    #[must_use]
    pub fn read(&self) -> i64 {
        const PIECE: usize = 1 << 16;
        let lead = self
            .lead
            .par_chunks(PIECE)
            .map(|piece| piece.iter().map(|lead| *lead as u32 as i64).sum::<i64>());
        let hands = self
            .hands
            .par_chunks(PIECE)
            .map(|piece| piece.iter().map(|hands| u32::from(*hands)).sum::<u32>());
        lead.sum::<i64>() + hands.map(i64::from).sum::<i64>()
    }

    /// Both players' advantages, from one pass over the triangle on the current rayon pool. The same bits for any
    /// number of threads and any back-end.
    #[must_use]
    pub fn advantages(&self, stakes: &Stakes, strategies: &Strategies) -> Advantages {
        let pass = Pass {
            payoffs: self,
            stake: stakes.called() / f64::from(self.matrix.boards()),
            price: stakes.uncalled(),
            strategies,
            orbits: self.orbits(),
        };
        let parts: Vec<Part> =
            self.blocks.par_iter().map(|rows| pass.block(rows.clone())).collect();
        let clusters = self.clusters();
        let (mut push, mut call) = (vec![0.0; clusters], vec![0.0; clusters]);
        for (rows, part) in self.blocks.iter().zip(&parts) {
            for (at, [won, lost]) in rows.clone().zip(&part.rows) {
                push[at] += pass.orbits[at] * won;
                call[at] += pass.orbits[at] * lost;
            }
            for (sum, more) in push[rows.start..].iter_mut().zip(&part.as_first) {
                *sum += more;
            }
            for (sum, more) in call[rows.start..].iter_mut().zip(&part.as_second) {
                *sum += more;
            }
        }
        // Every hand meets the same number of others.
        let met = self.matrix.hands_met() as f64;
        for ((push, call), orbit) in push.iter_mut().zip(&mut call).zip(&pass.orbits) {
            let weight = orbit * met;
            *push = *push / weight + stakes.uncalled() + stakes.folded();
            *call /= weight;
        }
        Advantages { push, call }
    }

    /// A row of the triangle.
    fn row(&self, row: usize) -> (&[i32], &[u8]) {
        let clusters = self.clusters();
        let start = row * (2 * clusters - row + 1) / 2;
        let cells = start..start + clusters - row;
        (&self.lead[cells.clone()], &self.hands[cells])
    }
}

/// Rows cut into blocks of about equally many cells, at multiples of [`PAYOFF_ROWS`].
fn blocks(clusters: usize) -> Vec<Range<usize>> {
    let cells = clusters * (clusters + 1) / 2;
    let mut blocks = Vec::new();
    let (mut start, mut held) = (0, 0);
    for row in 0..clusters {
        held += clusters - row;
        let full = held >= cells / BLOCKS && (row + 1).is_multiple_of(PAYOFF_ROWS);
        if full || row + 1 == clusters {
            blocks.push(start..row + 1);
            (start, held) = (row + 1, 0);
        }
    }
    blocks
}

struct Pass<'a> {
    payoffs: &'a Payoffs,
    stake: f64,
    price: f64,
    strategies: &'a Strategies,
    orbits: Vec<f64>,
}

/// What a block of rows adds: to its rows, and to all clusters from its first row on.
struct Part {
    rows: Vec<[f64; 2]>,
    as_first: Vec<f64>,
    as_second: Vec<f64>,
}

impl Pass<'_> {
    fn block(&self, rows: Range<usize>) -> Part {
        let clusters = self.payoffs.clusters();
        let width = clusters - rows.start;
        let mut part = Part {
            rows: vec![[0.0; 2]; rows.len()],
            as_first: vec![0.0; width],
            as_second: vec![0.0; width],
        };
        for first in rows.clone().step_by(PAYOFF_ROWS) {
            let group = first..(first + PAYOFF_ROWS).min(rows.end);
            for row in group.clone() {
                self.diagonal(row, &mut part.rows[row - rows.start]);
                self.sweep(row..row + 1, row + 1..group.end, rows.start, &mut part);
            }
            self.sweep(group.clone(), group.end..clusters, rows.start, &mut part);
        }
        part
    }

    /// A hand against its own cluster, where nobody is ahead: both roles are the row's.
    fn diagonal(&self, row: usize, [won, lost]: &mut [f64; 2]) {
        let (_, hands) = self.payoffs.row(row);
        let price = self.price * f64::from(hands[0]);
        *won -= price * self.strategies.call[row];
        *lost += price * self.strategies.push[row];
    }

    /// Some rows of the block that begins at `start` against columns that come after them.
    fn sweep(&self, group: Range<usize>, columns: Range<usize>, start: usize, part: &mut Part) {
        let Strategies { push, call } = self.strategies;
        let none = PayoffRow { lead: &[], hands: &[], weighted: [0.0; 2] };
        let mut rows = [none; PAYOFF_ROWS];
        for (place, row) in rows.iter_mut().zip(group.clone()) {
            let (lead, hands) = self.payoffs.row(row);
            let from = columns.start - row;
            let weighted = [call, push].map(|strategy| strategy[row] * self.orbits[row]);
            *place = PayoffRow { lead: &lead[from..], hands: &hands[from..], weighted };
        }
        let place = columns.start - start..columns.end - start;
        let mut into = PayoffColumns {
            second: &call[columns.clone()],
            first: &push[columns],
            as_first: &mut part.as_first[place.clone()],
            as_second: &mut part.as_second[place],
        };
        let sums = &mut part.rows[group.start - start..group.end - start];
        let payoffs = [self.stake, self.price];
        self.payoffs.backend.add_payoffs(&rows[..group.len()], payoffs, &mut into, sums);
    }
}
