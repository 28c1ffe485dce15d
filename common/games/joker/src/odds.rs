//! Exact odds of one hole against a random opponent or a given hand, without a table.

use rayon::prelude::*;

use crate::counting::{choose, deal};
use crate::showdown::{BOARD, Cards, KindValues};
use crate::value::Sum;
use crate::{Deck, DeckCard, Evaluator};

/// Exact counts of completions of the board (and opponents' hands) that a hole wins, ties and loses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Odds {
    /// Won.
    pub win: u64,
    /// Split.
    pub tie: u64,
    /// Lost.
    pub lose: u64,
}

impl Odds {
    /// All of them.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.win + self.tie + self.lose
    }

    /// Share of the pot, wins and half the ties over all: exact up to the one division.
    #[must_use]
    pub fn equity(&self) -> f64 {
        (2 * self.win + self.tie) as f64 / (2 * self.total()) as f64
    }

    fn plus(self, [win, tie, lose]: [u64; 3]) -> Self {
        Self { win: self.win + win, tie: self.tie + tie, lose: self.lose + lose }
    }

    /// Both together.
    pub(crate) fn and(self, other: Self) -> Self {
        self.plus([other.win, other.tie, other.lose])
    }
}

/// Why cards are no question for odds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OddsError {
    /// More than five board cards.
    #[error("the board has {0} cards, where 0 to 5 are possible")]
    Board(usize),
    /// Twice the same card, or one that the deck lacks.
    #[error("the cards are not different cards of the deck of {0}")]
    Cards(usize),
}

/// Board cards from which the computing threads share the run-outs.
const SHARED_BELOW: usize = 4;

/// Odds of a hole on a board of none to five cards against every hand that the opponent may hold, over every way the
/// board may be completed.
///
/// Five, four and three board cards take microseconds to milliseconds; none, several seconds: then see
/// [`crate::Preflop`].
///
/// # Errors
/// [`OddsError`] unless hole and board are different cards of the deck, at most five of them the board.
pub fn against_random(
    evaluator: &Evaluator,
    deck: Deck,
    hole: [DeckCard; 2],
    board: &[DeckCard],
) -> Result<Odds, OddsError> {
    let rest = rest(deck, &[&hole, board], board.len())?;
    let judge = |pairs: &mut KindValues<'_>, board: Cards| {
        pairs.judge(board);
        pairs.against_all(hole)
    };
    // The first card to come is shared among the threads.
    if board.len() < SHARED_BELOW {
        return Ok((0..rest.len())
            .into_par_iter()
            .map(|first| {
                let mut pairs = KindValues::new(evaluator, deck);
                let mut odds = Odds::default();
                let start = Cards::of(board.iter().copied()).with(rest[first]);
                let left = BOARD - board.len() - 1;
                each_board(start, left, &rest[first + 1..], &mut |five| {
                    odds = odds.plus(judge(&mut pairs, five));
                });
                odds
            })
            .reduce(Odds::default, Odds::and));
    }
    let mut pairs = KindValues::new(evaluator, deck);
    let mut odds = Odds::default();
    let (start, left) = (Cards::of(board.iter().copied()), BOARD - board.len());
    each_board(start, left, &rest, &mut |five| odds = odds.plus(judge(&mut pairs, five)));
    Ok(odds)
}

/// Odds of a hole against a given hand, over every way the board may be completed.
///
/// # Errors
/// [`OddsError`] as [`against_random`].
pub fn against_hand(
    evaluator: &Evaluator,
    deck: Deck,
    hole: [DeckCard; 2],
    other: [DeckCard; 2],
    board: &[DeckCard],
) -> Result<Odds, OddsError> {
    let rest = rest(deck, &[&hole, &other, board], board.len())?;
    let mut odds = Odds::default();
    let sum = |cards: &[DeckCard]| {
        cards.iter().fold(Sum::default(), |sum, card| sum.plus(Sum::of(*card)))
    };
    let jokers = |cards: &[DeckCard]| cards.iter().filter(|card| card.is_joker()).count();
    let (own, their) = (sum(&hole), sum(&other));
    let mut count = |board: Sum, on_board: usize| {
        let value = |cards: &[DeckCard; 2], sum: Sum| {
            evaluator.judge(BOARD + 2, jokers(cards) + on_board).value(sum.plus(board))
        };
        match value(&hole, own).cmp(&value(&other, their)) {
            std::cmp::Ordering::Greater => odds.win += 1,
            std::cmp::Ordering::Equal => odds.tie += 1,
            std::cmp::Ordering::Less => odds.lose += 1,
        }
    };
    // How many of the jokers come is decided first, so that the natural cards are dealt with a fixed number.
    let (free, natural): (Vec<DeckCard>, Vec<_>) =
        rest.into_iter().partition(|card| card.is_joker());
    let natural: Vec<Sum> = natural.into_iter().map(Sum::of).collect();
    let to_come = BOARD - board.len();
    for come in 0..=free.len().min(to_come) {
        for _ in 0..choose(free.len() as u64, come as u64) {
            let on_board = jokers(board) + come;
            let visit = &mut |sum| count(sum, on_board);
            match to_come - come {
                0 => visit(sum(board)),
                left => deal(&natural, sum(board), left, visit),
            }
        }
    }
    Ok(odds)
}

/// The cards that may still come, if those known are different cards of the deck.
fn rest(deck: Deck, known: &[&[DeckCard]], board: usize) -> Result<Vec<DeckCard>, OddsError> {
    if board > BOARD {
        return Err(OddsError::Board(board));
    }
    let known = known.concat();
    let rest: Vec<_> = deck.cards().filter(|card| !known.contains(card)).collect();
    if rest.len() + known.len() == deck.size() {
        Ok(rest)
    } else {
        Err(OddsError::Cards(deck.size()))
    }
}

/// Every way to complete a board by `left` cards.
fn each_board(board: Cards, left: usize, rest: &[DeckCard], visit: &mut impl FnMut(Cards)) {
    if left == 0 {
        return visit(board);
    }
    for (at, card) in rest.iter().enumerate() {
        each_board(board.with(*card), left - 1, &rest[at + 1..], visit);
    }
}
