//! Types of moves.

use std::fmt;

/// Type of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// One card.
    Solo,
    /// Two alike.
    Pair,
    /// Three alike.
    Trio,
    /// Three alike and a card.
    TrioSolo,
    /// Three alike and a pair.
    TrioPair,
    /// Five or more ranks in a row.
    SoloChain,
    /// Three or more pairs in a row.
    PairChain,
    /// Two or more triples in a row.
    TrioChain,
    /// Two to five triples in a row and as many cards.
    PlaneSolo,
    /// Two to four triples in a row and as many pairs.
    PlanePair,
    /// Four alike and two cards: no bomb.
    QuadSolos,
    /// Four alike and two pairs: no bomb.
    QuadPairs,
    /// Four alike.
    Bomb,
    /// Both jokers.
    Rocket,
}

/// What a kind of move is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    /// Cards of each rank of the body.
    pub(crate) body: u32,
    /// Fewest and most ranks of the body.
    pub(crate) ranks: (u32, u32),
    /// Cards of each wing: 0, 1 or 2.
    pub(crate) wing: u32,
    /// Wings to each rank of the body.
    pub(crate) wings: u32,
}

/// Type and number of cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Type.
    pub kind: Kind,
    /// Number of cards.
    pub cards: u32,
}

impl Kind {
    /// All types.
    pub const ALL: [Self; 14] = [
        Self::Solo,
        Self::Pair,
        Self::Trio,
        Self::TrioSolo,
        Self::TrioPair,
        Self::SoloChain,
        Self::PairChain,
        Self::TrioChain,
        Self::PlaneSolo,
        Self::PlanePair,
        Self::QuadSolos,
        Self::QuadPairs,
        Self::Bomb,
        Self::Rocket,
    ];

    /// Name in files and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Solo => "solo",
            Self::Pair => "pair",
            Self::Trio => "trio",
            Self::TrioSolo => "trio_solo",
            Self::TrioPair => "trio_pair",
            Self::SoloChain => "solo_chain",
            Self::PairChain => "pair_chain",
            Self::TrioChain => "trio_chain",
            Self::PlaneSolo => "plane_solo",
            Self::PlanePair => "plane_pair",
            Self::QuadSolos => "quad_2solo",
            Self::QuadPairs => "quad_2pair",
            Self::Bomb => "bomb",
            Self::Rocket => "rocket",
        }
    }

    /// The kind called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What it is made of; the rocket is not made of ranks in that way.
    pub(crate) const fn pattern(self) -> Pattern {
        let (body, ranks, wing, wings) = match self {
            Self::Solo => (1, (1, 1), 0, 0),
            Self::Pair => (2, (1, 1), 0, 0),
            Self::Trio => (3, (1, 1), 0, 0),
            Self::TrioSolo => (3, (1, 1), 1, 1),
            Self::TrioPair => (3, (1, 1), 2, 1),
            Self::SoloChain => (1, (5, 12), 0, 0),
            Self::PairChain => (2, (3, 10), 0, 0),
            Self::TrioChain => (3, (2, 6), 0, 0),
            Self::PlaneSolo => (3, (2, 5), 1, 1),
            Self::PlanePair => (3, (2, 4), 2, 1),
            Self::QuadSolos => (4, (1, 1), 1, 2),
            Self::QuadPairs => (4, (1, 1), 2, 2),
            Self::Bomb => (4, (1, 1), 0, 0),
            Self::Rocket => (1, (0, 0), 0, 0),
        };
        Pattern { body, ranks, wing, wings }
    }
}

impl Pattern {
    /// Cards of a move with so many ranks in its body.
    pub(crate) const fn cards(self, ranks: u32) -> u32 {
        ranks * (self.body + self.wing * self.wings)
    }

    /// Ranks in the body of a move of so many cards, if there is one.
    pub(crate) fn ranks_of(self, cards: u32) -> Option<u32> {
        (self.ranks.0..=self.ranks.1).find(|ranks| *ranks > 0 && self.cards(*ranks) == cards)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
