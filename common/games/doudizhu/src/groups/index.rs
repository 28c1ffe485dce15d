//! Numbering of all hands up to a size.

use crate::cards::{Hand, Rank, RankSet};

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

/// Hands with the same cards of three to ace: 0 to 4 twos, each joker or not, in the order of the table.
pub(super) const TAILS: usize = 20;

/// Twos and jokers of a tail.
pub(super) fn tail(number: usize) -> Hand {
    let number = number as u32;
    Hand::of(Rank::TWO, number / 4)
        + Hand::of(Rank::SMALL_JOKER, number / 2 % 2)
        + Hand::of(Rank::BIG_JOKER, number % 2)
}

/// The cards of three to ace, and the number of the tail.
pub(super) fn split(hand: Hand) -> (Hand, usize) {
    let count = |rank| hand.count(rank) as usize;
    let tail = 4 * count(Rank::TWO) + 2 * count(Rank::SMALL_JOKER) + count(Rank::BIG_JOKER);
    (hand - hand.without(RankSet::CHAIN), tail)
}

impl HandIndex {
    /// The hands from position `first` on, grouped: cards of three to ace, and the tails that follow them.
    ///
    /// # Panics
    /// If there is no such position.
    pub(super) fn heads(
        &self,
        first: u32,
    ) -> impl Iterator<Item = (Hand, impl Iterator<Item = usize>)> {
        let (head, from) = split(self.hand(first));
        let mut next = Some((head, from));
        let most = self.most();
        std::iter::from_fn(move || {
            let (head, from) = next?;
            next = next_head(head, most).map(|head| (head, 0));
            let room = most - head.len();
            Some((head, (from..TAILS).filter(move |number| TAIL_CARDS[*number] <= room)))
        })
    }

    /// Number of cards of every hand, in order.
    pub fn sizes(&self) -> impl Iterator<Item = u8> {
        self.heads(0).flat_map(|(head, tails)| {
            let cards = head.len();
            tails.map(move |tail| (cards + TAIL_CARDS[tail]) as u8)
        })
    }
}

/// Cards of each tail.
const TAIL_CARDS: [u32; TAILS] = {
    let mut cards = [0; TAILS];
    let mut number = 0;
    while number < TAILS {
        cards[number] = (number / 4 + number / 2 % 2 + number % 2) as u32;
        number += 1;
    }
    cards
};

/// The next cards of three to ace in the order of the table.
fn next_head(head: Hand, most: u32) -> Option<Hand> {
    let mut head = head;
    let mut cards = head.len();
    for index in (0..Rank::CHAIN).rev() {
        let rank = Rank::new(index);
        let count = head.count(rank);
        if count < rank.copies() && cards < most {
            return Some(head + Hand::of(rank, 1));
        }
        head -= Hand::of(rank, count);
        cards -= count;
    }
    None
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
        let sizes = (0..index.len()).map(|position| index.hand(position).len() as u8);
        assert!(index.sizes().eq(sizes));
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
