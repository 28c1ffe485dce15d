//! The plain twin: every board of the real deck, every choice of cards that the game allows, and a judge of five cards
//! that looks at nothing but the cards. Shares no table and no rule with the crate.

use fulldeck_cards::{Card, CardSet};
use fulldeck_omaha::Outcome;

/// Rank from 2 to 14 and suit from 0 to 3.
type Plain = (u8, u8);

fn plain(cards: CardSet) -> Vec<Plain> {
    cards.iter().map(|card| (card.rank.index() as u8 + 2, card.suit.index() as u8)).collect()
}

/// Hand `a` against hand `b` on every board that contains `known`.
pub(crate) fn matchup(a: CardSet, b: CardSet, known: CardSet) -> Outcome {
    let held = a.union(b).union(known);
    let left = plain(Card::all().filter(|card| !held.contains(*card)).collect());
    let (a, b, mut board) = (plain(a), plain(b), plain(known));
    let mut outcome = Outcome::default();
    complete(&mut board, &left, &mut |board| {
        let (a, b) = (best(&a, board), best(&b, board));
        outcome.win += u64::from(a > b);
        outcome.tie += u64::from(a == b);
        outcome.lose += u64::from(a < b);
    });
    outcome
}

fn complete(board: &mut Vec<Plain>, left: &[Plain], found: &mut impl FnMut(&[Plain])) {
    if board.len() == 5 {
        return found(board);
    }
    for (place, card) in left.iter().enumerate() {
        board.push(*card);
        complete(board, &left[place + 1..], found);
        board.pop();
    }
}

/// Two hole cards are hold'em: any five of the seven. Otherwise exactly two of the hand and three of the board.
fn best(hole: &[Plain], board: &[Plain]) -> u32 {
    let mut best = 0;
    if hole.len() == 2 {
        let all = [hole, board].concat();
        for i in 0..7 {
            for j in i + 1..7 {
                let mut five = [(0, 0); 5];
                let others = (0..7).filter(|place| *place != i && *place != j);
                for (place, other) in five.iter_mut().zip(others) {
                    *place = all[other];
                }
                best = best.max(judge(five));
            }
        }
        return best;
    }
    for (i, first) in hole.iter().enumerate() {
        for second in &hole[i + 1..] {
            for x in 0..5 {
                for y in x + 1..5 {
                    for z in y + 1..5 {
                        best = best.max(judge([*first, *second, board[x], board[y], board[z]]));
                    }
                }
            }
        }
    }
    best
}

/// A number that is larger for the better hand and equal for equal ones: category, then the ranks in the order in
/// which they break ties, a hexadecimal digit each.
fn judge(cards: [Plain; 5]) -> u32 {
    let suited = cards.iter().all(|card| card.1 == cards[0].1);
    let mut ranks = cards.map(|card| card.0);
    ranks.sort_unstable_by(|a, b| b.cmp(a));
    let [a, b, c, d, e] = ranks;
    let worth = |category: u32, order: [u8; 5]| {
        order.iter().fold(category, |worth, rank| worth << 4 | u32::from(*rank))
    };
    let straight = a > b && b > c && c > d && d > e && (a - e == 4 || ranks == [14, 5, 4, 3, 2]);
    if straight {
        // In the wheel the ace is the lowest card.
        let top = if (a, b) == (14, 5) { 5 } else { a };
        return worth(if suited { 8 } else { 4 }, [top, 0, 0, 0, 0]);
    }
    if suited {
        return worth(5, ranks);
    }
    // Equal ranks stand together in the sorted five: the pattern of equal neighbours is the category.
    match (a == b, b == c, c == d, d == e) {
        (true, true, true, false) => worth(7, [a, e, 0, 0, 0]),
        (false, true, true, true) => worth(7, [e, a, 0, 0, 0]),
        (true, true, false, true) => worth(6, [a, e, 0, 0, 0]),
        (true, false, true, true) => worth(6, [e, a, 0, 0, 0]),
        (true, true, false, false) => worth(3, [a, d, e, 0, 0]),
        (false, true, true, false) => worth(3, [b, a, e, 0, 0]),
        (false, false, true, true) => worth(3, [c, a, b, 0, 0]),
        (true, false, true, false) => worth(2, [a, c, e, 0, 0]),
        (true, false, false, true) => worth(2, [a, d, c, 0, 0]),
        (false, true, false, true) => worth(2, [b, d, a, 0, 0]),
        (true, false, false, false) => worth(1, [a, c, d, e, 0]),
        (false, true, false, false) => worth(1, [b, a, d, e, 0]),
        (false, false, true, false) => worth(1, [c, a, b, e, 0]),
        (false, false, false, true) => worth(1, [d, a, b, c, 0]),
        (false, false, false, false) => worth(0, ranks),
        (true, true, true, true) => unreachable!("a rank exists four times"),
    }
}
