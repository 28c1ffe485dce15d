//! Who wins: the missing balls are the heaps of Nim.
//!
//! Source: C. L. Bouton, "Nim, a game with a complete mathematical theory", Annals of Mathematics 3 (1901), both rules.

use crate::{Basket, Move, Position, Rule};

/// The value of a position in the sense of Sprague and Grundy under the normal rule: 0 where the player to move loses.
#[must_use]
pub fn grundy(basket: &Basket, position: &Position) -> u32 {
    basket.missing(position).fold(0, |xor, missing| xor ^ missing)
}

/// Whether the player to move wins with best play.
#[must_use]
pub fn wins(basket: &Basket, position: &Position, rule: Rule) -> bool {
    let small = basket.missing(position).all(|missing| missing <= 1);
    match rule {
        // With single balls alone the number of moves left is fixed, and the last one loses.
        Rule::Misere if small => basket.missing(position).sum::<u32>().is_multiple_of(2),
        _ => grundy(basket, position) != 0,
    }
}

/// All moves after which the opponent loses.
#[must_use]
pub fn winning_moves(basket: &Basket, position: &Position, rule: Rule) -> Vec<Move> {
    let leaves_lost =
        |step: &Move| basket.after(position, *step).is_ok_and(|next| !wins(basket, &next, rule));
    basket.moves(position).filter(leaves_lost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Outcomes of all positions from the full basket backwards, by the rules alone.
    fn retrograde(basket: &Basket, rule: Rule) -> Vec<bool> {
        let count = basket.positions().unwrap();
        let mut wins = vec![false; count as usize];
        for index in (0..count).rev() {
            let position = basket.position_at(index);
            let mut moves = basket.moves(&position).peekable();
            wins[index as usize] = match moves.peek() {
                None => rule == Rule::Misere,
                Some(_) => moves.any(|step| {
                    let next = basket.after(&position, step).unwrap();
                    !wins[basket.index(&next) as usize]
                }),
            };
        }
        wins
    }

    #[test]
    fn the_theory_is_what_the_rules_give() {
        for capacities in [
            vec![3, 3, 3],
            vec![1],
            vec![7],
            vec![1, 1, 1, 1, 1],
            vec![5, 2, 4],
            vec![9, 9],
            vec![2, 3, 1, 4],
        ] {
            let basket = Basket::new(capacities).unwrap();
            for rule in [Rule::Normal, Rule::Misere] {
                let expected = retrograde(&basket, rule);
                for (index, expected) in expected.iter().enumerate() {
                    let position = basket.position_at(index as u64);
                    assert_eq!(wins(&basket, &position, rule), *expected, "{position:?} {rule:?}");
                    let moves = winning_moves(&basket, &position, rule);
                    let can = !moves.is_empty() || basket.is_full(&position) && *expected;
                    assert_eq!(can, *expected);
                }
            }
        }
    }

    #[test]
    fn the_empty_basket_is_won_by_filling_a_colour() {
        let basket = Basket::classic();
        for rule in [Rule::Normal, Rule::Misere] {
            let moves = winning_moves(&basket, &basket.empty(), rule);
            assert_eq!(basket.write_moves(&moves), "red+3 blue+3 green+3");
        }
        assert_eq!(basket.moves(&basket.empty()).count(), 9);
        assert_eq!(plays(&basket, &basket.empty()), 9_918);
    }

    fn plays(basket: &Basket, position: &Position) -> u64 {
        if basket.is_full(position) {
            return 1;
        }
        basket
            .moves(position)
            .map(|step| plays(basket, &basket.after(position, step).unwrap()))
            .sum()
    }
}
