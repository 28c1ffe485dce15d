//! Public counts times hands and deals.

use super::{Counts, Hands, Structure};
use crate::decimal::Decimal;

/// A structure's sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    /// By round.
    pub rounds: Vec<RoundTotals>,
    /// Information sets of each player.
    pub information_sets: Vec<Decimal>,
    /// Actions of these information sets together: the numbers a solver keeps.
    pub infoset_actions: Vec<Decimal>,
    /// Decision histories, chance included.
    pub states: Decimal,
    /// Ends, chance included.
    pub terminals: Decimal,
}

/// One round of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundTotals {
    /// Combinations of hand and boards that a player tells apart.
    pub hands: Decimal,
    /// Deals to all players.
    pub deals: Decimal,
    /// Public decisions of each player.
    pub decisions: Vec<Decimal>,
    /// Information sets of each player.
    pub information_sets: Vec<Decimal>,
    /// Actions of these.
    pub infoset_actions: Vec<Decimal>,
    /// Decision histories, chance included.
    pub states: Decimal,
    /// Ends, chance included.
    pub terminals: Decimal,
}

impl Totals {
    /// The sizes of `structure`, whose public tree is `counts`, if players tell `hands` apart.
    #[must_use]
    pub fn new(structure: &Structure, counts: &Counts, hands: &Hands) -> Self {
        let players = structure.players();
        let zeros = || vec![Decimal::zero(); players];
        let last_deals = structure.cards().deals(players, structure.rounds() - 1);
        let mut totals = Self {
            rounds: Vec::new(),
            information_sets: zeros(),
            infoset_actions: zeros(),
            states: Decimal::zero(),
            terminals: Decimal::zero(),
        };
        for (index, round) in counts.rounds.iter().enumerate() {
            let own = structure.cards().own(hands, index);
            let deals = structure.cards().deals(players, index);
            let (mut decisions, mut infosets, mut actions) = (zeros(), zeros(), zeros());
            let mut states = Decimal::zero();
            for player in 0..players {
                for (count, times) in &round.decisions[player] {
                    decisions[player].add_assign(times);
                    let sets = times.mul(&own);
                    actions[player].add_assign(&sets.mul(&Decimal::from(u64::from(*count))));
                    infosets[player].add_assign(&sets);
                }
                totals.information_sets[player].add_assign(&infosets[player]);
                totals.infoset_actions[player].add_assign(&actions[player]);
                states.add_assign(&decisions[player].mul(&deals));
            }
            // Where no decision is left, the missing boards are dealt all the same.
            let mut terminals = round.folds.mul(&deals);
            terminals.add_assign(&round.showdowns.mul(&last_deals));
            totals.states.add_assign(&states);
            totals.terminals.add_assign(&terminals);
            totals.rounds.push(RoundTotals {
                hands: own,
                deals,
                decisions,
                information_sets: infosets,
                infoset_actions: actions,
                states,
                terminals,
            });
        }
        totals
    }
}
