//! Sizes of the tree.

use std::collections::HashMap;

use super::states::State;
use super::{Preflop, Seat};

/// What a tree consists of; `own` counts decisions of one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeCounts {
    /// Decisions with one action.
    pub decisions_1: u128,
    /// Decisions with two actions.
    pub decisions_2: u128,
    /// Decisions with three actions.
    pub decisions_3: u128,
    /// Ends of the hand.
    pub terminals: u128,
    /// Most actions of a hand.
    pub depth: u32,
    /// The seat's decisions with two actions.
    pub own_2: u128,
    /// The seat's decisions with three actions.
    pub own_3: u128,
}

impl TreeCounts {
    /// An end of the hand.
    pub(super) const END: Self = Self {
        decisions_1: 0,
        decisions_2: 0,
        decisions_3: 0,
        terminals: 1,
        depth: 0,
        own_2: 0,
        own_3: 0,
    };

    /// A decision that leads to `children`.
    pub(super) fn decision(own: bool, children: &[Self]) -> Self {
        let mut sum = Self::default();
        for child in children {
            sum.decisions_1 += child.decisions_1;
            sum.decisions_2 += child.decisions_2;
            sum.decisions_3 += child.decisions_3;
            sum.terminals += child.terminals;
            sum.depth = sum.depth.max(child.depth + 1);
            sum.own_2 += child.own_2;
            sum.own_3 += child.own_3;
        }
        match children.len() {
            1 => sum.decisions_1 += 1,
            2 => sum.decisions_2 += 1,
            _ => sum.decisions_3 += 1,
        }
        if own {
            sum.own_2 += u128::from(children.len() == 2);
            sum.own_3 += u128::from(children.len() == 3);
        }
        sum
    }
}

pub(super) fn counts(structure: &Preflop, seat: Seat) -> TreeCounts {
    visit(structure, structure.start(seat), &mut HashMap::new())
}

fn visit(structure: &Preflop, state: State, known: &mut HashMap<State, TreeCounts>) -> TreeCounts {
    if let Some(counts) = known.get(&state) {
        return *counts;
    }
    let children: Vec<_> = structure
        .actions(state)
        .map(|(_, next)| next.map_or(TreeCounts::END, |next| visit(structure, next, known)))
        .collect();
    let counts = TreeCounts::decision(state.is_own(), &children);
    known.insert(state, counts);
    counts
}
