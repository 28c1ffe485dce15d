//! An engine that looks so many moves ahead: its depth is the difficulty.

use crate::{Basket, Move, Position, Rule};

/// Most moves that are looked ahead.
pub const MAX_DEPTH: u8 = 9;
/// Most positions of a basket that is looked through.
pub const MAX_POSITIONS: u64 = 1_000_000;

/// Values of all positions of a basket to a depth.
#[derive(Clone, Debug)]
pub struct Lookahead {
    basket: Basket,
    depth: u8,
    /// By depth and position.
    values: Vec<Vec<i8>>,
}

/// A depth or a basket that is not looked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookaheadError {
    /// No such depth.
    #[error("depth {0} does not exist: 1 to {MAX_DEPTH} are right")]
    Depth(u8),
    /// Too many positions.
    #[error("the basket has more than {MAX_POSITIONS} positions: fewer colours or balls are right")]
    Positions,
}

impl Lookahead {
    /// Looks `depth` moves ahead from everywhere.
    ///
    /// # Errors
    /// [`LookaheadError`].
    pub fn new(basket: Basket, rule: Rule, depth: u8) -> Result<Self, LookaheadError> {
        if !(1..=MAX_DEPTH).contains(&depth) {
            return Err(LookaheadError::Depth(depth));
        }
        let count = basket.positions().filter(|count| *count <= MAX_POSITIONS);
        let count = count.ok_or(LookaheadError::Positions)?;
        let last = count - 1;
        let end = match rule {
            Rule::Normal => -1,
            Rule::Misere => 1,
        };
        let mut values: Vec<Vec<i8>> = vec![vec![0; count as usize]];
        values[0][last as usize] = end;
        for _ in 0..depth {
            let before = values.last().expect("depth 0 is there");
            let value = |index: u64| {
                let position = basket.position_at(index);
                let moves = basket.moves(&position);
                let after = moves.map(|step| -before[(index + step_size(&basket, step)) as usize]);
                after.max().unwrap_or(end)
            };
            let next = (0..count).map(value).collect();
            values.push(next);
        }
        Ok(Self { basket, depth, values })
    }

    /// +1: the player to move can force a win within the depth; -1: the opponent can; 0: neither within the depth.
    #[must_use]
    pub fn value(&self, position: &Position) -> i8 {
        self.values[usize::from(self.depth)][self.basket.index(position) as usize]
    }

    /// The moves of equal best value; none if the basket is full.
    #[must_use]
    pub fn best_moves(&self, position: &Position) -> Vec<Move> {
        let index = self.basket.index(position);
        let before = &self.values[usize::from(self.depth) - 1];
        let value = |step: &Move| -before[(index + step_size(&self.basket, *step)) as usize];
        let best = self.basket.moves(position).map(|step| value(&step)).max();
        self.basket.moves(position).filter(|step| Some(value(step)) == best).collect()
    }

    /// Moves that are looked ahead.
    #[must_use]
    pub fn depth(&self) -> u8 {
        self.depth
    }
}

/// By how much a move raises the number of a position.
fn step_size(basket: &Basket, step: Move) -> u64 {
    let later = &basket.capacities()[step.colour + 1..];
    u64::from(step.balls) * later.iter().map(|places| u64::from(*places) + 1).product::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, move by move.
    fn negamax(basket: &Basket, rule: Rule, position: &Position, depth: u8) -> i8 {
        if basket.is_full(position) {
            return if rule == Rule::Normal { -1 } else { 1 };
        }
        if depth == 0 {
            return 0;
        }
        let after = |step| basket.after(position, step).unwrap();
        let moves = basket.moves(position);
        moves.map(|step| -negamax(basket, rule, &after(step), depth - 1)).max().unwrap()
    }

    #[test]
    fn values_are_those_of_the_definition() {
        for capacities in [vec![3, 3, 3], vec![2, 4], vec![1, 1, 1, 2]] {
            let basket = Basket::new(capacities).unwrap();
            for rule in [Rule::Normal, Rule::Misere] {
                for depth in 1..=5 {
                    let engine = Lookahead::new(basket.clone(), rule, depth).unwrap();
                    for index in 0..basket.positions().unwrap() {
                        let position = basket.position_at(index);
                        let expected = negamax(&basket, rule, &position, depth);
                        assert_eq!(engine.value(&position), expected, "{position:?} {depth}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_too_deep_or_too_large_is_refused() {
        let classic = || Basket::classic();
        assert_eq!(
            Lookahead::new(classic(), Rule::Normal, 0).err(),
            Some(LookaheadError::Depth(0))
        );
        assert_eq!(
            Lookahead::new(classic(), Rule::Normal, 10).err(),
            Some(LookaheadError::Depth(10))
        );
        let large = Basket::even(20, 9).unwrap();
        assert_eq!(Lookahead::new(large, Rule::Normal, 1).err(), Some(LookaheadError::Positions));
    }
}
