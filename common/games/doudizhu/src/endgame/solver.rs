//! Depth-first search with a memory of positions and a budget of nodes.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::Position;
use crate::cards::Hand;
use crate::moves::{Move, moves, visit_follows, visit_leads};

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Whether the landlord wins; `None` when the budget was not enough.
    pub landlord_wins: Option<bool>,
    /// Positions that were opened: the same number on every machine.
    pub nodes: u64,
}

/// A move of the player whose turn it is, and whether his side wins with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootMove {
    /// The move; `None` for a pass.
    pub play: Option<Move>,
    /// Whether his side wins; `None` when the budget was not enough.
    pub wins: Option<bool>,
}

/// A search is over before its answer.
struct OutOfBudget;

/// What the outcome depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    hands: [u64; 3],
    /// Mover, and type, size, key and owner of what has to be beaten.
    turn: u32,
}

/// Solves positions; its memory is used again from one to the next, what it knows is not.
#[derive(Debug, Default)]
pub struct Solver {
    known: HashMap<Key, bool, BuildHasherDefault<Mix>>,
    moves: Vec<Move>,
    nodes: u64,
    budget: u64,
}

impl Solver {
    /// Whether the landlord wins with best play of all, if that takes at most `budget` nodes.
    pub fn solve(&mut self, position: &Position, budget: u64) -> Solution {
        self.start(budget);
        let landlord_wins = self.landlord_wins(position).ok();
        Solution { landlord_wins, nodes: self.nodes }
    }

    /// Every move of the player whose turn it is, in ASCII order with the pass last, and whether his side wins with it; and the
    /// nodes that took.
    pub fn root_moves(&mut self, position: &Position, budget: u64) -> (Vec<RootMove>, u64) {
        self.start(budget);
        let last = position.last.map(|(mv, _)| mv);
        let hand = position.hands[position.to_move];
        let plays = moves(hand, last.as_ref(), position.rules).into_iter().map(Some);
        let pass = last.map(|_| None);
        let of_landlord = position.to_move == 0;
        let root_moves = plays
            .chain(pass)
            .map(|play| {
                let landlord_wins = self.landlord_wins(&position.after(play)).ok();
                RootMove { play, wins: landlord_wins.map(|wins| wins == of_landlord) }
            })
            .collect();
        (root_moves, self.nodes)
    }

    fn start(&mut self, budget: u64) {
        self.known.clear();
        self.moves.clear();
        self.nodes = 0;
        self.budget = budget;
    }

    fn landlord_wins(&mut self, position: &Position) -> Result<bool, OutOfBudget> {
        if let Some(out) = position.hands.iter().position(|hand| hand.is_empty()) {
            return Ok(out == 0);
        }
        let key = Key::of(position);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        if self.nodes == self.budget {
            return Err(OutOfBudget);
        }
        self.nodes += 1;
        let from = self.moves.len();
        let wins = self.search(position, from);
        self.moves.truncate(from);
        let wins = wins?;
        self.known.insert(key, wins);
        Ok(wins)
    }

    /// Tries the moves, which stand in `self.moves` from `from` on, until one wins for the mover's side.
    fn search(&mut self, position: &Position, from: usize) -> Result<bool, OutOfBudget> {
        let mover = position.to_move;
        let hand = position.hands[mover];
        let of_landlord = mover == 0;
        let found = &mut self.moves;
        match &position.last {
            None => visit_leads(hand, position.rules, &mut |mv| found.push(mv)),
            Some((last, _)) => visit_follows(hand, last, position.rules, &mut |mv| found.push(mv)),
        }
        if found[from..].iter().any(|mv| mv.cards == hand) {
            return Ok(of_landlord);
        }
        found[from..].sort_unstable_by_key(|mv| {
            (mv.doubles(), Reverse(mv.cards.len()), mv.key, mv.cards)
        });
        let partner = position.last.is_some_and(|(_, by)| by != 0 && !of_landlord);
        let may_pass = position.last.is_some();
        // What a partner leads with is rarely worth taking over.
        if partner && self.landlord_wins(&position.after(None))? == of_landlord {
            return Ok(of_landlord);
        }
        for at in from..self.moves.len() {
            let mv = self.moves[at];
            if self.landlord_wins(&position.after(Some(mv)))? == of_landlord {
                return Ok(of_landlord);
            }
        }
        if may_pass && !partner && self.landlord_wins(&position.after(None))? == of_landlord {
            return Ok(of_landlord);
        }
        Ok(!of_landlord)
    }
}

impl Key {
    fn of(position: &Position) -> Self {
        let turn = match position.last {
            None => 0,
            Some((mv, by)) => {
                let shape = (mv.kind as u32 + 1) << 5 | mv.cards.len();
                shape << 6 | (mv.key.index() as u32) << 2 | by as u32
            }
        };
        Self {
            hands: position.hands.map(Hand::bits),
            turn: turn << 2 | position.to_move as u32,
        }
    }
}

/// A fast hash for keys that no adversary chooses.
#[derive(Clone, Copy, Debug, Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
