//! Multisets of ranks: what is left of a hand or a board when suits are forgotten.

use crate::{CardSet, RANKS};

/// How many cards of each rank, at most four.
pub type RankMultiset = [u8; RANKS];

/// All multisets of a given size in colexicographic order (compare the highest ranks first), so that neighbours
/// share their high cards.
#[derive(Clone, Debug)]
pub struct RankMultisets {
    size: usize,
    /// Each multiset as its ranks, ascending.
    members: Vec<Vec<u8>>,
    /// Position among unbounded multisets -> index, `u32::MAX` where a rank would occur five times.
    index_of: Vec<u32>,
}

impl RankMultisets {
    /// Enumerates the multisets of `size` ranks: 1,820 for 4, 6,175 for 5, 18,395 for 6, 49,205 for 7.
    ///
    /// # Panics
    /// If `size` is 0 or above 7.
    #[must_use]
    pub fn new(size: usize) -> Self {
        assert!((1..=7).contains(&size), "hands have one to seven cards");
        let mut members = Vec::new();
        let mut current = vec![0u8; size];
        fill(&mut current, size, RANKS as u8 - 1, &mut members);
        members.sort_unstable_by(|a, b| a.iter().rev().cmp(b.iter().rev()));
        let unbounded = COMBINATIONS[RANKS + size - 1][size] as usize;
        let mut index_of = vec![u32::MAX; unbounded];
        members.retain(|ranks| ranks.windows(5).all(|five| five[0] != five[4]));
        for (index, ranks) in members.iter().enumerate() {
            index_of[position(ranks)] = index as u32;
        }
        Self { size, members, index_of }
    }

    /// Cards in each multiset.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// Number of multisets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none (never).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Ranks of multiset `index`, ascending.
    #[must_use]
    pub fn ranks(&self, index: usize) -> &[u8] {
        &self.members[index]
    }

    /// Counts of multiset `index`.
    #[must_use]
    pub fn counts(&self, index: usize) -> RankMultiset {
        let mut counts = [0; RANKS];
        for rank in self.ranks(index) {
            counts[usize::from(*rank)] += 1;
        }
        counts
    }

    /// Index of the multiset of these ranks (ascending), or `None` if a rank occurs five times.
    ///
    /// # Panics
    /// If there are not exactly [`RankMultisets::size`] ranks.
    #[must_use]
    pub fn index_of(&self, ranks: &[u8]) -> Option<usize> {
        assert_eq!(ranks.len(), self.size, "number of ranks");
        let index = self.index_of[position(ranks)];
        (index != u32::MAX).then_some(index as usize)
    }

    /// Index of a hand's ranks.
    ///
    /// # Panics
    /// If the hand does not have exactly [`RankMultisets::size`] cards.
    #[must_use]
    pub fn index_of_hand(&self, hand: CardSet) -> usize {
        let mut ranks = [0u8; 52];
        let mut len = 0;
        for (rank, count) in hand.rank_counts().iter().enumerate() {
            for _ in 0..*count {
                ranks[len] = rank as u8;
                len += 1;
            }
        }
        self.index_of(&ranks[..len]).expect("four cards of a rank exist")
    }
}

fn fill(current: &mut [u8], left: usize, highest: u8, members: &mut Vec<Vec<u8>>) {
    if left == 0 {
        members.push(current.to_vec());
        return;
    }
    for rank in 0..=highest {
        current[left - 1] = rank;
        fill(current, left - 1, rank, members);
    }
}

/// Combinadic of a multiset given in ascending order.
fn position(ranks: &[u8]) -> usize {
    ranks
        .iter()
        .enumerate()
        .map(|(i, rank)| COMBINATIONS[usize::from(*rank) + i][i + 1] as usize)
        .sum()
}

/// Binomials: `COMBINATIONS[n][k]`.
const COMBINATIONS: [[u32; 8]; RANKS + 7] = {
    let mut table = [[0; 8]; RANKS + 7];
    let mut n = 0;
    while n < table.len() {
        table[n][0] = 1;
        let mut k = 1;
        while k < 8 {
            table[n][k] = if n == 0 { 0 } else { table[n - 1][k - 1] + table[n - 1][k] };
            k += 1;
        }
        n += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_known_and_indices_go_both_ways() {
        for (size, count) in
            [(1, 13), (2, 91), (3, 455), (4, 1820), (5, 6175), (6, 18395), (7, 49205)]
        {
            let multisets = RankMultisets::new(size);
            assert_eq!(multisets.len(), count);
            for index in 0..count {
                assert_eq!(multisets.index_of(multisets.ranks(index)), Some(index));
                assert_eq!(multisets.counts(index).iter().sum::<u8>() as usize, size);
            }
        }
        assert_eq!(RankMultisets::new(5).index_of(&[3; 5]), None);
    }
}
