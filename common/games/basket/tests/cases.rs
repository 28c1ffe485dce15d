//! Every known answer.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/csv.rs"]
mod csv;

use csv::rows;
use fulldeck_basket::matches::{Player, first_wins};
use fulldeck_basket::totals::closed_form;
use fulldeck_basket::{Basket, Lookahead, Rule, theory};

#[test]
fn all_sixty_four_positions() {
    let basket = Basket::classic();
    let (mut lost, mut winning) = ([0; 2], [0; 2]);
    for row in rows("basket.csv", 64) {
        let placed = ["red", "blue", "green"].map(|colour| row.number(colour) as u32);
        let position = basket.position(placed.to_vec()).unwrap();
        assert_eq!(u64::from(theory::grundy(&basket, &position)), row.number("grundy"));
        let columns = [
            (Rule::Normal, "normal", "normal_winning_moves"),
            (Rule::Misere, "misere", "misere_winning_moves"),
        ];
        for (index, (rule, outcome, moves)) in columns.into_iter().enumerate() {
            let wins = theory::wins(&basket, &position, rule);
            assert_eq!(if wins { "win" } else { "lose" }, row.text(outcome), "{position:?}");
            let found = theory::winning_moves(&basket, &position, rule);
            assert_eq!(basket.write_moves(&found), row.text(moves), "{position:?}");
            lost[index] += u64::from(!wins);
            winning[index] += found.len();
        }
    }
    assert_eq!((lost, winning), ([16, 16], [72, 72]));
}

#[test]
fn values_and_best_moves_by_depth() {
    let basket = Basket::classic();
    let engines: Vec<_> =
        (1..=9).map(|depth| Lookahead::new(basket.clone(), Rule::Normal, depth).unwrap()).collect();
    for row in rows("basket_depth.csv", 288) {
        let placed = ["red", "blue", "green"].map(|colour| row.number(colour) as u32);
        let position = basket.position(placed.to_vec()).unwrap();
        let engine = &engines[row.number("depth") as usize - 1];
        assert_eq!(engine.value(&position).to_string(), row.text("value"), "{position:?}");
        assert_eq!(basket.write_moves(&engine.best_moves(&position)), row.text("best_moves"));
    }
}

#[test]
fn totals_of_many_sizes() {
    for row in rows("basket_totals.csv", 155) {
        let totals = closed_form(row.number("colours") as u32, row.number("balls") as u32);
        let is = |found: &dyn ToString, column| {
            assert_eq!(found.to_string(), row.text(column), "{column} of {:?}", row.text("balls"));
        };
        is(&totals.positions, "positions");
        is(&totals.lost, "p_positions_normal");
        is(&totals.winning_moves, "winning_moves_total_normal");
        is(&totals.lost, "p_positions_misere");
        is(&totals.winning_moves_misere, "winning_moves_total_misere");
    }
}

/// Depth, positions of 48 where every choice wins, positions of 64 valued exactly, and the probability that the engine
/// first wins against a perfect and against a random second player.
#[test]
fn strength_by_depth() {
    let basket = Basket::classic();
    let table = [
        (1, 10, 10, 0.154, 0.656),
        (2, 16, 13, 0.204, 0.809),
        (3, 28, 32, 0.259, 0.899),
        (4, 40, 35, 0.333, 0.972),
        (5, 44, 48, 0.333, 0.978),
        (6, 44, 57, 0.333, 0.944),
        (7, 48, 64, 1.0, 1.0),
        (8, 48, 64, 1.0, 1.0),
        (9, 48, 64, 1.0, 1.0),
    ];
    let rule = Rule::Normal;
    for (depth, all_win, exact, perfect, random) in table {
        let engine = Lookahead::new(basket.clone(), rule, depth).unwrap();
        let positions: Vec<_> = (0..64).map(|index| basket.position_at(index)).collect();
        let wins = |p: &&_| {
            let winning = theory::winning_moves(&basket, p, rule);
            !winning.is_empty() && engine.best_moves(p).iter().all(|step| winning.contains(step))
        };
        assert_eq!(positions.iter().filter(wins).count(), all_win, "depth {depth}");
        let valued = |p: &&_| {
            (engine.value(p) == 1) == theory::wins(&basket, p, rule) && engine.value(p) != 0
        };
        assert_eq!(positions.iter().filter(valued).count(), exact, "depth {depth}");
        let first = Player::Lookahead(engine);
        for (second, expected) in [(Player::Perfect, perfect), (Player::Random, random)] {
            let found = first_wins(&basket, rule, &first, &second);
            let (numerator, denominator) = (found.numer().to_string(), found.denom().to_string());
            let found = numerator.parse::<f64>().unwrap() / denominator.parse::<f64>().unwrap();
            assert!((found - expected).abs() < 0.0005, "depth {depth}: {found}");
            if depth == 4 && expected < 0.5 {
                assert_eq!((numerator.as_str(), denominator.as_str()), ("1", "3"));
            }
        }
    }
    let random = first_wins(&basket, rule, &Player::Random, &Player::Random).to_string();
    assert_eq!(random, "1/2");
}
