//! The rules themselves, played out: no memory, no order, no shortcut.

use super::Position;
use crate::moves::moves;

/// Whether the landlord wins with best play of all. For a handful of cards.
#[must_use]
pub fn landlord_wins(position: &Position) -> bool {
    if let Some(out) = position.hands.iter().position(|hand| hand.is_empty()) {
        return out == 0;
    }
    let last = position.last.map(|(mv, _)| mv);
    let hand = position.hands[position.to_move];
    let plays = moves(hand, last.as_ref(), position.rules).into_iter().map(Some);
    let pass = last.map(|_| None);
    let mut outcomes = plays.chain(pass).map(|play| landlord_wins(&position.after(play)));
    if position.to_move == 0 { outcomes.any(|wins| wins) } else { outcomes.all(|wins| wins) }
}
