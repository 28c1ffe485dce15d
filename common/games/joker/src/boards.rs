//! Boards up to the names of suits and jokers, numbered; and the symmetries that make a board canonical.

use fulldeck_cards::{RANKS, SUITS};

use crate::card::NATURAL;
use crate::{Deck, DeckCard};

const RANK_BITS: u32 = RANKS as u32;

/// New names for the suits, and whether the two jokers change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symmetry {
    /// The new suit of each suit.
    suits: [u8; SUITS],
    swap: bool,
}

impl Symmetry {
    /// Where a card goes.
    pub(crate) fn card(self, card: DeckCard) -> DeckCard {
        let number = card.number() as u8;
        let image = if number < NATURAL {
            let suit = usize::from(number / RANKS as u8);
            self.suits[suit] * RANKS as u8 + number % RANKS as u8
        } else if self.swap {
            2 * NATURAL + 1 - number
        } else {
            number
        };
        DeckCard::new(image).expect("a card goes to a card")
    }
}

/// How many symmetries a deck has.
pub(crate) const fn symmetries(deck: Deck) -> u32 {
    if matches!(deck, Deck::Cards54) { 48 } else { 24 }
}

/// A board with its suits in descending order of their masks; a lone joker is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Board(u64);

impl Board {
    /// The canonical board and a symmetry that leads to it.
    pub(crate) fn of(cards: impl IntoIterator<Item = DeckCard>) -> (Self, Symmetry) {
        let mut masks = [0u16; SUITS];
        let mut jokers = [false; 2];
        for card in cards {
            let number = card.number();
            if card.is_joker() {
                jokers[number - usize::from(NATURAL)] = true;
            } else {
                masks[number / RANKS] |= 1 << (number % RANKS);
            }
        }
        let mut order: [u8; SUITS] = [0, 1, 2, 3];
        // Four elements: insertion sort, stable.
        for end in 1..SUITS {
            let mut at = end;
            while at > 0 && masks[usize::from(order[at - 1])] < masks[usize::from(order[at])] {
                order.swap(at - 1, at);
                at -= 1;
            }
        }
        let mut suits = [0; SUITS];
        let mut key = u64::from(jokers[0]) + u64::from(jokers[1]);
        for (new, old) in (0..).zip(order) {
            suits[usize::from(old)] = new;
            key = key << RANK_BITS | u64::from(masks[usize::from(old)]);
        }
        (Self(key), Symmetry { suits, swap: jokers == [false, true] })
    }

    fn masks(self) -> [u16; SUITS] {
        std::array::from_fn(|suit| {
            (self.0 >> (RANK_BITS * (SUITS - 1 - suit) as u32)) as u16 & ((1 << RANKS) - 1)
        })
    }

    /// Number of jokers on it.
    pub(crate) const fn jokers(self) -> u8 {
        (self.0 >> (RANK_BITS * SUITS as u32)) as u8
    }

    /// Whether a card is on it.
    pub(crate) fn has(self, card: DeckCard) -> bool {
        let number = card.number();
        match number.checked_sub(NATURAL.into()) {
            Some(joker) => joker < usize::from(self.jokers()),
            None => self.masks()[number / RANKS] >> (number % RANKS) & 1 == 1,
        }
    }

    /// Its cards by number.
    pub(crate) fn cards(self) -> impl Iterator<Item = DeckCard> {
        Deck::Cards54.cards().filter(move |card| self.has(*card))
    }

    /// The other cards of the deck, by number.
    pub(crate) fn unseen(self, deck: Deck) -> Vec<DeckCard> {
        deck.cards().filter(|card| !self.has(*card)).collect()
    }

    /// The number of symmetries of the deck that change nothing on the board.
    pub(crate) fn stabilizer_order(self, deck: Deck) -> u32 {
        let masks = self.masks();
        // Equal masks are neighbours: a group of n contributes 1 x 2 x .. x n.
        let (mut order, mut run) = (1, 1);
        for suit in 1..SUITS {
            run = if masks[suit] == masks[suit - 1] { run + 1 } else { 1 };
            order *= run;
        }
        if deck == Deck::Cards54 && self.jokers() != 1 { 2 * order } else { order }
    }
}

/// All canonical boards of a size, in ascending order: by jokers, then by masks.
#[derive(Clone, Debug)]
pub(crate) struct Boards(Vec<Board>);

