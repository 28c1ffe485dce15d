//! Depth-first search with a memory of positions and a budget of nodes.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::Position;
use super::known::{Known, Numbering};
use crate::cards::Hand;
use crate::groups;
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

type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// Solves positions; its memory is used again from one to the next, what it knows of positions is not.
#[derive(Debug, Default)]
pub struct Solver {
    numbering: Numbering,
    known: Known,
    /// Moves still to be tried, of all positions on the way down.
    open: Vec<Candidate>,
    groups: groups::Solver,
    fewest: FastMap<Hand, u8>,
    nodes: u64,
    budget: u64,
}

/// A move and its turn among the others.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    mv: Move,
    turn: u32,
}

impl Solver {
    /// Whether the landlord wins with best play of all, if that takes at most `budget` nodes.
    ///
    /// # Panics
    /// If the position does not pass [`Position::check`].
    pub fn solve(&mut self, position: &Position, budget: u64) -> Solution {
        self.start(position, budget);
        let landlord_wins = self.landlord_wins(position).ok();
        Solution { landlord_wins, nodes: self.nodes }
    }

    /// Every move of the player whose turn it is, in ASCII order with the pass last, and whether his side wins with it; and the
    /// nodes that took.
    ///
    /// # Panics
    /// If the position does not pass [`Position::check`].
    pub fn root_moves(&mut self, position: &Position, budget: u64) -> (Vec<RootMove>, u64) {
        self.start(position, budget);
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

    fn start(&mut self, position: &Position, budget: u64) {
        self.numbering = Numbering::new(position).expect("a position that passes its check");
        self.known.clear();
        self.open.clear();
        self.nodes = 0;
        self.budget = budget;
    }

    fn landlord_wins(&mut self, position: &Position) -> Result<bool, OutOfBudget> {
        if let Some(out) = position.hands.iter().position(|hand| hand.is_empty()) {
            return Ok(out == 0);
        }
        // Whoever can do nothing but pass has no choice to search.
        let mut position = *position;
        while position.last.is_some_and(|(last, _)| !position.can_follow(&last)) {
            position = position.after(None);
        }
        let number = self.numbering.of(&position);
        if let Some(known) = self.known.get(number) {
            return Ok(known);
        }
        if self.nodes == self.budget {
            return Err(OutOfBudget);
        }
        self.nodes += 1;
        let from = self.open.len();
        let wins = self.search(&position, from);
        self.open.truncate(from);
        let wins = wins?;
        self.known.insert(number, wins);
        Ok(wins)
    }

    /// Tries the moves, which stand in `self.open` from `from` on, until one wins for the mover's side.
    fn search(&mut self, position: &Position, from: usize) -> Result<bool, OutOfBudget> {
        let mover = position.to_move;
        let of_landlord = mover == 0;
        if self.open_moves(position, from) {
            return Ok(of_landlord);
        }
        let wins_with = |solver: &mut Self, play| -> Result<bool, OutOfBudget> {
            Ok(solver.landlord_wins(&position.after(play))? == of_landlord)
        };
        // What a partner leads with is rarely worth taking over.
        let may_pass = position.last.is_some();
        let of_partner = position.last.is_some_and(|(_, by)| by != 0 && !of_landlord);
        if of_partner && wins_with(self, None)? {
            return Ok(of_landlord);
        }
        for at in from..self.open.len() {
            let play = Some(self.open[at].mv);
            if wins_with(self, play)? {
                return Ok(of_landlord);
            }
        }
        let passes = may_pass && !of_partner && wins_with(self, None)?;
        Ok(passes == of_landlord)
    }

    /// Lists the mover's moves, the most promising first: what leaves few groups, and long. Whether one of them ends the game.
    fn open_moves(&mut self, position: &Position, from: usize) -> bool {
        let hand = position.hands[position.to_move];
        let Self { open, groups, fewest, .. } = self;
        let mut ends = false;
        let mut list = |mv: Move| {
            let left = hand - mv.cards;
            ends |= left.is_empty();
            let groups = *fewest.entry(left).or_insert_with(|| groups.fewest(left));
            let length = Hand::MOST - mv.cards.len();
            let fields = [(u32::from(groups), 5), (mv.doubles().into(), 1), (length, 5)];
            let turn = fields.into_iter().fold(0, |turn, (field, bits)| turn << bits | field);
            open.push(Candidate { mv, turn: turn << 4 | mv.key.index() as u32 });
        };
        match &position.last {
            None => visit_leads(hand, position.rules, &mut list),
            Some((last, _)) => visit_follows(hand, last, position.rules, &mut list),
        }
        open[from..].sort_unstable_by_key(|candidate| (candidate.turn, candidate.mv.cards));
        ends
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
        let product = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15_u128;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
