//! Positions with open cards.

use super::known::Numbering;
use crate::cards::{Hand, Rank};
use crate::game::{Random, Role};
use crate::moves::{Kind, Move, RuleSet, visit_follows};

const PURPOSE: &[u8; 24] = b"fulldeck doudizhu ending";

/// Three open hands, who is to move, and what he has to beat. Players are numbered by role: 0 landlord, 1 the farmer after
/// him, 2 the farmer before him.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// By role.
    pub hands: [Hand; 3],
    /// Whose turn it is.
    pub to_move: usize,
    /// What has to be beaten and who played it; the players between have passed. `None` if the mover leads.
    pub last: Option<(Move, usize)>,
    /// The rules.
    pub rules: RuleSet,
}

/// Why there is no such position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// More cards than the deck has.
    #[error("'{rank}' is held {held} times: the deck has {copies}")]
    TooMany {
        /// The rank.
        rank: Rank,
        /// How often it is held.
        held: u32,
        /// How often the deck has it.
        copies: u32,
    },
    /// Nobody can move after the end.
    #[error("the {0} holds no cards: the game is over")]
    Over(&'static str),
    /// The mover cannot follow himself.
    #[error("the {0} cannot follow his own move: after two passes he leads")]
    FollowsHimself(&'static str),
    /// Far beyond what can be searched.
    #[error("these hands have too many parts to be searched: give the players fewer cards")]
    TooLarge,
}

/// Name of a player by number.
const fn name(player: usize) -> &'static str {
    match player {
        0 => Role::Landlord.name(),
        1 => Role::Down.name(),
        _ => Role::Up.name(),
    }
}

impl Position {
    /// Checks that the deck has the cards and that the game is not over.
    ///
    /// # Errors
    /// [`PositionError`].
    pub fn check(&self) -> Result<(), PositionError> {
        let counts = self.hands.map(Hand::counts);
        for rank in Rank::all() {
            let held = counts.iter().map(|counts| u32::from(counts[rank.index()])).sum();
            let copies = rank.copies();
            if held > copies {
                return Err(PositionError::TooMany { rank, held, copies });
            }
        }
        if let Some(player) = self.hands.iter().position(|hand| hand.is_empty()) {
            return Err(PositionError::Over(name(player)));
        }
        match self.last {
            Some((_, by)) if by == self.to_move => Err(PositionError::FollowsHimself(name(by))),
            _ if Numbering::new(self).is_none() => Err(PositionError::TooLarge),
            _ => Ok(()),
        }
    }

    /// Whether the mover can do anything but pass on `last`.
    pub(super) fn can_follow(&self, last: &Move) -> bool {
        let hand = self.hands[self.to_move];
        let mut can = hand.contains(Hand::ROCKET) && last.kind != Kind::Rocket;
        if !can && (!hand.at_least(4).is_empty() || hand.len() >= last.cards.len()) {
            visit_follows(hand, last, self.rules, &mut |_| can = true);
        }
        can
    }

    /// The position after a move, or a pass.
    #[must_use]
    pub(super) fn after(&self, play: Option<Move>) -> Self {
        let mut next = *self;
        let mover = self.to_move;
        next.to_move = (mover + 1) % 3;
        if let Some(mv) = play {
            next.hands[mover] -= mv.cards;
            next.last = Some((mv, mover));
        }
        if next.last.is_some_and(|(_, by)| by == next.to_move) {
            next.last = None;
        }
        next
    }
}

/// Random position number `index` of a seed: three hands of `cards` cards each, the landlord leads.
///
/// # Panics
/// If the deck has not so many cards.
#[must_use]
pub fn random_position(seed: u64, index: u64, cards: u32) -> Position {
    assert!(cards >= 1 && 3 * cards <= Hand::DECK.len(), "the deck has 54 cards");
    let mut deck: Vec<Rank> = Hand::DECK.cards().collect();
    Random::stream(seed, PURPOSE, index).shuffle(&mut deck);
    let mut hands = [Hand::EMPTY; 3];
    for (position, rank) in deck.into_iter().take(3 * cards as usize).enumerate() {
        hands[position % 3] += Hand::of(rank, 1);
    }
    Position { hands, to_move: 0, last: None, rules: RuleSet::STRICT }
}
