//! The rules engine against its plain twin, which knows no shortcut.

#[path = "support/plain.rs"]
mod plain;

use fulldeck_cards::{Card, CardSet, parse_hand};
use fulldeck_omaha::rules::Rules;
use proptest::prelude::*;

/// Whole matchups: every procedure of boards, and every number of hole cards.
#[test]
fn whole_matchups_are_those_of_plain_enumeration() {
    let pairs = [
        ("AsQhTd8c", "KsJh9d7c"),
        ("AsKsQsJh", "JsTd9d8h"),
        ("7s6s5h4h", "8h7d6d2d"),
        ("AsKsQhJh7d", "Td9d8h7s7c"),
        ("AsKsQhJh7d6d", "TdTs9h8c4c3c"),
        ("AsKh", "QsQd"),
        ("8s8h", "7d6c"),
    ];
    for (a, b) in pairs {
        let hand = |text| parse_hand(text, &[2, 4, 5, 6]).expect("a hand");
        let (a, b) = (hand(a), hand(b));
        let expected = plain::matchup(a, b, CardSet::EMPTY);
        assert_eq!(Rules::new(a.len()).matchup(a, b), Ok(expected), "{a} - {b}");
    }
}

/// Two hands and a flop, turn or river of any of the games.
fn deal() -> impl Strategy<Value = (CardSet, CardSet, CardSet)> {
    let deck: Vec<Card> = Card::all().collect();
    let sizes = (prop::sample::select(vec![2usize, 4, 5, 6]), 3usize..=5);
    (Just(deck).prop_shuffle(), sizes).prop_map(|(deck, (hole, board))| {
        let set = |first: usize, count: usize| deck[first..first + count].iter().copied().collect();
        (set(0, hole), set(hole, hole), set(2 * hole, board))
    })
}

/// The same from the cards of three ranks and one more suit only, where full houses, quads and flushes are common.
fn rich_deal() -> impl Strategy<Value = (CardSet, CardSet, CardSet)> {
    let deck: Vec<Card> =
        Card::all().filter(|card| card.suit.index() == 0 || card.rank.index() > 9).collect();
    let sizes = (prop::sample::select(vec![2usize, 4, 5, 6]), 3usize..=5);
    (Just(deck).prop_shuffle(), sizes).prop_map(|(deck, (hole, board))| {
        let set = |first: usize, count: usize| deck[first..first + count].iter().copied().collect();
        (set(0, hole), set(hole, hole), set(2 * hole, board))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_board_is_judged_as_plain_enumeration_judges_it((a, b, board) in deal()) {
        let expected = plain::matchup(a, b, board);
        prop_assert_eq!(Rules::new(a.len()).matchup_on(a, b, board), Ok(expected));
    }

    #[test]
    fn rich_boards_are_judged_as_plain_enumeration_judges_them((a, b, board) in rich_deal()) {
        let expected = plain::matchup(a, b, board);
        prop_assert_eq!(Rules::new(a.len()).matchup_on(a, b, board), Ok(expected));
    }
}
