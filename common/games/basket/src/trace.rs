//! The two-dimensional array in which the author of the game kept what he had looked through.
//!
//! His text describes the first row; the printed example shows others. The reading here agrees with all printed cells,
//! but two other readings do so too: the array is a trace to look at, not a specification.

use std::collections::BTreeSet;

use crate::{Basket, Position};

/// A move that is impossible, in the first row.
const IMPOSSIBLE: i8 = -127;

/// One row a ply, one column a move, in the order red 1, red 2, .., blue 1, ... First row: 1 if the move fills the basket,
/// 0 if it does not, -127 if it is impossible. Later rows: 1 if some line of play makes this move the filling one at this
/// ply, else 0.
#[must_use]
pub fn trace(basket: &Basket, position: &Position, depth: u8) -> Vec<Vec<i8>> {
    let columns: Vec<(usize, u32)> = basket
        .capacities()
        .iter()
        .enumerate()
        .flat_map(|(colour, places)| (1..=*places).map(move |balls| (colour, balls)))
        .collect();
    let mut reachable = BTreeSet::from([position.clone()]);
    let mut rows = Vec::new();
    for ply in 0..depth {
        let fills = |(colour, balls): (usize, u32)| {
            reachable.iter().any(|position| {
                let alone = basket.missing(position).enumerate();
                alone.into_iter().all(|(c, missing)| missing == if c == colour { balls } else { 0 })
            })
        };
        let free: Vec<u32> = basket.missing(position).collect();
        let row = columns.iter().map(|column| match column {
            (colour, balls) if ply == 0 && *balls > free[*colour] => IMPOSSIBLE,
            column => i8::from(fills(*column)),
        });
        rows.push(row.collect());
        let next = reachable
            .iter()
            .flat_map(|p| basket.moves(p).filter_map(move |step| basket.after(p, step).ok()));
        reachable = next.collect();
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_example() {
        let basket = Basket::classic();
        let position = basket.position(vec![1, 1, 3]).unwrap();
        let rows = trace(&basket, &position, 3);
        assert_eq!(rows[0], [0, 0, -127, 0, 0, -127, -127, -127, -127]);
        assert_eq!(rows[1], [0, 1, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(rows[2], [1, 1, 0, 1, 1, 0, 0, 0, 0]);
    }
}
