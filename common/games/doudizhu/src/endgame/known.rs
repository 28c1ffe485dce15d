//! Positions whose outcome is known: eight bytes each.

use super::Position;
use crate::cards::{Hand, Rank};

/// Numbers every position that can follow from a first one.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbering {
    /// By player and rank: every hand is a part of the first one, numbered in mixed radix.
    strides: [[u64; Rank::COUNT]; 3],
    /// Parts of all three hands together.
    parts: u64,
}

/// Kinds of move with their sizes, keys, owners and movers: bounds of the mixed radix of a turn.
const KINDS: u64 = 14;
const SIZES: u64 = Hand::MOST as u64 + 1;
const KEYS: u64 = Rank::COUNT as u64;
const PLAYERS: u64 = 3;

/// Turns: what has to be beaten, who played it, and who is to move.
const TURNS: u64 = (KINDS + 1) * SIZES * KEYS * PLAYERS * PLAYERS;

impl Numbering {
    /// Of positions that follow from this one; `None` when there are too many of them to be numbered.
    pub(super) fn new(first: &Position) -> Option<Self> {
        let mut numbering = Self { parts: 1, ..Self::default() };
        for (strides, hand) in numbering.strides.iter_mut().zip(first.hands) {
            for rank in hand.ranks().iter() {
                strides[rank.index()] = numbering.parts;
                numbering.parts *= u64::from(hand.count(rank) + 1);
            }
        }
        // Two bits of a slot are for the outcome.
        (numbering.parts <= u64::MAX / 4 / TURNS).then_some(numbering)
    }

    /// The number of a position: what its outcome depends on, one to one.
    pub(super) fn of(&self, position: &Position) -> u64 {
        let mut parts = 0;
        for (strides, hand) in self.strides.iter().zip(position.hands) {
            for rank in hand.ranks().iter() {
                parts += strides[rank.index()] * u64::from(hand.count(rank));
            }
        }
        let last = position.last.map_or(0, |(mv, by)| {
            let kind = (mv.kind as u64 + 1) * SIZES + u64::from(mv.cards.len());
            (kind * KEYS + mv.key.index() as u64) * PLAYERS + by as u64
        });
        (last * PLAYERS + position.to_move as u64) * self.parts + parts
    }
}

/// A table by number, open addressing.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Number and outcome plus one in the lowest bits; zero is free.
    slots: Vec<u64>,
    used: usize,
}

/// Slots of an empty table.
const SMALLEST: usize = 1 << 12;

impl Default for Known {
    fn default() -> Self {
        Self { slots: vec![0; SMALLEST], used: 0 }
    }
}

impl Known {
    /// Forgets everything, and gives back what a hard position took.
    pub(super) fn clear(&mut self) {
        if self.slots.len() > SMALLEST && self.used < self.slots.len() / 8 || self.used > SMALLEST {
            self.slots = vec![0; SMALLEST];
        } else {
            self.slots.fill(0);
        }
        self.used = 0;
    }

    /// Where a number is, or the free slot where it would be.
    fn slot(&self, number: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[at] != 0 && self.slots[at] >> 2 != number {
            at = (at + 1) & mask;
        }
        at
    }

    pub(super) fn get(&self, number: u64) -> Option<bool> {
        match self.slots[self.slot(number)] & 3 {
            0 => None,
            outcome => Some(outcome == 2),
        }
    }

    pub(super) fn insert(&mut self, number: u64, outcome: bool) {
        if self.used * 2 >= self.slots.len() {
            let doubled = vec![0; self.slots.len() * 2];
            for entry in std::mem::replace(&mut self.slots, doubled).into_iter().filter(|e| *e != 0)
            {
                let at = self.slot(entry >> 2);
                self.slots[at] = entry;
            }
        }
        let at = self.slot(number);
        self.used += usize::from(self.slots[at] == 0);
        self.slots[at] = number << 2 | (1 + u64::from(outcome));
    }
}
