//! What to play on a move.

use super::evaluator::{Best, rocket};
use super::watch::{Watch, visit_cards, visit_pairs};
use super::{Evaluator, Group, HandValue, whole};
use crate::cards::{Hand, Rank, RankSet};
use crate::moves::{Kind, Move};

/// A hand worth more than this bombs four with two wings ...
const BOMB_WORTH: i32 = 14;
/// ... and one worth more than this plays the rocket on anything.
const ROCKET_WORTH: i32 = 20;

impl Evaluator {
    /// What to play on `last` from a hand that is not empty; `None` for a pass.
    pub fn follow(&mut self, hand: Hand, last: &Move, watch: &mut impl Watch) -> Option<Group> {
        if let Some(rocket) = self.closing_rocket(hand)
            && watch.allows(&rocket)
        {
            return Some(rocket);
        }
        match last.kind {
            Kind::Rocket => return None,
            Kind::Bomb => return bomb_above(hand, Some(last.key)).or_else(|| held_rocket(hand)),
            _ => {}
        }
        if let Some((kind, key)) = whole(hand) {
            let group = Group { kind, key, cards: hand };
            let beats = matches!(kind, Kind::Bomb | Kind::Rocket)
                || group.shape() == last.shape() && key > last.key;
            if beats && watch.allows(&group) {
                watch.considered(&group, HandValue::default());
                return Some(group);
            }
        }
        let own = self.value(hand);
        let quad = matches!(last.kind, Kind::QuadSolos | Kind::QuadPairs);
        if quad
            && own.sum > BOMB_WORTH
            && let Some(group) = bomb_above(hand, None).or_else(|| held_rocket(hand))
        {
            return Some(group);
        }
        // A pass costs a round.
        let mut best = Best::from(HandValue { rounds: own.rounds + 1, ..own }.score());
        self.follow_in_kind(hand, last, &mut best, watch);
        if best.group.is_some() {
            return best.group;
        }
        if quad {
            return bomb_above(hand, None).or_else(|| held_rocket(hand));
        }
        self.bomb(hand, &mut best, watch);
        best.group.or_else(|| held_rocket(hand).filter(|_| own.sum > ROCKET_WORTH))
    }

    /// Candidates of the same shape, keys ascending; cards of bombs may be used.
    fn follow_in_kind(&mut self, hand: Hand, last: &Move, best: &mut Best, watch: &mut impl Watch) {
        let kind = last.kind;
        let pattern = kind.pattern();
        let Some(ranks) = pattern.ranks_of(last.cards.len()) else { return };
        let enough = hand.at_least(pattern.body);
        let bodies = if ranks > 1 { enough.and(RankSet::CHAIN).starts(ranks) } else { enough };
        for lowest in bodies.iter() {
            let key = Rank::new(lowest.index() + ranks as usize - 1);
            if key <= last.key {
                continue;
            }
            let body = RankSet::run(lowest, ranks);
            let cards = body.times(pattern.body);
            let rest = hand.without(body);
            let mut consider = |wings: Hand| {
                let group = Group { kind, key, cards: cards + wings };
                self.consider(hand, group, best, watch);
            };
            match (kind, pattern.wing) {
                (_, 0) => consider(Hand::EMPTY),
                // The wings of a four are of different ranks.
                (Kind::QuadSolos, _) => {
                    visit_cards(rest.ranks().times(1), 2, Hand::EMPTY, &mut consider);
                }
                (Kind::QuadPairs, _) => {
                    visit_pairs(rest.at_least(2).times(2), 2, Hand::EMPTY, &mut consider);
                }
                (_, 1) => visit_cards(rest, ranks, Hand::EMPTY, &mut consider),
                _ => visit_pairs(rest, ranks, Hand::EMPTY, &mut consider),
            }
        }
    }

    /// Each bomb, if passing is not better or what is left is worth something.
    fn bomb(&mut self, hand: Hand, best: &mut Best, watch: &mut impl Watch) {
        for key in hand.at_least(4).iter() {
            let group = Group { kind: Kind::Bomb, key, cards: Hand::of(key, 4) };
            let rest = self.value(hand - group.cards);
            watch.considered(&group, rest);
            if best.reached_by(rest.score()) || rest.sum > 0 {
                best.take(group, rest.score());
            }
        }
    }
}

fn bomb_above(hand: Hand, above: Option<Rank>) -> Option<Group> {
    let key = hand.at_least(4).iter().find(|key| Some(*key) > above)?;
    Some(Group { kind: Kind::Bomb, key, cards: Hand::of(key, 4) })
}

fn held_rocket(hand: Hand) -> Option<Group> {
    hand.contains(Hand::ROCKET).then(rocket)
}
