//! Counting heads-up no-limit: any whole bet up to the stack.
//!
//! A situation is (chips `left` to each player after a call, bet `faced`). A raise of `x` leads to `(left - x, x)`, so
//! situations are finished in order of falling `left`, and the histories that reach `(left - x, x)` are one running sum
//! over the bets faced at `left` (after M. Johanson, "Measuring the size of large no-limit poker games", 2013).

use super::Structure;
use super::count::{Counts, RoundCounts};
use super::wide::{Tally, Wide};
use crate::decimal::Decimal;

/// Bits kept free above the largest count that a floating-point pass saw.
const SPARE_BITS: f64 = 8.0;

pub(super) fn count(structure: &Structure, stack: u32) -> Counts {
    let seen = rounds::<f64>(structure, stack as usize);
    let largest = seen.iter().map(RoundTally::largest).fold(1.0, f64::max);
    let rounds = match (largest.log2() + SPARE_BITS) as usize / 64 {
        0 => exact::<1>(structure, stack),
        1 => exact::<2>(structure, stack),
        2..=3 => exact::<4>(structure, stack),
        4..=7 => exact::<8>(structure, stack),
        _ => exact::<17>(structure, stack),
    };
    // Longest: a check (or the blind completed) and a call in each round, and every raise the smallest one, in the last.
    let (stack, blind) = (u64::from(stack), u64::from(big_blind(structure)));
    let depth = match stack - blind {
        0 => 1,
        behind => 2 * structure.rounds() as u64 + behind.div_ceil(blind),
    };
    Counts { rounds, depth: depth as u32 }
}

fn big_blind(structure: &Structure) -> u32 {
    structure.blinds[0].max(structure.blinds[1])
}

fn exact<const N: usize>(structure: &Structure, stack: u32) -> Vec<RoundCounts> {
    rounds::<Wide<N>>(structure, stack as usize).iter().map(RoundTally::counts).collect()
}

fn rounds<T: Tally>(structure: &Structure, stack: usize) -> Vec<RoundTally<T>> {
    let big_blind = big_blind(structure) as usize;
    let first = structure.first[0];
    let behind = stack - big_blind;
    let owed = big_blind - structure.blinds[first] as usize;
    let mut open = vec![T::ZERO; behind + 1];
    if owed == 0 {
        open[behind] = T::ONE;
    }
    let mut blind = (owed > 0).then_some(owed);
    let mut rounds = Vec::new();
    for (index, first) in structure.first.iter().enumerate() {
        let mut round = Round {
            big_blind,
            fold_when_free: structure.fold_when_free,
            first: *first,
            tally: RoundTally::new(stack),
            faced: [vec![Vec::new(); open.len()], vec![Vec::new(); open.len()]],
            closed: vec![T::ZERO; open.len()],
        };
        for left in (0..open.len()).rev() {
            let blind = if left == behind { blind.take() } else { None };
            round.finish_level(left, open[left], blind);
        }
        let last = index + 1 == structure.rounds();
        for (left, closed) in round.closed.iter().enumerate() {
            let all_in = left == 0;
            let ends =
                if last || all_in { &mut round.tally.showdowns } else { &mut round.tally.goes_on };
            ends.add(closed);
        }
        open = round.closed;
        // Who is all-in plays no further round: the boards run out.
        open[0] = T::ZERO;
        rounds.push(round.tally);
    }
    rounds
}

/// What one round adds up to.
struct RoundTally<T> {
    /// Decisions of each player by number of actions.
    decisions: [Vec<T>; 2],
    folds: T,
    goes_on: T,
    showdowns: T,
}

impl<T: Tally> RoundTally<T> {
    fn new(stack: usize) -> Self {
        let decisions = || vec![T::ZERO; stack + 4];
        Self {
            decisions: [decisions(), decisions()],
            folds: T::ZERO,
            goes_on: T::ZERO,
            showdowns: T::ZERO,
        }
    }
}

