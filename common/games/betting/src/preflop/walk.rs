//! The obvious way: walk the whole tree, action by action. Slow, and what everything else is tested against.

use super::{Preflop, Seat, TreeCounts};
use crate::decimal::Decimal;

/// Everybody's situation.
#[derive(Clone)]
struct Table {
    structure: Preflop,
    /// Who is still in.
    active: Vec<bool>,
    /// The level each has paid.
    paid: Vec<u8>,
    /// The highest bet.
    level: u8,
    /// Who acted last; before the first action the big blind.
    last: usize,
}

impl Table {
    fn new(structure: Preflop) -> Self {
        let players = usize::from(structure.players());
        let mut paid = vec![0; players];
        paid[players - 1] = 1;
        Self { structure, active: vec![true; players], paid, level: 1, last: players - 1 }
    }

    fn is_over(&self) -> bool {
        let players = self.active.len();
        if self.active.iter().filter(|active| **active).count() == 1 {
            return true;
        }
        let equal = (0..players).all(|seat| !self.active[seat] || self.paid[seat] == self.level);
        equal && (self.level > 1 || self.last == players - 1)
    }

    fn actor(&self) -> usize {
        let players = self.active.len();
        (1..=players)
            .map(|step| (self.last + step) % players)
            .find(|seat| self.active[*seat])
            .expect("two players are left")
    }

    /// The tables after each action; the first is after a fold if that is allowed.
    fn children(&self) -> Vec<(bool, Self)> {
        let actor = self.actor();
        let mut children = Vec::new();
        if self.structure.fold_when_free() || self.paid[actor] < self.level {
            let mut fold = Self { last: actor, ..self.clone() };
            fold.active[actor] = false;
            children.push((true, fold));
        }
        let mut call = Self { last: actor, ..self.clone() };
        call.paid[actor] = call.level;
        children.push((false, call));
        if self.level < self.structure.cap() {
            let mut raise = Self { last: actor, level: self.level + 1, ..self.clone() };
            raise.paid[actor] = raise.level;
            children.push((false, raise));
        }
        children
    }

    fn strategies(&self, seat: usize) -> Decimal {
        let own = self.actor() == seat;
        let mut total = if own { Decimal::zero() } else { Decimal::one() };
        for (folded, child) in self.children() {
            let plans = if child.is_over() || (own && folded) {
                Decimal::one()
            } else {
                child.strategies(seat)
            };
            if own { total.add_assign(&plans) } else { total = total.mul(&plans) }
        }
        total
    }

    fn counts(&self, seat: usize) -> TreeCounts {
        if self.is_over() {
            return TreeCounts::END;
        }
        let children: Vec<_> =
            self.children().iter().map(|(_, child)| child.counts(seat)).collect();
        TreeCounts::decision(self.actor() == seat, &children)
    }
}

/// The number of reduced strategies; time grows with the tree, about six times a player.
#[must_use]
pub fn strategies(structure: &Preflop, seat: Seat) -> Decimal {
    Table::new(*structure).strategies(usize::from(seat.0))
}

/// What [`Preflop::counts`] counts.
#[must_use]
pub fn counts(structure: &Preflop, seat: Seat) -> TreeCounts {
    Table::new(*structure).counts(usize::from(seat.0))
}
