//! The kinds of pairs the method tells apart: large groups of hands, families of two large groups, and combinations of
//! two suit patterns.

use std::fmt;

use fulldeck_cards::SuitPattern;

/// In how many suits a hand can make a flush: those of which it holds at least two cards. Omaha with four cards has
/// none (`abcd`), one (`aabc`, `aaab`, `aaaa`) and two (`aabb`), the three large groups; six cards also have three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlushSuits(usize);

impl FlushSuits {
    /// Of the hands with this pattern.
    #[must_use]
    pub fn of(pattern: SuitPattern) -> Self {
        Self(pattern.suits_with(2))
    }

    /// How many, 0 to 3.
    #[must_use]
    pub const fn count(self) -> usize {
        self.0
    }
}

impl fmt::Display for FlushSuits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("no suit"),
            1 => f.write_str("one suit"),
            2 => f.write_str("two suits"),
            3 => f.write_str("three suits"),
            more => write!(f, "{more} suits"),
        }
    }
}

/// An unordered pair of large groups, written like `no suit x one suit`; six of them for four cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Family {
    fewer: FlushSuits,
    more: FlushSuits,
}

impl Family {
    /// The family of two patterns, in either order.
    #[must_use]
    pub fn of(a: SuitPattern, b: SuitPattern) -> Self {
        let (a, b) = (FlushSuits::of(a), FlushSuits::of(b));
        Self { fewer: a.min(b), more: a.max(b) }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.fewer, self.more)
    }
}

/// Two suit patterns, written like `aabc x aabb`. As [`Combination::all`] lists them, the first is never after the
/// second in the order of [`SuitPattern::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Combination {
    /// Pattern of the first hand.
    pub a: SuitPattern,
    /// Pattern of the second hand.
    pub b: SuitPattern,
}

impl Combination {
    /// Every unordered pair of patterns of hands of `cards` cards: 3 for two cards, 15 for four, 21 for five, 45 for
    /// six.
    #[must_use]
    pub fn all(cards: usize) -> Vec<Self> {
        let patterns = SuitPattern::all(cards);
        let pairs = patterns
            .iter()
            .enumerate()
            .flat_map(|(i, a)| patterns[i..].iter().map(move |b| Self { a: *a, b: *b }));
        pairs.collect()
    }

    /// The family it belongs to.
    #[must_use]
    pub fn family(self) -> Family {
        Family::of(self.a, self.b)
    }
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.a, self.b)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn families(cards: usize) -> BTreeMap<String, Vec<String>> {
        let mut families: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for combination in Combination::all(cards) {
            let names = families.entry(combination.family().to_string()).or_default();
            names.push(combination.to_string());
        }
        families
    }

    #[test]
    fn four_cards_have_fifteen_combinations_in_six_families() {
        let sizes: Vec<_> =
            families(4).into_iter().map(|(name, members)| (name, members.len())).collect();
        let known = [
            ("no suit x no suit", 1),
            ("no suit x one suit", 3),
            ("no suit x two suits", 1),
            ("one suit x one suit", 6),
            ("one suit x two suits", 3),
            ("two suits x two suits", 1),
        ];
        assert_eq!(sizes, known.map(|(name, len)| (name.to_owned(), len)));
        assert_eq!(families(4)["no suit x two suits"], ["abcd x aabb"]);
    }

    #[test]
    fn other_sizes_have_the_natural_families() {
        let counts = |cards| (Combination::all(cards).len(), families(cards).len());
        assert_eq!(counts(2), (3, 3));
        assert_eq!(counts(5), (21, 3));
        assert_eq!(counts(6), (45, 6));
        assert_eq!(families(6)["three suits x three suits"], ["aabbcc x aabbcc"]);
    }

    #[test]
    fn the_order_of_the_hands_does_not_name_another_family() {
        for Combination { a, b } in Combination::all(6) {
            assert_eq!(Family::of(a, b), Family::of(b, a));
        }
    }
}
