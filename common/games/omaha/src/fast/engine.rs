//! The engine behind a hand size: vector kernels for Omaha, the definition itself for hold'em.

use fulldeck_eval::arch::Backend;

use super::direct::{Direct, DirectHand, Rule};
use super::rank_pair::{Block, RankHand, Row, Scratch, Tables, WantedSizes};
use super::tally::Tally;

/// What computes blocks.
pub(crate) enum Engine {
    /// Two hole cards and three board cards play.
    Omaha(Box<Tables>),
    /// The best five of seven cards play.
    Holdem(Box<Direct>),
}

/// A hand's ranks with what the engine keeps for them.
pub(crate) struct Loaded {
    pub(crate) hand: RankHand,
    kind: LoadedKind,
}

enum LoadedKind {
    Omaha(Row),
    Holdem(DirectHand),
}

impl Engine {
    /// Builds the tables for hands of `cards` cards.
    ///
    /// # Panics
    /// Unless `cards` is 2, 4, 5 or 6.
    pub(crate) fn new(cards: usize, backend: Backend) -> Self {
        match cards {
            2 => Self::Holdem(Box::new(Direct::new(Rule::Holdem))),
            4..=6 => Self::Omaha(Box::new(Tables::new(cards, backend))),
            _ => panic!("hold'em has two hole cards, Omaha four, five or six"),
        }
    }

    /// Whether a suit can matter in which nobody holds two cards: in hold'em, where one card, or none, plays with
    /// four or five of the board.
    pub(crate) const fn any_suit_matters(&self) -> bool {
        matches!(self, Self::Holdem(_))
    }

    pub(crate) fn load(&self, hand: RankHand) -> Loaded {
        let kind = match self {
            Self::Omaha(tables) => LoadedKind::Omaha(tables.row(&hand)),
            Self::Holdem(direct) => LoadedKind::Holdem(direct.load(&hand)),
        };
        Loaded { hand, kind }
    }

    /// Boards judged by ranks alone; `None` when no two such hands are disjoint.
    pub(crate) fn by_ranks(&self, a: &Loaded, b: &Loaded) -> Option<Tally> {
        match (self, &a.kind, &b.kind) {
            (Self::Omaha(tables), LoadedKind::Omaha(row_a), LoadedKind::Omaha(row_b)) => {
                tables.by_ranks((&a.hand, row_a), (&b.hand, row_b))
            }
            (Self::Holdem(direct), LoadedKind::Holdem(loaded_a), LoadedKind::Holdem(loaded_b)) => {
                direct.by_ranks_of((&a.hand, loaded_a), (&b.hand, loaded_b))
            }
            _ => unreachable!("hands are loaded by the engine that compares them"),
        }
    }

    /// Outcomes of one hand's ranks against another's; `false` when no two such hands are disjoint.
    pub(crate) fn block(
        &self,
        a: &Loaded,
        b: &Loaded,
        wanted: &WantedSizes,
        scratch: &mut Scratch,
        block: &mut Block,
    ) -> bool {
        match (self, &a.kind, &b.kind) {
            (Self::Omaha(tables), LoadedKind::Omaha(row_a), LoadedKind::Omaha(row_b)) => {
                tables.block((&a.hand, row_a), (&b.hand, row_b), wanted, scratch, block)
            }
            (Self::Holdem(direct), LoadedKind::Holdem(loaded_a), LoadedKind::Holdem(loaded_b)) => {
                direct.block((&a.hand, loaded_a), (&b.hand, loaded_b), wanted, block)
            }
            _ => unreachable!("hands are loaded by the engine that compares them"),
        }
    }
}
