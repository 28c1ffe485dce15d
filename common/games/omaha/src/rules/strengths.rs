//! Strength of a hand on every board, split in two: by ranks alone, and by the flush suit alone.
//!
//! The better of the two is the hand's strength, because a straight flush is found in the suit and everything else
//! that is not a flush is found in the ranks. Both depend on few things, so a hand needs two small tables instead of
//! an evaluation for each of a million boards.

use fulldeck_cards::{CardSet, RANKS, RankMultisets, SUITS};
use fulldeck_eval::{Strength, Strengths};

use super::significant::HOLDEM_CARDS;

/// Rank masks of one suit.
const MASKS: usize = 1 << RANKS;
const BOARD_CARDS: usize = 5;
/// Fewest board cards of a suit that allow a flush.
const FLUSH_BOARD_CARDS: u32 = 3;

/// How many ways to take three, and four, of five cards.
const THREES: usize = 10;
const FOURS: usize = 5;

/// What does not depend on a hand: strength of any two, or one, hole cards with any three, or four, of the board.
#[derive(Clone, Debug)]
pub(super) struct StrengthTables {
    holdem: bool,
    strengths: Strengths,
    pairs: RankMultisets,
    triples: RankMultisets,
    /// By pair and triple of ranks.
    two_and_three: Vec<Strength>,
    /// The triples in each board.
    threes_of: Vec<[u16; THREES]>,
    quadruples: RankMultisets,
    /// By rank and quadruple of ranks.
    one_and_four: Vec<Strength>,
    /// The quadruples in each board.
    fours_of: Vec<[u16; FOURS]>,
    /// Best flush among five or more ranks of a suit.
    best_flush: Vec<Strength>,
}

impl StrengthTables {
    /// For hands of `cards` cards.
    pub(super) fn new(cards: usize) -> Self {
        let strengths = Strengths::new();
        let (pairs, triples) = (RankMultisets::new(2), RankMultisets::new(3));
        let quadruples = RankMultisets::new(4);
        let boards = strengths.five_ranks();
        let threes_of = (0..boards.len()).map(|b| subsets(boards.ranks(b), &triples)).collect();
        let fours_of = (0..boards.len()).map(|b| subsets(boards.ranks(b), &quadruples)).collect();
        let two_and_three = together(&strengths, &pairs, &triples);
        let one_and_four = together(&strengths, &RankMultisets::new(1), &quadruples);
        let most = (BOARD_CARDS + cards) as u32;
        let best_flush = best_of_suit(most, |mask, fewer| match mask.count_ones() {
            5 => strengths.of_flush(mask),
            _ => fewer,
        });
        Self {
            holdem: cards == HOLDEM_CARDS,
            strengths,
            pairs,
            triples,
            two_and_three,
            threes_of,
            quadruples,
            one_and_four,
            fours_of,
            best_flush,
        }
    }

    /// The 6,175 rank multisets of boards, by which [`HandStrengths::by_ranks`] is indexed.
    pub(super) const fn boards(&self) -> &RankMultisets {
        self.strengths.five_ranks()
    }

    /// Best strength without a flush of a hand with these ranks, on each rank multiset of a board.
    fn by_ranks(&self, hand: CardSet) -> Vec<Strength> {
        let counts = hand.rank_counts();
        let held = |pair: &[u8]| {
            if pair[0] == pair[1] {
                counts[usize::from(pair[0])] > 1
            } else {
                pair.iter().all(|rank| counts[usize::from(*rank)] > 0)
            }
        };
        let rows = (0..self.pairs.len()).filter(|pair| held(self.pairs.ranks(*pair)));
        let with_two = best_row(&self.two_and_three, self.triples.len(), rows);
        let best = |of: &[u16], with: &[Strength]| {
            of.iter().map(|subset| with[usize::from(*subset)]).max().unwrap_or(Strength::NONE)
        };
        let omaha = self.threes_of.iter().map(|threes| best(threes, &with_two));
        if !self.holdem {
            return omaha.collect();
        }
        let rows = (0..RANKS).filter(|rank| counts[*rank] > 0);
        let with_one = best_row(&self.one_and_four, self.quadruples.len(), rows);
        let boards = self.boards();
        let mut ranks = [0; BOARD_CARDS];
        let fewer = self.fours_of.iter().enumerate().map(|(board, fours)| {
            ranks.copy_from_slice(boards.ranks(board));
            best(fours, &with_one).max(self.strengths.of_ranks(&ranks))
        });
        omaha.zip(fewer).map(|(two, fewer)| two.max(fewer)).collect()
    }

