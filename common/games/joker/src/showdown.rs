//! One full board: what every pair of hole cards is worth on it, and against how many others it wins and ties.

use fulldeck_cards::RANKS;

use crate::boards::pair;
use crate::card::{CARDS, NATURAL};
use crate::value::{RANK_KEYS, Sum};
use crate::{Deck, DeckCard, Evaluator};

/// Cards on a full board.
pub(crate) const BOARD: usize = 5;
/// Places for ranks in a table: thirteen ranks and the joker, padded.
const RANK_PLACES: usize = 16;
/// The place of the joker.
const JOKER_PLACE: usize = RANKS;
/// More than any value.
const VALUES: usize = 7_476;
/// Most unseen cards on a full board.
const MAX_UNSEEN: usize = CARDS - BOARD;

/// Number of opponents' hands that each pair meets on a full board.
pub(crate) const fn opponents(deck: Deck) -> u32 {
    let left = (deck.size() - BOARD - 2) as u32;
    left * (left - 1) / 2
}

/// Against how many opponents' hands a pair wins and ties; it loses against the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Won {
    pub(crate) win: u16,
    pub(crate) tie: u16,
}

/// The values of all pairs of unseen cards on one board, by pair number; reused from board to board.
#[derive(Clone, Debug)]
pub(crate) struct PairValues {
    deck: Deck,
    /// Unseen cards by number.
    unseen: Vec<DeckCard>,
    values: Vec<u16>,
}

impl PairValues {
    pub(crate) fn new(deck: Deck) -> Self {
        Self { deck, unseen: Vec::with_capacity(MAX_UNSEEN), values: Vec::new() }
    }

    pub(crate) fn unseen(&self) -> &[DeckCard] {
        &self.unseen
    }

    pub(crate) fn values(&self) -> &[u16] {
        &self.values
    }

    /// Judges every pair with this board.
    pub(crate) fn judge(&mut self, evaluator: &Evaluator, board: [DeckCard; BOARD]) {
        self.unseen.clear();
        self.unseen.extend(self.deck.cards().filter(|card| !board.contains(card)));
        let jokers = board.iter().filter(|card| card.is_joker()).count();
        let sum = board.iter().fold(Sum::default(), |sum, card| sum.plus(Sum::of(*card)));
        self.judge_ranks(evaluator, &board, sum, jokers);
        for suit in 0..4u8 {
            let mask = sum.mask(suit.into());
            let missing = BOARD as i32 - jokers as i32 - mask.count_ones() as i32;
            if missing <= 2 {
                self.judge_flush(evaluator, suit, mask, jokers, missing);
            }
        }
    }

    /// As if suits did not matter: one judgement for each pair of ranks.
    fn judge_ranks(
        &mut self,
        evaluator: &Evaluator,
        board: &[DeckCard; BOARD],
        sum: Sum,
        jokers: usize,
    ) {
        let mut left = [4u8; RANKS];
        for card in board.iter().filter(|card| !card.is_joker()) {
            left[card.number() % RANKS] -= 1;
        }
        let mut by_ranks = [[0u16; RANK_PLACES]; RANK_PLACES];
        let natural = evaluator.judge(BOARD + 2, jokers);
        for low in 0..RANKS {
            for high in low..RANKS {
                let needed = if low == high { 2 } else { 1 };
                if left[low] >= needed && left[high] >= needed {
                    let value = natural.ranks(sum.key() + RANK_KEYS[low] + RANK_KEYS[high]);
                    by_ranks[low][high] = value;
                    by_ranks[high][low] = value;
                }
            }
        }
        let free = usize::from(self.deck.jokers()) - jokers;
        if free >= 1 {
            let with_joker = evaluator.judge(BOARD + 2, jokers + 1);
            for rank in (0..RANKS).filter(|rank| left[*rank] > 0) {
                let value = with_joker.ranks(sum.key() + RANK_KEYS[rank]);
                by_ranks[rank][JOKER_PLACE] = value;
                by_ranks[JOKER_PLACE][rank] = value;
            }
        }
        if free >= 2 {
            by_ranks[JOKER_PLACE][JOKER_PLACE] = evaluator.judge(BOARD + 2, 2).ranks(sum.key());
        }
        let mut ranks = [0u8; MAX_UNSEEN];
        for (rank, card) in ranks.iter_mut().zip(&self.unseen) {
            *rank = if card.is_joker() { JOKER_PLACE } else { card.number() % RANKS } as u8;
        }
        let ranks = &ranks[..self.unseen.len()];
        self.values.clear();
        for (high, rank) in ranks.iter().enumerate() {
            let row = &by_ranks[usize::from(*rank) % RANK_PLACES];
            let worth = |other: &u8| row[usize::from(*other) % RANK_PLACES];
            self.values.extend(ranks[..high].iter().map(worth));
        }
    }

    /// Raises the pairs that make a flush of a suit with the board; `missing` cards of the suit or jokers, at most two.
    fn judge_flush(
        &mut self,
        evaluator: &Evaluator,
        suit: u8,
        mask: u16,
        jokers: usize,
        missing: i32,
    ) {
        let suit_of = |card: &DeckCard| card.number() / RANKS;
        let bit = |card: &DeckCard| {
            if suit_of(card) == usize::from(suit) { 1u16 << (card.number() % RANKS) } else { 0 }
        };
        let part: Vec<(usize, u16, usize)> = self
            .unseen
            .iter()
            .enumerate()
            .map(|(place, card)| (place, bit(card), usize::from(card.is_joker())))
            .collect();
        let helps = |card: &(usize, u16, usize)| card.1 != 0 || card.2 != 0;
        let helpers: Vec<_> = part.iter().copied().filter(helps).collect();
        let firsts = if missing > 0 { &helpers } else { &part };
        let seconds = if missing > 1 { &helpers } else { &part };
        for (first, first_bit, first_joker) in firsts {
            for (second, second_bit, second_joker) in seconds {
                if first != second {
                    let flush = evaluator
                        .flush(jokers + first_joker + second_joker, mask | first_bit | second_bit);
                    let value = &mut self.values[crate::boards::pair_of(*first, *second)];
                    *value = flush.max(*value);
                }
            }
        }
    }
}

