//! Hands that are one group.

use crate::cards::{Hand, Rank, RankSet};
use crate::moves::Kind;

/// What the whole hand is, if it is one group: the tests of the articles, in their order.
#[must_use]
pub fn whole(hand: Hand) -> Option<(Kind, Rank)> {
    let cards = hand.len();
    let ranks = hand.ranks();
    let lowest = ranks.lowest()?;
    let (pairs, trios, fours) = (hand.exactly(2), hand.exactly(3), hand.at_least(4));
    match cards {
        1 => return Some((Kind::Solo, lowest)),
        2 if ranks.len() == 1 => return Some((Kind::Pair, lowest)),
        2 if hand == Hand::ROCKET => return Some((Kind::Rocket, Rank::BIG_JOKER)),
        3 if ranks.len() == 1 => return Some((Kind::Trio, lowest)),
        4 if !fours.is_empty() => return Some((Kind::Bomb, lowest)),
        4 if !trios.is_empty() => return Some((Kind::TrioSolo, trios.lowest()?)),
        5 if !trios.is_empty() && !pairs.is_empty() => {
            return Some((Kind::TrioPair, trios.lowest()?));
        }
        6 if !fours.is_empty() => return Some((Kind::QuadSolos, fours.lowest()?)),
        8 if fours.len() == 1 && pairs.len() == 2 => {
            return Some((Kind::QuadPairs, fours.lowest()?));
        }
        0..5 => return None,
        _ => {}
    }
    chain(hand, lowest).or_else(|| plane(hand, cards))
}

fn chain(hand: Hand, lowest: Rank) -> Option<(Kind, Rank)> {
    let (ranks, each) = (hand.ranks(), hand.count(lowest));
    let (kind, shortest) = match each {
        1 => (Kind::SoloChain, 5),
        2 => (Kind::PairChain, 3),
        3 => (Kind::TrioChain, 2),
        _ => return None,
    };
    let run = RankSet::CHAIN.includes(ranks) && ranks == RankSet::run(lowest, ranks.len());
    let even = run && hand == ranks.times(each) && ranks.len() >= shortest;
    even.then_some((kind, ranks.highest()?))
}

/// Planes by the first run of triples alone: 333 and then 666777888 with wings is not seen.
fn plane(hand: Hand, cards: u32) -> Option<(Kind, Rank)> {
    let top = |run: RankSet| -> Option<(u32, Rank)> {
        let lowest = run.lowest()?;
        let length = run.run_length(lowest);
        Some((length, Rank::new(lowest.index() + length as usize - 1)))
    };
    let long = hand.at_least(3).and(RankSet::CHAIN);
    if cards >= 8
        && let Some((length, top)) = top(long)
        && 4 * length == cards
    {
        return Some((Kind::PlaneSolo, top));
    }
    let (length, top) = top(hand.exactly(3).and(RankSet::CHAIN))?;
    // Triples elsewhere are no pairs, a four is two.
    let pairs = hand.exactly(2).len() + 2 * hand.at_least(4).len();
    (cards >= 10 && 5 * length == cards && pairs == length).then_some((Kind::PlanePair, top))
}
