//! What matters of a situation: raises left, who still has to act, and where the counted player sits among them. Folded
//! players leave no trace, so a few thousand states stand for trees of any size.

use std::collections::HashMap;

use super::{Preflop, Seat};
use crate::program::{Builder, NodeId, Program};

/// A situation in which somebody has to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct State {
    /// Raises left.
    pub(super) raises: u8,
    /// Players who still have to act, the actor first.
    pub(super) waiting: u8,
    /// Players who have matched the bet; in order of action they come after the waiting ones.
    pub(super) matched: u8,
    /// Where the counted player comes in this order: 0 when he acts, nowhere when he has folded.
    pub(super) own: Option<u8>,
}

/// What a player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Fold,
    Call,
    Raise,
}

impl Preflop {
    /// The situation before the first action.
    pub(super) fn start(&self, seat: Seat) -> State {
        State { raises: self.cap - 1, waiting: self.players, matched: 0, own: Some(seat.0) }
    }

    /// The actions of a situation with where they lead, `None` being the end of the hand.
    pub(super) fn actions(&self, state: State) -> impl Iterator<Item = (Action, Option<State>)> {
        let free = state.raises == self.cap - 1 && state.waiting == 1;
        let fold = (self.fold_when_free || !free).then_some(Action::Fold);
        let raise = (state.raises > 0).then_some(Action::Raise);
        fold.into_iter()
            .chain([Action::Call])
            .chain(raise)
            .map(move |action| (action, state.after(action)))
    }
}

impl State {
    /// Whether the counted player acts.
    pub(super) fn is_own(self) -> bool {
        self.own == Some(0)
    }

    fn after(self, action: Action) -> Option<Self> {
        let Self { raises, waiting, matched, own } = self;
        // Whoever acts comes last in the order from now on, unless he folds.
        let last = waiting + matched - 1;
        let own = match (own, action) {
            (None, _) | (Some(0), Action::Fold) => None,
            (Some(0), _) => Some(last),
            (Some(place), _) => Some(place - 1),
        };
        let next = match action {
            Action::Fold => Self { raises, waiting: waiting - 1, matched, own },
            Action::Call => Self { raises, waiting: waiting - 1, matched: matched + 1, own },
            Action::Raise => Self { raises: raises - 1, waiting: last, matched: 1, own },
        };
        (next.waiting > 0 && next.waiting + next.matched > 1).then_some(next)
    }
}

/// A decision of the counted player is a sum over his actions (one plan after a fold); a decision of another is a
/// product, because his plan must answer each action.
pub(super) fn strategies(structure: &Preflop, seat: Seat) -> Program {
    let mut builder = Builder::default();
    let result = visit(structure, structure.start(seat), &mut builder, &mut HashMap::new());
    builder.finish(result)
}

fn visit(
    structure: &Preflop,
    state: State,
    builder: &mut Builder,
    known: &mut HashMap<State, NodeId>,
) -> NodeId {
    if let Some(id) = known.get(&state) {
        return *id;
    }
    let mut children = Vec::with_capacity(3);
    for (_, next) in structure.actions(state) {
        children.push(match next {
            // Without a place in the order there is nothing left to plan.
            Some(next) if next.own.is_some() => visit(structure, next, builder, known),
            _ => builder.constant(1),
        });
    }
    let id = match state.is_own() {
        true => builder.sum(0, children),
        false => builder.product(children.into_iter().map(|child| (child, 1))),
    };
    known.insert(state, id);
    id
}