    /// Best flush of a hand that holds the ranks `hole` of a suit, by the board's ranks in it.
    fn flushes(&self, hole: u16) -> Vec<Strength> {
        let most = BOARD_CARDS as u32;
        if self.holdem {
            return best_of_suit(most, |board, _| self.best_flush[usize::from(board | hole)]);
        }
        let pairs: Vec<u16> =
            (0..MASKS as u16).filter(|two| two & hole == *two && two.count_ones() == 2).collect();
        // Exactly two hole cards: with three on the board all of them play, with more the best three do.
        best_of_suit(most, |board, fewer| match board.count_ones() {
            FLUSH_BOARD_CARDS => {
                let flushes = pairs.iter().map(|two| self.strengths.of_flush(board | two));
                flushes.max().unwrap_or(Strength::NONE)
            }
            _ => fewer,
        })
    }
}

/// Tabulates over the sets of three to `most` ranks; `strength` gets a set and the best of its subsets with one rank
/// less.
fn best_of_suit(most: u32, strength: impl Fn(u16, Strength) -> Strength) -> Vec<Strength> {
    let mut best = vec![Strength::NONE; MASKS];
    for mask in 0..MASKS as u16 {
        if (FLUSH_BOARD_CARDS..=most).contains(&mask.count_ones()) {
            // Subsets are smaller numbers: they are known already.
            let mut fewer = Strength::NONE;
            let mut left = mask;
            while left != 0 {
                fewer = fewer.max(best[usize::from(mask & !(left & left.wrapping_neg()))]);
                left &= left - 1;
            }
            best[usize::from(mask)] = strength(mask, fewer);
        }
    }
    best
}

/// Strength of every multiset of the first kind with every one of the second; five cards in all. What would take five
/// cards of a rank is no hand.
fn together(strengths: &Strengths, first: &RankMultisets, second: &RankMultisets) -> Vec<Strength> {
    let mut table = Vec::with_capacity(first.len() * second.len());
    let mut ranks = [0; BOARD_CARDS];
    for a in 0..first.len() {
        for b in 0..second.len() {
            ranks[..first.size()].copy_from_slice(first.ranks(a));
            ranks[first.size()..].copy_from_slice(second.ranks(b));
            ranks.sort_unstable();
            let possible = ranks[0] != ranks[BOARD_CARDS - 1];
            table.push(if possible { strengths.of_ranks(&ranks) } else { Strength::NONE });
        }
    }
    table
}

/// The best of some rows of a table, column by column.
fn best_row(
    table: &[Strength],
    columns: usize,
    rows: impl Iterator<Item = usize>,
) -> Vec<Strength> {
    let mut best = vec![Strength::NONE; columns];
    for row in rows {
        for (best, strength) in best.iter_mut().zip(&table[row * columns..][..columns]) {
            *best = (*best).max(*strength);
        }
    }
    best
}

/// Indices of all `WAYS` sub-multisets of a board that have the size of `of`, repetitions included.
fn subsets<const WAYS: usize>(board: &[u8], of: &RankMultisets) -> [u16; WAYS] {
    let choices =
        (0u32..1 << board.len()).filter(|choice| choice.count_ones() as usize == of.size());
    let mut indices = [0; WAYS];
    for (index, choice) in indices.iter_mut().zip(choices) {
        let chosen = board.iter().enumerate().filter(|(place, _)| choice >> place & 1 == 1);
        let ranks: Vec<u8> = chosen.map(|(_, rank)| *rank).collect();
        *index = of.index_of(&ranks).expect("four of five cards are never five of a rank") as u16;
    }
    indices
}

/// Strength of one hand, or of any hand of its cluster, on all boards.
#[derive(Clone, Debug)]
pub(super) struct HandStrengths {
    by_ranks: Vec<Strength>,
    /// For each different set of ranks that it holds of a suit, the best flush by the board's ranks in that suit.
    flushes: Vec<(u16, Vec<Strength>)>,
}

