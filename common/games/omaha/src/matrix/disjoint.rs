//! How many hands of a cluster share no card with a given hand: the `n` of every cell.

use fulldeck_cards::{Clusters, RANKS, SUITS};

use crate::fast::DISJOINT_PLACEMENTS;

/// Every cluster's suits, by number among the sets of ranks that a suit may hold: there are few of these (1,093 for
/// four hole cards), so one pass over them answers for all clusters at once.
pub(super) struct Disjoint {
    sets: Vec<u16>,
    suits: Vec<[u16; SUITS]>,
    orbits: Vec<u8>,
}

impl Disjoint {
    pub(super) fn new(clusters: &Clusters) -> Self {
        let sets: Vec<u16> = (0..1u16 << RANKS)
            .filter(|set| set.count_ones() as usize <= clusters.cards())
            .collect();
        let number =
            |set| sets.binary_search(&set).expect("no suit has more than all cards") as u16;
        let clusters = clusters.as_slice();
        Self {
            suits: clusters.iter().map(|cluster| cluster.suits().map(number)).collect(),
            orbits: clusters.iter().map(|cluster| cluster.orbit()).collect(),
            sets,
        }
    }

    /// Prepares to meet the representative of cluster `fixed`.
    pub(super) fn from(&self, fixed: usize) -> DisjointFrom<'_> {
        let held = self.suits[fixed].map(|set| self.sets[usize::from(set)]);
        let free = self
            .sets
            .iter()
            .map(|set| (0..SUITS).map(|f| u8::from(held[f] & set == 0) << f).sum())
            .collect();
        DisjointFrom { all: self, free, placements: &DISJOINT_PLACEMENTS }
    }

    /// Hands in a cluster.
    pub(super) fn orbit(&self, cluster: usize) -> u8 {
        self.orbits[cluster]
    }

    /// Number of disjoint hands of cluster `of`, when so many placements of the suits are disjoint. That number is the
    /// same from either side; the hands are not.
    pub(super) fn hands(&self, placements: u8, of: usize) -> u32 {
        u32::from(placements) * u32::from(self.orbits[of]) / 24
    }
}

/// See [`Disjoint::from`].
pub(super) struct DisjointFrom<'a> {
    all: &'a Disjoint,
    /// For every set of ranks the suits of the fixed hand that share none with it, a bit each.
    free: Vec<u8>,
    placements: &'static [u8],
}

impl DisjointFrom<'_> {
    /// How many of the 24 placements of the suits of cluster `other` are disjoint from the fixed hand.
    pub(super) fn placements(&self, other: usize) -> u8 {
        let pattern = self.all.suits[other]
            .iter()
            .rev()
            .fold(0, |pattern, set| pattern << SUITS | usize::from(self.free[usize::from(*set)]));
        self.placements[pattern]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row of the matrix counts all hands that its hand leaves: so its boards are C(52 - n, n) x C(52 - 2n, 5).
    #[test]
    fn rows_hold_all_hands_that_are_left() {
        for (cards, left) in [(2, 1_225), (4, 194_580), (5, 1_533_939), (6, 9_366_819)] {
            let clusters = Clusters::new(cards);
            let disjoint = Disjoint::new(&clusters);
            for row in [0, clusters.len() / 3, clusters.len() / 2, clusters.len() - 1] {
                let from = disjoint.from(row);
                let hands = |column| disjoint.hands(from.placements(column), column);
                assert_eq!((0..clusters.len()).map(hands).sum::<u32>(), left);
            }
        }
    }

    #[test]
    fn hands_are_those_that_enumeration_finds_disjoint() {
        let clusters = Clusters::new(4);
        let disjoint = Disjoint::new(&clusters);
        for fixed in (0..clusters.len()).step_by(911) {
            let from = disjoint.from(fixed);
            let hand = clusters.as_slice()[fixed].representative();
            let mut all = 0;
            for (other, cluster) in clusters.as_slice().iter().enumerate() {
                let hands = disjoint.hands(from.placements(other), other);
                all += hands;
                if other % 37 == 0 {
                    let members = cluster.members();
                    let found = members.iter().filter(|member| member.is_disjoint(hand)).count();
                    assert_eq!(hands as usize, found, "{hand} {}", cluster.representative());
                    assert_eq!(from.placements(other), disjoint.from(other).placements(fixed));
                }
            }
            assert_eq!(all, 194_580);
        }
    }
}
