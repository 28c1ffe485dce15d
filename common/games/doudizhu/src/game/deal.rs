//! Deals by number.

use super::{Random, Seat};
use crate::cards::{Hand, Rank};

const PURPOSE: &[u8; 24] = b"fulldeck doudizhu deals\0";

/// Cards of each player before the bottom cards are taken.
const DEALT: usize = 17;

/// Three hands of 17 and the three bottom cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deal {
    /// By seat.
    pub hands: [Hand; 3],
    /// What the landlord takes.
    pub bottom: Hand,
}

/// Deal number `index` of a seed, then the deals that follow when nobody bids, without end: Fisher-Yates over the deck
/// in rank order, card j < 51 to seat j mod 3, the rest to the bottom.
pub fn deals(seed: u64, index: u64) -> impl Iterator<Item = Deal> {
    let mut random = Random::stream(seed, PURPOSE, index);
    std::iter::repeat_with(move || {
        let mut deck: Vec<Rank> = Hand::DECK.cards().collect();
        random.shuffle(&mut deck);
        Deal::of(&deck)
    })
}

impl Deal {
    fn of(deck: &[Rank]) -> Self {
        let mut deal = Self { hands: [Hand::EMPTY; 3], bottom: Hand::EMPTY };
        for (position, rank) in deck.iter().enumerate() {
            let place =
                if position < 3 * DEALT { &mut deal.hands[position % 3] } else { &mut deal.bottom };
            *place += Hand::of(*rank, 1);
        }
        deal
    }

    /// The hands once the landlord has taken the bottom cards.
    #[must_use]
    pub fn with_landlord(&self, landlord: Seat) -> [Hand; 3] {
        let mut hands = self.hands;
        hands[landlord.index()] += self.bottom;
        hands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deal_is_the_whole_deck_and_never_changes() {
        for index in 0..100 {
            let deal = deals(1, index).next().unwrap();
            assert_eq!(deal.hands.map(Hand::len), [17; 3]);
            assert_eq!(
                deal.hands.into_iter().fold(deal.bottom, |all, hand| all + hand),
                Hand::DECK
            );
        }
        let deal = deals(1, 0).next().unwrap();
        let text = deal.hands.map(|hand| hand.to_string()).join(" ");
        assert_eq!(format!("{text} {}", deal.bottom), GOLDEN);
        assert_ne!(deals(1, 0).nth(1), Some(deal));
        assert_ne!(deals(2, 0).next(), Some(deal));
    }

    /// Deal 0 of seed 1: a change of it changes every recorded result.
    const GOLDEN: &str = "3456778TTJJQKAA22 33345568889TJQQAR 445667999TJKKKA2B 7Q2";
}
