//! Reduced strategies of a limit game with cards: a player plans for each hand and, where a board is dealt, for each
//! board apart, so that chance multiplies as other players do.

use std::collections::HashMap;

use super::Structure;
use super::public::{Action, Next, Public};
use crate::program::{Builder, NodeId, Program};

pub(super) fn strategies(structure: &Structure, player: usize) -> Program {
    let mut visitor =
        Visitor { structure, player, builder: Builder::default(), known: HashMap::new() };
    let plans = visitor.visit(structure.start());
    let cards = &structure.cards;
    let hands = super::cards::binomial(cards.deck(), cards.hole).mul(&cards.boards(0));
    let hands = hands.to_u128().expect("hands are few");
    let result = visitor.builder.product([(plans, hands)]);
    visitor.builder.finish(result)
}

struct Visitor<'a> {
    structure: &'a Structure,
    player: usize,
    builder: Builder,
    known: HashMap<Public, NodeId>,
}

impl Visitor<'_> {
    fn visit(&mut self, public: Public) -> NodeId {
        if let Some(id) = self.known.get(&public) {
            return *id;
        }
        let own = usize::from(public.actor) == self.player;
        let structure = self.structure;
        let mut children = Vec::with_capacity(3);
        for (action, next) in structure.actions(public) {
            children.push(match next {
                _ if own && action == Action::Fold => self.builder.constant(1),
                Next::Fold | Next::Showdown => self.builder.constant(1),
                Next::Decision(next) => self.go_on(next),
                Next::Round(next) => {
                    let plans = self.go_on(next);
                    let boards = structure.cards.boards(next.round.into());
                    let boards = boards.to_u128().expect("boards are few");
                    self.builder.product([(plans, boards)])
                }
            });
        }
        let id = match own {
            true => self.builder.sum(0, children),
            false => self.builder.product(children.into_iter().map(|child| (child, 1))),
        };
        self.known.insert(public, id);
        id
    }

    /// A player who has folded plans nothing any more.
    fn go_on(&mut self, next: Public) -> NodeId {
        match next.active >> self.player & 1 {
            1 => self.visit(next),
            _ => self.builder.constant(1),
        }
    }
}