impl RoundTally<f64> {
    /// A number no smaller than any count of the round, nearly.
    fn largest(&self) -> f64 {
        self.decisions.iter().flatten().sum::<f64>() + self.folds + self.goes_on + self.showdowns
    }
}

impl<const N: usize> RoundTally<Wide<N>> {
    fn counts(&self) -> RoundCounts {
        let mut counts = RoundCounts::new(2);
        for (player, decisions) in self.decisions.iter().enumerate() {
            for (actions, times) in (0u32..).zip(decisions) {
                if *times != Wide::ZERO {
                    counts.decide(player, actions, &times.decimal());
                }
            }
        }
        let decimal = |count: &Wide<N>| -> Decimal { count.decimal() };
        counts.folds = decimal(&self.folds);
        counts.continuations = decimal(&self.goes_on);
        counts.showdowns = decimal(&self.showdowns);
        counts
    }
}

/// Histories that reach the situations of one round.
struct Round<T> {
    big_blind: usize,
    fold_when_free: bool,
    first: usize,
    tally: RoundTally<T>,
    /// For each player to act and chips left: by bet faced, from the largest down to one.
    faced: [Vec<Vec<T>>; 2],
    /// Where the round ends, by chips left.
    closed: Vec<T>,
}

impl<T: Tally> Round<T> {
    /// All situations with `left` chips: `open` histories begin the round here; `blind` is the bet that the first player
    /// faces from a posted blind.
    fn finish_level(&mut self, left: usize, open: T, blind: Option<usize>) {
        let (first, second) = (self.first, 1 - self.first);
        let mut checked = T::ZERO;
        // By bet faced, for each player; nothing faced is 0.
        let mut situations = [0, 1].map(|player| {
            let mut bets: Vec<T> = std::mem::take(&mut self.faced[player][left]);
            bets.push(T::ZERO);
            bets.reverse();
            bets
        });
        for player in [0, 1] {
            for (faced, times) in situations[player].iter().copied().enumerate().skip(1) {
                self.decide(player, left, faced, times);
                self.tally.folds.add(&times);
                self.closed[left].add(&times);
            }
        }
        if let Some(faced) = blind {
            self.decide(first, left, faced, T::ONE);
            self.tally.folds.add(&T::ONE);
            // The other has an option, unless he is all-in.
            if left > 0 {
                checked.add(&T::ONE)
            } else {
                self.closed[left].add(&T::ONE)
            }
            let bets = &mut situations[first];
            bets.resize(bets.len().max(faced + 1), T::ZERO);
            bets[faced].add(&T::ONE);
        }
        if left > 0 {
            checked.add(&open);
            self.decide(first, left, 0, open);
            self.decide(second, left, 0, checked);
            self.closed[left].add(&checked);
            if self.fold_when_free {
                self.tally.folds.add(&open);
                self.tally.folds.add(&checked);
            }
            situations[first][0].add(&open);
            situations[second][0].add(&checked);
            for player in [0, 1] {
                self.raise(player, left, &situations[player]);
            }
        }
    }

    /// Every raise of a player from all bets he may face; `histories` by bet faced.
    fn raise(&mut self, player: usize, left: usize, histories: &[T]) {
        let mut sum = T::ZERO;
        let mut next = 0;
        for raise in 1..=left {
            while next < histories.len() && self.least_raise(left, next) <= raise {
                sum.add(&histories[next]);
                next += 1;
            }
            self.faced[1 - player][left - raise].push(sum);
        }
    }

    /// The least raise over a bet, all chips being enough.
    fn least_raise(&self, left: usize, faced: usize) -> usize {
        faced.max(self.big_blind).min(left)
    }

    fn decide(&mut self, player: usize, left: usize, faced: usize, times: T) {
        let folds = usize::from(faced > 0 || self.fold_when_free);
        let raises = if left == 0 { 0 } else { left + 1 - self.least_raise(left, faced) };
        self.tally.decisions[player][folds + 1 + raises].add(&times);
    }
}
