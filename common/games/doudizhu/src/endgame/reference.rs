//! The rules themselves, played out: no order, no shortcut.

use std::collections::HashMap;

use super::Position;
use crate::moves::moves;

/// Whether the landlord wins with best play of all, without a memory. For a handful of cards.
#[must_use]
pub fn landlord_wins(position: &Position) -> bool {
    by_rules(position, &mut |next| landlord_wins(next))
}

/// The same with a memory of every position that was met.
#[derive(Clone, Debug, Default)]
pub struct Memory(HashMap<Position, bool>);

impl Memory {
    /// Whether the landlord wins with best play of all.
    pub fn landlord_wins(&mut self, position: &Position) -> bool {
        if let Some(known) = self.0.get(position) {
            return *known;
        }
        let wins = by_rules(position, &mut |next| self.landlord_wins(next));
        self.0.insert(*position, wins);
        wins
    }
}

fn by_rules(position: &Position, outcome: &mut impl FnMut(&Position) -> bool) -> bool {
    if let Some(out) = position.hands.iter().position(|hand| hand.is_empty()) {
        return out == 0;
    }
    let last = position.last.map(|(mv, _)| mv);
    let hand = position.hands[position.to_move];
    let plays = moves(hand, last.as_ref(), position.rules).into_iter().map(Some);
    let pass = last.map(|_| None);
    let mut outcomes = plays.chain(pass).map(|play| outcome(&position.after(play)));
    if position.to_move == 0 { outcomes.any(|wins| wins) } else { outcomes.all(|wins| wins) }
}
