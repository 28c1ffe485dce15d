//! The stage of four board cards, board by board, straight from the full boards.
//!
//! The last card may be any of 48 to 50, but cards of one rank in suits of which no flush can come give the same full
//! board as far as any hand is concerned: they are swept once. Counts are added up by pairs of kinds, for all full boards
//! on which the cards have the same kinds, and dealt out to the pairs of cards once, at the end; what a last card has
//! added to the pairs that hold it is taken back.

use fulldeck_cards::{RANKS, SUITS};

use crate::boards::{Board, pair_of};
use crate::showdown::{Cards, Kinds, Sweep, Won, kind_pair_of};
use crate::{Deck, DeckCard, Evaluator};

/// Computes rows of the stage, one after another.
pub(crate) struct Turns<'a> {
    deck: Deck,
    sweep: Sweep<'a>,
    /// By [`Kinds::id`]: the sums over full boards with these kinds, if there was one.
    sums: Vec<Option<(Kinds, Vec<Won>)>>,
}

impl<'a> Turns<'a> {
    pub(crate) fn new(evaluator: &'a Evaluator, deck: Deck) -> Self {
        Self { deck, sweep: Sweep::new(evaluator, deck), sums: vec![None; 1 << SUITS] }
    }

    /// Appends the counts of every pair beside a board of four cards, by pair number.
    pub(crate) fn row(&mut self, board: Board, row: &mut Vec<Won>) {
        let unseen = board.unseen(self.deck);
        let on_board = Cards::of(board.cards());
        self.sums.fill(None);
        // What is to be taken back, by pair number.
        let mut blocked = vec![Won::default(); unseen.len() * (unseen.len() - 1) / 2];
        for alike in alike(on_board, &unseen) {
            let (kinds, won) = self.sweep.board(on_board.with(alike[0]));
            let (_, sums) = self.sums[kinds.id()]
                .get_or_insert_with(|| (kinds, vec![Won::default(); won.len()]));
            let times = alike.len() as u32;
            for (sum, won) in sums.iter_mut().zip(won) {
                *sum = sum.plus(won.times(times));
            }
            for last in &alike {
                let kind = kinds.of_card(*last);
                let at = place(&unseen, *last);
                for (other, card) in unseen.iter().enumerate().filter(|(other, _)| *other != at) {
                    let won = won[kind_pair_of(kind, kinds.of_card(*card))];
                    let blocked = &mut blocked[pair_of(at, other)];
                    *blocked = blocked.plus(won);
                }
            }
        }
        let start = row.len();
        row.resize(start + blocked.len(), Won::default());
        for (kinds, sums) in self.sums.iter().flatten() {
            let of_card: Vec<usize> = unseen.iter().map(|card| kinds.of_card(*card)).collect();
            let mut row = row[start..].iter_mut();
            for (at, high) in of_card.iter().enumerate() {
                for (low, won) in of_card[..at].iter().zip(row.by_ref()) {
                    *won = won.plus(sums[kind_pair_of(*low, *high)]);
                }
            }
        }
        for (won, blocked) in row[start..].iter_mut().zip(blocked) {
            *won = won.minus(blocked);
        }
    }
}

fn place(unseen: &[DeckCard], card: DeckCard) -> usize {
    unseen.binary_search(&card).expect("the last card is not on the board")
}

/// All last cards, in groups of those that give the same full board.
fn alike(board: Cards, unseen: &[DeckCard]) -> Vec<Vec<DeckCard>> {
    let mut groups: Vec<Vec<DeckCard>> = Vec::with_capacity(unseen.len());
    // By rank, and of the jokers: the group of those that make no flush possible.
    let mut quiet = [None; RANKS + 1];
    for card in unseen {
        let (suit, rank) = (card.number() / RANKS, card.number() % RANKS);
        let alone = suit < SUITS && board.with(*card).flush_possible(suit);
        let place = if card.is_joker() { RANKS } else { rank };
        match quiet[place].filter(|_| !alone) {
            Some(group) => {
                let group: &mut Vec<_> = &mut groups[group];
                group.push(*card);
            }
            None => {
                if !alone {
                    quiet[place] = Some(groups.len());
                }
                groups.push(vec![*card]);
            }
        }
    }
    groups
}
