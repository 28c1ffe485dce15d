//! The play: whose turn it is, what may be played, who has won.

use super::{Role, Score, Seat};
use crate::cards::Hand;
use crate::moves::{Move, MoveError, RuleSet, classify, moves};

/// A play that the rules forbid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalPlay {
    /// Whoever leads must play.
    #[error("a lead cannot be passed: there is nothing to follow")]
    PassedLead,
    /// Cards that are not there.
    #[error("{cards} is not in the hand {hand}: {missing} is missing")]
    NotHeld {
        /// What was to be played.
        cards: Hand,
        /// What is held.
        hand: Hand,
        /// What is not.
        missing: Hand,
    },
    /// Too low, or of another shape.
    #[error("{mv} ({}) does not beat {last} ({}, {} cards): play the same type with a higher key, a bomb or the rocket, or pass", mv.kind, last.kind, last.cards.len())]
    TooWeak {
        /// What was to be played.
        mv: Move,
        /// What had to be beaten.
        last: Move,
    },
    /// No move at all.
    #[error(transparent)]
    NoMove(#[from] MoveError),
    /// Nobody plays after the end.
    #[error("the game is over")]
    Over,
}

/// One turn: who, and what; `None` for a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Whose.
    pub seat: Seat,
    /// What was played.
    pub play: Option<Move>,
}

/// What has to be beaten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lead {
    /// The move.
    pub mv: Move,
    /// Who made it.
    pub by: Seat,
}

/// A game once the landlord is known. All cards are open to it; players see it through [`Game::view`].
#[derive(Clone, Debug)]
pub struct Game {
    rules: RuleSet,
    landlord: Seat,
    bottom: Hand,
    hands: [Hand; 3],
    turn: Seat,
    last: Option<Lead>,
    played: Hand,
    turns: Vec<Turn>,
}

/// What one player knows.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The rules.
    pub rules: RuleSet,
    /// His seat.
    pub seat: Seat,
    /// The landlord's seat.
    pub landlord: Seat,
    /// His cards.
    pub hand: Hand,
    /// What he has to beat; `None` when he leads.
    pub last: Option<Lead>,
    /// Cards left at each seat.
    pub left: [u32; 3],
    /// All cards played so far.
    pub played: Hand,
    /// The bottom cards, which the landlord has shown.
    pub bottom: Hand,
    /// Everything that happened.
    pub turns: &'a [Turn],
}

impl Game {
    /// A game of these hands: the landlord, who has taken `bottom`, leads.
    #[must_use]
    pub fn new(hands: [Hand; 3], bottom: Hand, landlord: Seat, rules: RuleSet) -> Self {
        let turns = Vec::with_capacity(64);
        Self {
            rules,
            landlord,
            bottom,
            hands,
            turn: landlord,
            last: None,
            played: Hand::EMPTY,
            turns,
        }
    }

    /// Whose turn it is.
    #[must_use]
    pub const fn turn(&self) -> Seat {
        self.turn
    }

    /// The landlord's seat.
    #[must_use]
    pub const fn landlord(&self) -> Seat {
        self.landlord
    }

    /// All hands, by seat.
    #[must_use]
    pub const fn hands(&self) -> [Hand; 3] {
        self.hands
    }

    /// Everything that happened.
    #[must_use]
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// What the player whose turn it is knows.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        self.view_of(self.turn)
    }

    /// What the player at a seat knows; `last` is what he would have to beat if it were his turn.
    #[must_use]
    pub fn view_of(&self, seat: Seat) -> View<'_> {
        View {
            rules: self.rules,
            seat,
            landlord: self.landlord,
            hand: self.hands[seat.index()],
            last: self.last.filter(|last| last.by != seat),
            left: self.hands.map(Hand::len),
            played: self.played,
            bottom: self.bottom,
            turns: &self.turns,
        }
    }

    /// The seat that has won, if any.
    #[must_use]
    pub fn winner(&self) -> Option<Seat> {
        Seat::ALL.into_iter().find(|seat| self.hands[seat.index()].is_empty())
    }

    /// Makes the turn: a move, or `None` for a pass.
    ///
    /// # Errors
    /// [`IllegalPlay`]; nothing has changed then.
    pub fn play(&mut self, play: Option<Move>) -> Result<(), IllegalPlay> {
        if self.winner().is_some() {
            return Err(IllegalPlay::Over);
        }
        self.view().check(play)?;
        let seat = self.turn;
        if let Some(mv) = play {
            self.hands[seat.index()] -= mv.cards;
            self.played += mv.cards;
            self.last = Some(Lead { mv, by: seat });
        }
        self.turns.push(Turn { seat, play });
        self.turn = seat.next();
        // After two passes the last player leads.
        if self.last.is_some_and(|last| last.by == self.turn) {
            self.last = None;
        }
        Ok(())
    }

    /// The score, once somebody has won.
    #[must_use]
    pub fn score(&self) -> Option<Score> {
        let landlord_won = self.winner()? == self.landlord;
        let moves = || self.turns.iter().filter_map(|turn| Some((turn.seat, turn.play?)));
        let landlords = moves().filter(|(seat, _)| *seat == self.landlord).count();
        let spring = if landlord_won { moves().count() == landlords } else { landlords == 1 };
        let bombs = moves().filter(|(_, mv)| mv.doubles()).count() as u32;
        Some(Score { landlord_won, spring, bombs })
    }
}

impl View<'_> {
    /// What he is.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.seat.role(self.landlord)
    }

    /// Every move he may make, pass not among them.
    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        moves(self.hand, self.last.map(|last| last.mv).as_ref(), self.rules)
    }

    /// All cards he does not see: those of the other two.
    #[must_use]
    pub fn unseen(&self) -> Hand {
        Hand::DECK - self.played - self.hand
    }

    /// Whether he may play this.
    ///
    /// # Errors
    /// [`IllegalPlay`], saying why not.
    pub fn check(&self, play: Option<Move>) -> Result<(), IllegalPlay> {
        match (play, self.last) {
            (None, None) => Err(IllegalPlay::PassedLead),
            (None, Some(_)) => Ok(()),
            (Some(mv), last) => {
                let (cards, hand) = (mv.cards, self.hand);
                if !hand.contains(cards) {
                    let missing = cards - cards.common(hand);
                    return Err(IllegalPlay::NotHeld { cards, hand, missing });
                }
                if !classify(cards, self.rules).contains(&mv) {
                    return Err(MoveError::None(cards).into());
                }
                match last {
                    Some(last) if !mv.beats(&last.mv) => {
                        Err(IllegalPlay::TooWeak { mv, last: last.mv })
                    }
                    _ => Ok(()),
                }
            }
        }
    }
}
