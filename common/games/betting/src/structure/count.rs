//! Counting a limit game: how many histories lead to each public situation, layer by layer.

use std::collections::BTreeMap;

use super::Structure;
use super::public::{Next, Public};
use crate::decimal::Decimal;

/// The public tree by round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The rounds, in order.
    pub rounds: Vec<RoundCounts>,
    /// Most actions of a hand.
    pub depth: u32,
}

/// One round of the public tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoundCounts {
    /// For each player, decisions by their number of actions.
    pub decisions: Vec<BTreeMap<u32, Decimal>>,
    /// Hands that end by a fold.
    pub folds: Decimal,
    /// Hands that go on to the next round.
    pub continuations: Decimal,
    /// Hands that come to a comparison without another decision.
    pub showdowns: Decimal,
}

impl RoundCounts {
    pub(super) fn new(players: usize) -> Self {
        Self { decisions: vec![BTreeMap::new(); players], ..Self::default() }
    }

    pub(super) fn decide(&mut self, player: usize, actions: u32, times: &Decimal) {
        self.decisions[player].entry(actions).or_default().add_assign(times);
    }
}

pub(super) fn count(structure: &Structure) -> Counts {
    let mut rounds = vec![RoundCounts::new(structure.players()); structure.rounds()];
    let mut layer = BTreeMap::from([(structure.start(), Decimal::one())]);
    let mut depth = 0;
    while !layer.is_empty() {
        depth += 1;
        let mut next_layer: BTreeMap<Public, Decimal> = BTreeMap::new();
        for (public, times) in layer {
            let round = &mut rounds[usize::from(public.round)];
            let mut actions = 0;
            for (_, next) in structure.actions(public) {
                actions += 1;
                match next {
                    Next::Decision(next) => next_layer.entry(next).or_default().add_assign(&times),
                    Next::Round(next) => {
                        round.continuations.add_assign(&times);
                        next_layer.entry(next).or_default().add_assign(&times);
                    }
                    Next::Fold => round.folds.add_assign(&times),
                    Next::Showdown => round.showdowns.add_assign(&times),
                }
            }
            round.decide(usize::from(public.actor), actions, &times);
        }
        layer = next_layer;
    }
    Counts { rounds, depth }
}
