//! Which five of the cards count, and what the jokers among them are.

use std::fmt;

use fulldeck_cards::{Card, RANKS, Rank};

use super::{Evaluator, HandType, Value};
use crate::card::preferred_suits;
use crate::{Classes, DeckCard};

/// The five cards of a hand that count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestFive {
    /// Own cards in the order in which they were given, jokers as jokers.
    pub cards: [DeckCard; 5],
    /// What each joker among them became.
    pub jokers: Vec<(DeckCard, Became)>,
    /// Value of the hand.
    pub value: Value,
}

/// What a joker became.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Became {
    /// A card that its owner does not hold.
    Card(Card),
    /// One more of a rank whose four cards are all in play: only in five of a kind.
    OneMore(Rank),
}

impl fmt::Display for Became {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Card(card) => write!(f, "{card}"),
            Self::OneMore(rank) => write!(f, "{rank}"),
        }
    }
}

impl BestFive {
    /// Of five, six or seven different cards. Among several ways to the same value: more natural cards, then the order
    /// of `cards`; a joker takes the first legal suit of clubs, diamonds, hearts, spades, and the first of two jokers
    /// the higher card.
    ///
    /// # Panics
    /// If there are fewer or more cards.
    #[must_use]
    pub fn of(cards: &[DeckCard], evaluator: &Evaluator, classes: &Classes) -> Self {
        let value = evaluator.value(cards);
        let mut fives = fives(cards);
        fives.sort_by_key(|five| five.iter().filter(|card| card.is_joker()).count());
        let five = fives
            .into_iter()
            .find(|five| evaluator.value(five) == value)
            .expect("a hand is worth what some five of its cards are worth");
        let class = classes.of(value);
        let jokers: Vec<_> = five.iter().copied().filter(|card| card.is_joker()).collect();
        let became = if class.hand_type == HandType::FiveOfAKind {
            five_of_a_kind(class.ranks[0], jokers.len(), cards)
        } else {
            distinct(five, jokers.len(), value, cards, evaluator)
        };
        Self { cards: five, jokers: jokers.into_iter().zip(became).collect(), value }
    }
}

/// All fives of the cards, in their order.
fn fives(cards: &[DeckCard]) -> Vec<[DeckCard; 5]> {
    let mut fives = Vec::new();
    // Ascending patterns of left-out cards, the last card left out first.
    for pattern in (0..1u32 << cards.len()).rev().filter(|pattern| pattern.count_ones() == 5) {
        let first = 1 << (cards.len() - 1);
        let mut kept = (0..cards.len()).filter(|at| pattern & (first >> at) != 0);
        fives.push(std::array::from_fn(|_| cards[kept.next().expect("five bits are set")]));
    }
    fives
}

/// Cards not held, from the highest rank down, by preferred suit within a rank.
fn not_held(held: &[DeckCard]) -> impl Iterator<Item = Card> + Clone {
    let ranks = (0..RANKS as u8).rev().filter_map(Rank::new);
    ranks
        .flat_map(|rank| preferred_suits().map(move |suit| Card { rank, suit }))
        .filter(|card| !held.contains(&DeckCard::from(*card)))
}

fn five_of_a_kind(rank: Rank, jokers: usize, held: &[DeckCard]) -> Vec<Became> {
    let free = not_held(held).filter(|card| card.rank == rank).map(Became::Card);
    free.chain(std::iter::repeat(Became::OneMore(rank))).take(jokers).collect()
}

/// The first different legal cards that give the value.
fn distinct(
    five: [DeckCard; 5],
    jokers: usize,
    value: Value,
    held: &[DeckCard],
    evaluator: &Evaluator,
) -> Vec<Became> {
    let natural = five.iter().copied().filter(|card| !card.is_joker());
    let gives = |became: &[Card]| {
        let cards: Vec<_> =
            natural.clone().chain(became.iter().copied().map(DeckCard::from)).collect();
        evaluator.value(&cards) == value
    };
    let free = not_held(held);
    let found = match jokers {
        0 => Some(Vec::new()),
        1 => free.map(|card| vec![card]).find(|became| gives(became)),
        _ => {
            let pairs = free.clone().enumerate().flat_map(|(at, first)| {
                free.clone().skip(at + 1).map(move |second| vec![first, second])
            });
            pairs.into_iter().find(|became| gives(became))
        }
    };
    let found = found.expect("jokers become legal cards that give the value");
    found.into_iter().map(Became::Card).collect()
}
