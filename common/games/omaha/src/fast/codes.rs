//! Codes that compare hands: on each board, a byte that orders all hands by strength.

use fulldeck_cards::{RANKS, RankMultiset, RankMultisets};
use fulldeck_eval::arch::{Backend, Bytes, FlushCodes};
use fulldeck_eval::lanes::{
    ALL_CHUNKS, CHUNK, CHUNKS, Lanes, ROW_BYTES, STRAIGHT_CHUNKS, STRAIGHTS,
};
use fulldeck_eval::{Strength, Strengths};

const ROW_CHUNKS: usize = ROW_BYTES / CHUNK;

/// Rank codes of pairs of hole cards on every board. A hand's code is the greatest of its pairs' codes: exactly two
/// hole cards play, so at most 91 strengths occur on a board.
pub(crate) struct RankCodes {
    pairs: RankMultisets,
    rows: Vec<Bytes>,
}

impl RankCodes {
    pub(crate) fn new(strengths: &Strengths, lanes: &Lanes) -> Self {
        let pairs = RankMultisets::new(2);
        let boards = strengths.five_ranks();
        let codes: Vec<Vec<i8>> = (0..boards.len())
            .map(|board| board_codes(strengths, &pairs, boards.ranks(board)))
            .collect();
        let mut rows = vec![Bytes([i8::MIN; CHUNK]); pairs.len() * ROW_CHUNKS];
        for (at, board) in lanes.boards().into_iter().enumerate() {
            let Some(ranks) = board else { continue };
            let board = boards.index_of(&ranks).expect("boards hold a rank at most four times");
            for pair in 0..pairs.len() {
                rows[pair * ROW_CHUNKS + at / CHUNK].0[at % CHUNK] = codes[board][pair];
            }
        }
        Self { pairs, rows }
    }

    /// Writes the row of a hand with these ranks.
    pub(crate) fn row(&self, backend: Backend, hand: &RankMultiset, row: &mut Vec<Bytes>) {
        let ranks: Vec<u8> = (0..RANKS as u8).filter(|rank| hand[usize::from(*rank)] > 0).collect();
        let mut pairs: Vec<&[Bytes]> = Vec::with_capacity(15);
        for (i, low) in ranks.iter().enumerate() {
            for high in &ranks[i..] {
                if low != high || hand[usize::from(*low)] >= 2 {
                    let pair = self.pairs.index_of(&[*low, *high]).expect("two ranks make a pair");
                    pairs.push(&self.rows[pair * ROW_CHUNKS..][..ROW_CHUNKS]);
                }
            }
        }
        row.resize(ROW_CHUNKS, Bytes::default());
        backend.maximum(&pairs, row);
    }
}

/// Codes of all pairs on one board: below zero, ascending, without a full house; from zero up with one.
fn board_codes(strengths: &Strengths, pairs: &RankMultisets, board: &[u8]) -> Vec<i8> {
    let best: Vec<Strength> =
        (0..pairs.len()).map(|pair| best_of(strengths, pairs.ranks(pair), board)).collect();
    let mut distinct = best.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let full = distinct.partition_point(|strength| *strength < strengths.weakest_full_house());
    best.iter()
        .map(|strength| {
            let position = distinct.binary_search(strength).expect("taken from the same list");
            if position < full { i8::MIN + position as i8 } else { (position - full) as i8 }
        })
        .collect()
}

/// Best non-flush strength of two hole cards with three of the five board cards.
fn best_of(strengths: &Strengths, pair: &[u8], board: &[u8]) -> Strength {
    let mut best = Strength::NONE;
    for out in 0..5 {
        for other in out + 1..5 {
            let mut five = [pair[0], pair[1], 0, 0, 0];
            let mut at = 2;
            for (position, rank) in board.iter().enumerate() {
                if position != out && position != other {
                    five[at] = *rank;
                    at += 1;
                }
            }
            five.sort_unstable();
            // A rank five times over is no board that can meet this hand.
            if five[0] != five[4] {
                best = best.max(strengths.of_ranks(&five));
            }
        }
    }
    best
}

/// Flush codes of every set of ranks that a hand may hold in one suit.
pub(crate) struct FlushTable {
    codes: Vec<FlushCodes>,
    index: Vec<u16>,
}

