//! Every choice of chains among the ranks three to ace.

use super::rest::{MAX_PLANES, Plane, Planes};
use crate::cards::{Hand, Rank, RankSet};

/// A choice of chains: what it costs and what it leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// Cards of three to ace that are in no chain.
    pub(super) rest: Hand,
    /// Chains of cards and of pairs: one group each.
    pub(super) groups: u8,
    triples: [RankSet; MAX_PLANES],
    planes: usize,
}

/// Start and length of the chain that was chosen before: the next may not come earlier.
type After = (usize, u32);

impl Choice {
    /// No chain.
    const fn none(cards: Hand) -> Self {
        Self { rest: cards, groups: 0, triples: [RankSet::EMPTY; MAX_PLANES], planes: 0 }
    }

    /// The runs of triples, sorted, with what is left over of their own ranks.
    pub(super) fn planes(&self) -> Planes {
        let mut planes = Planes::default();
        for (plane, ranks) in planes.iter_mut().zip(&self.triples[..self.planes]) {
            let own = self.rest.ranks().and(*ranks).len();
            *plane = Plane { length: ranks.len() as u8, own: own as u8 };
        }
        planes.sort_unstable();
        planes
    }

    /// Whether there are no runs of triples.
    pub(super) const fn has_no_planes(&self) -> bool {
        self.planes == 0
    }
}

/// Calls `visit` with every set of chains of these cards, all of three to ace.
pub(super) fn visit_choices(cards: Hand, visit: &mut impl FnMut(&Choice)) {
    triples(Choice::none(cards), 0, visit);
}

fn triples(choice: Choice, from: usize, visit: &mut impl FnMut(&Choice)) {
    pairs(choice, (0, 0), visit);
    let enough = choice.rest.at_least(3);
    for start in enough.starts(2).iter().filter(|start| start.index() >= from) {
        for length in 2..=enough.run_length(start) {
            let ranks = RankSet::run(start, length);
            let mut next = choice;
            next.rest -= ranks.times(3);
            next.triples[choice.planes] = ranks;
            next.planes += 1;
            triples(next, start.index() + length as usize, visit);
        }
    }
}

fn pairs(choice: Choice, after: After, visit: &mut impl FnMut(&Choice)) {
    cards(choice, (0, 0), visit);
    let enough = choice.rest.at_least(2);
    for (start, length) in chains(enough, 3, after) {
        pairs(choice.with(start, length, 2), (start.index(), length), visit);
    }
}

fn cards(choice: Choice, after: After, visit: &mut impl FnMut(&Choice)) {
    visit(&choice);
    let enough = choice.rest.ranks();
    for (start, length) in chains(enough, 5, after) {
        // The same chain twice is a chain of pairs, one group fewer: hence the longer length.
        cards(choice.with(start, length, 1), (start.index(), length + 1), visit);
    }
}

/// Chains of at least `shortest` ranks, by start and length, none before `after`.
fn chains(enough: RankSet, shortest: u32, after: After) -> impl Iterator<Item = (Rank, u32)> {
    let starts = enough.starts(shortest).iter().filter(move |start| start.index() >= after.0);
    starts.flat_map(move |start| {
        let shortest = if start.index() == after.0 { shortest.max(after.1) } else { shortest };
        (shortest..=enough.run_length(start)).map(move |length| (start, length))
    })
}

impl Choice {
    fn with(mut self, start: Rank, length: u32, each: u32) -> Self {
        self.rest -= RankSet::run(start, length).times(each);
        self.groups += 1;
        self
    }
}
