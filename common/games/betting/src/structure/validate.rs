//! Structures that make sense and can be counted.

use super::{Betting, MAX_PLAYERS, MAX_RAISES, MAX_ROUNDS, MAX_STACK, Structure, StructureError};

/// Most suits: their permutations are enumerated.
const MAX_SUITS: u32 = 8;
/// Most cards of a deck.
const MAX_DECK: u32 = 416;

impl Structure {
    /// The structure itself, with names for seats that have none.
    pub(super) fn validated(mut self) -> Result<Self, StructureError> {
        let refuse = |what: String| Err(StructureError(what));
        let players = self.players();
        if !(2..=MAX_PLAYERS).contains(&players) {
            return refuse(format!("{players} players do not fit: 2 to {MAX_PLAYERS} are right"));
        }
        let rounds = self.rounds();
        if !(1..=MAX_ROUNDS).contains(&rounds) {
            return refuse(format!("{rounds} rounds do not fit: 1 to {MAX_ROUNDS} are right"));
        }
        if let Some(first) = self.first.iter().find(|first| **first >= players) {
            return refuse(format!("firstPlayer {} is none of {players} players", first + 1));
        }
        self.check_cards()?;
        self.check_betting()?;
        if self.positions.is_empty() {
            self.positions = (1..=players).map(|player| format!("P{player}")).collect();
        }
        if self.positions.len() != players {
            let given = self.positions.len();
            return refuse(format!("{given} positions are named for {players} players"));
        }
        Ok(self)
    }

    fn check_cards(&self) -> Result<(), StructureError> {
        let cards = &self.cards;
        let deck =
            cards.suits.checked_mul(cards.ranks).filter(|deck| (1..=MAX_DECK).contains(deck));
        let Some(deck) = deck.filter(|_| cards.suits <= MAX_SUITS) else {
            let (suits, ranks) = (cards.suits, cards.ranks);
            return Err(StructureError(format!(
                "a deck of {suits} suits and {ranks} ranks does not fit: at most {MAX_SUITS} suits \
                 and {MAX_DECK} cards are right"
            )));
        };
        let dealt = cards
            .board
            .iter()
            .chain(&vec![cards.hole; self.players()])
            .try_fold(0u32, |sum, more| sum.checked_add(*more));
        if dealt.is_none_or(|dealt| dealt > deck) {
            return Err(StructureError(format!(
                "more cards are dealt than the {deck} of the deck"
            )));
        }
        Ok(())
    }

    fn check_betting(&self) -> Result<(), StructureError> {
        let refuse = |what: String| Err(StructureError(what));
        match &self.betting {
            Betting::Limit { max_raises, heads_up } => {
                let most = max_raises.iter().chain(heads_up).max().copied().unwrap_or(0);
                if most > MAX_RAISES {
                    return refuse(format!(
                        "{most} raises a round do not fit: at most {MAX_RAISES} are right"
                    ));
                }
            }
            Betting::NoLimit { stack } => {
                let most = self.blinds.iter().max().copied().unwrap_or(0);
                if self.players() != 2 {
                    return refuse(format!(
                        "no-limit is counted for 2 players, not for {}",
                        self.players()
                    ));
                }
                if most == 0 {
                    return refuse("no-limit needs a blind: it is the least bet".to_owned());
                }
                if *stack < most || *stack > MAX_STACK {
                    return refuse(format!(
                        "a stack of {stack} does not fit: {most} (the larger blind) to {MAX_STACK} \
                         chips are right; count in larger chips if all bets are multiples"
                    ));
                }
                if self.blinds[self.first[0]] > self.blinds[1 - self.first[0]] {
                    return refuse("the first to act must not have the larger blind".to_owned());
                }
            }
        }
        Ok(())
    }
}