/// Against how many opponents every pair wins and ties, on one board after another.
///
/// Pairs are visited from the worst value up. `below` counts the pairs of worse value, `below_with` those of them that
/// hold a given card: a pair (a, b) beats all that are below and hold neither a nor b. The pairs of its own value are
/// counted in the same way; the pair itself has been subtracted twice, hence the one.
pub(crate) struct Sweep<'a> {
    evaluator: &'a Evaluator,
    pairs: PairValues,
    /// Places of each pair.
    places: Vec<(u8, u8)>,
    /// By value: how many pairs, then where the next of them goes.
    counts: Vec<u16>,
    /// Pair numbers by value.
    order: Vec<u16>,
    /// Where the pairs of each occurring value end in `order`.
    ends: Vec<u16>,
    won: Vec<Won>,
}

impl<'a> Sweep<'a> {
    pub(crate) fn new(evaluator: &'a Evaluator, deck: Deck) -> Self {
        let unseen = deck.size() - BOARD;
        let places: Vec<_> =
            (0..unseen as u8).flat_map(|high| (0..high).map(move |low| (low, high))).collect();
        let pairs = places.len();
        Self {
            evaluator,
            pairs: PairValues::new(deck),
            places,
            counts: vec![0; VALUES],
            order: vec![0; pairs],
            ends: Vec::with_capacity(pairs),
            won: vec![Won::default(); pairs],
        }
    }

    /// The counts of every pair of unseen cards on this board, by pair number.
    pub(crate) fn board(&mut self, board: [DeckCard; BOARD]) -> &[Won] {
        self.pairs.judge(self.evaluator, board);
        self.sort();
        self.compare();
        &self.won
    }

    /// Unseen cards of the last board, by number.
    pub(crate) fn unseen(&self) -> &[DeckCard] {
        self.pairs.unseen()
    }

    /// Counting sort of the pairs by value.
    fn sort(&mut self) {
        let mut occurring = [0u64; VALUES.div_ceil(64)];
        for value in self.pairs.values() {
            self.counts[usize::from(*value)] += 1;
            occurring[usize::from(value / 64)] |= 1 << (value % 64);
        }
        self.ends.clear();
        let mut end = 0;
        for (word, bits) in occurring.iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                let count = &mut self.counts[64 * word + bits.trailing_zeros() as usize];
                let start = end;
                end += *count;
                *count = start;
                self.ends.push(end);
                bits &= bits - 1;
            }
        }
        for (pair, value) in (0..).zip(self.pairs.values()) {
            let next = &mut self.counts[usize::from(*value)];
            self.order[usize::from(*next)] = pair;
            *next += 1;
        }
        for value in self.pairs.values() {
            self.counts[usize::from(*value)] = 0;
        }
    }

    fn compare(&mut self) {
        let mut below_with = [0u16; 64];
        let mut start = 0u16;
        for end in &self.ends {
            let group = &self.order[usize::from(start)..usize::from(*end)];
            let mut same_with = [0u16; 64];
            for pair in group {
                let (a, b) = self.places[usize::from(*pair)];
                same_with[usize::from(a % 64)] += 1;
                same_with[usize::from(b % 64)] += 1;
            }
            let same = end - start;
            for pair in group {
                let (a, b) = self.places[usize::from(*pair)];
                let (a, b) = (usize::from(a % 64), usize::from(b % 64));
                self.won[usize::from(*pair)] = Won {
                    win: start - below_with[a] - below_with[b],
                    tie: same + 1 - same_with[a] - same_with[b],
                };
            }
            for (below, same) in below_with.iter_mut().zip(same_with) {
                *below += same;
            }
            start = *end;
        }
    }
}

/// Against how many opponents' hands one hole wins, ties and loses on a full board: by value only, no order needed.
pub(crate) fn against_all(pairs: &PairValues, hole: [DeckCard; 2]) -> [u64; 3] {
    let place = |card: DeckCard| pairs.unseen().iter().position(|unseen| *unseen == card);
    let [Some(a), Some(b)] = hole.map(place) else {
        unreachable!("hole cards are not on the board")
    };
    let (a, b) = (a.min(b), a.max(b));
    let values = pairs.values();
    let own = values[pair(a, b)];
    let (mut win, mut tie) = (0u32, 0u32);
    let mut count = |values: &[u16]| {
        let (mut below, mut same) = (0u16, 0u16);
        for value in values {
            below += u16::from(*value < own);
            same += u16::from(*value == own);
        }
        win += u32::from(below);
        tie += u32::from(same);
    };
    for high in (1..pairs.unseen().len()).filter(|high| *high != a && *high != b) {
        let row = &values[pair(0, high)..pair(0, high) + high];
        for (from, to) in [(0, a), (a + 1, b), (b + 1, high)] {
            count(&row[from.min(high)..to.min(high).max(from.min(high))]);
        }
    }
    let all = opponents(pairs.deck);
    [u64::from(win), u64::from(tie), u64::from(all - win - tie)]
}

const _: () = assert!(NATURAL as usize + 2 == CARDS && MAX_UNSEEN <= 64);
