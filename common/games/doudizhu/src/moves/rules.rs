//! What rule sets differ in.

use std::fmt;
use std::str::FromStr;

use crate::cards::{Hand, Rank, RankSet};

/// Which wings are allowed beyond the strict rules, under which every multiset of cards has at most one type. With an
/// option on, some have two: the type is then part of the move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RuleSet {
    /// Both jokers may be wings of one move.
    pub both_jokers: bool,
    /// Four cards of one rank may be wings of a plane.
    pub four_alike: bool,
    /// Three cards of a rank next to the chain may be wings of a plane.
    pub neighbours: bool,
    /// Four of one rank may be the two pairs of a four with two pairs; the higher four is then the key.
    pub four_as_pairs: bool,
}

/// Not an option of the rule set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no rule: rules are strict, wide, or some of both-jokers, four-alike, neighbours, four-as-pairs, with commas between"
)]
pub struct UnknownOption(pub String);

impl RuleSet {
    /// No option: the 27,471 moves.
    pub const STRICT: Self =
        Self { both_jokers: false, four_alike: false, neighbours: false, four_as_pairs: false };
    /// Every option.
    pub const WIDE: Self =
        Self { both_jokers: true, four_alike: true, neighbours: true, four_as_pairs: true };

    /// What may be taken as single wings of a body: at most so many cards of each rank as this holds.
    pub(crate) fn single_wings(self, rest: Hand, body: RankSet) -> Hand {
        let most = if self.four_alike { 4 } else { 3 };
        let rest = rest.without(body);
        let mut wings = rest;
        for rank in rest.at_least(3).and(RankSet::SUITED).iter() {
            let count = rest.count(rank);
            let most = if !self.neighbours && touches(body, rank) { 2 } else { most };
            wings -= Hand::of(rank, count.saturating_sub(most));
        }
        wings
    }

    /// Whether these cards may be wings together, as far as jokers are concerned.
    pub(crate) const fn allows_jokers(self, wings: Hand) -> bool {
        self.both_jokers || !wings.contains(Hand::ROCKET)
    }

    const OPTIONS: [&'static str; 4] = ["both-jokers", "four-alike", "neighbours", "four-as-pairs"];

    fn options(&mut self) -> [&mut bool; 4] {
        [&mut self.both_jokers, &mut self.four_alike, &mut self.neighbours, &mut self.four_as_pairs]
    }
}

/// Whether a rank stands next to a chain of triples, so that three of it would make the chain longer.
fn touches(body: RankSet, rank: Rank) -> bool {
    let next = |of: Rank, step: isize| of.index().checked_add_signed(step) == Some(rank.index());
    let chain = RankSet::CHAIN;
    let ends = body.highest().zip(body.lowest());
    chain.includes(body)
        && chain.has(rank)
        && ends.is_some_and(|(high, low)| next(high, 1) || next(low, -1))
}

impl FromStr for RuleSet {
    type Err = UnknownOption;

    fn from_str(text: &str) -> Result<Self, UnknownOption> {
        match text {
            "strict" => return Ok(Self::STRICT),
            "wide" => return Ok(Self::WIDE),
            _ => {}
        }
        let mut rules = Self::STRICT;
        for word in text.split(',') {
            let at = Self::OPTIONS.iter().position(|option| *option == word.trim());
            *rules.options()[at.ok_or_else(|| UnknownOption(word.trim().to_owned()))?] = true;
        }
        Ok(rules)
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut copy = *self;
        let on = copy.options().map(|option| *option);
        match on {
            [false, false, false, false] => f.write_str("strict"),
            [true, true, true, true] => f.write_str("wide"),
            _ => {
                let names = Self::OPTIONS.iter().zip(on).filter(|(_, on)| *on);
                let names: Vec<_> = names.map(|(name, _)| *name).collect();
                f.write_str(&names.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_read_back_as_written() {
        for text in ["strict", "wide", "both-jokers", "four-alike,four-as-pairs"] {
            assert_eq!(text.parse::<RuleSet>().unwrap().to_string(), text);
        }
        let error = "both-jokers,loose".parse::<RuleSet>().unwrap_err().to_string();
        assert!(error.contains("'loose'") && error.contains("neighbours"), "{error}");
    }
}
