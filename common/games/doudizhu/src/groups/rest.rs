//! What is left once the chains are chosen: ranks no longer matter, only how many have how many cards.

use std::collections::HashMap;

/// Cards without chains: ranks counted by their number of cards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Rest {
    /// `ranks[c]`: how many ranks have c cards; those without are not counted.
    pub(super) ranks: [u8; 5],
    pub(super) jokers: u8,
}

/// A run of triples that may take wings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Plane {
    /// Its ranks: 2 to 6.
    pub(super) length: u8,
    /// Fourth cards of its own ranks, left over: they may not be its wings.
    pub(super) own: u8,
}

/// Most planes that 20 cards hold.
pub(super) const MAX_PLANES: usize = 3;

/// Up to three planes, sorted; those without length are not there.
pub(super) type Planes = [Plane; MAX_PLANES];

/// Longest plane with single cards as wings, and with pairs.
const LONGEST: (u8, u8) = (5, 4);
/// Most wings of one rank.
const MOST_ALIKE: usize = 3;

/// Fewest groups of planes and rests, with a memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Rests(HashMap<(Planes, Rest), u8>);

impl Rest {
    fn is_empty(self) -> bool {
        self.ranks[1..] == [0; 4] && self.jokers == 0
    }

    /// With one rank of `from` cards having `less` cards less, if there is one.
    fn take(mut self, from: usize, less: usize) -> Option<Self> {
        self.ranks[from] = self.ranks[from].checked_sub(1)?;
        self.ranks[from - less] += 1;
        self.ranks[0] = 0;
        Some(self)
    }

    /// Every way to take `less` cards of one rank.
    fn takes(self, less: usize) -> impl Iterator<Item = Self> {
        (less..5).filter_map(move |from| self.take(from, less))
    }

    /// Every way to take a card, a joker among them.
    fn singles(self) -> impl Iterator<Item = Self> {
        let joker = (self.jokers > 0).then(|| Self { jokers: self.jokers - 1, ..self });
        self.takes(1).chain(joker)
    }

    /// Every way to take two cards: of one rank or of two, never both jokers.
    fn two_singles(self) -> impl Iterator<Item = Self> {
        let jokers = self.jokers;
        let twice = self.singles().flat_map(Self::singles);
        twice.filter(move |rest| jokers < 2 || rest.jokers > 0)
    }

    /// Every way to take pairs of two different ranks.
    fn two_pairs(self) -> impl Iterator<Item = Self> {
        let pairs = (2..5).flat_map(|first| (first..5).map(move |second| (first, second)));
        pairs.filter_map(move |(first, second)| {
            let mut rest = self;
            for from in [first, second] {
                rest.ranks[from] = rest.ranks[from].checked_sub(1)?;
            }
            for from in [first, second] {
                rest.ranks[from - 2] += 1;
            }
            rest.ranks[0] = 0;
            Some(rest)
        })
    }
}

impl Rests {
    /// Fewest groups of the planes (each with or without wings) and of the rest.
    pub(super) fn fewest(&mut self, planes: Planes, rest: Rest) -> u8 {
        if let Some(known) = self.0.get(&(planes, rest)) {
            return *known;
        }
        let fewest = match planes.iter().position(|plane| plane.length > 0) {
            Some(at) => self.with_plane(planes, at, rest),
            None => self.without_planes(rest),
        };
        self.0.insert((planes, rest), fewest);
        fewest
    }

    fn without_planes(&mut self, rest: Rest) -> u8 {
        if rest.is_empty() {
            return 0;
        }
        let mut after: Vec<Rest> = Vec::new();
        after.extend(rest.singles());
        after.extend(rest.takes(2));
        if rest.jokers == 2 {
            after.push(Rest { jokers: 0, ..rest });
        }
        for body in rest.takes(3) {
            after.push(body);
            // A wing that is the triple's own fourth card makes a bomb: one group as well.
            after.extend(body.singles());
            after.extend(body.takes(2));
        }
        for body in rest.takes(4) {
            after.push(body);
            after.extend(body.two_singles());
            after.extend(body.two_pairs());
        }
        let fewest = after.into_iter().map(|rest| self.fewest(Planes::default(), rest)).min();
        1 + fewest.expect("a rest that is not empty has a card to take")
    }

    fn with_plane(&mut self, mut planes: Planes, at: usize, rest: Rest) -> u8 {
        let Plane { length, own } = std::mem::take(&mut planes[at]);
        let mut wings = Wings { found: Vec::new(), own };
        wings.push(planes, rest);
        if length <= LONGEST.0 {
            wings.singles(planes, rest, length);
        }
        if length <= LONGEST.1 {
            wings.pairs(planes, rest, rest, length, 2);
        }
        let found = wings.found;
        let fewest = found.into_iter().map(|(planes, rest)| self.fewest(planes, rest)).min();
        1 + fewest.expect("a plane may go without wings")
    }
}

/// Collects what is left after a plane has taken its wings.
struct Wings {
    found: Vec<(Planes, Rest)>,
    /// Cards that only this plane could not take.
    own: u8,
}

/// A rank of so many cards gives so many as wings: every case.
const GIFTS: [(usize, usize); 9] =
    [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 1), (4, 2), (4, MOST_ALIKE)];

impl Wings {
    fn push(&mut self, mut planes: Planes, mut rest: Rest) {
        planes.sort_unstable();
        rest.ranks[1] += self.own;
        rest.ranks[0] = 0;
        self.found.push((planes, rest));
    }

    /// Single cards: a joker at most, fourth cards of other planes, and cards of ranks.
    fn singles(&mut self, planes: Planes, rest: Rest, wanted: u8) {
        for jokers in 0..=rest.jokers.min(1).min(wanted) {
            let rest = Rest { jokers: rest.jokers - jokers, ..rest };
            self.of_planes(planes, rest, wanted - jokers, 0);
        }
    }

    fn of_planes(&mut self, planes: Planes, rest: Rest, wanted: u8, from: usize) {
        let Some(plane) = planes.get(from) else {
            return self.of_ranks(planes, rest, rest, wanted, 0);
        };
        for taken in 0..=plane.own.min(wanted) {
            let mut planes = planes;
            planes[from].own -= taken;
            self.of_planes(planes, rest, wanted - taken, from + 1);
        }
    }

    /// `free` are the ranks that have given nothing yet.
    fn of_ranks(&mut self, planes: Planes, free: Rest, rest: Rest, wanted: u8, gift: usize) {
        if wanted == 0 {
            return self.push(planes, rest);
        }
        let Some((count, given)) = GIFTS.get(gift).copied() else { return };
        let (mut free, mut rest, mut wanted) = (free, rest, wanted);
        loop {
            self.of_ranks(planes, free, rest, wanted, gift + 1);
            if free.ranks[count] == 0 || wanted < given as u8 {
                return;
            }
            free.ranks[count] -= 1;
            rest.ranks[count] -= 1;
            rest.ranks[count - given] += 1;
            wanted -= given as u8;
        }
    }

    fn pairs(&mut self, planes: Planes, free: Rest, rest: Rest, wanted: u8, count: usize) {
        if wanted == 0 {
            return self.push(planes, rest);
        }
        if count == free.ranks.len() {
            return;
        }
        let (mut free, mut rest, mut wanted) = (free, rest, wanted);
        loop {
            self.pairs(planes, free, rest, wanted, count + 1);
            if free.ranks[count] == 0 || wanted == 0 {
                return;
            }
            free.ranks[count] -= 1;
            rest.ranks[count] -= 1;
            rest.ranks[count - 2] += 1;
            wanted -= 1;
        }
    }
}
