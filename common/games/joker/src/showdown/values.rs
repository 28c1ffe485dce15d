//! What every pair of kinds is worth on a full board.

use fulldeck_cards::{RANKS, SUITS};

use super::kinds::Kinds;
use super::{BOARD, Cards, opponents};
use crate::value::RANK_KEYS;
use crate::{Deck, DeckCard, Evaluator};

/// Ranks and the joker, padded.
const RANK_PLACES: usize = 16;
const JOKER_PLACE: usize = RANKS;

/// A kind of which cards are left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Live {
    pub(crate) kind: u8,
    /// Cards left.
    pub(crate) left: u8,
    /// Rank, or the place of the joker.
    rank: u8,
}

/// The values of all pairs of kinds with cards left, board after board.
#[derive(Clone, Debug)]
pub(crate) struct KindValues<'a> {
    evaluator: &'a Evaluator,
    deck: Deck,
    kinds: Kinds,
    live: Vec<Live>,
    /// By pair of places in `live`, low <= high.
    values: Vec<u16>,
}

impl<'a> KindValues<'a> {
    pub(crate) fn new(evaluator: &'a Evaluator, deck: Deck) -> Self {
        let kinds = Kinds::of(Cards::default());
        Self { evaluator, deck, kinds, live: Vec::new(), values: Vec::new() }
    }

    pub(crate) const fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// The kinds with cards left, ascending.
    pub(crate) fn live(&self) -> &[Live] {
        &self.live
    }

    /// Values of the pairs of live kinds: those with the second, each with itself last. The pair of a kind with itself has
    /// a value even if only one card is left.
    pub(crate) fn values(&self) -> &[u16] {
        &self.values
    }

    /// Judges every pair with this board.
    pub(crate) fn judge(&mut self, board: Cards) {
        self.kinds = Kinds::of(board);
        let left = self.kinds.left(self.deck, board);
        self.live.clear();
        for (kind, left) in
            left[..self.kinds.len()].iter().enumerate().filter(|(_, left)| **left > 0)
        {
            let rank = if kind == self.kinds.joker() { JOKER_PLACE } else { kind % RANKS };
            self.live.push(Live { kind: kind as u8, left: *left, rank: rank as u8 });
        }
        let by_ranks = self.by_ranks(board);
        self.values.clear();
        for (high, second) in self.live.iter().enumerate() {
            let row = &by_ranks[usize::from(second.rank) % RANK_PLACES];
            let value = |first: &Live| row[usize::from(first.rank) % RANK_PLACES];
            self.values.extend(self.live[..=high].iter().map(value));
        }
        for suit in (0..SUITS).filter(|suit| board.flush_possible(*suit)) {
            self.raise_flushes(board, suit);
        }
    }

    /// Values of pairs of ranks when suits are forgotten; 0 where the deck has no such pair left.
    fn by_ranks(&self, board: Cards) -> [[u16; RANK_PLACES]; RANK_PLACES] {
        let mut left = [SUITS as u8; RANKS];
        for suit in 0..SUITS {
            let mask = board.mask(suit);
            left.iter_mut().enumerate().for_each(|(rank, left)| *left -= (mask >> rank & 1) as u8);
        }
        let key = board.natural.key();
        let mut values = [[0; RANK_PLACES]; RANK_PLACES];
        let natural = self.evaluator.judge(BOARD + 2, board.jokers);
        for low in (0..RANKS).filter(|rank| left[*rank] > 0) {
            let key = key + RANK_KEYS[low];
            for high in (low..RANKS).filter(|rank| left[*rank] > 0) {
                if low < high || left[low] > 1 {
                    let value = natural.ranks(key + RANK_KEYS[high]);
                    values[low][high] = value;
                    values[high][low] = value;
                }
            }
        }
        let free = usize::from(self.deck.jokers()) - board.jokers;
        if free > 0 {
            let with_joker = self.evaluator.judge(BOARD + 2, board.jokers + 1);
            for rank in (0..RANKS).filter(|rank| left[*rank] > 0) {
                let value = with_joker.ranks(key + RANK_KEYS[rank]);
                values[rank][JOKER_PLACE] = value;
                values[JOKER_PLACE][rank] = value;
            }
        }
        if free > 1 {
            values[JOKER_PLACE][JOKER_PLACE] = self.evaluator.judge(BOARD + 2, 2).ranks(key);
        }
        values
    }

    /// Raises the pairs that make a flush of the suit with the board.
    fn raise_flushes(&mut self, board: Cards, suit: usize) {
        let mask = board.mask(suit);
        let missing = BOARD.saturating_sub(board.jokers + mask.count_ones() as usize);
        // Bit in the suit, and jokers, of each live kind.
        let part = |live: &Live| {
            let kind = usize::from(live.kind);
            let bit = if self.kinds.suit(kind) == Some(suit) { 1u16 << live.rank } else { 0 };
            (bit, usize::from(kind == self.kinds.joker()))
        };
        let helps = |(bit, joker): (u16, usize)| bit != 0 || joker != 0;
        let parts: Vec<_> = self.live.iter().map(part).collect();
        let helpers: Vec<usize> = (0..parts.len()).filter(|at| helps(parts[*at])).collect();
        let all: Vec<usize> = (0..parts.len()).collect();
        let firsts = if missing > 0 { &helpers } else { &all };
        let seconds = if missing > 1 { &helpers } else { &all };
        for first in firsts {
            let (first_bit, first_joker) = parts[*first];
            for second in seconds {
                let (second_bit, second_joker) = parts[*second];
                // The pair of a kind with itself, when only one card is left, is no pair; its value does not matter.
                let jokers = board.jokers + first_joker + second_joker;
                if jokers <= 2 {
                    let flush = self.evaluator.flush(jokers, mask | first_bit | second_bit);
                    let value = &mut self.values[super::kinds::kind_pair_of(*first, *second)];
                    *value = flush.max(*value);
                }
            }
        }
    }

    /// Against how many opponents' hands a hole wins, ties and loses on the board that was judged last.
    pub(crate) fn against_all(&self, hole: [DeckCard; 2]) -> [u64; 3] {
        let place = |card: DeckCard| {
            let kind = self.kinds.of_card(card);
            let found = self.live.iter().position(|live| usize::from(live.kind) == kind);
            found.expect("hole cards are not on the board")
        };
        let (a, b) = (place(hole[0]), place(hole[1]));
        let own = self.values[super::kinds::kind_pair_of(a, b)];
        let mut left = [0u32; Kinds::MOST];
        left.iter_mut().zip(&self.live).for_each(|(left, live)| *left = live.left.into());
        left[a] -= 1;
        left[b] -= 1;
        let (mut win, mut tie) = (0, 0);
        let mut count = |value: u16, pairs: u32| {
            win += if value < own { pairs } else { 0 };
            tie += if value == own { pairs } else { 0 };
        };
        let mut values = self.values.iter();
        for high in 0..self.live.len() {
            let of_high = left[high];
            for (low, value) in left[..high].iter().zip(values.by_ref()) {
                count(*value, low * of_high);
            }
            if let Some(value) = values.next() {
                count(*value, of_high * of_high.saturating_sub(1) / 2);
            }
        }
        let all = opponents(self.deck);
        [u64::from(win), u64::from(tie), u64::from(all - win - tie)]
    }
}
