//! Endgames against known ones and against the rules played out.

use crate::csv::rows;
use fulldeck_doudizhu::endgame::reference::landlord_wins;
use fulldeck_doudizhu::endgame::{Position, Solver, random_position};
use fulldeck_doudizhu::moves::RuleSet;

const BUDGET: u64 = 10_000_000;

#[test]
fn known_endgames_have_the_known_winning_moves() {
    let mut solver = Solver::default();
    for row in rows("endgames.csv", 15) {
        let hands = ["landlord", "farmer_down", "farmer_up"].map(|column| row.hand(column));
        let last = row.play("last_move", None).map(|mv| (mv, row.number("last_by")));
        let to_move = row.number("to_move");
        let position = Position { hands, to_move, last, rules: RuleSet::STRICT };
        let id = row.text("id");
        assert_eq!(position.check(), Ok(()), "{id}");
        let wins = row.number::<u32>("landlord_wins") == 1;
        assert_eq!(solver.solve(&position, BUDGET).landlord_wins, Some(wins), "{id}");
        let (moves, _) = solver.root_moves(&position, BUDGET);
        assert_eq!(moves.len(), row.number::<usize>("n_root_moves"), "{id}");
        let winning: Vec<_> = moves
            .iter()
            .filter(|mv| mv.wins == Some(true))
            .map(|mv| mv.play.map_or_else(|| "pass".to_owned(), |mv| mv.to_string()))
            .collect();
        assert_eq!(winning.join(" "), row.text("winning_root_moves"), "{id}");
        assert_eq!(winning.len(), row.number::<usize>("n_winning_root_moves"), "{id}");
    }
}

#[test]
fn the_search_agrees_with_the_rules_played_out() {
    let mut solver = Solver::default();
    for cards in 1..=4 {
        for index in 0..150 {
            let position = random_position(11, index, cards);
            let solution = solver.solve(&position, BUDGET);
            assert_eq!(solution.landlord_wins, Some(landlord_wins(&position)), "{position:?}");
        }
    }
}

#[test]
fn a_budget_is_kept_and_a_larger_one_goes_on() {
    let mut solver = Solver::default();
    let position = random_position(1, 3, 8);
    let whole = solver.solve(&position, BUDGET);
    assert!(whole.landlord_wins.is_some() && whole.nodes > 100, "{whole:?}");
    let short = solver.solve(&position, whole.nodes - 1);
    assert_eq!((short.landlord_wins, short.nodes), (None, whole.nodes - 1));
    assert_eq!(solver.solve(&position, whole.nodes), whole);
}
