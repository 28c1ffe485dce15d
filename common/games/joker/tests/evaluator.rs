//! The evaluator against the definition, and against known answers.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::collections::BTreeMap;

use fulldeck_joker::{
    BestFive, Classes, Deck, DeckCard, Evaluator, HandType, Histogram, Positions, Rule,
    parse_together,
};
use support::csv::rows;
use support::plain::{Worth, with_five_of_a_kind, worth};
use support::random::Random;

const DECK: Deck = Deck::Cards54;

fn cards(text: &str) -> Vec<DeckCard> {
    parse_together(&[text], DECK).unwrap().remove(0)
}

/// Every five-card hand of the deck of 54, under both rules: values and plain worth order hands alike, so that equal
/// values are equal worth and a higher value is more worth.
#[test]
fn all_fives_of_54_are_worth_what_substitution_finds() {
    let evaluators = Rule::ALL.map(Evaluator::new);
    let mut worth_of: [BTreeMap<u16, Worth>; 2] = Default::default();
    let deck: Vec<DeckCard> = DECK.cards().collect();
    let mut hands = 0u64;
    for a in 0..54 {
        for b in a + 1..54 {
            for c in b + 1..54 {
                for d in c + 1..54 {
                    for e in d + 1..54 {
                        let hand = [deck[a], deck[b], deck[c], deck[d], deck[e]];
                        let distinct = worth(&hand, Rule::Distinct);
                        let wild = with_five_of_a_kind(&hand, distinct);
                        for (at, plain) in [distinct, wild].into_iter().enumerate() {
                            let value = evaluators[at].value(&hand).number();
                            assert_eq!(
                                *worth_of[at].entry(value).or_insert(plain),
                                plain,
                                "{hand:?}"
                            );
                        }
                        hands += 1;
                    }
                }
            }
        }
    }
    assert_eq!(hands, 3_162_510);
    for (rule, worth_of) in Rule::ALL.iter().zip(worth_of) {
        assert_eq!(worth_of.len(), usize::from(rule.values()));
        assert!(worth_of.values().is_sorted_by(|a, b| a < b));
    }
}

#[test]
fn sixes_and_sevens_are_worth_what_substitution_finds() {
    for rule in Rule::ALL {
        let evaluator = Evaluator::new(rule);
        let classes = Classes::new();
        let mut random = Random(rule as u64 + 7);
        for _ in 0..2_500 {
            let size = 6 + random.below(2) as usize;
            let hand = random.cards(DECK, size);
            let value = evaluator.value(&hand);
            let (category, ranks) = worth(&hand, rule);
            let class = classes.of(value);
            assert_eq!(class.hand_type, HandType::ALL[usize::from(category)], "{hand:?} {rule:?}");
            let wheel = class.hand_type.name().starts_with("straight") && ranks[0] == 3;
            let found = class.ranks.map(|rank| rank.index() as u8);
            assert_eq!(found, if wheel { [3, 2, 1, 0, 12] } else { ranks }, "{hand:?} {rule:?}");
        }
    }
}

#[test]
fn known_hands_have_their_best_five_rank_position_and_lower() {
    let classes = Classes::new();
    for (rule, letter) in [(Rule::Distinct, "d"), (Rule::Wild, "w")] {
        let evaluator = Evaluator::new(rule);
        let positions = [5, 6, 7].map(|n| Positions::new(Histogram::count(&evaluator, DECK, n)));
        for row in rows("joker_best5.csv", 81) {
            let hand = row.cards("cards");
            let best = BestFive::of(&hand, &evaluator, &classes);
            let class = classes.of(best.value);
            let standing = positions[hand.len() - 5].of(best.value);
            let column = |name: &str| row.text(&format!("{letter}_{name}")).to_owned();
            let found = (class.hand_type.name().to_owned(), class.to_string());
            assert_eq!(found, (column("type"), column("best5")), "{}", row.text("cards"));
            let rank = column(&format!("rank{}", rule.values()));
            assert_eq!(best.value.rank(rule).to_string(), rank, "{}", row.text("cards"));
            assert_eq!(standing.position.to_string(), column("position"));
            assert_eq!(standing.lower.to_string(), column("lower"));
        }
    }
}

