//! Odds against known answers and against plain enumeration.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use fulldeck_joker::{
    Deck, DeckCard, Evaluator, HoleClass, Odds, Preflop, Rule, Table, against_hand, against_random,
};
use support::csv::{Row, rows};
use support::plain;
use support::random::Random;

fn two(cards: &[DeckCard]) -> [DeckCard; 2] {
    cards.try_into().expect("two cards")
}

fn known(row: &Row) -> Odds {
    let [win, tie, lose] = ["win", "tie", "lose"].map(|name| row.number(name));
    Odds { win, tie, lose }
}

/// The tables of all decks and rules hold every known answer, and obey what must hold on every board.
#[test]
fn tables_hold_the_known_odds() {
    let cases = rows("joker_prob.csv", 44);
    let preflop = rows("joker_preflop.csv", 20);
    let (mut found, mut classes) = (0, 0);
    for rule in Rule::ALL {
        let evaluator = Evaluator::new(rule);
        for deck in Deck::ALL {
            if deck == Deck::Cards52 && rule == Rule::Wild {
                continue;
            }
            let table = Table::new(&evaluator, deck);
            assert_eq!(Preflop::of(&table).rows(), Preflop::known(deck, rule).rows());
            for row in preflop.iter().filter(|row| row.deck() == deck && row.rule() == rule) {
                let class = HoleClass::named(row.text("class")).unwrap();
                assert_eq!(class.holes(deck), row.number("holes"));
                assert_eq!(Preflop::known(deck, rule).odds(class), Some(known(row)), "{class}");
                classes += 1;
            }
            for row in cases.iter().filter(|row| row.deck() == deck && row.rule() == rule) {
                let (hole, board) = (two(&row.cards("hole")), row.cards("board"));
                let odds = match board.len() {
                    5 => against_random(&evaluator, deck, hole, &board).unwrap(),
                    _ => table.odds(hole, &board).unwrap(),
                };
                assert_eq!(odds, known(row), "{}", row.text("id"));
                if board.len() >= 2 {
                    assert_eq!(against_random(&evaluator, deck, hole, &board), Ok(odds));
                }
                assert_eq!(odds.total(), row.number("total"));
                assert!((odds.equity() - row.text("equity").parse::<f64>().unwrap()).abs() < 1e-9);
                found += 1;
            }
        }
    }
    assert_eq!((found, classes), (44, 20));
}

#[test]
fn odds_are_those_of_plain_enumeration() {
    let mut random = Random(11);
    for round in 0..60 {
        let rule = Rule::ALL[round % 2];
        let deck = Deck::ALL[random.below(3) as usize];
        let evaluator = Evaluator::new(rule);
        let worth = |cards: &[DeckCard]| evaluator.value(cards).number();
        let size = if round % 6 == 0 { 4 } else { 5 };
        let cards = random.cards(deck, 2 + size);
        let (hole, board) = cards.split_at(2);
        let [win, tie, lose] = plain::odds(hole, board, deck, &worth);
        let found = against_random(&evaluator, deck, two(hole), board);
        assert_eq!(found, Ok(Odds { win, tie, lose }), "{hole:?} {board:?}");
    }
}

/// The sum over all hands of the opponent is what is won against a random one.
#[test]
fn hands_add_up_to_the_random_opponent() {
    let mut random = Random(5);
    for round in 0..12 {
        let deck = Deck::ALL[round % 3];
        let evaluator = Evaluator::new(Rule::ALL[round % 2]);
        let cards = random.cards(deck, 2 + 3 + round % 3);
        let (hole, board) = (two(&cards[..2]), &cards[2..]);
        let rest: Vec<DeckCard> = deck.cards().filter(|card| !cards.contains(card)).collect();
        let mut sum = [0; 3];
        for (at, first) in rest.iter().enumerate() {
            for second in &rest[at + 1..] {
                let odds = against_hand(&evaluator, deck, hole, [*first, *second], board).unwrap();
                let back = against_hand(&evaluator, deck, [*first, *second], hole, board).unwrap();
                assert_eq!((odds.win, odds.tie, odds.lose), (back.lose, back.tie, back.win));
                sum = [sum[0] + odds.win, sum[1] + odds.tie, sum[2] + odds.lose];
            }
        }
        let [win, tie, lose] = sum;
        assert_eq!(against_random(&evaluator, deck, hole, board), Ok(Odds { win, tie, lose }));
    }
}
