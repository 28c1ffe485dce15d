//! The fewest groups by their definition: some group must hold the lowest card.

use std::collections::HashMap;

use crate::cards::Hand;
use crate::moves::{Move, RuleSet, visit_leads};

/// Fewest groups of hands, with a memory of all hands below them.
#[derive(Clone, Debug, Default)]
pub struct Reference(HashMap<Hand, u8>);

impl Reference {
    /// Fewest legal moves into which the hand can be cut.
    pub fn fewest(&mut self, hand: Hand) -> u8 {
        let Some(lowest) = hand.ranks().lowest() else { return 0 };
        if let Some(known) = self.0.get(&hand) {
            return *known;
        }
        let mut groups: Vec<Move> = Vec::new();
        visit_leads(hand, RuleSet::STRICT, &mut |mv| {
            if mv.cards.count(lowest) > 0 {
                groups.push(mv);
            }
        });
        let rests = groups.into_iter().map(|group| self.fewest(hand - group.cards));
        let fewest = 1 + rests.min().expect("the lowest card alone is a group");
        self.0.insert(hand, fewest);
        fewest
    }

    /// Number of hands it remembers.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.0.len()
    }

    /// Forgets them.
    pub fn forget(&mut self) {
        self.0.clear();
    }
}
