//! The value of a hand: that of playing it out greedily.

use super::memo::Memo;
use super::watch::{Unwatched, Watch};
use super::{Group, HandValue, whole};
use crate::cards::Hand;
use crate::moves::Kind;

/// When a hand that is one group counts as played in one round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prune {
    /// Unless it is four with two wings: the series of articles.
    #[default]
    Series,
    /// Unless a rank has four cards, but for a bomb: the published later variant.
    NoFour,
}

/// Values hands and decides, with a memory of the values.
#[derive(Clone, Debug)]
pub struct Evaluator {
    prune: Prune,
    memo: Memo,
}

/// The best candidate so far. Of equal ones the later wins.
pub(super) struct Best {
    score: i32,
    pub(super) group: Option<Group>,
}

impl Best {
    pub(super) const fn from(score: i32) -> Self {
        Self { score, group: None }
    }

    pub(super) const fn reached_by(&self, score: i32) -> bool {
        self.score <= score
    }

    pub(super) const fn take(&mut self, group: Group, score: i32) {
        *self = Self { score, group: Some(group) };
    }
}

impl Evaluator {
    /// With the articles' prune or the later one; the memory takes `8 << memory_bits` bytes, at least 512 KiB.
    #[must_use]
    pub fn new(prune: Prune, memory_bits: u32) -> Self {
        Self { prune, memo: Memo::new(memory_bits) }
    }

    /// The value of a hand.
    pub fn value(&mut self, hand: Hand) -> HandValue {
        if hand.is_empty() {
            return HandValue::default();
        }
        if let Some(known) = self.memo.get(hand) {
            return known;
        }
        let value = match self.pruned(hand) {
            Some(group) => HandValue { sum: group.value(), rounds: 1 },
            None => {
                let group = self.lead_unpruned(hand, &mut Unwatched);
                let group = group.expect("some group of a hand that is not empty can be led");
                let rest = self.value(hand - group.cards);
                HandValue { sum: group.value() + rest.sum, rounds: rest.rounds + 1 }
            }
        };
        self.memo.put(hand, value);
        value
    }

    /// The whole hand as one group, if the prune lets it count as one.
    pub(super) fn pruned(&self, hand: Hand) -> Option<Group> {
        let (kind, key) = whole(hand)?;
        let one = match self.prune {
            Prune::Series => !matches!(kind, Kind::QuadSolos | Kind::QuadPairs),
            Prune::NoFour => hand.at_least(4).is_empty() || kind == Kind::Bomb,
        };
        one.then_some(Group { kind, key, cards: hand })
    }

    /// Compares one candidate.
    pub(super) fn consider(
        &mut self,
        hand: Hand,
        group: Group,
        best: &mut Best,
        watch: &mut impl Watch,
    ) {
        let rest = self.value(hand - group.cards);
        watch.considered(&group, rest);
        let score = rest.score();
        if best.reached_by(score) && watch.allows(&group) {
            best.take(group, score);
        }
    }

    /// The bid for 17 cards, by the sum of values alone: 0 (pass) to 3.
    pub fn bid(&mut self, hand: Hand) -> u32 {
        match self.value(hand).sum {
            ..10 => 0,
            10..15 => 1,
            15..20 => 2,
            20.. => 3,
        }
    }

    /// Both jokers when one round would play the rest.
    pub(super) fn closing_rocket(&mut self, hand: Hand) -> Option<Group> {
        (hand.contains(Hand::ROCKET) && self.value(hand - Hand::ROCKET).rounds == 1).then(rocket)
    }
}

pub(super) fn rocket() -> Group {
    Group { kind: Kind::Rocket, key: crate::cards::Rank::BIG_JOKER, cards: Hand::ROCKET }
}
