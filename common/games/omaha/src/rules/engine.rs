//! The engine: hands, boards and weights to exact counts.

use std::cmp::Ordering;

use fulldeck_cards::{Card, CardSet, Cluster, SUITS};
use fulldeck_eval::Strength;

use super::boards::{Deck, RankCount, rank_boards};
use super::error::{RulesError, check_disjoint};
use super::strengths::{HandStrengths, StrengthTables};
use super::{SignificantSuits, variants};
use crate::Outcome;

const BOARD_CARDS: usize = 5;
const FLOP_CARDS: usize = 3;
const FLUSH_BOARD_CARDS: u32 = 3;

/// The reference engine for one game.
#[derive(Clone, Debug)]
pub struct Rules {
    cards: usize,
    tables: StrengthTables,
    boards: Vec<Vec<RankCount>>,
}

impl Rules {
    /// For hands of `cards` hole cards: 2 is hold'em, 4, 5 and 6 are Omaha. Takes a few milliseconds.
    ///
    /// # Panics
    /// For any other number.
    #[must_use]
    pub fn new(cards: usize) -> Self {
        assert!([2, 4, 5, 6].contains(&cards), "hands have two, four, five or six cards");
        Self { cards, tables: StrengthTables::new(cards), boards: rank_boards() }
    }

    /// Hole cards of a hand.
    #[must_use]
    pub const fn cards(&self) -> usize {
        self.cards
    }

    /// Hand `a` against hand `b` over all boards of the other cards.
    ///
    /// # Errors
    /// [`RulesError`] if a hand has the wrong size or both have the same card.
    pub fn matchup(&self, a: CardSet, b: CardSet) -> Result<Outcome, RulesError> {
        self.check(a, b)?;
        let strengths = [a, b].map(|hand| self.strengths(hand));
        let first = Side { hand: a, strengths: &strengths[0] };
        let second = Side { hand: b, strengths: &strengths[1] };
        Ok(self.all_boards(first, second, SignificantSuits::of(a, b)))
    }

    /// Hand `a` against hand `b` over all boards that contain `board`, a flop, turn or river.
    ///
    /// # Errors
    /// [`RulesError`] if a hand or the board has the wrong size, or a card is in two places.
    pub fn matchup_on(
        &self,
        a: CardSet,
        b: CardSet,
        board: CardSet,
    ) -> Result<Outcome, RulesError> {
        self.check(a, b)?;
        if !(FLOP_CARDS..=BOARD_CARDS).contains(&board.len()) {
            return Err(RulesError::BoardSize { board, found: board.len() });
        }
        check_disjoint(a, board)?;
        check_disjoint(b, board)?;
        let strengths = [a, b].map(|hand| self.strengths(hand));
        let first = Side { hand: a, strengths: &strengths[0] };
        let second = Side { hand: b, strengths: &strengths[1] };
        let held = a.union(b).union(board);
        let left: Vec<Card> = Card::all().filter(|card| !held.contains(*card)).collect();
        let mut outcome = Outcome::default();
        self.complete(board, &left, &mut |board| {
            count(&mut outcome, self.strength(first, board).cmp(&self.strength(second, board)), 1);
        });
        Ok(outcome)
    }

    /// Cell of the matrix: the representative of `a` against every hand of `b` that has no card of it. How many such
    /// hands there are, and the outcomes of all of them together.
    ///
    /// # Panics
    /// If the clusters are of another game.
    #[must_use]
    pub fn cell(&self, a: &Cluster, b: &Cluster) -> (u32, Outcome) {
        let a = a.representative();
        assert_eq!(a.len(), self.cards, "cards of the first cluster's hands");
        assert_eq!(b.representative().len(), self.cards, "cards of the second cluster's hands");
        let variants = variants(a, b);
        if variants.is_empty() {
            return (0, Outcome::default());
        }
        let (first, second) = (self.strengths(a), self.strengths(b.representative()));
        let first = Side { hand: a, strengths: &first };
        let mut placements = 0;
        let mut outcome = Outcome::default();
        for variant in variants {
            let second = Side { hand: variant.hand, strengths: &second };
            placements += variant.placements;
            outcome +=
                self.all_boards(first, second, variant.significant) * u64::from(variant.placements);
        }
        (placements, outcome)
    }

    fn check(&self, a: CardSet, b: CardSet) -> Result<(), RulesError> {
        for hand in [a, b] {
            if hand.len() != self.cards {
                return Err(RulesError::HandSize { hand, found: hand.len(), wanted: self.cards });
            }
        }
        check_disjoint(a, b)
    }

    fn strengths(&self, hand: CardSet) -> HandStrengths {
        HandStrengths::new(&self.tables, hand)
    }

    /// Lays every rank multiset on the significant suits. Ranks decide once for all layings, except for those with
    /// three or more cards of a significant suit.
    fn all_boards(&self, a: Side<'_>, b: Side<'_>, significant: SignificantSuits) -> Outcome {
        let deck = Deck::new(a.hand.union(b.hand), significant);
        let flushes = [a.strengths.flushes(a.hand), b.strengths.flushes(b.hand)];
        let by_ranks = a.strengths.by_ranks().iter().zip(b.strengths.by_ranks());
        let mut outcome = Outcome::default();
        for (board, (a, b)) in self.boards.iter().zip(by_ranks) {
            let mut unsuited = 0;
            deck.lay(board, &mut |suits, weight| match suits.flush() {
                None => unsuited += u64::from(weight),
                Some((suit, ranks)) => {
                    let ranks = usize::from(ranks);
                    let a = flushes[0][suit][ranks].max(*a);
                    let b = flushes[1][suit][ranks].max(*b);
                    count(&mut outcome, a.cmp(&b), u64::from(weight));
                }
            });
            count(&mut outcome, a.cmp(b), unsuited);
        }
        outcome
    }

