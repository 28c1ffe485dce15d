//! Placements of the second hand's suits against a fixed first hand.

use fulldeck_cards::{CardSet, Cluster};

use super::SignificantSuits;

/// Hands of one cluster that fare alike against a fixed hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// One of them.
    pub hand: CardSet,
    /// How many placements of suits, that is hands of the cluster, it stands for.
    pub placements: u32,
    /// The suits that matter in this pair.
    pub significant: SignificantSuits,
}

/// What a placement looks like to the boards: the two hands' ranks in each significant suit, suits unnamed. The ranks
/// outside of these suits follow, because each hand's ranks are the same in all placements.
type Key = Vec<(u16, u16)>;

/// Every hand of cluster `b` that has no card of `a`, merged where suits can be renamed, or forgotten, to turn one
/// into another; fewest significant suits first. At most 24 placements are seen; there may be none.
#[must_use]
pub fn variants(a: CardSet, b: &Cluster) -> Vec<Variant> {
    let mut found: Vec<(Key, Variant)> = Vec::new();
    for hand in b.members().into_iter().filter(|hand| hand.is_disjoint(a)) {
        let significant = SignificantSuits::of(a, hand);
        let key = key(a, hand, significant);
        match found.iter_mut().find(|(known, _)| *known == key) {
            Some((_, variant)) => variant.placements += 1,
            None => found.push((key, Variant { hand, placements: 1, significant })),
        }
    }
    let mut variants: Vec<Variant> = found.into_iter().map(|(_, variant)| variant).collect();
    variants.sort_by_key(|variant| variant.significant.procedure());
    variants
}

fn key(a: CardSet, b: CardSet, significant: SignificantSuits) -> Key {
    let (a, b) = (a.suits(), b.suits());
    let mut key: Key = significant.iter().map(|suit| (a[suit], b[suit])).collect();
    key.sort_unstable();
    key
}

#[cfg(test)]
mod tests {
    use fulldeck_cards::{Clusters, parse_hand};

    use super::super::Procedure;
    use super::*;

    fn hand(text: &str) -> CardSet {
        parse_hand(text, &[2, 4, 5, 6]).expect("a hand")
    }

    /// Hands with eight different ranks between any two of opposite sides: nothing coincides and nothing clashes, so
    /// the counts are those "without filtering".
    fn generic(pattern: &str, second: bool) -> CardSet {
        let ranks = if second { ["9", "7", "5", "3"] } else { ["A", "Q", "T", "8"] };
        let cards: String = ranks
            .iter()
            .zip(pattern.chars())
            .map(|(rank, letter)| {
                let suit = ['s', 'h', 'd', 'c'][letter as usize - 'a' as usize];
                format!("{rank}{suit}")
            })
            .collect();
        hand(&cards)
    }

    fn of_patterns(clusters: &Clusters, a: &str, b: &str) -> Vec<(Procedure, u32)> {
        let b = clusters.cluster(clusters.index_of(generic(b, true)));
        let mut found: Vec<_> = variants(generic(a, false), b)
            .iter()
            .map(|variant| (variant.significant.procedure(), variant.placements))
            .collect();
        found.sort_unstable();
        found
    }

    /// The table of the method's author as it should be: cumulative placements, and significant suits where 3 is all.
    ///
    /// The printed text is damaged. aaab-aaaa lists the placement 3333 twice and 1111 never; aabb-aaab lists 1222
    /// twice and 1333 never and has eight types for its seven variants (and eight cumulative counts are mixed into
    /// another block); the block printed under aabc-aaaa is that of aabb-aaab, its own stands loose near the end;
    /// aaab-aabc has lost its rows; variants 9 and 10 of aabc-aabc name the wrong player. Plain enumeration of the
    /// placements is right, and is what is tested here.
    const TABLE: [(&str, &str, &[u32], &[u8]); 15] = [
        ("abcd", "abcd", &[24], &[0]),
        ("aabc", "abcd", &[6, 12, 18, 24], &[1; 4]),
        ("aaab", "abcd", &[6, 12, 18, 24], &[1; 4]),
        ("aaaa", "abcd", &[6, 12, 18, 24], &[1; 4]),
        ("aabb", "abcd", &[2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24], &[2; 12]),
        ("aabc", "aabc", &[6, 8, 10, 12, 14, 16, 18, 20, 22, 24], &[1, 2, 2, 2, 2, 2, 2, 2, 2, 2]),
        ("aaab", "aabc", &[6, 10, 14, 18, 20, 22, 24], &[1, 2, 2, 2, 2, 2, 2]),
        ("aabc", "aaaa", &[1, 2, 3, 4], &[1, 2, 2, 2]),
        ("aaab", "aaab", &[3, 5, 9, 11, 12], &[1, 2, 2, 2, 2]),
        ("aaab", "aaaa", &[1, 3, 4], &[1, 2, 2]),
        ("aaaa", "aaaa", &[1, 4], &[1, 2]),
        (
            "aabb",
            "aabc",
            &[2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24],
            &[2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3],
        ),
        ("aabb", "aaab", &[1, 3, 4, 6, 8, 10, 12], &[2, 2, 2, 2, 3, 3, 3]),
        ("aabb", "aaaa", &[1, 2, 4], &[2, 2, 3]),
        ("aabb", "aabb", &[1, 2, 4, 6, 8, 10, 12], &[2, 2, 3, 3, 3, 3, 3]),
    ];

    #[test]
    fn variants_are_those_of_the_authors_table() {
        let clusters = Clusters::new(4);
        for (a, b, cumulative, types) in TABLE {
            let mut before = 0;
            let mut expected = Vec::new();
            for (count, kind) in cumulative.iter().zip(types) {
                let procedure = [
                    Procedure::Ranks,
                    Procedure::OneSuit,
                    Procedure::TwoSuits,
                    Procedure::AllSuits,
                ][usize::from(*kind)];
                expected.push((procedure, count - before));
                before = *count;
            }
            assert_eq!(cumulative.len(), types.len());
            expected.sort_unstable();
            assert_eq!(of_patterns(&clusters, a, b), expected, "{a} - {b}");
        }
    }

    #[test]
    fn equal_ranks_merge_placements_and_clashes_drop_them() {
        let clusters = Clusters::new(4);
        let count = |a, b| {
            let found = variants(hand(a), clusters.cluster(clusters.index_of(hand(b))));
            (found.len(), found.iter().map(|variant| variant.placements).sum::<u32>())
        };
        assert_eq!(count("AsAhKsKh", "AsAhKsKh"), (1, 1));
        assert_eq!(count("AsAhKsKh", "QsQhJsJh"), (3, 6));
        assert_eq!(count("AsAhAdAc", "KsQhJdTc"), (1, 24));
        assert_eq!(count("AsAhAdAc", "AsKhQdJc"), (0, 0));
    }

    #[test]
    fn placements_are_all_disjoint_hands_whatever_the_game() {
        for (cards, a) in [(2, "AsKh"), (5, "AsKsQhJh7d"), (6, "AsKsQhJh7d6d")] {
            let clusters = Clusters::new(cards);
            let a = hand(a);
            for cluster in clusters.as_slice().iter().step_by(clusters.len() / 100 + 1) {
                let disjoint = cluster.members().iter().filter(|b| b.is_disjoint(a)).count();
                let placements: u32 =
                    variants(a, cluster).iter().map(|variant| variant.placements).sum();
                assert_eq!(placements as usize, disjoint, "{a} {}", cluster.representative());
            }
        }
    }
}