impl Boards {
    /// The boards of `0..=most` cards, by size.
    pub(crate) fn up_to(most: usize, deck: Deck) -> Vec<Self> {
        let mut all = vec![Self(vec![Board(0)])];
        for size in 0..most {
            let mut larger: Vec<Board> = Vec::new();
            for board in &all[size].0 {
                let with = |card| Board::of(board.cards().chain([card])).0;
                larger.extend(board.unseen(deck).into_iter().map(with));
            }
            larger.sort_unstable();
            larger.dedup();
            all.push(Self(larger));
        }
        all
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn as_slice(&self) -> &[Board] {
        &self.0
    }

    /// The number of a board.
    pub(crate) fn index_of(&self, board: Board) -> usize {
        self.0.binary_search(&board).expect("every canonical board of the size is listed")
    }
}

/// The number of a pair of places, `low < high`.
#[inline]
pub(crate) const fn pair(low: usize, high: usize) -> usize {
    high * (high - 1) / 2 + low
}

/// The number of a pair of different places in any order.
#[inline]
pub(crate) const fn pair_of(a: usize, b: usize) -> usize {
    if a < b { pair(a, b) } else { pair(b, a) }
}

/// Places of a pair.
pub(crate) fn places(pair_number: usize) -> (usize, usize) {
    let mut high = 1;
    while pair(0, high + 1) <= pair_number {
        high += 1;
    }
    (pair_number - pair(0, high), high)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Symmetry {
        /// Changes nothing.
        const IDENTITY: Self = Self { suits: [0, 1, 2, 3], swap: false };

        /// All symmetries of a deck: 24, or 48 where two jokers can change places.
        fn all(deck: Deck) -> Vec<Self> {
            let mut all = Vec::new();
            for code in 0..4u16.pow(4) {
                let suits = std::array::from_fn(|suit| (code >> (2 * suit) & 3) as u8);
                if (0..4).all(|suit| suits.contains(&suit)) {
                    all.push(Self { suits, swap: false });
                    if deck == Deck::Cards54 {
                        all.push(Self { suits, swap: true });
                    }
                }
            }
            all
        }
    }

    impl Board {
        /// The symmetries of the deck that change nothing on the board.
        fn stabilizer(self, deck: Deck) -> Vec<Symmetry> {
            let masks = self.masks();
            let fixes = |symmetry: &Symmetry| {
                let same = |suit: usize| masks[usize::from(symmetry.suits[suit])] == masks[suit];
                (0..SUITS).all(same) && !(symmetry.swap && self.jokers() == 1)
            };
            Symmetry::all(deck).into_iter().filter(fixes).collect()
        }
    }

    #[test]
    fn there_are_as_many_boards_as_known() {
        for (deck, known) in [
            (Deck::Cards52, [1, 13, 169, 1_755, 16_432, 134_459]),
            (Deck::Cards54, [1, 14, 183, 1_937, 18_356, 152_646]),
        ] {
            let boards = Boards::up_to(5, deck);
            assert!(boards.iter().map(Boards::len).eq(known), "{deck}");
            for (cards, boards) in boards.iter().enumerate() {
                // Orbits cover all boards of the deck.
                let orbit =
                    |board: &Board| u64::from(symmetries(deck) / board.stabilizer_order(deck));
                let covered: u64 = boards.0.iter().map(orbit).sum();
                let all = crate::counting::choose(deck.size() as u64, cards as u64);
                // A board with one of two jokers stands for boards with either.
                assert_eq!(covered, all, "{deck} {cards}");
            }
        }
    }

    #[test]
    fn symmetries_make_boards_canonical() {
        for deck in [Deck::Cards53, Deck::Cards54] {
            let boards = Boards::up_to(4, deck);
            let all = Symmetry::all(deck);
            assert_eq!(all.len(), symmetries(deck) as usize);
            for board in boards[4].0.iter().step_by(97) {
                let stabilizer = board.stabilizer(deck);
                assert_eq!(stabilizer.len(), board.stabilizer_order(deck) as usize);
                for symmetry in &all {
                    let (canonical, back) =
                        Board::of(board.cards().map(|card| symmetry.card(card)));
                    assert_eq!(canonical, *board);
                    let round = Board::of(board.cards().map(|card| back.card(symmetry.card(card))));
                    assert_eq!(round, (*board, Symmetry::IDENTITY));
                    let mut same: Vec<_> = board.cards().map(|card| symmetry.card(card)).collect();
                    same.sort_unstable();
                    let fixed = same.into_iter().eq(board.cards());
                    assert_eq!(fixed, stabilizer.contains(symmetry));
                }
            }
        }
    }

    #[test]
    fn pairs_are_numbered_without_gaps() {
        let mut number = 0;
        for high in 1..54 {
            for low in 0..high {
                assert_eq!(pair_of(high, low), number);
                assert_eq!(places(number), (low, high));
                number += 1;
            }
        }
    }
}
