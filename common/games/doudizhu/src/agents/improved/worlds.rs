//! Deals of the cards that a player does not see.

use crate::cards::{Hand, Rank};
use crate::game::{Random, Seat, View};

/// What every possible deal has in common.
#[derive(Clone, Debug)]
pub(super) struct Worlds {
    seat: Seat,
    /// What is known of each hand: all of the own, and bottom cards that the landlord must still have.
    known: [Hand; 3],
    left: [u32; 3],
    unknown: Vec<Rank>,
}

impl Worlds {
    pub(super) fn of(view: &View<'_>) -> Self {
        let mut known = [Hand::EMPTY; 3];
        known[view.seat.index()] = view.hand;
        if view.landlord != view.seat {
            let turns = view.turns.iter().filter(|turn| turn.seat == view.landlord);
            let played = turns.filter_map(|turn| turn.play);
            let played = played.fold(Hand::EMPTY, |all, mv| all + mv.cards);
            known[view.landlord.index()] = view.bottom - view.bottom.common(played);
        }
        let known_elsewhere = known.into_iter().fold(Hand::EMPTY, |all, hand| all + hand);
        let unknown = (view.unseen() + view.hand - known_elsewhere).cards().collect();
        Self { seat: view.seat, known, left: view.left, unknown }
    }

    /// One of them, each equally likely.
    pub(super) fn draw(&self, random: &mut Random) -> [Hand; 3] {
        let mut unknown = self.unknown.clone();
        random.shuffle(&mut unknown);
        let mut hands = self.known;
        let mut cards = unknown.into_iter();
        for seat in [self.seat.next(), self.seat.after(2)] {
            let hand = &mut hands[seat.index()];
            let wanted = self.left[seat.index()] - hand.len();
            *hand += cards
                .by_ref()
                .take(wanted as usize)
                .map(|rank| Hand::of(rank, 1))
                .fold(Hand::EMPTY, |all, card| all + card);
        }
        hands
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, deals};
    use crate::moves::RuleSet;

    #[test]
    fn every_world_has_the_cards_that_are_left() {
        let mut random = Random::stream(1, b"a test of unseen worlds ", 0);
        for index in 0..20 {
            let deal = deals(9, index).next().unwrap();
            let landlord = Seat::new(index as usize % 3);
            let hands = deal.with_landlord(landlord);
            let mut game = Game::new(hands, deal.bottom, landlord, RuleSet::STRICT);
            for _ in 0..12 {
                let view = game.view();
                let world = Worlds::of(&view).draw(&mut random);
                assert_eq!(world[view.seat.index()], view.hand);
                assert_eq!(world.map(Hand::len), view.left);
                let all = world.into_iter().fold(view.played, |all, hand| all + hand);
                assert_eq!(all, Hand::DECK);
                let moves = view.moves();
                game.play(moves.first().copied()).unwrap();
                if game.winner().is_some() {
                    break;
                }
            }
        }
    }
}
