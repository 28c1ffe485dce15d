//! How many hands and boards there are.

use crate::decimal::Decimal;

/// What is dealt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cards {
    /// Suits of the deck.
    pub suits: u32,
    /// Ranks of the deck.
    pub ranks: u32,
    /// Cards of a hand; 0 in a game without cards.
    pub hole: u32,
    /// Cards put on the board before each round.
    pub board: Vec<u32>,
}

/// What hands and boards a player tells apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hands {
    /// Every hand, and every board as a set of cards a round.
    Raw,
    /// Up to a permutation of the suits.
    Canonical,
    /// So many classes in each round.
    Buckets(Vec<u64>),
}

impl Cards {
    /// Cards of the deck.
    #[must_use]
    pub fn deck(&self) -> u32 {
        self.suits * self.ranks
    }

    /// How many combinations of own hand and boards a player tells apart in `round`, from 0.
    #[must_use]
    pub fn own(&self, hands: &Hands, round: usize) -> Decimal {
        match hands {
            Hands::Raw => (0..=round).fold(binomial(self.deck(), self.hole), |hands, round| {
                hands.mul(&self.boards(round))
            }),
            Hands::Canonical => self.orbits(round),
            Hands::Buckets(buckets) => buckets[round].into(),
        }
    }

    /// How many boards of `round` go with a given hand and earlier boards.
    #[must_use]
    pub(crate) fn boards(&self, round: usize) -> Decimal {
        let seen = self.hole + self.board[..round].iter().sum::<u32>();
        binomial(self.deck() - seen, self.board[round])
    }

    /// How many deals to `players` there are up to `round`, from 0.
    #[must_use]
    pub fn deals(&self, players: usize, round: usize) -> Decimal {
        let players = players as u32;
        let mut deals = Decimal::one();
        for player in 0..players {
            deals = deals.mul(&binomial(self.deck() - player * self.hole, self.hole));
        }
        let mut left = self.deck() - players * self.hole;
        for board in &self.board[..=round] {
            deals = deals.mul(&binomial(left, *board));
            left -= board;
        }
        deals
    }

    /// Orbits of the suit permutations on hands and boards, by the Cauchy-Frobenius lemma: the mean number of
    /// combinations that a permutation leaves as they are. Those are unions of its cycles.
    fn orbits(&self, round: usize) -> Decimal {
        let sizes: Vec<usize> =
            [self.hole].iter().chain(&self.board[..=round]).map(|size| *size as usize).collect();
        let mut fixed = 0u128;
        let mut permutations = 0u128;
        for_each_permutation(self.suits as usize, &mut |permutation| {
            fixed += fixed_deals(&cycles(permutation), self.ranks, &sizes);
            permutations += 1;
        });
        Decimal::from(fixed / permutations)
    }
}

/// Lengths of the cycles of a permutation.
fn cycles(permutation: &[usize]) -> Vec<usize> {
    let mut seen = vec![false; permutation.len()];
    let mut lengths = Vec::new();
    for start in 0..permutation.len() {
        let (mut at, mut length) = (start, 0);
        while !seen[at] {
            seen[at] = true;
            at = permutation[at];
            length += 1;
        }
        if length > 0 {
            lengths.push(length);
        }
    }
    lengths
}

/// Ways to choose disjoint unions of cycles of these sizes; every rank has all the cycles.
fn fixed_deals(cycles: &[usize], ranks: u32, sizes: &[usize]) -> u128 {
    // Positions are cards still missing in each set, in mixed radix.
    let strides: Vec<usize> = sizes
        .iter()
        .scan(1, |stride, size| {
            let this = *stride;
            *stride *= size + 1;
            Some(this)
        })
        .collect();
    let total: usize = sizes.iter().map(|size| size + 1).product();
    let mut ways = vec![0u128; total];
    ways[total - 1] = 1;
    for _ in 0..ranks {
        for length in cycles {
            let before = ways.clone();
            for (position, count) in before.iter().enumerate().filter(|(_, count)| **count > 0) {
                for (stride, size) in strides.iter().zip(sizes) {
                    if position / stride % (size + 1) >= *length {
                        ways[position - stride * length] += count;
                    }
                }
            }
        }
    }
    ways[0]
}

/// Heap's algorithm.
fn for_each_permutation(len: usize, visit: &mut dyn FnMut(&[usize])) {
    fn step(items: &mut [usize], len: usize, visit: &mut dyn FnMut(&[usize])) {
        if len <= 1 {
            visit(items);
            return;
        }
        for index in 0..len {
            step(items, len - 1, visit);
            items.swap(if len.is_multiple_of(2) { index } else { 0 }, len - 1);
        }
    }
    step(&mut (0..len).collect::<Vec<_>>(), len, visit);
}

/// `n` choose `k`.
pub(crate) fn binomial(n: u32, k: u32) -> Decimal {
    if k > n {
        return Decimal::zero();
    }
    // Decks have at most a few hundred cards and sets at most a few: 128 bits hold every step.
    let count = (0..k.min(n - k))
        .fold(1u128, |count, taken| count * u128::from(n - taken) / u128::from(taken + 1));
    Decimal::from(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holdem() -> Cards {
        Cards { suits: 4, ranks: 13, hole: 2, board: vec![0, 3, 1, 1] }
    }

    fn all(cards: &Cards, hands: &Hands) -> Vec<u128> {
        (0..cards.board.len()).filter_map(|round| cards.own(hands, round).to_u128()).collect()
    }

    #[test]
    fn holdem_has_the_published_numbers_of_hands() {
        let raw = [1326, 1326 * 19_600, 1326 * 19_600 * 47, 1326 * 19_600 * 47 * 46];
        assert_eq!(all(&holdem(), &Hands::Raw), raw);
        let canonical = [169, 1_286_792, 55_190_538, 2_428_287_420];
        assert_eq!(all(&holdem(), &Hands::Canonical), canonical);
        let deals: Vec<_> = (0..4).filter_map(|r| holdem().deals(2, r).to_u128()).collect();
        let first = 1326 * 1225;
        assert_eq!(deals, [first, first * 17_296, first * 17_296 * 45, first * 17_296 * 45 * 44]);
    }

    #[test]
    fn orbits_are_those_of_plain_enumeration() {
        // Two cards and a board card from three suits and two ranks, relabelled to the least image.
        let cards = Cards { suits: 3, ranks: 2, hole: 2, board: vec![1] };
        let mut least = std::collections::BTreeSet::new();
        for a in 0..6usize {
            for b in a + 1..6 {
                for c in (0..6).filter(|c| *c != a && *c != b) {
                    let mut images = Vec::new();
                    for_each_permutation(3, &mut |suits| {
                        let image = |card: usize| card / 3 * 3 + suits[card % 3];
                        let (a, b) = (image(a), image(b));
                        images.push((a.min(b), a.max(b), image(c)));
                    });
                    least.insert(images.into_iter().min());
                }
            }
        }
        assert_eq!(cards.own(&Hands::Canonical, 0), Decimal::from(least.len() as u64));
    }
}
