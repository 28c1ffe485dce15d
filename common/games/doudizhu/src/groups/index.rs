//! Numbering of all hands up to a size.

use crate::cards::{Hand, Rank};

/// All hands of 0 to `most` cards in lexicographic order of their fifteen counts, threes first: the order of the table.
#[derive(Clone, Debug)]
pub struct HandIndex {
    most: usize,
    /// `ways[r][m]`: counts of ranks r and up with at most m cards together.
    ways: [[u32; Hand::MOST as usize + 1]; Rank::COUNT + 1],
}

impl HandIndex {
    /// Of hands with at most `most` cards.
    ///
    /// # Panics
    /// If `most` is above 20.
    #[must_use]
    pub fn new(most: u32) -> Self {
        assert!(most <= Hand::MOST, "a player has at most 20 cards");
        let mut ways = [[1; Hand::MOST as usize + 1]; Rank::COUNT + 1];
        for rank in Rank::all().rev() {
            for cards in 0..=Hand::MOST as usize {
                let counts = 0..=cards.min(rank.copies() as usize);
                ways[rank.index()][cards] =
                    counts.map(|count| ways[rank.index() + 1][cards - count]).sum();
            }
        }
        Self { most: most as usize, ways }
    }

    /// Number of hands, the empty one among them.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.ways[0][self.most]
    }

    /// Never: the empty hand is always there.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// Most cards of a hand.
    #[must_use]
    pub const fn most(&self) -> u32 {
        self.most as u32
    }

    /// Position of a hand; `None` if it has too many cards.
    #[must_use]
    pub fn of(&self, hand: Hand) -> Option<u32> {
        let mut left = self.most;
        let mut position = 0;
        for (rank, count) in hand.counts().into_iter().enumerate() {
            let count = usize::from(count);
            if count > left {
                return None;
            }
            position += (0..count).map(|less| self.ways[rank + 1][left - less]).sum::<u32>();
            left -= count;
        }
        Some(position)
    }

    /// The hand at a position.
    ///
    /// # Panics
    /// If there is no such position.
    #[must_use]
    pub fn hand(&self, position: u32) -> Hand {
        assert!(position < self.len(), "there is no hand {position}");
        let mut left = self.most;
        let mut before = position;
        let mut hand = Hand::EMPTY;
        for rank in Rank::all() {
            let mut count = 0;
            loop {
                let ways = self.ways[rank.index() + 1][left];
                if before < ways {
                    break;
                }
                before -= ways;
                count += 1;
                left -= 1;
            }
            hand += Hand::of(rank, count);
        }
        hand
    }

    /// Number of hands of exactly `cards` cards.
    #[must_use]
    pub fn of_size(&self, cards: u32) -> u32 {
        let up_to = |cards: usize| self.ways[0][cards];
        match cards as usize {
            0 => 1,
            cards => up_to(cards) - up_to(cards - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_one_to_one() {
        let index = HandIndex::new(5);
        assert_eq!(index.len(), 1 + 15 + 118 + 650 + 2_821 + 10_270);
        let mut before = None;
        for position in 0..index.len() {
            let hand = index.hand(position);
            assert_eq!(index.of(hand), Some(position));
            assert!(before < Some(hand.counts()));
            before = Some(hand.counts());
        }
        assert_eq!(index.of("334567".parse().unwrap()), None);
    }

    #[test]
    fn sizes_are_the_published_ones() {
        let index = HandIndex::new(20);
        assert_eq!(index.len(), 509_430_670);
        assert_eq!(index.of_size(17), 58_684_015);
        assert_eq!(index.of_size(20), 153_009_740);
        assert_eq!((0..=20).map(|cards| index.of_size(cards)).sum::<u32>(), index.len());
        for position in (0..index.len()).step_by(1_000_003) {
            assert_eq!(index.of(index.hand(position)), Some(position));
        }
    }
}
