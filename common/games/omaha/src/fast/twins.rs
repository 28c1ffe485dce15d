//! The engine against its definition, on every back-end.

use fulldeck_cards::{RANKS, RankMultisets};
use fulldeck_eval::arch::Backend;
use proptest::prelude::*;

use super::direct::{Direct, Rule};
use super::rank_pair::{Block, RankHand, Scratch, Tables, WantedSizes};

/// Every size of suited subset that the engine may be asked for.
fn all_sizes() -> WantedSizes {
    std::array::from_fn(|a| if a >= 2 { 0x7f } else { 0x7f & !0b11 })
}

struct Twins {
    cards: usize,
    multisets: RankMultisets,
    tables: Vec<Tables>,
    direct: Direct,
}

impl Twins {
    fn new(cards: usize) -> Self {
        Self {
            cards,
            multisets: RankMultisets::new(cards),
            tables: Backend::available().into_iter().map(|b| Tables::new(cards, b)).collect(),
            direct: Direct::new(Rule::Omaha),
        }
    }

    fn agree(&self, a: usize, b: usize) {
        let hands = [a, b].map(|index| RankHand::new(self.multisets.counts(index)));
        let loaded = [&hands[0], &hands[1]].map(|hand| self.direct.load(hand));
        let (first, second) = ((&hands[0], &loaded[0]), (&hands[1], &loaded[1]));
        let mut expected = Block::default();
        let possible = self.direct.block(first, second, &all_sizes(), &mut expected);
        let fits = (0..RANKS).all(|rank| hands[0].counts[rank] + hands[1].counts[rank] <= 4);
        assert_eq!(possible, fits);
        for tables in &self.tables {
            let rows = [&hands[0], &hands[1]].map(|hand| tables.row(hand));
            let mut block = Block::default();
            // Scratch that was used before must leave no trace.
            let mut scratch = Scratch::default();
            for _ in 0..2 {
                let again = tables.block(
                    (&hands[0], &rows[0]),
                    (&hands[1], &rows[1]),
                    &all_sizes(),
                    &mut scratch,
                    &mut block,
                );
                assert_eq!(again, possible);
                if possible {
                    let name = tables.backend.name();
                    let what = format!("{name}, {} cards, multisets {a} and {b}", self.cards);
                    assert_eq!(block.by_ranks, expected.by_ranks, "{what}");
                    for (at, delta) in block.deltas.iter().enumerate() {
                        let held = (
                            hands[0].subsets[at / block.width],
                            hands[1].subsets[at % block.width],
                        );
                        if exists(&hands, held) {
                            assert_eq!(*delta, expected.deltas[at], "{what}, held {held:?}");
                        }
                    }
                }
            }
        }
    }
}

/// Whether two hands with these ranks can hold these subsets in one suit: the others have three cards of a rank.
fn exists(hands: &[RankHand; 2], held: (u16, u16)) -> bool {
    (0..RANKS).all(|rank| {
        let all = hands[0].counts[rank] + hands[1].counts[rank];
        u16::from(all) <= 3 + (held.0 >> rank & 1) + (held.1 >> rank & 1)
    })
}

fn check(cards: usize, cases: u32) {
    let twins = Twins::new(cards);
    let count = twins.multisets.len();
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(a in 0..count, b in 0..count)| twins.agree(a, b));
}

#[test]
fn four_cards() {
    check(4, 60);
}

#[test]
fn five_cards() {
    check(5, 20);
}

#[test]
fn six_cards() {
    check(6, 8);
}

/// Hands that meet in the corners: quads, shared ranks, straight flushes against full houses.
#[test]
fn four_cards_in_the_corners() {
    let twins = Twins::new(4);
    let index = |ranks: [u8; 4]| twins.multisets.index_of(&ranks).expect("four ranks");
    let corners = [
        [12, 12, 12, 12],
        [0, 0, 0, 0],
        [11, 11, 12, 12],
        [10, 11, 11, 12],
        [8, 9, 10, 11],
        [0, 1, 2, 12],
        [9, 9, 10, 10],
        [5, 6, 7, 7],
        [4, 4, 4, 5],
    ];
    for a in corners {
        for b in corners {
            twins.agree(index(a), index(b));
        }
    }
}
