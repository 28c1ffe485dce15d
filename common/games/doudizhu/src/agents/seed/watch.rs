//! Who looks on while a decision is made.

use super::{Group, HandValue};
use crate::cards::Hand;
use crate::moves::{Move, RuleSet, classify};

/// Told of every candidate of a decision, and may forbid one.
pub trait Watch {
    /// Whether the group may be chosen.
    fn allows(&mut self, group: &Group) -> bool;
    /// The group was a candidate and leaves a hand of this value.
    fn considered(&mut self, group: &Group, rest: HandValue);
}

/// Nobody looks, everything is allowed.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn allows(&mut self, _: &Group) -> bool {
        true
    }

    fn considered(&mut self, _: &Group, _: HandValue) {}
}

/// A candidate and the value of what it leaves.
#[derive(Clone, Copy, Debug)]
pub struct Considered {
    /// The candidate.
    pub group: Group,
    /// Value of the rest.
    pub rest: HandValue,
}

/// Keeps every candidate, in the order in which they were compared.
#[derive(Clone, Debug, Default)]
pub struct Recorder(pub Vec<Considered>);

impl Watch for Recorder {
    fn allows(&mut self, _: &Group) -> bool {
        true
    }

    fn considered(&mut self, group: &Group, rest: HandValue) {
        self.0.push(Considered { group: *group, rest });
    }
}

/// Allows only what the rules allow.
pub(super) struct LegalOnly {
    pub(super) rules: RuleSet,
    pub(super) last: Option<Move>,
}

impl LegalOnly {
    /// The group as a move that may be played.
    pub(super) fn legal(&self, group: &Group) -> Option<Move> {
        let kinds = classify(group.cards, self.rules);
        let one = kinds.into_iter().find(|mv| mv.kind == group.kind && mv.key == group.key)?;
        self.last.is_none_or(|last| one.beats(&last)).then_some(one)
    }
}

impl Watch for LegalOnly {
    fn allows(&mut self, group: &Group) -> bool {
        self.legal(group).is_some()
    }

    fn considered(&mut self, _: &Group, _: HandValue) {}
}

/// Every choice of `wanted` cards of the pool, each not below the one before, in lexicographic order.
pub(super) fn visit_cards(pool: Hand, wanted: u32, taken: Hand, visit: &mut impl FnMut(Hand)) {
    if wanted == 0 {
        return visit(taken);
    }
    let mut from = pool;
    for rank in pool.ranks().iter() {
        let card = Hand::of(rank, 1);
        visit_cards(from - card, wanted - 1, taken + card, visit);
        from = from.without(crate::cards::RankSet::only(rank));
    }
}

/// The same with pairs: a four is two of them.
pub(super) fn visit_pairs(pool: Hand, wanted: u32, taken: Hand, visit: &mut impl FnMut(Hand)) {
    if wanted == 0 {
        return visit(taken);
    }
    let mut from = pool;
    for rank in pool.at_least(2).iter() {
        let pair = Hand::of(rank, 2);
        visit_pairs(from - pair, wanted - 1, taken + pair, visit);
        from = from.without(crate::cards::RankSet::only(rank));
    }
}
