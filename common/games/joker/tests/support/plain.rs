//! The definition itself: every legal card for every joker, every five cards, compared as a person would. Shares no code
//! and no table with the crate.

use fulldeck_joker::{DeckCard, Rule};

/// Category and ranks in order of importance: compares like the hand.
pub(crate) type Worth = (u8, [u8; 5]);

const STRAIGHT_FLUSH: u8 = 8;
const FIVE_OF_A_KIND: u8 = 9;

/// Rank 0 to 12 and suit of a natural card.
type Plain = (u8, u8);

fn plain(card: &DeckCard) -> Option<Plain> {
    card.natural().map(|card| (card.rank.index() as u8, card.suit.index() as u8))
}

/// What five to seven cards are worth.
pub(crate) fn worth(cards: &[DeckCard], rule: Rule) -> Worth {
    let natural: Vec<Plain> = cards.iter().filter_map(plain).collect();
    let jokers = cards.len() - natural.len();
    let best = best_with(&natural, jokers, (0, 0));
    if rule == Rule::Wild { with_five_of_a_kind(cards, best) } else { best }
}

/// What cards are worth when jokers also complete five of a kind, given what they are worth when they do not.
pub(crate) fn with_five_of_a_kind(cards: &[DeckCard], distinct: Worth) -> Worth {
    let jokers = cards.iter().filter(|card| card.is_joker()).count();
    let fives = (0..13).filter(|rank| {
        let held = cards.iter().filter_map(plain).filter(|card| card.0 == *rank).count();
        jokers > 0 && held + jokers >= 5
    });
    fives.map(|rank| (FIVE_OF_A_KIND, [rank; 5])).max().unwrap_or(distinct)
}

/// Lets the jokers become all different cards that are not held, from `from` on.
fn best_with(held: &[Plain], jokers: usize, from: Plain) -> Worth {
    if jokers == 0 {
        return best_five(held);
    }
    let mut more = [(0, 0); 7];
    more[..held.len()].copy_from_slice(held);
    let mut best = (0, [0; 5]);
    for rank in 0..13 {
        for suit in 0..4 {
            let card = (rank, suit);
            if card >= from && !held.contains(&card) {
                more[held.len()] = card;
                best = best.max(best_with(&more[..=held.len()], jokers - 1, card));
            }
        }
    }
    best
}

/// The best of all fives.
fn best_five(cards: &[Plain]) -> Worth {
    let fives = (0..1u32 << cards.len()).filter(|chosen| chosen.count_ones() == 5);
    let worth = fives.map(|chosen| {
        let mut five = [(0, 0); 5];
        let kept = (0..cards.len()).filter(|at| chosen >> at & 1 == 1);
        five.iter_mut().zip(kept).for_each(|(place, at)| *place = cards[at]);
        worth_of_five(five)
    });
    worth.max().expect("at least five cards")
}

fn worth_of_five(cards: [Plain; 5]) -> Worth {
    let count = |rank: u8| cards.iter().filter(|card| card.0 == rank).count();
    let mut ranks = cards.map(|card| card.0);
    ranks.sort_unstable_by_key(|rank| (count(*rank), *rank));
    ranks.reverse();
    let shape = ranks.map(count);
    let flush = cards.iter().all(|card| card.1 == cards[0].1);
    let mut straight = shape[0] == 1 && ranks[0] == ranks[4] + 4;
    if ranks == [12, 3, 2, 1, 0] {
        straight = true;
        ranks = [3, 2, 1, 0, 0];
    }
    let category = match (shape, straight, flush) {
        (_, true, true) => STRAIGHT_FLUSH,
        ([4, ..], ..) => 7,
        ([3, 3, 3, 2, 2], ..) => 6,
        (_, _, true) => 5,
        (_, true, _) => 4,
        ([3, ..], ..) => 3,
        ([2, 2, 2, 2, _], ..) => 2,
        ([2, ..], ..) => 1,
        _ => 0,
    };
    (category, ranks)
}

/// Win, tie and lose by all opponents and all run-outs, hand by hand.
pub(crate) fn odds(
    hole: &[DeckCard],
    board: &[DeckCard],
    deck: fulldeck_joker::Deck,
    worth: &dyn Fn(&[DeckCard]) -> u16,
) -> [u64; 3] {
    let mut counts = [0; 3];
    run_out(hole, &mut board.to_vec(), 0, deck, worth, &mut counts);
    counts
}

fn run_out(
    hole: &[DeckCard],
    board: &mut Vec<DeckCard>,
    from: u8,
    deck: fulldeck_joker::Deck,
    worth: &dyn Fn(&[DeckCard]) -> u16,
    counts: &mut [u64; 3],
) {
    let rest: Vec<DeckCard> =
        deck.cards().filter(|card| !hole.contains(card) && !board.contains(card)).collect();
    if board.len() < 5 {
        for card in rest.into_iter().filter(|card| card.number() >= from.into()) {
            board.push(card);
            run_out(hole, board, card.number() as u8 + 1, deck, worth, counts);
            board.pop();
        }
        return;
    }
    let with = |two: &[DeckCard]| worth(&[two, board.as_slice()].concat());
    let own = with(hole);
    for (at, first) in rest.iter().enumerate() {
        for second in &rest[at + 1..] {
            let other = with(&[*first, *second]);
            let outcome = match own.cmp(&other) {
                std::cmp::Ordering::Greater => 0,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Less => 2,
            };
            counts[outcome] += 1;
        }
    }
}
