//! Clusters: classes of starting hands under the 24 permutations of suits, numbered group by group.

use std::fmt;
use std::ops::Range;

use crate::{CardSet, RANKS, RankMultisets, SUITS, SuitPattern};

/// Number of a cluster among all clusters of its hand size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClusterIndex(pub u32);

impl fmt::Display for ClusterIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A class of starting hands that differ only in the names of suits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Rank masks of the representative: larger suits first, then the numerically larger mask.
    suits: [u16; SUITS],
    /// Number of hands in the class.
    orbit: u8,
}

impl Cluster {
    fn canonical(hand: CardSet) -> [u16; SUITS] {
        let mut suits = hand.suits();
        suits.sort_unstable_by_key(|mask| std::cmp::Reverse((mask.count_ones(), *mask)));
        suits
    }

    /// The representative hand: its largest suit in spades, and so on down to clubs.
    #[must_use]
    pub fn representative(&self) -> CardSet {
        CardSet::from_suits(self.suits)
    }

    /// Rank masks of the representative's suits, largest suit first.
    #[must_use]
    pub const fn suits(&self) -> [u16; SUITS] {
        self.suits
    }

    /// Number of hands in the class: 4, 6, 12, 24, or 1 when all suits hold the same ranks.
    #[must_use]
    pub const fn orbit(&self) -> u8 {
        self.orbit
    }

    /// Number of suit permutations that leave the representative as it is: 24 / orbit.
    #[must_use]
    pub const fn stabilizer(&self) -> u8 {
        24 / self.orbit
    }

    /// Every hand of the class, once.
    #[must_use]
    pub fn members(&self) -> Vec<CardSet> {
        let mut hands: Vec<_> = permutations()
            .map(|order| CardSet::from_suits(order.map(|suit| self.suits[suit])))
            .collect();
        hands.sort_unstable();
        hands.dedup();
        hands
    }
}

/// All 24 orders of four things.
fn permutations() -> impl Iterator<Item = [usize; SUITS]> {
    (0..256)
        .map(|code| [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 & 3])
        .filter(|order| order.iter().fold(0, |seen, suit| seen | 1 << suit) == 0b1111)
}

/// The clusters of one suit pattern.
#[derive(Clone, Debug)]
pub struct Group {
    /// Suit pattern, which is also the group's name.
    pub pattern: SuitPattern,
    /// Range of cluster numbers.
    pub clusters: Range<u32>,
    /// For each rank multiset the first cluster (relative to the group) with it, and the group's size at the end.
    starts: Vec<u32>,
}

impl Group {
    /// Number of clusters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.clusters.len()
    }

    /// Whether there are none (never: every pattern has hands).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// Positions within the group of the clusters whose ranks are multiset `ranks`; may be empty.
    #[must_use]
    pub fn with_ranks(&self, ranks: usize) -> Range<usize> {
        self.starts[ranks] as usize..self.starts[ranks + 1] as usize
    }
}

/// All clusters of hands of one size, in their stable order: group by group (in the order of
/// [`SuitPattern::all`]), within a group by rank multiset (in the order of [`RankMultisets`]), and among equal ranks
/// by the representative's rank masks.
#[derive(Clone, Debug)]
pub struct Clusters {
    cards: usize,
    ranks: RankMultisets,
    clusters: Vec<Cluster>,
    groups: Vec<Group>,
}

impl Clusters {
    /// Enumerates the clusters of hands of `cards` cards: 169 for 2, 16,432 for 4, 134,459 for 5, 962,988 for 6.
    ///
    /// # Panics
    /// If `cards` is 0 or above 6.
    #[must_use]
    pub fn new(cards: usize) -> Self {
        let ranks = RankMultisets::new(cards);
        let by_size: Vec<Vec<u16>> = (0..=cards as u32)
            .map(|size| (0..1u16 << RANKS).filter(|mask| mask.count_ones() == size).collect())
            .collect();
        let mut clusters = Vec::new();
        let mut groups = Vec::new();
        for pattern in SuitPattern::all(cards) {
            let mut keyed = Vec::new();
            arrange(pattern, 0, [0; SUITS], &by_size, &mut |suits| {
                let hand = CardSet::from_suits(suits);
                keyed.push((ranks.index_of_hand(hand) as u32, suits));
            });
            keyed.sort_unstable();
            let first = clusters.len() as u32;
            let mut starts = vec![0u32; ranks.len() + 1];
            for (ranks_index, suits) in keyed {
                clusters.push(Cluster { suits, orbit: orbit(suits) });
                starts[ranks_index as usize + 1] += 1;
            }
            for index in 0..ranks.len() {
                starts[index + 1] += starts[index];
            }
            groups.push(Group { pattern, clusters: first..clusters.len() as u32, starts });
        }
        Self { cards, ranks, clusters, groups }
    }

    /// Hole cards of a hand.
    #[must_use]
    pub const fn cards(&self) -> usize {
        self.cards
    }

    /// The rank multisets of hands of this size.
    #[must_use]
    pub const fn ranks(&self) -> &RankMultisets {
        &self.ranks
    }

