//! What strategies are worth, measured independently of the solver: by the definition of the game, straight from the
//! artifact, with compensated sums.

use std::ops::Range;

use fulldeck_job::{ArtifactSource, ComputeContext};
use rayon::prelude::*;

use super::payoffs::Payoffs;
use super::stakes::{PushFoldError, Stakes, Strategies};
use crate::matrix::Stored;

/// Rows that are added up together, whatever the number of threads.
const BLOCKS: usize = 16;

/// The worth of strategies, in big blinds a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// What the small blind wins on average.
    pub value: f64,
    /// What the small blind could gain by a best response to the big blind's strategy.
    pub small_blind_gain: f64,
    /// What the big blind could gain by a best response to the small blind's strategy.
    pub big_blind_gain: f64,
}

impl Certificate {
    /// What both together could gain: zero at the equilibrium, and no less than the value is off.
    #[must_use]
    pub fn exploitability(&self) -> f64 {
        self.small_blind_gain + self.big_blind_gain
    }
}

/// A sum with its rounding error (Neumaier).
#[derive(Clone, Copy, Default)]
struct Sum {
    sum: f64,
    error: f64,
}

impl Sum {
    fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        self.error += if self.sum.abs() >= term.abs() {
            (self.sum - sum) + term
        } else {
            (term - sum) + self.sum
        };
        self.sum = sum;
    }

    fn total(self) -> f64 {
        self.sum + self.error
    }

    fn join(&mut self, other: Self) {
        self.add(other.sum);
        self.add(other.error);
    }
}

/// What a cluster's hands win in each of the four situations, over all hands they meet.
#[derive(Clone, Copy, Default)]
struct Worth {
    /// As the small blind, pushing.
    push: Sum,
    /// As the big blind, when the small blind pushes: calling, and folding.
    call: Sum,
    pass: Sum,
}

/// Measures strategies on the artifact that `payoffs` was loaded from.
///
/// # Errors
/// [`PushFoldError`] if the artifact cannot be read or the call is cancelled.
pub fn certify(
    payoffs: &Payoffs,
    artifact: &dyn ArtifactSource,
    stakes: &Stakes,
    strategies: &Strategies,
    context: &ComputeContext<'_>,
) -> Result<Certificate, PushFoldError> {
    let clusters = payoffs.clusters();
    let stored = Stored::open(&payoffs.matrix, artifact)?;
    let cut = |block: usize| clusters * block / BLOCKS;
    let parts = (0..BLOCKS)
        .into_par_iter()
        .map(|block| {
            let rows = cut(block)..cut(block + 1);
            worths(payoffs, &stored, rows, stakes, strategies, context)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut worths = vec![Worth::default(); clusters];
    for part in parts {
        for (worth, more) in worths.iter_mut().zip(part) {
            worth.push.join(more.push);
            worth.call.join(more.call);
            worth.pass.join(more.pass);
        }
    }
    let met = payoffs.matrix.hands_met() as f64;
    let [mut value, mut small_blind, mut big_blind, mut hands] = [Sum::default(); 4];
    for (at, orbit) in payoffs.orbits().into_iter().enumerate() {
        let weight = orbit * met;
        let (push, fold) = (worths[at].push.total(), -stakes.folded() * weight);
        let played = strategies.push[at] * push + (1.0 - strategies.push[at]) * fold;
        value.add(played);
        small_blind.add(push.max(fold) - played);
        let (call, pass) = (worths[at].call.total(), worths[at].pass.total());
        let played = strategies.call[at] * call + (1.0 - strategies.call[at]) * pass;
        big_blind.add(call.max(pass) - played);
        hands.add(weight);
    }
    let all = hands.total();
    Ok(Certificate {
        value: value.total() / all,
        small_blind_gain: small_blind.total() / all,
        big_blind_gain: big_blind.total() / all,
    })
}

/// What these rows of the triangle add to the worth of all clusters.
fn worths(
    payoffs: &Payoffs,
    stored: &Stored<'_>,
    rows: Range<usize>,
    stakes: &Stakes,
    strategies: &Strategies,
    context: &ComputeContext<'_>,
) -> Result<Vec<Worth>, PushFoldError> {
    let Strategies { push, call } = strategies;
    let boards = f64::from(payoffs.matrix.boards());
    let orbits = payoffs.orbits();
    let mut worths = vec![Worth::default(); payoffs.clusters()];
    for i in rows {
        context.poll().map_err(|_| PushFoldError::Cancelled)?;
        for (j, (hands, outcome)) in (i..).zip(stored.triangle_row(i)?) {
            // All pairs of hands of the two clusters, and the first's share of the stakes in them.
            let pairs = orbits[i] * f64::from(hands);
            let lead = orbits[i] * (outcome.win as f64 - outcome.lose as f64) / boards;
            let won = lead * stakes.called();
            let mut meet = |first: usize, second: usize, won: f64| {
                let uncalled = (1.0 - call[second]) * pairs * stakes.uncalled();
                worths[first].push.add(uncalled + call[second] * won);
                worths[second].call.add(-push[first] * won);
                worths[second].pass.add(-push[first] * pairs * stakes.uncalled());
            };
            meet(i, j, won);
            if i != j {
                meet(j, i, -won);
            }
        }
    }
    Ok(worths)
}
