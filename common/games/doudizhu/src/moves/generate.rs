//! All moves of a hand, built from the hand.

use super::kind::Pattern;
use super::{Kind, Move, RuleSet, Shape};
use crate::cards::{Hand, Rank, RankSet};

/// All moves of a hand: leads, or what may be played on `last`. Without pass; in ASCII order of their text.
#[must_use]
pub fn moves(hand: Hand, last: Option<&Move>, rules: RuleSet) -> Vec<Move> {
    let mut found = Vec::new();
    match last {
        None => visit_leads(hand, rules, &mut |mv| found.push(mv)),
        Some(last) => visit_follows(hand, last, rules, &mut |mv| found.push(mv)),
    }
    found.sort_by_cached_key(|mv| (mv.to_string(), mv.kind));
    found
}

/// Calls `visit` with every lead, in no order anyone may rely on.
pub fn visit_leads(hand: Hand, rules: RuleSet, visit: &mut impl FnMut(Move)) {
    for kind in Kind::ALL {
        let (shortest, longest) = kind.pattern().ranks;
        for ranks in shortest..=longest {
            visit_kind(hand, kind, ranks, None, rules, visit);
        }
    }
}

/// Calls `visit` with everything that beats `last`, in no order anyone may rely on.
pub fn visit_follows(hand: Hand, last: &Move, rules: RuleSet, visit: &mut impl FnMut(Move)) {
    let Shape { kind, cards } = last.shape();
    if kind == Kind::Rocket {
        return;
    }
    if let Some(ranks) = kind.pattern().ranks_of(cards) {
        visit_kind(hand, kind, ranks, Some(last.key), rules, visit);
    }
    if kind != Kind::Bomb {
        visit_kind(hand, Kind::Bomb, 1, None, rules, visit);
    }
    visit_kind(hand, Kind::Rocket, 0, None, rules, visit);
}

/// Moves of one kind with so many ranks in the body, with a key above `above`.
fn visit_kind(
    hand: Hand,
    kind: Kind,
    ranks: u32,
    above: Option<Rank>,
    rules: RuleSet,
    visit: &mut impl FnMut(Move),
) {
    if kind == Kind::Rocket {
        if hand.contains(Hand::ROCKET) {
            visit(Move { kind, key: Rank::BIG_JOKER, cards: Hand::ROCKET });
        }
        return;
    }
    let pattern = kind.pattern();
    if hand.len() < pattern.cards(ranks) {
        return;
    }
    let enough = hand.at_least(pattern.body);
    let bodies = if ranks > 1 { enough.and(RankSet::CHAIN).starts(ranks) } else { enough };
    for lowest in bodies.iter() {
        let key = Rank::new(lowest.index() + ranks as usize - 1);
        if above.is_some_and(|above| key <= above) {
            continue;
        }
        let body = RankSet::run(lowest, ranks);
        let cards = body.times(pattern.body);
        let mut whole = |wings: Hand| visit(Move { kind, key, cards: cards + wings });
        visit_wings(hand - cards, body, pattern, ranks * pattern.wings, rules, &mut whole);
    }
}

fn visit_wings(
    rest: Hand,
    body: RankSet,
    pattern: Pattern,
    wings: u32,
    rules: RuleSet,
    visit: &mut impl FnMut(Hand),
) {
    match pattern.wing {
        0 => visit(Hand::EMPTY),
        1 => {
            let pool = rules.single_wings(rest, body);
            visit_cards(pool, wings, Hand::EMPTY, &mut |wings| {
                if rules.allows_jokers(wings) {
                    visit(wings);
                }
            });
        }
        _ => {
            let pool = rest.without(body).at_least(2);
            visit_pairs(pool, wings, Hand::EMPTY, visit);
            if rules.four_as_pairs && pattern.body == 4 {
                let fours = rest.without(body).at_least(4);
                for four in fours.iter().filter(|four| Some(*four) < body.lowest()) {
                    visit(Hand::of(four, 4));
                }
            }
        }
    }
}

/// Every multiset of `wanted` cards of the pool.
fn visit_cards(pool: Hand, wanted: u32, taken: Hand, visit: &mut impl FnMut(Hand)) {
    if wanted == 0 {
        return visit(taken);
    }
    let mut higher = pool;
    for rank in pool.ranks().iter() {
        higher = higher.without(RankSet::only(rank));
        for count in 1..=pool.count(rank).min(wanted) {
            visit_cards(higher, wanted - count, taken + Hand::of(rank, count), visit);
        }
    }
}

/// Every choice of `wanted` different ranks of the pool, two cards of each.
fn visit_pairs(pool: RankSet, wanted: u32, taken: Hand, visit: &mut impl FnMut(Hand)) {
    if wanted == 0 {
        return visit(taken);
    }
    let mut higher = pool;
    for rank in pool.iter() {
        higher = higher.without(RankSet::only(rank));
        visit_pairs(higher, wanted - 1, taken + Hand::of(rank, 2), visit);
    }
}
