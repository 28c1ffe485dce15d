//! Odds by plain enumeration: every run-out, every opponent's hand, one comparison each. The independent engine of
//! `verify`, and of the task `check`; it shares the evaluator with the tables, but nothing of how they count.

use crate::counting::deal;
use crate::showdown::BOARD;
use crate::value::Sum;
use crate::{Deck, DeckCard, Evaluator, Odds};

const HAND: usize = BOARD + 2;

/// Natural cards as sums, and a number of jokers.
#[derive(Clone, Copy, Debug)]
struct Cards {
    natural: Sum,
    jokers: usize,
}

impl Cards {
    fn of(cards: &[DeckCard]) -> Self {
        Self {
            natural: cards.iter().fold(Sum::default(), |sum, card| sum.plus(Sum::of(*card))),
            jokers: cards.iter().filter(|card| card.is_joker()).count(),
        }
    }
}

/// Odds of a hole on a board of at most five cards. Nothing is shared between run-outs.
pub(crate) fn odds(
    evaluator: &Evaluator,
    deck: Deck,
    hole: [DeckCard; 2],
    board: &[DeckCard],
) -> Odds {
    let mut odds = Odds::default();
    let known = [&hole, board].concat();
    let rest: Vec<_> = deck.cards().filter(|card| !known.contains(card)).collect();
    complete(evaluator, hole, board.to_vec(), &rest, 0, &mut odds);
    odds
}

/// Completes a board with cards from place `from` of the rest on, and adds what comes of it. The rest has every card that
/// is not in the hole; those of the board may be among it.
pub(crate) fn complete(
    evaluator: &Evaluator,
    hole: [DeckCard; 2],
    board: Vec<DeckCard>,
    rest: &[DeckCard],
    from: usize,
    odds: &mut Odds,
) {
    if board.len() == BOARD {
        return showdown(evaluator, hole, &board, rest, odds);
    }
    for at in from..rest.len() {
        let more = [board.as_slice(), &rest[at..=at]].concat();
        complete(evaluator, hole, more, rest, at + 1, odds);
    }
}

/// Meets every opponent on a full board; `rest` has the cards of the board still among it.
fn showdown(
    evaluator: &Evaluator,
    hole: [DeckCard; 2],
    board: &[DeckCard],
    rest: &[DeckCard],
    odds: &mut Odds,
) {
    let (on_board, own) = (Cards::of(board), Cards::of(&hole));
    let own = evaluator
        .judge(HAND, own.jokers + on_board.jokers)
        .value(own.natural.plus(on_board.natural));
    let left: Vec<DeckCard> = rest.iter().copied().filter(|card| !board.contains(card)).collect();
    let natural: Vec<Sum> =
        left.iter().filter(|card| !card.is_joker()).map(|card| Sum::of(*card)).collect();
    let jokers = left.len() - natural.len();
    let mut compare = |value: u16| {
        odds.win += u64::from(own > value);
        odds.tie += u64::from(own == value);
        odds.lose += u64::from(own < value);
    };
    let none = evaluator.judge(HAND, on_board.jokers);
    deal(&natural, on_board.natural, 2, &mut |sum| compare(none.value(sum)));
    for _ in 0..jokers {
        let one = evaluator.judge(HAND, on_board.jokers + 1);
        deal(&natural, on_board.natural, 1, &mut |sum| compare(one.value(sum)));
    }
    if jokers == 2 {
        compare(evaluator.judge(HAND, 2).value(on_board.natural));
    }
}
