//! All moves, against known lists and against the whole table.

use std::collections::BTreeMap;

use crate::csv::rows;
use fulldeck_doudizhu::cards::Hand;
use fulldeck_doudizhu::game::deals;
use fulldeck_doudizhu::moves::{Kind, Move, RuleSet, classify, moves};

/// Published numbers of moves, by kind; with the pass they are 27,472.
const COUNTS: [(Kind, usize); 14] = [
    (Kind::Solo, 15),
    (Kind::Pair, 13),
    (Kind::Trio, 13),
    (Kind::TrioSolo, 182),
    (Kind::TrioPair, 156),
    (Kind::SoloChain, 36),
    (Kind::PairChain, 52),
    (Kind::TrioChain, 45),
    (Kind::PlaneSolo, 21_822),
    (Kind::PlanePair, 2_939),
    (Kind::QuadSolos, 1_326),
    (Kind::QuadPairs, 858),
    (Kind::Bomb, 13),
    (Kind::Rocket, 1),
];

fn by_kind(moves: &[Move]) -> BTreeMap<Kind, usize> {
    let mut counts = BTreeMap::new();
    for mv in moves {
        *counts.entry(mv.kind).or_default() += 1;
    }
    counts
}

#[test]
fn there_are_27471_moves_and_the_pass() {
    let all = moves(Hand::DECK, None, RuleSet::STRICT);
    assert_eq!(all.len() + 1, 27_472);
    assert_eq!(by_kind(&all), BTreeMap::from(COUNTS));
    let planes =
        |kind, cards| all.iter().filter(|mv| mv.kind == kind && mv.cards.len() == cards).count();
    assert_eq!(
        [8, 12, 16, 20].map(|cards| planes(Kind::PlaneSolo, cards)),
        [968, 3_282, 7_184, 10_388]
    );
    assert_eq!([10, 15, 20].map(|cards| planes(Kind::PlanePair, cards)), [605, 1_200, 1_134]);
    let mut cards: Vec<_> = all.iter().map(|mv| mv.cards.bits()).collect();
    cards.sort_unstable();
    cards.dedup();
    assert_eq!(cards.len(), 27_471, "every group of cards has one type");
}

/// Every type of every move is found again from its cards, whatever the rules.
#[test]
fn moves_and_their_classification_agree() {
    for rules in ["strict", "wide", "both-jokers", "four-alike", "neighbours", "four-as-pairs"] {
        let rules: RuleSet = rules.parse().unwrap();
        let mut typed: BTreeMap<Hand, Vec<Move>> = BTreeMap::new();
        for mv in moves(Hand::DECK, None, rules) {
            typed.entry(mv.cards).or_default().push(mv);
        }
        for (cards, mut expected) in typed {
            let mut found = classify(cards, rules);
            let order = |mv: &Move| (mv.kind, mv.key);
            found.sort_by_key(order);
            expected.sort_by_key(order);
            assert_eq!(found, expected, "{cards} {rules}");
        }
    }
}

#[test]
fn moves_of_a_hand_are_those_of_the_table_that_it_holds() {
    for rules in [RuleSet::STRICT, RuleSet::WIDE] {
        let table = moves(Hand::DECK, None, rules);
        let sparse = table.iter().step_by(1_001);
        for deal in (0..12).map(|index| deals(5, index).next().unwrap()) {
            let hand = deal.hands[0] + deal.bottom;
            let held: Vec<_> = table.iter().filter(|mv| hand.contains(mv.cards)).copied().collect();
            assert_eq!(moves(hand, None, rules), held, "{hand}");
            for last in sparse.clone() {
                let beating: Vec<_> = held.iter().filter(|mv| mv.beats(last)).copied().collect();
                assert_eq!(moves(hand, Some(last), rules), beating, "{hand} on {last}");
            }
        }
    }
}

#[test]
fn known_hands_have_the_known_moves() {
    for row in rows("moves.csv", 34) {
        let kind = Kind::named(row.text("last_type"));
        let last = row.play("last", kind);
        let found = moves(row.hand("hand"), last.as_ref(), RuleSet::STRICT);
        let text: Vec<_> = found.iter().map(Move::to_string).collect();
        assert_eq!(text.join(" "), row.text("moves"), "{}", row.text("id"));
        assert_eq!(found.len(), row.number::<usize>("n_moves"));
    }
}
