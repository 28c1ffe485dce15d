//! Fewest groups: the fast solver against the definition, and against known hands and histograms.

use std::collections::BTreeMap;

use crate::csv::rows;
use fulldeck_doudizhu::cards::{Hand, Rank};
use fulldeck_doudizhu::groups::reference::Reference;
use fulldeck_doudizhu::groups::{HandIndex, Solver};
use fulldeck_doudizhu::moves::{RuleSet, classify};
use proptest::prelude::*;

#[test]
fn known_hands_need_the_known_number() {
    let mut solver = Solver::default();
    for row in rows("minrounds.csv", 34) {
        let hand = row.hand("hand");
        assert_eq!(solver.fewest(hand), row.number::<u8>("min_groups"), "{hand}");
        let partition = solver.partition(hand);
        assert_eq!(partition.len(), row.number::<usize>("min_groups"), "{hand}");
        assert_eq!(partition.iter().fold(Hand::EMPTY, |all, mv| all + mv.cards), hand);
        assert!(partition.iter().all(|mv| classify(mv.cards, RuleSet::STRICT) == [*mv]), "{hand}");
    }
}

#[test]
fn histograms_of_small_hands_are_the_published_ones() {
    let index = HandIndex::new(8);
    let mut groups = vec![0; index.len() as usize];
    Solver::default().fill(&index, 0, &mut groups);
    let mut counts: BTreeMap<(u32, u8), u32> = BTreeMap::new();
    for (position, groups) in groups.iter().enumerate() {
        *counts.entry((index.hand(position as u32).len(), *groups)).or_default() += 1;
    }
    assert_eq!(counts.remove(&(0, 0)), Some(1));
    for row in rows("minrounds_hist.csv", 36) {
        let (cards, groups) = (row.number("n_cards"), row.number("min_groups"));
        assert_eq!(counts.remove(&(cards, groups)), Some(row.number("count")), "{cards} {groups}");
        assert_eq!(index.of_size(cards), row.number::<u32>("n_hands"));
    }
    assert!(counts.is_empty(), "{counts:?}");
}

#[test]
fn any_cut_of_the_table_gives_the_same() {
    let index = HandIndex::new(6);
    let mut solver = Solver::default();
    let mut whole = vec![0; index.len() as usize];
    solver.fill(&index, 0, &mut whole);
    for step in [1, 7, 1_000] {
        for (part, expected) in whole.chunks(step).enumerate().step_by(17) {
            let mut out = vec![0; expected.len()];
            solver.fill(&index, (part * step) as u32, &mut out);
            assert_eq!(out, expected);
        }
    }
}

/// Hands rich in chains, planes and fours: counts drawn high, then cut to 20 cards.
fn rich_hands() -> impl Strategy<Value = Hand> {
    let counts = prop::collection::vec(prop::sample::select(vec![0u8, 1, 2, 3, 3, 4]), Rank::COUNT);
    (counts, 0..Rank::COUNT).prop_map(|(counts, from)| {
        let mut hand = Hand::EMPTY;
        for step in 0..Rank::COUNT {
            let rank = Rank::new((from + step) % Rank::COUNT);
            let count = u32::from(counts[rank.index()]).min(rank.copies());
            hand += Hand::of(rank, count.min(Hand::MOST - hand.len()));
        }
        hand
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_solver_agrees_with_the_definition_on_rich_hands(hand in rich_hands()) {
        prop_assert_eq!(Solver::default().fewest(hand), Reference::default().fewest(hand));
    }

    #[test]
    fn the_solver_agrees_with_the_definition_on_any_hand(position in 0u32..509_430_670) {
        let hand = HandIndex::new(20).hand(position);
        prop_assert_eq!(Solver::default().fewest(hand), Reference::default().fewest(hand));
    }
}
