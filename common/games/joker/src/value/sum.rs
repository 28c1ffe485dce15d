//! A hand as one sum: adding a card is one addition and one bit.

use fulldeck_cards::{RANKS, SUITS};

use crate::DeckCard;

/// Ranks whose counts are digits of the low part of a key; the others are in the high part.
pub(crate) const LOW_RANKS: usize = 7;
/// One more than the most cards of a rank: the base of the digits.
pub(crate) const BASE: u32 = 5;
const HIGH_SHIFT: u32 = 20;
const SUIT_SHIFT: u32 = 40;
const SUIT_BITS: u32 = 4;
const MASK_BITS: u32 = 16;
/// The top bit of each suit's counter.
const SUIT_TOPS: u64 = 0x8888 << SUIT_SHIFT;

/// Natural cards added up. The key has, from the lowest bit: how many of each of the seven low ranks, as digits in base
/// five; the same of the six high ranks; four counters of suits. The masks are the ranks of each suit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    key: u64,
    masks: u64,
}

/// What a card of each rank adds to a key.
pub(crate) const RANK_KEYS: [u64; RANKS] = {
    let mut keys = [0; RANKS];
    let mut rank = 0;
    while rank < RANKS {
        keys[rank] = if rank < LOW_RANKS {
            (BASE as u64).pow(rank as u32)
        } else {
            (BASE as u64).pow((rank - LOW_RANKS) as u32) << HIGH_SHIFT
        };
        rank += 1;
    }
    keys
};

const CARD_SUMS: [Sum; RANKS * SUITS] = {
    let mut sums = [Sum { key: 0, masks: 0 }; RANKS * SUITS];
    let mut number = 0;
    while number < sums.len() {
        let (suit, rank) = ((number / RANKS) as u32, number % RANKS);
        sums[number] = Sum {
            key: RANK_KEYS[rank] + (1 << (SUIT_SHIFT + SUIT_BITS * suit)),
            masks: 1 << (MASK_BITS * suit + rank as u32),
        };
        number += 1;
    }
    sums
};

impl Sum {
    /// One card; a joker is nothing.
    pub(crate) fn of(card: DeckCard) -> Self {
        CARD_SUMS.get(card.number()).copied().unwrap_or_default()
    }

    /// Both together; they share no card.
    #[inline]
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self { key: self.key + other.key, masks: self.masks | other.masks }
    }

    /// The key, of which [`low`] and [`high`] are parts.
    pub(crate) const fn key(self) -> u64 {
        self.key
    }

    /// Ranks held in a suit, as bits.
    pub(crate) const fn mask(self, suit: usize) -> u16 {
        (self.masks >> (MASK_BITS * suit as u32)) as u16
    }

    /// The suit that has at least as many cards as the bias allows (see [`flush_bias`]), if any: its mask.
    #[inline]
    pub(crate) const fn flush_mask(self, bias: u64) -> Option<u16> {
        let tops = (self.key + bias) & SUIT_TOPS;
        if tops == 0 {
            return None;
        }
        let suit = (tops.trailing_zeros() - SUIT_SHIFT) / SUIT_BITS;
        Some((self.masks >> (MASK_BITS * suit)) as u16)
    }
}

/// What makes the counter of a suit with `needed` cards, 1 to 8, reach its top bit.
pub(crate) const fn flush_bias(needed: u8) -> u64 {
    (8 - needed as u64) * (0x1111 << SUIT_SHIFT)
}

/// The low part of a key.
#[inline]
pub(crate) const fn low(key: u64) -> usize {
    (key & ((1 << HIGH_SHIFT) - 1)) as usize
}

/// The high part of a key.
#[inline]
pub(crate) const fn high(key: u64) -> usize {
    (key >> HIGH_SHIFT & ((1 << HIGH_SHIFT) - 1)) as usize
}
