//! What a given group of cards is.

use super::{Kind, Move, RuleSet};
use crate::cards::{Hand, Rank, RankSet};

/// Why cards are not the move that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// No type fits.
    #[error(
        "{0} is no move: a move is a single, a pair, a triple with or without a wing, a chain of 5 cards, 3 pairs or 2 triples or more, four with two wings, a bomb or the rocket"
    )]
    None(Hand),
    /// More than one type fits, under the rules with options.
    #[error("{cards} can be {types}: say which")]
    Several {
        /// The cards.
        cards: Hand,
        /// The types, with `or` between.
        types: String,
    },
    /// It is no such type.
    #[error("{cards} is no {kind}: it is {types}")]
    Other {
        /// The cards.
        cards: Hand,
        /// What it was said to be.
        kind: Kind,
        /// What it is.
        types: String,
    },
}

/// Every type that these cards have under the rules: one at most when they are strict.
#[must_use]
pub fn classify(cards: Hand, rules: RuleSet) -> Vec<Move> {
    if cards == Hand::ROCKET {
        return vec![Move { kind: Kind::Rocket, key: Rank::BIG_JOKER, cards }];
    }
    let mut found = Vec::new();
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Rocket) {
        let pattern = kind.pattern();
        let Some(ranks) = pattern.ranks_of(cards.len()) else { continue };
        let allowed = if ranks > 1 { RankSet::CHAIN } else { RankSet::ALL };
        for lowest in cards.at_least(pattern.body).and(allowed).starts(ranks).iter() {
            let body = RankSet::run(lowest, ranks);
            let wings = cards - body.times(pattern.body);
            let right = match pattern.wing {
                0 => wings.is_empty(),
                1 => rules.single_wings(wings, body) == wings && rules.allows_jokers(wings),
                _ => are_pairs(wings, body, pattern.body, rules),
            };
            if right {
                let key = Rank::new(lowest.index() + ranks as usize - 1);
                found.push(Move { kind, key, cards });
            }
        }
    }
    found
}

/// Pairs of different ranks outside the body, or, where the rules say so, four of a rank below the four.
fn are_pairs(wings: Hand, body: RankSet, of_body: u32, rules: RuleSet) -> bool {
    let outside = wings.without(body) == wings;
    let pairs = wings.exactly(2) == wings.ranks();
    let four = rules.four_as_pairs
        && of_body == 4
        && wings.exactly(4) == wings.ranks()
        && wings.ranks().lowest() < body.lowest();
    outside && (pairs || four)
}

/// The one move that these cards are; `kind` where they can be several.
///
/// # Errors
/// [`MoveError`], naming what they are instead.
pub fn identify(cards: Hand, kind: Option<Kind>, rules: RuleSet) -> Result<Move, MoveError> {
    let found = classify(cards, rules);
    let types = || found.iter().map(|mv| mv.kind.name()).collect::<Vec<_>>().join(" or ");
    match (found.as_slice(), kind) {
        ([], _) => Err(MoveError::None(cards)),
        ([one], None) => Ok(*one),
        (_, Some(kind)) => found
            .iter()
            .find(|mv| mv.kind == kind)
            .copied()
            .ok_or_else(|| MoveError::Other { cards, kind, types: types() }),
        (_, None) => Err(MoveError::Several { cards, types: types() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(text: &str, rules: &str) -> Vec<&'static str> {
        let found = classify(text.parse().unwrap(), rules.parse().unwrap());
        found.into_iter().map(|mv| mv.kind.name()).collect()
    }

    #[test]
    fn wings_follow_the_exact_rule() {
        assert_eq!(types("333444555777", "strict"), ["plane_solo"]);
        assert_eq!(types("333444555666", "strict"), ["trio_chain"]);
        assert_eq!(types("333444555666", "neighbours"), ["trio_chain", "plane_solo", "plane_solo"]);
        assert_eq!(types("333444BR", "strict"), [""; 0]);
        assert_eq!(types("333444BR", "both-jokers"), ["plane_solo"]);
        assert_eq!(types("33334444", "strict"), [""; 0]);
        assert_eq!(types("33334444", "four-as-pairs"), ["quad_2pair"]);
        assert_eq!(types("3333444555666777", "strict"), [""; 0]);
        assert_eq!(types("3333555666777888", "four-alike"), ["plane_solo"]);
        assert_eq!(types("AAA222", "strict"), [""; 0]);
        assert_eq!(types("444555AAA222", "strict"), [""; 0]);
    }

    #[test]
    fn errors_say_what_the_cards_are() {
        let error = |text: &str, kind, rules: &str| {
            identify(text.parse().unwrap(), kind, rules.parse().unwrap()).unwrap_err().to_string()
        };
        assert!(error("34", None, "strict").starts_with("34 is no move: a move is"));
        assert_eq!(error("33", Some(Kind::Trio), "strict"), "33 is no trio: it is pair");
        assert!(error("333444555666", None, "wide").contains("trio_chain or plane_solo"));
    }
}
