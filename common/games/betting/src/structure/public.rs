//! What everybody sees in a limit game, reduced to what matters for the rest of it.

use super::{Betting, Structure};

/// A situation in which somebody has to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Public {
    pub(super) round: u8,
    /// Who has not folded, as bits.
    pub(super) active: u16,
    /// Who still has to act, the actor among them.
    pub(super) waiting: u16,
    pub(super) actor: u8,
    /// Bets and raises of this round.
    pub(super) raises: u8,
}

/// Where an action leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Another decision of this round.
    Decision(Public),
    /// The first decision of the next round.
    Round(Public),
    /// Everybody but one has folded.
    Fold,
    /// Hands are compared.
    Showdown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Fold,
    Call,
    Raise,
}

impl Structure {
    pub(super) fn start(&self) -> Public {
        self.round_start(0, (1 << self.players()) - 1)
    }

    fn round_start(&self, round: usize, active: u16) -> Public {
        let actor = self.next_of(active, self.first[round]);
        Public { round: round as u8, active, waiting: active, actor, raises: 0 }
    }

    /// The first of `seats` from `from` on, round the table.
    fn next_of(&self, seats: u16, from: usize) -> u8 {
        let players = self.players();
        let seat = (0..players).map(|step| (from + step) % players);
        seat.into_iter().find(|seat| seats >> seat & 1 == 1).expect("somebody is left") as u8
    }

    /// The actions of a situation, with where they lead.
    pub(super) fn actions(&self, public: Public) -> impl Iterator<Item = (Action, Next)> {
        let Betting::Limit { max_raises, heads_up } = &self.betting else {
            unreachable!("no-limit games have a count of their own")
        };
        let blind = self.blinds[usize::from(public.actor)];
        let posted = self.blinds.iter().max().expect("there are players");
        let owes = public.raises > 0 || (public.round == 0 && blind < *posted);
        let most = match heads_up {
            Some(most) if public.active.count_ones() == 2 => *most,
            _ => max_raises[usize::from(public.round)],
        };
        let fold = (owes || self.fold_when_free).then_some(Action::Fold);
        let raise = (u32::from(public.raises) < most).then_some(Action::Raise);
        let actions = fold.into_iter().chain([Action::Call]).chain(raise);
        actions.map(move |action| (action, self.after(public, action)))
    }

    fn after(&self, public: Public, action: Action) -> Next {
        let own = 1 << public.actor;
        let mut next = public;
        next.waiting &= !own;
        match action {
            Action::Fold => next.active &= !own,
            Action::Call => {}
            Action::Raise => {
                next.raises += 1;
                next.waiting = next.active & !own;
            }
        }
        if next.active.count_ones() == 1 {
            Next::Fold
        } else if next.waiting != 0 {
            next.actor = self.next_of(next.waiting, usize::from(public.actor) + 1);
            Next::Decision(next)
        } else if usize::from(next.round) + 1 < self.rounds() {
            Next::Round(self.round_start(usize::from(next.round) + 1, next.active))
        } else {
            Next::Showdown
        }
    }
}
