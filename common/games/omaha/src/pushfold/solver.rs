//! Predictive regret matching (PCFR+; Farina, Kroer and Sandholm, 2021) on a game of one decision for each player.
//!
//! Both players' advantages come from one pass over the matrix, and with them the exact gain that the present
//! strategies leave to either player. So the last strategies are measured at no cost, and mostly they converge faster
//! than averages do; but only averages must converge, so these are measured now and then.

use fulldeck_job::ComputeContext;

use super::payoffs::{Advantages, Payoffs};
use super::stakes::{PushFoldError, Stakes, Strategies};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// What both players together may still gain, in big blinds a hand.
    pub gain: f64,
    /// Passes over the matrix at most.
    pub steps: u32,
}

/// What is kept of the regrets of a neighbouring game: enough to save three steps of four.
const KEPT: f64 = 0.3;

/// Steps from one measurement of the average to the next.
const AVERAGE_EVERY: u32 = 64;

/// Strategies, and how good they are by the solver's own account.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// What the players do.
    pub strategies: Strategies,
    /// What the small blind wins on average, in big blinds a hand.
    pub value: f64,
    /// What both players together could still gain, in big blinds a hand.
    pub gain: f64,
    /// Passes over the matrix.
    pub steps: u32,
    regrets: [Vec<Regret>; 2],
}

/// Solves the game, from scratch or from the solution of a game with similar stakes.
///
/// # Errors
/// [`PushFoldError::NotReached`] when the steps do not suffice, [`PushFoldError::Cancelled`].
pub fn solve(
    payoffs: &Payoffs,
    stakes: &Stakes,
    limits: &Limits,
    start: Option<&Solution>,
    context: &ComputeContext<'_>,
) -> Result<Solution, PushFoldError> {
    let clusters = payoffs.clusters();
    let mut strategies = match start {
        Some(start) => start.strategies.clone(),
        None => Strategies { push: vec![0.5; clusters], call: vec![0.5; clusters] },
    };
    let [mut pushing, mut calling] = match start {
        Some(start) => start.regrets.clone(),
        None => [vec![Regret::default(); clusters], vec![Regret::default(); clusters]],
    };
    pushing.iter_mut().chain(&mut calling).for_each(Regret::fade);
    let orbits = payoffs.orbits();
    let mut reached = f64::INFINITY;
    let mut average = Average::new(clusters);
    for step in 1..=limits.steps {
        context.poll().map_err(|_| PushFoldError::Cancelled)?;
        let advantages = payoffs.advantages(stakes, &strategies);
        let measured = measure(&orbits, stakes, &strategies, &advantages);
        (context.progress)(1);
        reached = reached.min(measured.gain);
        if measured.gain <= limits.gain {
            let Measured { value, gain } = measured;
            let regrets = [pushing, calling];
            return Ok(Solution { strategies, value, gain, steps: step, regrets });
        }
        for (regrets, advantages, strategy) in [
            (&mut pushing, &advantages.push, &mut strategies.push),
            (&mut calling, &advantages.call, &mut strategies.call),
        ] {
            for ((regret, advantage), share) in regrets.iter_mut().zip(advantages).zip(strategy) {
                *share = regret.next(*advantage, *share);
            }
        }
        average.add(&strategies, step);
        if step % AVERAGE_EVERY == 0 {
            let strategies = average.strategies();
            let advantages = payoffs.advantages(stakes, &strategies);
            let Measured { value, gain } = measure(&orbits, stakes, &strategies, &advantages);
            reached = reached.min(gain);
            if gain <= limits.gain {
                let regrets = [pushing, calling];
                return Ok(Solution { strategies, value, gain, steps: step, regrets });
            }
        }
    }
    Err(PushFoldError::NotReached { steps: limits.steps, reached, target: limits.gain })
}

/// Regrets, never below zero, of not having dared and of not having folded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Regret {
    daring: f64,
    folding: f64,
}

impl Regret {
    fn fade(&mut self) {
        self.daring *= KEPT;
        self.folding *= KEPT;
    }

    /// Learns the advantage of daring, while `share` of it was done, and says what to do next.
    fn next(&mut self, advantage: f64, share: f64) -> f64 {
        let (daring, folding) = ((1.0 - share) * advantage, -share * advantage);
        self.daring = (self.daring + daring).max(0.0);
        self.folding = (self.folding + folding).max(0.0);
        // The prediction: what was just learned comes once more.
        let (daring, folding) =
            ((self.daring + daring).max(0.0), (self.folding + folding).max(0.0));
        let both = daring + folding;
        if both > 0.0 { daring / both } else { 0.5 }
    }
}

/// Average of the strategies so far, later ones counting more.
struct Average {
    sums: Strategies,
    weight: f64,
}

impl Average {
    fn new(clusters: usize) -> Self {
        let sums = Strategies { push: vec![0.0; clusters], call: vec![0.0; clusters] };
        Self { sums, weight: 0.0 }
    }

    fn add(&mut self, strategies: &Strategies, step: u32) {
        let weight = f64::from(step) * f64::from(step);
        self.weight += weight;
        for (sums, shares) in
            [(&mut self.sums.push, &strategies.push), (&mut self.sums.call, &strategies.call)]
        {
            sums.iter_mut().zip(shares).for_each(|(sum, share)| *sum += weight * share);
        }
    }

    fn strategies(&self) -> Strategies {
        let of = |sums: &[f64]| sums.iter().map(|sum| sum / self.weight).collect();
        Strategies { push: of(&self.sums.push), call: of(&self.sums.call) }
    }
}

struct Measured {
    value: f64,
    gain: f64,
}

fn measure(
    orbits: &[f64],
    stakes: &Stakes,
    strategies: &Strategies,
    advantages: &Advantages,
) -> Measured {
    let (mut value, mut gain, mut hands) = (0.0, 0.0, 0.0);
    for (at, orbit) in orbits.iter().enumerate() {
        let (push, call) = (advantages.push[at], advantages.call[at]);
        value += orbit * strategies.push[at] * push;
        gain += orbit * (push.max(0.0) - strategies.push[at] * push);
        gain += orbit * (call.max(0.0) - strategies.call[at] * call);
        hands += orbit;
    }
    Measured { value: value / hands - stakes.folded(), gain: gain / hands }
}