    /// Number of clusters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.clusters.len()
    }

    /// Whether there are none (never).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// The groups, in order.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// One cluster.
    ///
    /// # Panics
    /// If there is no such number.
    #[must_use]
    pub fn cluster(&self, index: ClusterIndex) -> &Cluster {
        &self.clusters[index.0 as usize]
    }

    /// All clusters, by [`ClusterIndex`].
    #[must_use]
    pub fn as_slice(&self) -> &[Cluster] {
        &self.clusters
    }

    /// Number of the group that cluster `index` belongs to.
    #[must_use]
    pub fn group_of(&self, index: ClusterIndex) -> usize {
        self.groups.partition_point(|group| group.clusters.end <= index.0)
    }

    /// The cluster of a hand, whatever its suits are called.
    ///
    /// # Panics
    /// If the hand does not have [`Clusters::cards`] cards.
    #[must_use]
    pub fn index_of(&self, hand: CardSet) -> ClusterIndex {
        let suits = Cluster::canonical(hand);
        let pattern = SuitPattern::of(hand);
        let ranks = self.ranks.index_of_hand(hand);
        let group = self
            .groups
            .iter()
            .find(|group| group.pattern == pattern)
            .expect("every hand of this size has one of its patterns");
        let range = group.with_ranks(ranks);
        let first = group.clusters.start as usize;
        let candidates = &self.clusters[first + range.start..first + range.end];
        let position = candidates
            .binary_search_by_key(&suits, |cluster| cluster.suits)
            .expect("every canonical hand was enumerated");
        ClusterIndex((first + range.start + position) as u32)
    }
}

/// Calls `found` with every canonical arrangement of masks whose sizes are `pattern`.
fn arrange(
    pattern: SuitPattern,
    suit: usize,
    suits: [u16; SUITS],
    by_size: &[Vec<u16>],
    found: &mut impl FnMut([u16; SUITS]),
) {
    if suit == SUITS {
        return found(suits);
    }
    let sizes = pattern.sizes();
    for mask in &by_size[usize::from(sizes[suit])] {
        let same_size = suit > 0 && sizes[suit - 1] == sizes[suit];
        if same_size && *mask > suits[suit - 1] {
            break;
        }
        let mut next = suits;
        next[suit] = *mask;
        arrange(pattern, suit + 1, next, by_size, found);
    }
}

/// 24 over the permutations that only exchange equal masks (equal masks stand together in canonical order).
fn orbit(suits: [u16; SUITS]) -> u8 {
    let mut stabilizer = 1;
    let mut run = 1;
    for suit in 1..SUITS {
        run = if suits[suit] == suits[suit - 1] { run + 1 } else { 1 };
        stabilizer *= run;
    }
    24 / stabilizer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Card;

    #[test]
    fn omaha_has_the_known_groups_and_orbits() {
        let clusters = Clusters::new(4);
        let groups: Vec<_> =
            clusters.groups().iter().map(|g| (g.pattern.to_string(), g.len())).collect();
        let known = [("abcd", 1820), ("aabc", 7098), ("aabb", 3081), ("aaab", 3718), ("aaaa", 715)];
        assert_eq!(groups, known.map(|(name, len)| (name.to_owned(), len)));
        let mut sizes = std::collections::BTreeMap::new();
        for cluster in clusters.as_slice() {
            *sizes.entry(cluster.orbit()).or_insert(0) += 1;
        }
        assert_eq!(
            sizes.into_iter().collect::<Vec<_>>(),
            [(1, 13), (4, 871), (6, 156), (12, 8593), (24, 6799)]
        );
    }

    #[test]
    fn clusters_partition_the_hands() {
        for (cards, count, hands) in [(2, 169, 1326), (4, 16_432, 270_725), (5, 134_459, 2_598_960)]
        {
            let clusters = Clusters::new(cards);
            assert_eq!(clusters.len(), count);
            let total: u64 = clusters.as_slice().iter().map(|c| u64::from(c.orbit())).sum();
            assert_eq!(total, hands);
        }
    }

    #[test]
    fn every_member_finds_its_cluster_and_every_cluster_its_group() {
        let clusters = Clusters::new(4);
        for (index, cluster) in (0..).zip(clusters.as_slice()) {
            let members = cluster.members();
            assert_eq!(members.len(), usize::from(cluster.orbit()));
            for hand in members {
                assert_eq!(clusters.index_of(hand), ClusterIndex(index));
            }
            let group = &clusters.groups()[clusters.group_of(ClusterIndex(index))];
            assert!(group.clusters.contains(&index));
            let ranks = clusters.ranks().index_of_hand(cluster.representative());
            let within = (index - group.clusters.start) as usize;
            assert!(group.with_ranks(ranks).contains(&within));
        }
    }

    #[test]
    fn two_card_hands_agree_with_plain_enumeration() {
        let clusters = Clusters::new(2);
        let mut seen = vec![0u8; clusters.len()];
        let cards: Vec<_> = Card::all().collect();
        for (i, a) in cards.iter().enumerate() {
            for b in &cards[..i] {
                let hand = [*a, *b].into_iter().collect();
                seen[clusters.index_of(hand).0 as usize] += 1;
            }
        }
        assert!(seen.iter().zip(clusters.as_slice()).all(|(n, c)| *n == c.orbit()));
    }
}