impl HandStrengths {
    pub(super) fn new(tables: &StrengthTables, hand: CardSet) -> Self {
        let mut masks = hand.suits().to_vec();
        masks.sort_unstable();
        masks.dedup();
        let flushes = masks.into_iter().map(|mask| (mask, tables.flushes(mask))).collect();
        Self { by_ranks: tables.by_ranks(hand), flushes }
    }

    /// Best strength without a flush, for each rank multiset of the board.
    pub(super) fn by_ranks(&self) -> &[Strength] {
        &self.by_ranks
    }

    /// For each suit of `hand`, which must be of this cluster, the best flush by the board's ranks in the suit;
    /// [`Strength::NONE`] where there is none.
    pub(super) fn flushes(&self, hand: CardSet) -> [&[Strength]; SUITS] {
        hand.suits().map(|mask| {
            let found = self.flushes.iter().find(|(known, _)| *known == mask);
            found
                .map(|(_, flushes)| flushes.as_slice())
                .expect("hands of a cluster hold the same masks")
        })
    }
}

#[cfg(test)]
mod tests {
    use fulldeck_cards::{Rank, parse_hand};

    use super::*;

    fn ranks(text: &str) -> u16 {
        text.chars().fold(0, |mask, letter| mask | 1 << Rank::from_letter(letter).unwrap().index())
    }

    #[test]
    fn a_holdem_suit_plays_with_two_one_or_no_hole_cards() {
        let tables = StrengthTables::new(2);
        let flush = |hole, board| tables.flushes(ranks(hole))[usize::from(ranks(board))];
        let of = |five| tables.strengths.of_flush(ranks(five));
        assert_eq!(flush("A2", "KQJ"), of("AKQJ2"));
        assert_eq!(flush("A", "KQJ"), Strength::NONE);
        assert_eq!(flush("9", "KQJT"), of("KQJT9"));
        assert_eq!(flush("", "KQJT"), Strength::NONE);
        assert_eq!(flush("", "KQJT2"), of("KQJT2"));
        assert_eq!(flush("43", "KQJT2"), of("KQJT4"));
        assert_eq!(flush("A9", "KQJT2"), Strength::BEST);
    }

    #[test]
    fn an_omaha_suit_plays_with_exactly_two_hole_cards() {
        let tables = StrengthTables::new(4);
        let flush = |hole, board| tables.flushes(ranks(hole))[usize::from(ranks(board))];
        let of = |five| tables.strengths.of_flush(ranks(five));
        assert_eq!(flush("A432", "KQJ"), of("AKQJ4"));
        assert_eq!(flush("A", "KQJT9"), Strength::NONE);
        assert_eq!(flush("32", "AKQJT"), of("AKQ32"));
        assert_eq!(flush("32", "AK654"), of("65432"));
    }

    #[test]
    fn ranks_play_by_the_rules_of_each_game() {
        let board: [u8; 5] = [0, 1, 2, 3, 12];
        let on_wheel = |text: &str| {
            let hand = parse_hand(text, &[2, 4]).unwrap();
            let tables = StrengthTables::new(hand.len());
            let strengths = HandStrengths::new(&tables, hand);
            let index = tables.boards().index_of(&board).unwrap();
            (strengths.by_ranks()[index], tables.strengths)
        };
        let (holdem, strengths) = on_wheel("KsQh");
        assert_eq!(holdem, strengths.of_ranks(&board));
        let (omaha, strengths) = on_wheel("KsQhJd9c");
        assert_eq!(omaha, strengths.of_ranks(&[2, 3, 10, 11, 12]));
        let (omaha, strengths) = on_wheel("6s5h9d9c");
        assert_eq!(omaha, strengths.of_ranks(&[0, 1, 2, 3, 4]));
    }

    #[test]
    fn hands_of_a_cluster_share_strengths() {
        let tables = StrengthTables::new(4);
        let hand = parse_hand("AsKsQhJd", &[4]).unwrap();
        let strengths = HandStrengths::new(&tables, hand);
        let moved = parse_hand("AcKcQsJd", &[4]).unwrap();
        assert_eq!(strengths.flushes(moved)[3], strengths.flushes(hand)[0]);
        let suited = strengths.flushes(hand).map(|flushes| flushes.iter().max().copied());
        assert_eq!(suited.map(|best| best == Some(Strength::NONE)), [false, true, true, true]);
    }
}
