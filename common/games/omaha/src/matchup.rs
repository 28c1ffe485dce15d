//! One exact matchup without a run.

use std::sync::OnceLock;

use fulldeck_cards::{CardError, CardSet, parse_hand};
use fulldeck_eval::arch::Backend;
use serde_json::{Map, Value, json};

use crate::rules::{Rules, RulesError};
use crate::{Fast, Outcome};

/// Hole cards of the games, and of a hand of each.
const SIZES: [usize; 4] = [2, 4, 5, 6];

/// Why a matchup has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchupError {
    /// A hand or the board cannot be read.
    #[error("{0}")]
    Cards(#[from] CardError),
    /// Hands of different games.
    #[error(
        "hand {a} has {} cards and hand {b} has {}: both need the same number (2, 4, 5 or 6)",
        .a.len(),
        .b.len()
    )]
    Sizes {
        /// First hand.
        a: CardSet,
        /// Second hand.
        b: CardSet,
    },
    /// A card in two places.
    #[error("{0}")]
    Shared(#[from] RulesError),
}

/// Answers matchups of all games; each game's tables are built when first asked for.
pub struct Matchups {
    backend: Backend,
    fast: [OnceLock<Fast>; SIZES.len()],
    rules: [OnceLock<Rules>; SIZES.len()],
}

impl Matchups {
    /// Computing with the kernels of `backend`.
    #[must_use]
    pub fn new(backend: Backend) -> Self {
        Self { backend, fast: Default::default(), rules: Default::default() }
    }

    /// One hand against another over all boards, or over those that complete `board` (three, four or five cards):
    /// `hand_a`, `hand_b`, `board` if given, `boards`, `win`, `tie`, `lose`, `equity`.
    ///
    /// # Errors
    /// [`MatchupError`], saying which cards are wrong and what would be right.
    pub fn answer(
        &self,
        a: &str,
        b: &str,
        board: Option<&str>,
    ) -> Result<Map<String, Value>, MatchupError> {
        let (a, b) = (parse_hand(a, &SIZES)?, parse_hand(b, &SIZES)?);
        let board = board.map(|board| parse_hand(board, &[3, 4, 5])).transpose()?;
        let outcome = self.outcome(a, b, board)?;
        let mut answer = Map::new();
        answer.insert("hand_a".into(), json!(a.to_string()));
        answer.insert("hand_b".into(), json!(b.to_string()));
        if let Some(board) = board {
            answer.insert("board".into(), json!(board.to_string()));
        }
        answer.insert("boards".into(), json!(outcome.total()));
        answer.insert("win".into(), json!(outcome.win));
        answer.insert("tie".into(), json!(outcome.tie));
        answer.insert("lose".into(), json!(outcome.lose));
        answer.insert("equity".into(), json!(outcome.equity()));
        Ok(answer)
    }

    fn outcome(
        &self,
        a: CardSet,
        b: CardSet,
        board: Option<CardSet>,
    ) -> Result<Outcome, MatchupError> {
        let game = SIZES
            .iter()
            .position(|cards| *cards == a.len())
            .filter(|_| a.len() == b.len())
            .ok_or(MatchupError::Sizes { a, b })?;
        if let Some(board) = board {
            let rules = self.rules[game].get_or_init(|| Rules::new(SIZES[game]));
            return Ok(rules.matchup_on(a, b, board)?);
        }
        match a.iter().find(|card| b.contains(*card)) {
            Some(card) => Err(RulesError::Shared { card, first: a, second: b }.into()),
            None => {
                let fast = self.fast[game].get_or_init(|| Fast::new(SIZES[game], self.backend));
                Ok(fast.matchup(a, b))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_carry_what_was_asked_and_errors_what_is_wrong() {
        let matchups = Matchups::new(Backend::best());
        let answer = matchups.answer("AsAhKsKh", "JcTc9d8d", None).unwrap();
        assert_eq!(answer["win"], 667_649);
        assert_eq!(answer["boards"], 1_086_008);
        let turn = matchups.answer("AsAhKsKh", "JcTc9d8d", Some("2s3s4s5d")).unwrap();
        assert_eq!(turn["boards"], 40);
        let error = |a, b, board| matchups.answer(a, b, board).unwrap_err().to_string();
        assert!(error("AsAhKsKh", "AsTc9d8d", None).contains("As"));
        assert!(error("AsAhKsKh", "JcTc", None).contains("same number"));
        assert!(error("AsAhKsKh", "JcTc9d8d", Some("2s3s")).contains("2 cards"));
        assert!(error("AsAhKsKh", "JcTc9d8d", Some("As3s4s")).contains("As"));
    }
}
