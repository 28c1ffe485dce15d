//! The 54 cards of the largest deck, the decks, and the rules by which a joker counts.

use std::fmt;

use fulldeck_cards::{Card, RANKS, Rank, SUITS, Suit};

/// Cards of the natural deck.
pub(crate) const NATURAL: u8 = 52;
/// Cards of the largest deck.
pub(crate) const CARDS: usize = 54;

/// A card that may be a joker. Its number is suit x 13 + rank (0 the deuce of spades, 51 the ace of clubs), 52 for the
/// first joker `*1` and 53 for the second, `*2`. The jokers count as two different cards, and judge hands alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeckCard(u8);

impl DeckCard {
    /// The first joker.
    pub const FIRST_JOKER: Self = Self(NATURAL);
    /// The second joker.
    pub const SECOND_JOKER: Self = Self(NATURAL + 1);

    /// From 0 to 53; `None` beyond.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if (number as usize) < CARDS { Some(Self(number)) } else { None }
    }

    /// 0 to 53.
    #[must_use]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// Whether it is a joker.
    #[must_use]
    pub const fn is_joker(self) -> bool {
        self.0 >= NATURAL
    }

    /// The card it is, unless it is a joker.
    #[must_use]
    pub fn natural(self) -> Option<Card> {
        if self.is_joker() {
            return None;
        }
        let (suit, rank) = (self.0 / RANKS as u8, self.0 % RANKS as u8);
        Some(Card { rank: Rank::new(rank)?, suit: Suit::new(suit)? })
    }
}

impl From<Card> for DeckCard {
    fn from(card: Card) -> Self {
        Self((card.suit.index() * RANKS + card.rank.index()) as u8)
    }
}

impl fmt::Display for DeckCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.natural() {
            Some(card) => write!(f, "{card}"),
            None => write!(f, "*{}", self.0 - NATURAL + 1),
        }
    }
}

/// A deck: the 52 natural cards and none, one or two jokers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Deck {
    /// No joker.
    Cards52,
    /// One joker, `*1`.
    Cards53,
    /// Two jokers, `*1` and `*2`.
    Cards54,
}

impl Deck {
    /// All decks, the smallest first.
    pub const ALL: [Self; 3] = [Self::Cards52, Self::Cards53, Self::Cards54];

    /// The deck of 52, 53 or 54 cards.
    #[must_use]
    pub fn of_size(cards: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|deck| deck.size() == cards)
    }

    /// Number of jokers.
    #[must_use]
    pub const fn jokers(self) -> u8 {
        match self {
            Self::Cards52 => 0,
            Self::Cards53 => 1,
            Self::Cards54 => 2,
        }
    }

    /// Number of cards: 52, 53 or 54.
    #[must_use]
    pub const fn size(self) -> usize {
        (NATURAL + self.jokers()) as usize
    }

    /// Whether a card is in it.
    #[must_use]
    pub const fn has(self, card: DeckCard) -> bool {
        card.number() < self.size()
    }

    /// Its cards by number.
    pub fn cards(self) -> impl DoubleEndedIterator<Item = DeckCard> + Clone {
        (0..self.size() as u8).map(DeckCard)
    }
}

impl fmt::Display for Deck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.size())
    }
}

/// What a joker may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Rule {
    /// Any natural card that its owner does not hold, two jokers two different ones: no five of a kind.
    #[default]
    Distinct,
    /// The same, and a joker also completes five of a kind, which beats the royal flush. Nowhere else does a card count
    /// twice.
    Wild,
}

impl Rule {
    /// Both rules.
    pub const ALL: [Self; 2] = [Self::Distinct, Self::Wild];

    /// `distinct` or `wild`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Distinct => "distinct",
            Self::Wild => "wild",
        }
    }

    /// From its name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// Number of different values of a hand: 7,462 or 7,475.
    #[must_use]
    pub const fn values(self) -> u16 {
        match self {
            Self::Distinct => 7_462,
            Self::Wild => 7_475,
        }
    }
}

/// The suits that a joker prefers when several give the same hand: clubs, diamonds, hearts, spades.
pub(crate) fn preferred_suits() -> impl Iterator<Item = Suit> + Clone {
    (0..SUITS as u8).rev().filter_map(Suit::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_cards_are_one_to_one() {
        for (number, card) in Deck::Cards54.cards().enumerate() {
            assert_eq!(card.number(), number);
            assert_eq!(card.natural().map_or(card, DeckCard::from), card);
        }
        let text: Vec<_> = Deck::Cards54.cards().rev().take(3).map(|c| c.to_string()).collect();
        assert_eq!(text, ["*2", "*1", "Ac"]);
        assert_eq!(DeckCard::new(0).map(|card| card.to_string()).as_deref(), Some("2s"));
        assert_eq!(DeckCard::new(54), None);
    }

    #[test]
    fn decks_have_their_jokers() {
        assert!(!Deck::Cards52.has(DeckCard::FIRST_JOKER));
        assert!(Deck::Cards53.has(DeckCard::FIRST_JOKER));
        assert!(!Deck::Cards53.has(DeckCard::SECOND_JOKER));
        assert_eq!(Deck::of_size(54), Some(Deck::Cards54));
        assert_eq!(Deck::of_size(55), None);
    }
}
