//! Boards laid in the suits that matter, each with the number of real boards it stands for.

use fulldeck_cards::{CardSet, RANKS, RankMultisets, SUITS};

use super::SignificantSuits;

const BOARD_CARDS: usize = 5;
/// Bits of one suit in [`BoardSuits`].
const LANE: u32 = 16;
const ONE_IN_EACH_LANE: u64 = 0x0001_0001_0001_0001;

/// A rank of a board and how many cards of it there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankCount {
    /// Rank, 0 (deuce) to 12 (ace).
    pub rank: u8,
    /// Cards of it, 1 to 4.
    pub count: u8,
}

/// The 6,175 rank multisets of five cards, in the order of [`RankMultisets`], as counts of each rank present.
#[must_use]
pub fn rank_boards() -> Vec<Vec<RankCount>> {
    let multisets = RankMultisets::new(BOARD_CARDS);
    let present = |index| {
        let counts = multisets.counts(index);
        let ranks =
            (0..RANKS as u8).map(|rank| RankCount { rank, count: counts[usize::from(rank)] });
        ranks.filter(|held| held.count > 0).collect()
    };
    (0..multisets.len()).map(present).collect()
}

/// The cards of a board that lie in significant suits.
///
/// Each suit has sixteen bits: its thirteen ranks, and above them one more than the number of cards. The topmost bit
/// is then set from three cards on, so that whether a flush is possible is one test for all suits, and adding the
/// cards of another rank is one addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardSuits(u64);

impl BoardSuits {
    const COUNT: u64 = ONE_IN_EACH_LANE << RANKS;
    const THREE_OR_MORE: u64 = ONE_IN_EACH_LANE << (LANE - 1);

    const EMPTY: Self = Self(Self::COUNT);

    /// The suit with three or more cards (there is at most one) and its ranks, if significant.
    #[must_use]
    pub fn flush(self) -> Option<(usize, u16)> {
        let possible = self.0 & Self::THREE_OR_MORE;
        (possible != 0).then(|| {
            let suit = (possible.trailing_zeros() / LANE) as usize;
            (suit, self.ranks(suit))
        })
    }

    /// Ranks in a significant suit; nothing in any other.
    #[must_use]
    pub fn ranks(self, suit: usize) -> u16 {
        (self.0 >> (LANE * suit as u32)) as u16 & ((1 << RANKS) - 1)
    }
}

/// One way to lay the cards of one rank: which of them in significant suits, and how many choices that leaves among
/// the other suits. It is added to [`BoardSuits`].
#[derive(Clone, Copy, Debug)]
struct Way {
    suited: u64,
    weight: u32,
}

/// What is left of the deck when two hands are out, with the suits that do not matter merged.
#[derive(Clone, Debug)]
pub struct Deck {
    /// Ways for each rank and number of cards of it: `rank * SUITS + count - 1`.
    ways: Vec<Vec<Way>>,
}

impl Deck {
    /// The deck without the cards in `held`.
    #[must_use]
    pub fn new(held: CardSet, significant: SignificantSuits) -> Self {
        let held = held.suits();
        let mut ways = Vec::with_capacity(RANKS * SUITS);
        for rank in 0..RANKS {
            let free: Vec<usize> = (0..SUITS).filter(|suit| held[*suit] >> rank & 1 == 0).collect();
            let (kept, merged): (Vec<usize>, Vec<usize>) =
                free.into_iter().partition(|suit| significant.contains(*suit));
            for count in 1..=SUITS {
                ways.push(ways_of_rank(rank, count, &kept, merged.len()));
            }
        }
        Self { ways }
    }

    /// Calls `found` with every way to lay the ranks of `board` on suits, and its weight: the number of real boards
    /// that differ only in suits that do not matter, a product of binomials. A board that is not in the deck is laid
    /// in no way.
    #[inline]
    pub fn lay(&self, board: &[RankCount], found: &mut impl FnMut(BoardSuits, u32)) {
        self.lay_on(board, BoardSuits::EMPTY, 1, found);
    }

    fn lay_on(
        &self,
        board: &[RankCount],
        suits: BoardSuits,
        weight: u32,
        found: &mut impl FnMut(BoardSuits, u32),
    ) {
        let Some((held, others)) = board.split_first() else {
            return found(suits, weight);
        };
        let ways = &self.ways[usize::from(held.rank) * SUITS + usize::from(held.count) - 1];
        for way in ways {
            let (suits, weight) = (BoardSuits(suits.0 + way.suited), weight * way.weight);
            // The last rank makes most of the boards: it is worth a call less.
            if others.is_empty() {
                found(suits, weight);
            } else {
                self.lay_on(others, suits, weight, found);
            }
        }
    }
}

/// Every choice of `count` cards of a rank from the suits in `kept`, which are told apart, and `merged` more, which
/// are not.
fn ways_of_rank(rank: usize, count: usize, kept: &[usize], merged: usize) -> Vec<Way> {
    let mut ways = Vec::new();
    for subset in 0u32..1 << kept.len() {
        let chosen = subset.count_ones() as usize;
        if chosen > count {
            continue;
        }
        let weight = binomial(merged, count - chosen);
        if weight > 0 {
            let chosen = kept.iter().enumerate().filter(|(place, _)| subset >> place & 1 == 1);
            let suited = chosen.fold(0, |suited, (_, suit)| {
                suited + ((1 << rank | 1 << RANKS) << (LANE * *suit as u32))
            });
            ways.push(Way { suited, weight });
        }
    }
    ways
}

