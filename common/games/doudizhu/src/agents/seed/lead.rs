//! What to lead.

use super::evaluator::{Best, rocket};
use super::watch::{Watch, visit_cards, visit_pairs};
use super::{Evaluator, Group};
use crate::cards::{Hand, Rank, RankSet};
use crate::moves::Kind;

/// Below the score of every hand.
const NOTHING: i32 = -172;
/// Longest planes that the articles try: with single cards, and with pairs.
const PLANE_RANKS: (u32, u32) = (4, 3);

impl Evaluator {
    /// What to lead from a hand that is not empty; `None` only when `watch` forbids everything.
    pub fn lead(&mut self, hand: Hand, watch: &mut impl Watch) -> Option<Group> {
        match self.pruned(hand) {
            Some(group) if watch.allows(&group) => {
                watch.considered(&group, super::HandValue::default());
                Some(group)
            }
            _ => self.lead_unpruned(hand, watch),
        }
    }

    pub(super) fn lead_unpruned(&mut self, hand: Hand, watch: &mut impl Watch) -> Option<Group> {
        if let Some(rocket) = self.closing_rocket(hand)
            && watch.allows(&rocket)
        {
            return Some(rocket);
        }
        if let Some(group) = self.lead_trio(hand, watch) {
            return Some(group);
        }
        let fours = hand.at_least(4);
        if let Some(lowest) = hand.ranks().and(RankSet::SUITED).without(fours).lowest()
            && let Some(group) = self.lead_from(hand, lowest, watch)
        {
            return Some(group);
        }
        let one_joker = hand.without(RankSet::SUITED);
        if one_joker.len() == 1 {
            let key = one_joker.ranks().lowest()?;
            return Some(Group { kind: Kind::Solo, key, cards: one_joker });
        }
        let bomb =
            fours.lowest().map(|key| Group { kind: Kind::Bomb, key, cards: Hand::of(key, 4) });
        bomb.or_else(|| hand.contains(Hand::ROCKET).then(rocket))
    }

    /// Triples with wings and planes, of ranks with exactly three cards.
    fn lead_trio(&mut self, hand: Hand, watch: &mut impl Watch) -> Option<Group> {
        let trios = hand.exactly(3);
        let mut best = Best::from(NOTHING);
        for lowest in trios.iter() {
            let trio = Hand::of(lowest, 3);
            let rest = hand - trio;
            for wing in rest.ranks().iter() {
                let cards = trio + Hand::of(wing, 1);
                let group = Group { kind: Kind::TrioSolo, key: lowest, cards };
                self.consider(hand, group, &mut best, watch);
            }
            for wing in rest.at_least(2).iter() {
                let cards = trio + Hand::of(wing, 2);
                let group = Group { kind: Kind::TrioPair, key: lowest, cards };
                self.consider(hand, group, &mut best, watch);
            }
            let run = trios.and(RankSet::CHAIN).run_length(lowest);
            for ranks in 2..=run.min(PLANE_RANKS.0) {
                let (body, rest, key) = plane(hand, lowest, ranks);
                visit_cards(rest, ranks, Hand::EMPTY, &mut |wings| {
                    let group = Group { kind: Kind::PlaneSolo, key, cards: body + wings };
                    self.consider(hand, group, &mut best, watch);
                });
            }
            for ranks in 2..=run.min(PLANE_RANKS.1) {
                let (body, rest, key) = plane(hand, lowest, ranks);
                visit_pairs(rest, ranks, Hand::EMPTY, &mut |wings| {
                    let group = Group { kind: Kind::PlanePair, key, cards: body + wings };
                    self.consider(hand, group, &mut best, watch);
                });
            }
        }
        best.group
    }

    /// Everything that can start with the lowest rank.
    fn lead_from(&mut self, hand: Hand, lowest: Rank, watch: &mut impl Watch) -> Option<Group> {
        let mut best = Best::from(NOTHING);
        for (kind, count) in [(Kind::Solo, 1), (Kind::Pair, 2), (Kind::Trio, 3)] {
            if hand.count(lowest) >= count {
                let group = Group { kind, key: lowest, cards: Hand::of(lowest, count) };
                self.consider(hand, group, &mut best, watch);
            }
        }
        for (kind, count, shortest) in
            [(Kind::SoloChain, 1, 5), (Kind::PairChain, 2, 3), (Kind::TrioChain, 3, 2)]
        {
            let run = hand.at_least(count).and(RankSet::CHAIN).run_length(lowest);
            for ranks in shortest..=run {
                let cards = RankSet::run(lowest, ranks).times(count);
                let key = Rank::new(lowest.index() + ranks as usize - 1);
                self.consider(hand, Group { kind, key, cards }, &mut best, watch);
            }
        }
        best.group
    }
}

/// The triples of a plane, the cards that may be its wings, and its key.
fn plane(hand: Hand, lowest: Rank, ranks: u32) -> (Hand, Hand, Rank) {
    let body = RankSet::run(lowest, ranks);
    (body.times(3), hand.without(body), Rank::new(lowest.index() + ranks as usize - 1))
}
