//! Which suits matter to a pair of hands.

use fulldeck_cards::{CardSet, SUITS};

/// Hole cards in hold'em; every other number is Omaha.
pub(super) const HOLDEM_CARDS: usize = 2;

/// How boards are laid: which suits are kept apart from the rest of the deck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Procedure {
    /// No suit: a board is a multiset of five ranks.
    Ranks,
    /// One suit and, for the rest, ranks.
    OneSuit,
    /// Two suits and, for the rest, ranks.
    TwoSuits,
    /// Every card by itself.
    AllSuits,
}

/// The suits in which a flush can decide between two hands.
///
/// In Omaha a flush takes two hole cards, so these are the suits of which either hand holds at least two. If there
/// are three, the fourth suit has one card of each rank and keeping it apart costs nothing: all four then count.
///
/// In hold'em all four always do. Four cards of a suit on the board make a flush with a single hole card, so a suit
/// held once matters. A suit that neither hand holds matters too: five of it on the board play for both and tie,
/// whatever pairs the hole cards make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignificantSuits(u8);

impl SignificantSuits {
    /// All four.
    pub const ALL: Self = Self(0b1111);

    /// For two hands of the same game.
    #[must_use]
    pub fn of(a: CardSet, b: CardSet) -> Self {
        if a.len() == HOLDEM_CARDS {
            return Self::ALL;
        }
        let suits =
            Self(a.suits().iter().zip(b.suits()).enumerate().fold(0, |suits, (suit, (a, b))| {
                let flushes = a.count_ones() >= 2 || b.count_ones() >= 2;
                suits | u8::from(flushes) << suit
            }));
        if suits.0.count_ones() > 2 { Self::ALL } else { suits }
    }

    /// Whether a suit (0 spades to 3 clubs) is one of them.
    #[must_use]
    pub const fn contains(self, suit: usize) -> bool {
        self.0 >> suit & 1 == 1
    }

    /// The suits, 0 spades to 3 clubs.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..SUITS).filter(move |suit| self.contains(*suit))
    }

    /// How boards are laid for them.
    #[must_use]
    pub const fn procedure(self) -> Procedure {
        match self.0.count_ones() {
            0 => Procedure::Ranks,
            1 => Procedure::OneSuit,
            2 => Procedure::TwoSuits,
            _ => Procedure::AllSuits,
        }
    }
}

#[cfg(test)]
mod tests {
    use fulldeck_cards::parse_hand;

    use super::*;

    fn procedure(a: &str, b: &str) -> Procedure {
        let hand = |text| parse_hand(text, &[2, 4, 6]).expect("a hand");
        SignificantSuits::of(hand(a), hand(b)).procedure()
    }

    #[test]
    fn two_cards_of_one_hand_make_an_omaha_suit_significant() {
        assert_eq!(procedure("AsKhQdJc", "2s3h4d5c"), Procedure::Ranks);
        assert_eq!(procedure("AsKsQdJc", "2s3h4d5c"), Procedure::OneSuit);
        assert_eq!(procedure("AsKsQdJc", "2s3s4d5c"), Procedure::OneSuit);
        assert_eq!(procedure("AsKsQdJc", "2s3h4d5d"), Procedure::TwoSuits);
        assert_eq!(procedure("AsKsQdJd", "2s3h4h5c"), Procedure::AllSuits);
        assert_eq!(procedure("AsKsQdJdTh9h", "2s3h4h5c6c7c"), Procedure::AllSuits);
    }

    #[test]
    fn every_suit_is_significant_in_holdem() {
        assert_eq!(procedure("AsKs", "2s3s"), Procedure::AllSuits);
    }
}
