//! How strong a level is: exact probabilities that the first player wins, over all random choices.

use std::collections::HashMap;

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::{Basket, Lookahead, Move, Position, Rule, theory};

/// How a player chooses; among equals, each with the same probability.
#[derive(Clone, Debug)]
pub enum Player {
    /// By looking ahead.
    Lookahead(Lookahead),
    /// A winning move if there is one, else any.
    Perfect,
    /// Any move.
    Random,
}

impl Player {
    /// The moves it chooses among.
    #[must_use]
    pub fn choices(&self, basket: &Basket, position: &Position, rule: Rule) -> Vec<Move> {
        let best = match self {
            Self::Lookahead(lookahead) => lookahead.best_moves(position),
            Self::Perfect => theory::winning_moves(basket, position, rule),
            Self::Random => Vec::new(),
        };
        if best.is_empty() { basket.moves(position).collect() } else { best }
    }
}

/// The probability that `first`, who moves first from the empty basket, wins against `second`.
#[must_use]
pub fn first_wins(basket: &Basket, rule: Rule, first: &Player, second: &Player) -> BigRational {
    let mut known = HashMap::new();
    mover_wins(basket, rule, [first, second], 0, &basket.empty(), &mut known)
}

fn mover_wins(
    basket: &Basket,
    rule: Rule,
    players: [&Player; 2],
    mover: usize,
    position: &Position,
    known: &mut HashMap<(usize, u64), BigRational>,
) -> BigRational {
    let whole = |value: u64| BigRational::from_integer(BigInt::from(value));
    if basket.is_full(position) {
        return whole(u64::from(rule == Rule::Misere));
    }
    let key = (mover, basket.index(position));
    if let Some(probability) = known.get(&key) {
        return probability.clone();
    }
    let choices = players[mover].choices(basket, position, rule);
    let mut sum = whole(0);
    for step in &choices {
        if let Ok(next) = basket.after(position, *step) {
            sum += whole(1) - mover_wins(basket, rule, players, 1 - mover, &next, known);
        }
    }
    let probability = sum / whole(choices.len() as u64);
    known.insert(key, probability.clone());
    probability
}