#[test]
fn all_frequencies_are_the_known_ones() {
    let classes = Classes::new();
    for row in rows("joker_freq.csv", 15) {
        let evaluator = Evaluator::new(row.rule());
        let histogram = Histogram::count(&evaluator, row.deck(), row.number("n") as usize);
        let (types, royal) = histogram.by_type(&classes);
        for (hand_type, count) in HandType::ALL.iter().zip(types) {
            assert_eq!(
                count,
                row.number(hand_type.name()),
                "{} {}",
                row.text("n"),
                hand_type.name()
            );
        }
        assert_eq!(royal, row.number("of_straight_flush_royal"));
        assert_eq!(histogram.counts().iter().sum::<u64>(), row.number("total"));
        assert_eq!(histogram.all_hands(), row.number("total"));
        assert_eq!(Positions::new(histogram).distinct() as u64, row.number("distinct_values"));
    }
}

/// Adding a card, or a joker in a natural card's place, never lowers; the order of the cards, the suits' names and the
/// jokers' numbers change nothing; what the jokers became is legal and gives the value.
#[test]
fn hands_obey_the_invariants() {
    let classes = Classes::new();
    let [distinct, wild] = Rule::ALL.map(Evaluator::new);
    let mut random = Random(3);
    for _ in 0..20_000 {
        let hand = random.cards(DECK, 7);
        let jokers = hand.iter().filter(|card| card.is_joker()).count();
        for evaluator in [&distinct, &wild] {
            let value = evaluator.value(&hand);
            assert!(evaluator.value(&hand[..6]) <= value);
            assert!(evaluator.value(&hand[..5]) <= evaluator.value(&hand[..6]));
            let joker = [DeckCard::FIRST_JOKER, DeckCard::SECOND_JOKER];
            if let Some(joker) = joker.into_iter().find(|joker| !hand.contains(joker)) {
                let mut better = hand.clone();
                let at = (random.below(7)) as usize;
                if !better[at].is_joker() {
                    better[at] = joker;
                    assert!(evaluator.value(&better) >= value);
                }
            }
            let mut other: Vec<DeckCard> = hand
                .iter()
                .map(|card| {
                    let number = card.number() as u8;
                    DeckCard::new(if number < 52 { (number + 13) % 52 } else { 105 - number })
                        .unwrap()
                })
                .collect();
            other.reverse();
            assert_eq!(evaluator.value(&other), value);
            let class = classes.of(value);
            let possible = match jokers {
                0 => class.hand_type != HandType::FiveOfAKind,
                1 => !matches!(class.hand_type, HandType::HighCard | HandType::TwoPair),
                _ => !matches!(
                    class.hand_type,
                    HandType::HighCard | HandType::Pair | HandType::TwoPair | HandType::FullHouse
                ),
            };
            assert!(possible, "{hand:?}: {class:?}");
            best_five_is_legal(&hand, evaluator, &classes);
        }
        let (d, w) = (distinct.value(&hand), wild.value(&hand));
        let five = (0..13).any(|rank| {
            let of_rank = |card: &&DeckCard| !card.is_joker() && card.number() % 13 == rank;
            jokers > 0 && hand.iter().filter(of_rank).count() + jokers >= 5
        });
        assert!(d <= w && (d != w) == five, "{hand:?}");
    }
}

fn best_five_is_legal(hand: &[DeckCard], evaluator: &Evaluator, classes: &Classes) {
    let best = BestFive::of(hand, evaluator, classes);
    assert_eq!(evaluator.value(&best.cards), best.value);
    assert!(best.cards.iter().all(|card| hand.contains(card)));
    if classes.of(best.value).hand_type == HandType::FiveOfAKind {
        return;
    }
    let mut cards: Vec<_> = best.cards.iter().copied().filter(|card| !card.is_joker()).collect();
    for (_, became) in &best.jokers {
        let fulldeck_joker::Became::Card(card) = became else { panic!("{became} in {hand:?}") };
        let card = DeckCard::from(*card);
        assert!(!hand.contains(&card) && !cards.contains(&card), "{card} is held: {hand:?}");
        cards.push(card);
    }
    assert_eq!(evaluator.value(&cards), best.value);
}

