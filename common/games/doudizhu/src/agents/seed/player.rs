//! The decisions as a player that keeps to the rules.

use super::watch::{LegalOnly, Unwatched};
use super::{Evaluator, Group, Prune};
use crate::agents::{Agent, Decision};
use crate::game::{Random, View};
use crate::moves::Move;

/// Bits of the memory of values: 32 MiB.
const MEMORY_BITS: u32 = 22;

/// The agent `seed`.
#[derive(Debug)]
pub struct SeedPlayer {
    evaluator: Evaluator,
    /// Of the later variant, for the few hands where the first decision is illegal.
    second: Option<Evaluator>,
}

impl Default for SeedPlayer {
    fn default() -> Self {
        Self { evaluator: Evaluator::new(Prune::Series, MEMORY_BITS), second: None }
    }
}

impl SeedPlayer {
    /// The evaluator behind it.
    pub fn evaluator(&mut self) -> &mut Evaluator {
        &mut self.evaluator
    }

    /// What it plays. A decision that the rules forbid is made again without illegal candidates and with the later prune; if
    /// even so nothing legal comes out, it is the first legal lead, or a pass.
    pub fn decide(&mut self, view: &View<'_>) -> Decision {
        let last = view.last.map(|last| last.mv);
        let mut legal = LegalOnly { rules: view.rules, last };
        let first = match &last {
            None => self.evaluator.lead(view.hand, &mut Unwatched),
            Some(last) => self.evaluator.follow(view.hand, last, &mut Unwatched),
        };
        match as_legal(&legal, first, last.is_some()) {
            Some(play) => Decision { play, illegal: false },
            None => {
                let second = self.second.get_or_insert_with(|| Evaluator::new(Prune::NoFour, 0));
                let again = match &last {
                    None => second.lead(view.hand, &mut legal),
                    Some(last) => second.follow(view.hand, last, &mut legal),
                };
                let play = as_legal(&legal, again, last.is_some()).unwrap_or_else(|| {
                    last.is_none().then(|| view.moves().first().copied()).flatten()
                });
                Decision { play, illegal: true }
            }
        }
    }
}

/// The decision as a play, unless the rules forbid it.
fn as_legal(legal: &LegalOnly, group: Option<Group>, may_pass: bool) -> Option<Option<Move>> {
    match group {
        None => may_pass.then_some(None),
        Some(group) => legal.legal(&group).map(Some),
    }
}

impl Agent for SeedPlayer {
    fn decide(&mut self, view: &View<'_>, _: &mut Random) -> Decision {
        self.decide(view)
    }
}