    /// Calls `found` with `board` completed in every way by cards of `left`.
    fn complete(&self, board: CardSet, left: &[Card], found: &mut impl FnMut(CardSet)) {
        if board.len() == BOARD_CARDS {
            return found(board);
        }
        for (place, card) in left.iter().enumerate() {
            self.complete(board.with(*card), &left[place + 1..], found);
        }
    }

    fn strength(&self, side: Side<'_>, board: CardSet) -> Strength {
        let flushes = side.strengths.flushes(side.hand);
        let suits = board.suits();
        let flush = (0..SUITS).find(|suit| suits[*suit].count_ones() >= FLUSH_BOARD_CARDS);
        let flush = flush.map(|suit| flushes[suit][usize::from(suits[suit])]);
        let by_ranks = side.strengths.by_ranks()[self.tables.boards().index_of_hand(board)];
        by_ranks.max(flush.unwrap_or(Strength::NONE))
    }
}

/// A hand with the strengths of its cluster.
#[derive(Clone, Copy)]
struct Side<'a> {
    hand: CardSet,
    strengths: &'a HandStrengths,
}

fn count(outcome: &mut Outcome, result: Ordering, boards: u64) {
    match result {
        Ordering::Greater => outcome.win += boards,
        Ordering::Equal => outcome.tie += boards,
        Ordering::Less => outcome.lose += boards,
    }
}

#[cfg(test)]
mod tests {
    use fulldeck_cards::{Clusters, parse_cards};

    use super::*;

    fn cards(text: &str) -> CardSet {
        parse_cards(text).expect("cards").into_iter().collect()
    }

    #[test]
    fn a_river_is_one_board_and_both_sides_see_it_alike() {
        let rules = Rules::new(4);
        let play = |a, b, board| rules.matchup_on(cards(a), cards(b), cards(board));
        let (win, tie) = (Outcome { win: 1, tie: 0, lose: 0 }, Outcome { win: 0, tie: 1, lose: 0 });
        // Four spades on the board: one in hand is not enough, two are.
        assert_eq!(play("AsKhQdJc", "7s4s2h2d", "Ts9s8s3s4d"), Ok(win.swapped()));
        assert_eq!(play("AsKhQdJc", "AdKcQhJh", "2s2h7d7c3s"), Ok(tie));
        let turn = play("AsKsQdJc", "9d9c8h8s", "Ts9s2d9h");
        assert_eq!(turn.map(|outcome| outcome.total()), Ok(40));
        let flop = play("AsKsQdJc", "9d9c8h8s", "Ts9s2d");
        assert_eq!(flop.map(|outcome| outcome.total()), Ok(820));
    }

    #[test]
    fn errors_name_the_card_and_the_size() {
        let rules = Rules::new(4);
        let error = |a, b, board: &str| {
            let (a, b) = (cards(a), cards(b));
            let result = match board {
                "" => rules.matchup(a, b),
                _ => rules.matchup_on(a, b, cards(board)),
            };
            result.expect_err("bad cards").to_string()
        };
        assert_eq!(error("AsKsQs", "2s3s4s5s", ""), "hand AsKsQs has 3 cards, where 4 are needed");
        assert_eq!(
            error("AsKsQsJs", "Qs3s4s5d", ""),
            "Qs is in AsKsQsJs and again in Qs5d4s3s: each card exists once"
        );
        assert_eq!(
            error("AsKsQsJs", "6s3s4s5d", "Ah7d5d"),
            "5d is in 6s5d4s3s and again in Ah7d5d: each card exists once"
        );
        assert_eq!(
            error("AsKsQsJs", "6s3s4s5d", "Ah7d"),
            "board Ah7d has 2 cards, where 3, 4 or 5 are needed"
        );
    }

    #[test]
    fn a_cell_is_the_sum_of_its_hands() {
        let rules = Rules::new(4);
        let clusters = Clusters::new(4);
        let cluster = |text| clusters.cluster(clusters.index_of(cards(text)));
        let (a, b) = (cluster("AsKsQhJh"), cluster("AsTs9h8d"));
        let (hands, outcome) = rules.cell(a, b);
        let mut single = (0, Outcome::default());
        for hand in b.members() {
            if let Ok(matchup) = rules.matchup(a.representative(), hand) {
                single = (single.0 + 1, single.1 + matchup);
            }
        }
        assert_eq!((hands, outcome), single);
        assert_eq!(rules.cell(cluster("AsAhAdAc"), b), (0, Outcome::default()));
    }

    #[test]
    #[should_panic(expected = "cards of the second")]
    fn a_cell_of_another_game_is_refused() {
        let clusters = [Clusters::new(4), Clusters::new(2)];
        let [a, b] = clusters.each_ref().map(|clusters| &clusters.as_slice()[0]);
        let _ = Rules::new(4).cell(a, b);
    }
}
