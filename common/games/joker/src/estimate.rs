//! A well-known estimate of the odds, for comparison with the exact ones: from where hands of seven cards stand among all
//! hands of seven, as if hole and opponent did not share the board.

use crate::counting::{Positions, choose, deal};
use crate::value::Sum;
use crate::{DeckCard, Evaluator};

/// Cards of a whole hand.
const SEVEN: usize = 7;
/// With fewer board cards the estimate is the mean of the own hand alone.
const BOARD_COUNTS_FROM: usize = 2;

/// How hands with both jokers weigh in a mean over the hands that contain cards of which one is a joker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Weighting {
    /// Every hand once.
    #[default]
    Plain,
    /// Those with both jokers half: what the estimate's first program did.
    Original,
}

/// Where the hands of seven cards that contain certain cards stand: shares of all hands that are worse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Mean.
    pub mean: f64,
    /// Of the worst.
    pub min: f64,
    /// Of the best.
    pub max: f64,
}

/// The estimate and what it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Estimated share of the pot, 0 to 1. Not a probability of anything; off by up to 0.7.
    pub estimate: f64,
    /// Of hole and board.
    pub own: Share,
    /// Of the board alone, from two board cards on.
    pub board: Option<Share>,
}

/// Estimates the odds of a hole on a board. `positions` are those of hands of seven cards, and name the deck.
///
/// With P2 the mean of hole and board, and P1, min and max those of the board: `0.5 + 0.5 (P2 - P1) / (max - P1)` if P2 is
/// larger than P1, else `0.5 + 0.5 (P2 - P1) / (P1 - min)`, 0/0 being 0; with fewer than two board cards P2.
///
/// # Panics
/// Unless the cards are different cards of the deck, two and at most five.
#[must_use]
pub fn estimate(
    evaluator: &Evaluator,
    positions: &Positions,
    hole: [DeckCard; 2],
    board: &[DeckCard],
    weighting: Weighting,
) -> Estimate {
    let own = share(evaluator, positions, &[&hole, board].concat(), weighting);
    if board.len() < BOARD_COUNTS_FROM {
        return Estimate { estimate: own.mean, own, board: None };
    }
    let board = share(evaluator, positions, board, weighting);
    let (above, width) = if own.mean > board.mean {
        (own.mean - board.mean, board.max - board.mean)
    } else {
        (own.mean - board.mean, board.mean - board.min)
    };
    let part = if width == 0.0 { 0.0 } else { above / width };
    Estimate { estimate: (0.5 + 0.5 * part).clamp(0.0, 1.0), own, board: Some(board) }
}

/// All hands of seven that contain `known`. The sums are whole numbers: the only roundings are the last divisions.
fn share(
    evaluator: &Evaluator,
    positions: &Positions,
    known: &[DeckCard],
    weighting: Weighting,
) -> Share {
    let rest: Vec<_> = positions.deck().cards().filter(|card| !known.contains(card)).collect();
    let natural: Vec<Sum> =
        rest.iter().filter(|card| !card.is_joker()).map(|card| Sum::of(*card)).collect();
    let free = rest.len() - natural.len();
    let held = known.iter().filter(|card| card.is_joker()).count();
    let sum = known.iter().fold(Sum::default(), |sum, card| sum.plus(Sum::of(*card)));
    let to_come = SEVEN - known.len();
    let (mut total, mut weights, mut min, mut max) = (0u64, 0u64, u64::MAX, 0);
    for come in 0..=free.min(to_come) {
        let halved = weighting == Weighting::Original && held == 1;
        let weight = if halved && come == 0 { 2 } else { 1 } * choose(free as u64, come as u64);
        let judge = evaluator.judge(SEVEN, held + come);
        let mut visit = |sum: Sum| {
            let lower = positions.lower()[usize::from(judge.value(sum))];
            total += weight * lower;
            weights += weight;
            min = lower.min(min);
            max = lower.max(max);
        };
        match to_come - come {
            0 => visit(sum),
            left => deal(&natural, sum, left, &mut visit),
        }
    }
    let hands = positions.histogram().all_hands() as f64;
    let mean = total as f64 / (weights as f64 * hands);
    Share { mean, min: min as f64 / hands, max: max as f64 / hands }
}
