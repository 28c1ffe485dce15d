//! Values of hands that were met before, in bounded memory.

use super::HandValue;
use crate::cards::Hand;

/// A direct-mapped table: a hand that comes later takes the place of another. What is found is always right, so results never
/// depend on what the table happens to hold.
#[derive(Clone, Debug)]
pub(super) struct Memo {
    entries: Vec<u64>,
    index_bits: u32,
}

/// Bits of a hand without those that are always zero.
const KEY_BITS: u32 = 54;
/// Bits of a value: sum and rounds.
const VALUE_BITS: u32 = 24;
/// Odd, so that multiplying by it is one to one.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

// Place and tag together are the whole key.
const _: () = assert!(VALUE_BITS + KEY_BITS - Memo::SMALLEST_BITS <= u64::BITS);

impl Memo {
    const SMALLEST_BITS: u32 = 16;

    /// A table of `2^index_bits` hands, 8 bytes each.
    pub(super) fn new(index_bits: u32) -> Self {
        let index_bits = index_bits.max(Self::SMALLEST_BITS);
        Self { entries: vec![0; 1 << index_bits], index_bits }
    }

    /// Place and tag of a hand: together one to one.
    fn place(&self, hand: Hand) -> (usize, u64) {
        const MASK: u64 = (1 << KEY_BITS) - 1;
        let bits = hand.bits();
        // The big joker's bit 56 moves beside the small one's bit 52.
        let key = bits & ((1 << 53) - 1) | bits >> 56 << 53;
        let key = key ^ key >> 29;
        let mixed = key.wrapping_mul(SPREAD) & MASK;
        let tag_bits = KEY_BITS - self.index_bits;
        ((mixed >> tag_bits) as usize, mixed & ((1 << tag_bits) - 1))
    }

    /// The value of a hand that is not empty, if it is known.
    pub(super) fn get(&self, hand: Hand) -> Option<HandValue> {
        let (place, tag) = self.place(hand);
        let entry = self.entries[place];
        let rounds = (entry & 0xff) as i32;
        // No hand but the empty one takes no rounds: an entry without is free.
        (rounds > 0 && entry >> VALUE_BITS == tag)
            .then(|| HandValue { sum: i32::from((entry >> 8) as u16 as i16), rounds })
    }

    pub(super) fn put(&mut self, hand: Hand, value: HandValue) {
        let (place, tag) = self.place(hand);
        let sum = i16::try_from(value.sum).expect("20 cards are worth far less than 32,768");
        let rounds = u8::try_from(value.rounds).expect("20 cards take at most 20 rounds");
        self.entries[place] = tag << VALUE_BITS | u64::from(sum as u16) << 8 | u64::from(rounds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_what_was_put() {
        let mut memo = Memo::new(16);
        let deals =
            (0..20_000).flat_map(|index| crate::game::deals(3, index).next().unwrap().hands);
        let hands: Vec<Hand> = deals.collect();
        let value = |hand: Hand| HandValue {
            sum: (hand.bits() % 199) as i32 - 99,
            rounds: 1 + (hand.bits() % 17) as i32,
        };
        for hand in &hands {
            if let Some(known) = memo.get(*hand) {
                assert_eq!(known, value(*hand));
            }
            memo.put(*hand, value(*hand));
            assert_eq!(memo.get(*hand), Some(value(*hand)));
        }
        assert!(hands.iter().filter(|hand| memo.get(**hand).is_some()).count() > 30_000);
    }
}
