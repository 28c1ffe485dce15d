//! One game in eight bytes.

use crate::arena::{LandlordBy, Played, Setting};
use crate::game::{AuctionKind, Scoring};

/// What is kept of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GameRecord {
    /// What the landlord won, or lost: its sign says who won.
    pub(super) score: i32,
    /// Bombs and rockets.
    pub(super) bombs: u8,
    /// Whether it was a spring.
    pub(super) spring: bool,
    /// Decisions that broke the rules at first, 255 for more.
    pub(super) illegal: u8,
    /// Deals thrown in before this one, 255 for more.
    pub(super) thrown_in: u8,
}

impl GameRecord {
    /// Score (i32, little endian), then bombs, spring, illegal decisions, deals thrown in.
    pub(super) const BYTES: usize = 8;

    pub(super) fn of(played: &Played, scoring: Scoring) -> Self {
        let score = played.score.landlord(played.bid, scoring);
        let byte = |count: u32| u8::try_from(count).unwrap_or(u8::MAX);
        Self {
            score: i32::try_from(score).expect("14 bombs make less than a million"),
            bombs: byte(played.score.bombs),
            spring: played.score.spring,
            illegal: byte(played.illegal),
            thrown_in: byte(played.thrown_in),
        }
    }

    pub(super) fn events(&self) -> [u8; 4] {
        [self.bombs, self.spring.into(), self.illegal, self.thrown_in]
    }

    pub(super) fn with_events(score: i32, [bombs, spring, illegal, thrown_in]: [u8; 4]) -> Self {
        Self { score, bombs, spring: spring == 1, illegal, thrown_in }
    }

    pub(super) fn write(&self, out: &mut [u8]) {
        out[..4].copy_from_slice(&self.score.to_le_bytes());
        out[4..Self::BYTES].copy_from_slice(&self.events());
    }

    /// From at least eight bytes.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let word = |at: usize| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        Self::with_events(i32::from_le_bytes(word(0)), word(4))
    }

    /// Whether the landlord won.
    pub(super) const fn landlord_won(&self) -> bool {
        self.score > 0
    }

    /// Whether bombs, spring and a possible bid give this score.
    pub(super) fn is_possible(&self, setting: &Setting) -> bool {
        let spring = if self.spring { setting.scoring.spring } else { 1 };
        let bids: &[i64] = match setting.landlord {
            LandlordBy::SeatZero => &[1],
            LandlordBy::Auction(AuctionKind::Bid) => &[1, 2, 3],
            LandlordBy::Auction(AuctionKind::Rob) => &[1, 2, 4, 8],
        };
        let stake = |bid: i64| 2 * bid * (1 << self.bombs.min(14)) * spring;
        self.bombs <= 14 && bids.iter().any(|bid| stake(*bid) == i64::from(self.score).abs())
    }
}
