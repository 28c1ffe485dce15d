//! The first decisions of a player: until then only others act, and numbers of plans multiply.

use std::collections::{BTreeMap, BTreeSet};

use super::states::State;
use super::{Preflop, Seat};

/// Different first decisions, and how often they occur together.
pub(super) fn first_decisions(structure: &Preflop, seat: Seat) -> (u64, u128) {
    let mut found = BTreeMap::new();
    // Situations by how often they occur, in order of the number of actions before them.
    let mut layer = BTreeMap::from([(structure.start(seat), 1u128)]);
    while !layer.is_empty() {
        let mut next_layer = BTreeMap::new();
        for (state, times) in layer {
            if state.is_own() {
                *found.entry(state).or_insert(0) += times;
                continue;
            }
            for next in structure.actions(state).filter_map(|(_, next)| next) {
                *next_layer.entry(next).or_insert(0) += times;
            }
        }
        layer = next_layer;
    }
    let distinct: BTreeSet<State> = found.keys().copied().collect();
    (distinct.len() as u64, found.values().sum())
}