/// Hands that other programs are known to judge wrongly.
#[test]
fn hands_that_others_get_wrong() {
    let classes = Classes::new();
    for (text, rule, hand_type, ranks) in [
        ("As Ah Ad Ac *1", Rule::Distinct, HandType::Quads, "AAAAK"),
        ("As Ah Ad Ac *1", Rule::Wild, HandType::FiveOfAKind, "AAAAA"),
        ("As Ah Ad *1 *2", Rule::Distinct, HandType::Quads, "AAAAK"),
        ("As Ah Ad *1 *2", Rule::Wild, HandType::FiveOfAKind, "AAAAA"),
        ("Kc Qd Jh Ts *1", Rule::Distinct, HandType::Straight, "AKQJT"),
        ("9c 8d 7h 6s *1", Rule::Distinct, HandType::Straight, "T9876"),
        ("As Ks Qs Js *1", Rule::Distinct, HandType::StraightFlush, "AKQJT"),
        ("Ks Kh Kd Kc As *1 *2", Rule::Distinct, HandType::Quads, "KKKKA"),
        ("Ks Kh Kd Kc As *1 *2", Rule::Wild, HandType::FiveOfAKind, "KKKKK"),
        ("8s 6h 5s 3h *1", Rule::Distinct, HandType::Pair, "88653"),
        ("As Ah Ad Ks Kh Kd 2c", Rule::Distinct, HandType::FullHouse, "AAAKK"),
        ("2s 3s 4d 5d 9d Kd *1", Rule::Distinct, HandType::Flush, "AK954"),
        ("2s 3h 5s 6h 9s Ks *1", Rule::Distinct, HandType::Flush, "AK952"),
        ("Ks 9s 5s 2s *1", Rule::Distinct, HandType::Flush, "AK952"),
        ("As 9s 8s *1 *2", Rule::Wild, HandType::Flush, "AKQ98"),
    ] {
        let class = classes.of(Evaluator::new(rule).value(&cards(text)));
        assert_eq!((class.hand_type, class.to_string().as_str()), (hand_type, ranks), "{text}");
    }
}

#[test]
fn what_jokers_become_is_named() {
    let (classes, evaluator) = (Classes::new(), Evaluator::new(Rule::Distinct));
    let became = |text: &str, evaluator: &Evaluator| {
        let best = BestFive::of(&cards(text), evaluator, &classes);
        let became: Vec<_> =
            best.jokers.iter().map(|(joker, card)| format!("{joker}={card}")).collect();
        (fulldeck_joker::to_text(&best.cards), became.join(" "))
    };
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    // The worked example of the seed: its deuce and trey of spades with the board.
    assert_eq!(became("黑2,黑3,方2,方A,黑7,黑5,鬼", &evaluator), pair("2s 3s 7s 5s *1", "*1=As"));
    assert_eq!(became("Kc Kd *2 7h 2s", &evaluator), pair("Kc Kd *2 7h 2s", "*2=Kh"));
    assert_eq!(became("Ac Kd 9h 7h *1 *2 2s", &evaluator), pair("Ac Kd 9h *1 *2", "*1=Ad *2=Ah"));
    assert_eq!(became("Ks Qs Js *1 *2", &evaluator), pair("Ks Qs Js *1 *2", "*1=As *2=Ts"));
    assert_eq!(became("Ks Qs Js As Ts *1 *2", &evaluator), pair("Ks Qs Js As Ts", ""));
    let wild = Evaluator::new(Rule::Wild);
    assert_eq!(became("As Ah Ad *1 *2", &wild), pair("As Ah Ad *1 *2", "*1=Ac *2=A"));
    assert_eq!(became("As Ah Ad Ac *1", &wild), pair("As Ah Ad Ac *1", "*1=A"));
}
