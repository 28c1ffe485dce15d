//! Fewest groups, fast: for one hand, and for all hands in the order of the table.

use std::collections::HashMap;

use super::chains::{Choice, visit_choices};
use super::index::{TAILS, split, tail};
use super::reference::Reference;
use super::rest::{Planes, Rest, Rests};
use super::{HandIndex, MOST_GROUPS};
use crate::cards::{Hand, Rank};
use crate::moves::{Move, RuleSet, visit_leads};

/// Groups of all these hands; the places beyond the twentieth are padding.
type Groups = [u8; 32];
/// Not computed yet.
const UNKNOWN: u8 = u8::MAX;
/// So many bits number a rest of twelve ranks.
const REST_BITS: u32 = 14;
/// Hands that the reference may remember at a time.
const MAX_REMEMBERED: usize = 1 << 20;
/// From so many triples in a row on, a plane's wings could be three cards of a rank next to it.
const NEIGHBOURS: u32 = 5;

/// Computes fewest groups. Its tables fill as it goes: a few MiB.
#[derive(Debug)]
pub struct Solver {
    rests: Rests,
    reference: Reference,
    /// By number of the rest, without planes.
    plain: Vec<Groups>,
    with_planes: HashMap<(Planes, usize), Groups>,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            rests: Rests::default(),
            reference: Reference::default(),
            plain: vec![[UNKNOWN; 32]; 1 << REST_BITS],
            with_planes: HashMap::new(),
        }
    }
}

/// The rest of twelve ranks, and its number: four bits of ranks with one and with two cards, three bits of those with three and
/// with four.
fn rest_of(cards: Hand) -> (Rest, usize) {
    let at_least = [1, 2, 3, 4].map(|count| cards.at_least(count).len() as u8);
    let [one, two, three, four] = at_least;
    let ranks = [0, one - two, two - three, three - four, four];
    let fields = ranks.map(usize::from);
    (Rest { ranks, jokers: 0 }, fields[1] | fields[2] << 4 | fields[3] << 8 | fields[4] << 11)
}

impl Solver {
    /// Fewest legal moves into which a hand can be cut; 0 for none.
    pub fn fewest(&mut self, hand: Hand) -> u8 {
        let (head, tail) = split(hand);
        if needs_reference(head) { self.by_reference(hand) } else { self.tails(head)[tail] }
    }

    /// Cuts a hand into as few moves as can be: an example, always the same.
    pub fn partition(&mut self, hand: Hand) -> Vec<Move> {
        let mut groups = Vec::new();
        let mut left = hand;
        while let Some(lowest) = left.ranks().lowest() {
            let wanted = self.fewest(left) - 1;
            let mut candidates = Vec::new();
            visit_leads(left, RuleSet::STRICT, &mut |mv| candidates.push(mv));
            candidates.retain(|mv| mv.cards.count(lowest) > 0);
            let group = candidates
                .into_iter()
                .filter(|mv| self.fewest(left - mv.cards) == wanted)
                .max_by_key(|mv| (mv.cards.len(), std::cmp::Reverse(mv.cards)))
                .expect("some group with the lowest card belongs to a best cut");
            left -= group.cards;
            groups.push(group);
        }
        groups
    }

    /// Fewest groups of the hands at `first` and the positions that follow, as many as `out` is long.
    ///
    /// # Panics
    /// If there are not so many hands.
    pub fn fill(&mut self, index: &HandIndex, first: u32, out: &mut [u8]) {
        assert!(first as usize + out.len() <= index.len() as usize, "no such hands");
        let mut out = out.iter_mut();
        for (head, tails) in index.heads(first) {
            let groups = self.tails(head);
            for tail in tails {
                let Some(place) = out.next() else { return };
                *place = groups[tail];
            }
        }
    }

    /// Fewest groups of the twenty hands with these cards of three to ace.
    fn tails(&mut self, head: Hand) -> Groups {
        let mut best = [MOST_GROUPS + 1; 32];
        if needs_reference(head) {
            for (number, best) in best.iter_mut().take(TAILS).enumerate() {
                let hand = head + tail(number);
                if hand.len() <= Hand::MOST {
                    *best = self.by_reference(hand);
                }
            }
            return best;
        }
        visit_choices(head, &mut |choice| {
            let groups = self.groups(choice);
            for (best, fewest) in best.iter_mut().zip(groups) {
                *best = (*best).min(fewest + choice.groups);
            }
        });
        best
    }

    fn by_reference(&mut self, hand: Hand) -> u8 {
        if self.reference.remembered() > MAX_REMEMBERED {
            self.reference.forget();
        }
        self.reference.fewest(hand)
    }

    /// Fewest groups of what a choice of chains leaves, for every tail.
    fn groups(&mut self, choice: &Choice) -> &Groups {
        let (rest, number) = rest_of(choice.rest);
        if choice.has_no_planes() {
            if self.plain[number][0] == UNKNOWN {
                self.plain[number] = all_tails(&mut self.rests, Planes::default(), rest);
            }
            return &self.plain[number];
        }
        let planes = choice.planes();
        self.with_planes.entry((planes, number)).or_insert_with(|| {
            let own: u8 = planes.iter().map(|plane| plane.own).sum();
            let mut rest = rest;
            // Left over of a plane's own ranks: counted with the plane.
            rest.ranks[1] -= own;
            all_tails(&mut self.rests, planes, rest)
        })
    }
}

fn all_tails(rests: &mut Rests, planes: Planes, rest: Rest) -> Groups {
    let mut groups = [0; 32];
    for (number, groups) in groups.iter_mut().take(TAILS).enumerate() {
        let twos = tail(number).count(Rank::TWO);
        let mut rest = Rest { jokers: (tail(number).len() - twos) as u8, ..rest };
        rest.ranks[twos as usize] += 1;
        rest.ranks[0] = 0;
        *groups = rests.fewest(planes, rest);
    }
    groups
}

/// Whether three wings of a rank next to a plane could be wrongly counted: such hands are left to the reference.
fn needs_reference(head: Hand) -> bool {
    !head.at_least(3).starts(NEIGHBOURS).is_empty()
}