impl FlushTable {
    pub(crate) fn new(strengths: &Strengths, lanes: &Lanes, cards: usize) -> Self {
        let straight_flush = STRAIGHTS
            .iter()
            .map(|mask| strengths.of_flush(*mask))
            .min()
            .expect("there are ten straights");
        let pairs: Vec<u16> = (0..1u16 << RANKS).filter(|mask| mask.count_ones() == 2).collect();
        // Code of each pair on each lane, and from which code on the flush is straight.
        let mut lane_codes = vec![(vec![0i8; pairs.len()], i8::MAX); ALL_CHUNKS * CHUNK];
        let mut sets = vec![None; ALL_CHUNKS * CHUNK];
        let mut first = 0;
        for (index, chunks) in CHUNKS.into_iter().enumerate() {
            for (lane, set) in lanes.sets[index].iter().enumerate() {
                sets[first + lane] = Some(*set);
                let best: Vec<Strength> =
                    pairs.iter().map(|pair| best_flush(strengths, *pair, *set)).collect();
                let mut distinct: Vec<_> =
                    best.iter().copied().filter(|strength| *strength > Strength::NONE).collect();
                distinct.sort_unstable();
                distinct.dedup();
                let (codes, straight) = &mut lane_codes[first + lane];
                for (code, strength) in codes.iter_mut().zip(&best) {
                    *code = distinct.partition_point(|lower| lower <= strength) as i8;
                }
                *straight = 1 + distinct.partition_point(|lower| *lower < straight_flush) as i8;
            }
            first += chunks * CHUNK;
        }
        let mut index = vec![u16::MAX; 1 << RANKS];
        let mut codes = Vec::new();
        for held in (0..1u16 << RANKS).filter(|mask| mask.count_ones() as usize <= cards) {
            index[usize::from(held)] = codes.len() as u16;
            let own: Vec<usize> =
                (0..pairs.len()).filter(|pair| pairs[*pair] & !held == 0).collect();
            codes.push(flush_codes(held, &own, &sets, &lane_codes));
        }
        Self { codes, index }
    }

    /// Codes of the ranks `held` in the suit: at most as many as the hand has cards.
    pub(crate) fn codes(&self, held: u16) -> &FlushCodes {
        &self.codes[usize::from(self.index[usize::from(held)])]
    }
}

fn flush_codes(
    held: u16,
    own: &[usize],
    sets: &[Option<u16>],
    lane_codes: &[(Vec<i8>, i8)],
) -> FlushCodes {
    let mut codes = FlushCodes {
        low: [Bytes::default(); ALL_CHUNKS],
        high: [Bytes::default(); ALL_CHUNKS],
        straight: [Bytes::default(); STRAIGHT_CHUNKS[0] + STRAIGHT_CHUNKS[1]],
        any_straight: false,
    };
    for (lane, set) in sets.iter().enumerate() {
        let (chunk, at) = (lane / CHUNK, lane % CHUNK);
        // Lanes without a set are blocked like sets of which a card is held.
        if set.is_none_or(|set| set & held != 0) {
            codes.high[chunk].0[at] = i8::MAX;
            continue;
        }
        let (pair_codes, straight) = &lane_codes[lane];
        let code = own.iter().map(|pair| pair_codes[*pair]).max().unwrap_or(0);
        codes.low[chunk].0[at] = code;
        codes.high[chunk].0[at] = code;
        let place = match chunk {
            chunk if chunk < STRAIGHT_CHUNKS[0] => Some(chunk),
            chunk if (CHUNKS[0]..CHUNKS[0] + STRAIGHT_CHUNKS[1]).contains(&chunk) => {
                Some(STRAIGHT_CHUNKS[0] + chunk - CHUNKS[0])
            }
            // A straight flush with five suited board cards leaves no full house to overrule.
            _ => None,
        };
        if let Some(place) = place
            && code >= *straight
        {
            codes.straight[place].0[at] = -1;
            codes.any_straight = true;
        }
    }
    codes
}

/// Best flush of two suited hole cards with three of the suited board cards.
fn best_flush(strengths: &Strengths, pair: u16, set: u16) -> Strength {
    if pair & set != 0 {
        return Strength::NONE;
    }
    let mut best = Strength::NONE;
    let mut three = set;
    // All submasks of the set, largest first.
    while three > 0 {
        if three.count_ones() == 3 {
            best = best.max(strengths.of_flush(pair | three));
        }
        three = (three - 1) & set;
    }
    best
}
