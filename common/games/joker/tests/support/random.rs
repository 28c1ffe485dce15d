//! Random hands that a seed names, with more equal ranks, equal suits and jokers than chance would deal.

use fulldeck_joker::{Deck, DeckCard};

/// SplitMix64 (Steele, Lea and Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// Different cards of a deck: from few ranks, from one suit, or from all; a joker often.
    pub(crate) fn cards(&mut self, deck: Deck, count: usize) -> Vec<DeckCard> {
        let narrow = self.below(4);
        let (ranks, suit) = (3 + self.below(4), self.below(4));
        let lowest = self.below(14 - ranks);
        let mut cards = Vec::new();
        while cards.len() < count {
            let joker = deck.jokers() > 0 && self.below(5) == 0;
            let number = if joker { 52 + self.below(2) } else { self.below(52) };
            let card = DeckCard::new(number as u8).unwrap();
            let (in_rank, in_suit) =
                ((lowest..lowest + ranks).contains(&(number % 13)), number / 13 == suit);
            let wanted = match narrow {
                0 => in_rank,
                1 => in_suit,
                2 => in_rank || in_suit,
                _ => true,
            };
            // Sometimes an unwanted one, so that the drawing ends.
            let wanted = wanted || joker || self.below(8) == 0;
            if wanted && deck.has(card) && !cards.contains(&card) {
                cards.push(card);
            }
        }
        cards
    }
}
