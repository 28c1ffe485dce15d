//! The 7,462 classes of five-card poker hands, from the weakest high card to the royal flush.

use fulldeck_cards::{RANKS, RankMultiset, RankMultisets};

/// Strength of five cards: 1 (7-5-4-3-2 unsuited) to 7,462 (royal flush); 0 is weaker than any hand. Equal strength
/// means a tie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Strength(pub u16);

impl Strength {
    /// No hand: loses to everything.
    pub const NONE: Self = Self(0);
    /// The royal flush.
    pub const BEST: Self = Self(7462);
}

/// Lookup tables from ranks to strength.
#[derive(Clone, Debug)]
pub struct Strengths {
    boards: RankMultisets,
    by_ranks: Vec<Strength>,
    by_flush: Vec<Strength>,
    full_house: Strength,
}

impl Default for Strengths {
    fn default() -> Self {
        Self::new()
    }
}

impl Strengths {
    /// Builds the tables by ordering all classes; takes a few milliseconds.
    #[must_use]
    pub fn new() -> Self {
        let boards = RankMultisets::new(5);
        let keys: Vec<u32> =
            (0..boards.len()).map(|index| key(&boards.counts(index), false)).collect();
        let flush_masks: Vec<u16> =
            (0..1u16 << RANKS).filter(|mask| mask.count_ones() == 5).collect();
        let flush_keys: Vec<u32> =
            flush_masks.iter().map(|mask| key(&counts_of(*mask), true)).collect();
        let mut classes: Vec<u32> = keys.iter().chain(&flush_keys).copied().collect();
        classes.sort_unstable();
        classes.dedup();
        let strength = |key: &u32| {
            Strength(1 + classes.binary_search(key).expect("every key is a class") as u16)
        };
        let mut by_flush = vec![Strength::NONE; 1 << RANKS];
        for (mask, key) in flush_masks.iter().zip(&flush_keys) {
            by_flush[usize::from(*mask)] = strength(key);
        }
        let by_ranks = keys.iter().map(strength).collect();
        let weakest = classes.partition_point(|key| key >> CATEGORY < FULL_HOUSE);
        Self { boards, by_ranks, by_flush, full_house: Strength(1 + weakest as u16) }
    }

    /// The 6,175 rank multisets of five cards, by which [`Strengths::of_ranks`] is indexed.
    #[must_use]
    pub const fn five_ranks(&self) -> &RankMultisets {
        &self.boards
    }

    /// Strength of five unsuited cards with these ranks (ascending).
    ///
    /// # Panics
    /// Unless there are five ranks, none of them five times.
    #[must_use]
    pub fn of_ranks(&self, ranks: &[u8; 5]) -> Strength {
        self.by_ranks[self.boards.index_of(ranks).expect("a rank exists four times")]
    }

    /// Strength of five cards of one suit, given as a mask of five ranks; [`Strength::NONE`] for any other mask.
    #[must_use]
    pub fn of_flush(&self, mask: u16) -> Strength {
        self.by_flush[usize::from(mask)]
    }

    /// Weakest full house: what is at least as strong, by ranks alone, beats every flush that is not straight.
    #[must_use]
    pub const fn weakest_full_house(&self) -> Strength {
        self.full_house
    }
}

const CATEGORY: u32 = 20;
const FULL_HOUSE: u32 = 6;

fn counts_of(mask: u16) -> RankMultiset {
    std::array::from_fn(|rank| (mask >> rank & 1) as u8)
}

/// A number that orders hands: category, then ranks by multiplicity and height, four bits each.
fn key(counts: &RankMultiset, suited: bool) -> u32 {
    let mut groups: Vec<(u8, u8)> = (0..RANKS as u8)
        .map(|rank| (counts[usize::from(rank)], rank))
        .filter(|(count, _)| *count > 0)
        .collect();
    groups.sort_unstable_by(|a, b| b.cmp(a));
    let shape: Vec<u8> = groups.iter().map(|(count, _)| *count).collect();
    let straight = straight_top(&groups);
    let category = match (shape.as_slice(), suited, straight) {
        ([1, ..], true, Some(_)) => 8,
        ([4, ..], ..) => 7,
        ([3, 2], ..) => FULL_HOUSE,
        ([1, ..], true, None) => 5,
        ([1, ..], false, Some(_)) => 4,
        ([3, ..], ..) => 3,
        ([2, 2, ..], ..) => 2,
        ([2, ..], ..) => 1,
        _ => 0,
    };
    let kickers = match straight {
        Some(top) => u32::from(top),
        None => groups.iter().fold(0, |kickers, (_, rank)| kickers << 4 | u32::from(*rank)),
    };
    category << CATEGORY | kickers
}

/// Highest rank of a straight (3, the five, for the wheel), if the five ranks form one.
fn straight_top(groups: &[(u8, u8)]) -> Option<u8> {
    let ranks: Vec<u8> = groups.iter().map(|(_, rank)| *rank).collect();
    match ranks.as_slice() {
        [12, 3, 2, 1, 0] => Some(3),
        [top, _, _, _, low] if top - low == 4 => Some(*top),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_7462_classes_and_the_order_is_right() {
        let strengths = Strengths::new();
        let best = strengths.of_flush(0b1_1111_0000_0000);
        assert_eq!(best, Strength::BEST);
        let weakest = strengths.of_ranks(&[0, 1, 2, 3, 5]);
        assert_eq!(weakest, Strength(1));
        let wheel = strengths.of_ranks(&[0, 1, 2, 3, 12]);
        let six_high = strengths.of_ranks(&[0, 1, 2, 3, 4]);
        let trip_aces = strengths.of_ranks(&[10, 11, 12, 12, 12]);
        assert!(trip_aces < wheel && wheel < six_high);
        let worst_flush = strengths.of_flush(0b10_1111);
        let worst_full = strengths.weakest_full_house();
        assert!(six_high < worst_flush && worst_flush < worst_full);
        assert_eq!(worst_full, strengths.of_ranks(&[0, 0, 0, 1, 1]));
    }

    #[test]
    fn the_2598960_hands_fall_into_the_known_categories() {
        let strengths = Strengths::new();
        let mut categories = [0u64; 9];
        for index in 0..strengths.five_ranks().len() {
            let counts = strengths.five_ranks().counts(index);
            let choose = [1u64, 4, 6, 4, 1];
            let all: u64 = counts.iter().map(|count| choose[usize::from(*count)]).product();
            let flushes = if counts.iter().all(|count| *count < 2) { 4 } else { 0 };
            categories[(key(&counts, false) >> CATEGORY) as usize] += all - flushes;
            if flushes > 0 {
                categories[(key(&counts, true) >> CATEGORY) as usize] += flushes;
            }
        }
        assert_eq!(categories, [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]);
    }
}
