//! What a game is worth.

/// How a game is scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scoring {
    /// Factor of a spring: 2, or 3 by another custom.
    pub spring: i64,
}

/// A finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Score {
    /// Whether the landlord won.
    pub landlord_won: bool,
    /// Whether the farmers played nothing, or the landlord nothing but his first group.
    pub spring: bool,
    /// Bombs and rockets played.
    pub bombs: u32,
}

impl Default for Scoring {
    fn default() -> Self {
        Self { spring: 2 }
    }
}

impl Score {
    /// What the landlord wins (or loses, below zero): twice the stake; each farmer half of it with the other sign.
    #[must_use]
    pub fn landlord(&self, bid: u32, scoring: Scoring) -> i64 {
        let spring = if self.spring { scoring.spring } else { 1 };
        let stake = i64::from(bid) * (1 << self.bombs) * spring;
        if self.landlord_won { 2 * stake } else { -2 * stake }
    }
}