fn binomial(n: usize, k: usize) -> u32 {
    if k > n { 0 } else { (0..k).fold(1, |product, i| product * (n - i) as u32 / (i as u32 + 1)) }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use fulldeck_cards::{Card, parse_cards};

    use super::super::Procedure;
    use super::*;

    fn cards(text: &str) -> CardSet {
        parse_cards(text).expect("cards").into_iter().collect()
    }

    fn laid(deck: &Deck) -> (u64, u64) {
        let (mut boards, mut weights) = (0, 0);
        for board in rank_boards() {
            deck.lay(&board, &mut |_, weight| {
                boards += 1;
                weights += u64::from(weight);
            });
        }
        (boards, weights)
    }

    fn significant(a: &str, b: &str) -> SignificantSuits {
        SignificantSuits::of(cards(a), cards(b))
    }

    #[test]
    fn a_full_deck_has_the_known_number_of_boards_in_each_procedure() {
        let cases = [
            (Procedure::Ranks, significant("AsKhQdJc", "2s3h4d5c"), 6175),
            // A set of j ranks in the suit and a multiset of 5 - j others, none more than three times.
            (Procedure::OneSuit, significant("AsKsQdJc", "2s3h4d5c"), 101_608),
            // The same with two suits, and others at most twice: the coefficient of x^5 in (1 + 3x + 4x^2 + ...)^13.
            (Procedure::TwoSuits, significant("AsKsQdJc", "2s3h4d5d"), two_suit_boards()),
            (Procedure::AllSuits, SignificantSuits::ALL, 2_598_960),
        ];
        for (procedure, significant, boards) in cases {
            assert_eq!(significant.procedure(), procedure);
            let deck = Deck::new(CardSet::EMPTY, significant);
            assert_eq!(laid(&deck), (boards, 2_598_960), "{procedure:?}");
        }
    }

    /// Of each rank a subset of two suits and up to two others: 1, 3, 4, 3, 1 ways for 0 to 4 cards.
    fn two_suit_boards() -> u64 {
        let ways = [1u64, 3, 4, 3, 1];
        let mut totals = [1u64, 0, 0, 0, 0, 0];
        for _ in 0..RANKS {
            totals = std::array::from_fn(|cards| {
                (0..=cards.min(SUITS)).map(|count| totals[cards - count] * ways[count]).sum()
            });
        }
        totals[BOARD_CARDS]
    }

    #[test]
    fn weights_add_up_to_all_boards_of_the_rest() {
        let cases = [
            ("AsKh", "AdKc", 1_712_304),
            ("AsKhQdJc", "AhKs4d5c", 1_086_008),
            ("AsAhKsKd", "2s3h4d5c", 1_086_008),
            ("AsAhAdAc", "KsKhKdKc", 1_086_008),
            ("AsKsQdJc", "AhQh4h5d", 1_086_008),
            ("AsKsQdJd", "2s3h4h5c", 1_086_008),
            ("AsKsQdJdTh", "2s3h4h5c9c", 850_668),
            ("AsKhQdJcTs", "2s3h4d5c9s", 850_668),
            ("AsKsQdJdTh9h", "2s3h4h5c6c7c", 658_008),
            ("AsKsQsJsTs9s", "8s7s6s5s4s3s", 658_008),
        ];
        for (a, b, boards) in cases {
            let (a, b) = (cards(a), cards(b));
            let deck = Deck::new(a.union(b), SignificantSuits::of(a, b));
            assert_eq!(laid(&deck).1, boards, "{a} {b}");
        }
    }

    #[test]
    fn every_weight_is_the_number_of_real_boards_behind() {
        // A short deck: only deuces to sevens are left, less two.
        let held: CardSet = Card::all()
            .filter(|card| card.rank.index() > 5)
            .chain(parse_cards("2s3h").expect("cards"))
            .collect();
        let significant = significant("AsKsQdJc", "2s3h4d5d");
        let deck = Deck::new(held, significant);
        let mut found = HashMap::new();
        for (index, board) in rank_boards().iter().enumerate() {
            deck.lay(board, &mut |suits, weight| {
                assert_eq!(found.insert((index, suits.ranks(0), suits.ranks(2)), weight), None);
            });
        }
        let left: Vec<Card> = Card::all().filter(|card| !held.contains(*card)).collect();
        let multisets = RankMultisets::new(BOARD_CARDS);
        let mut real: HashMap<_, u32> = HashMap::new();
        for chosen in 0u32..1 << left.len() {
            if chosen.count_ones() == BOARD_CARDS as u32 {
                let cards = left.iter().enumerate().filter(|(place, _)| chosen >> place & 1 == 1);
                let board: CardSet = cards.map(|(_, card)| *card).collect();
                let suits = board.suits();
                *real.entry((multisets.index_of_hand(board), suits[0], suits[2])).or_default() += 1;
            }
        }
        assert_eq!(found, real);
    }

    #[test]
    fn a_flush_is_seen_from_three_cards_on() {
        let deck = Deck::new(CardSet::EMPTY, SignificantSuits::ALL);
        let board: Vec<_> = [0, 3, 5, 8, 12].map(|rank| RankCount { rank, count: 1 }).to_vec();
        let mut flushes = [0; BOARD_CARDS + 1];
        deck.lay(&board, &mut |suits, _| {
            let most = (0..SUITS).max_by_key(|suit| suits.ranks(*suit).count_ones()).unwrap();
            let ranks = suits.ranks(most);
            assert_eq!(suits.flush(), (ranks.count_ones() >= 3).then_some((most, ranks)));
            flushes[ranks.count_ones() as usize] += 1;
        });
        assert_eq!(flushes, [0, 0, 600, 360, 60, 4]);
    }
}
