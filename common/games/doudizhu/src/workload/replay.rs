//! Playing a deal again under a referee who knows no shortcut.

use std::sync::OnceLock;

use crate::agents::AgentKind;
use crate::arena::{Arena, Order, Played, Setting};
use crate::cards::Hand;
use crate::game::Seat;
use crate::moves::{Move, RuleSet, moves};

/// Every move there is, under strict and under wide rules.
fn table(rules: RuleSet) -> &'static [Move] {
    static STRICT: OnceLock<Vec<Move>> = OnceLock::new();
    static WIDE: OnceLock<Vec<Move>> = OnceLock::new();
    let table = if rules == RuleSet::STRICT { &STRICT } else { &WIDE };
    table.get_or_init(|| moves(Hand::DECK, None, rules))
}

/// Both games of a deal by fresh players, or what was wrong with one.
pub(super) fn play(
    setting: Setting,
    agents: [AgentKind; 2],
    deal: u64,
) -> Result<[Played; 2], String> {
    let mut arena = Arena::new(setting);
    let games = [Order::First, Order::Second].map(|order| arena.play(agents, deal, order));
    for game in &games {
        referee(game, setting.rules)?;
    }
    Ok(games)
}

/// Follows a game card by card.
fn referee(played: &Played, rules: RuleSet) -> Result<(), String> {
    let mut hands = played.deal.with_landlord(played.game.landlord());
    let mut turn = played.game.landlord();
    let mut last: Option<(Move, Seat)> = None;
    let (mut bombs, mut by_landlord, mut by_farmers) = (0, 0, 0);
    for one in played.game.turns() {
        let hand = &mut hands[turn.index()];
        let foul = |what: &str| Err(format!("seat {turn} {what}"));
        if one.seat != turn {
            return foul("was passed over");
        }
        match one.play {
            None if last.is_none_or(|(_, by)| by == turn) => return foul("passed a lead"),
            None => {}
            Some(mv) if !hand.contains(mv.cards) => return foul("played cards it has not"),
            Some(mv) if !table(rules).contains(&mv) => return foul("played no move"),
            Some(mv) => {
                if last.is_some_and(|(last, by)| by != turn && !mv.beats(&last)) {
                    return foul("played what does not beat");
                }
                *hand -= mv.cards;
                bombs += u32::from(mv.doubles());
                let own =
                    if turn == played.game.landlord() { &mut by_landlord } else { &mut by_farmers };
                *own += 1;
                last = Some((mv, turn));
            }
        }
        turn = turn.next();
    }
    let landlord_won = hands[played.game.landlord().index()].is_empty();
    let spring = if landlord_won { by_farmers == 0 } else { by_landlord == 1 };
    let score = crate::game::Score { landlord_won, spring, bombs };
    let over = hands.iter().filter(|hand| hand.is_empty()).count() == 1;
    if over && score == played.score { Ok(()) } else { Err("the score is wrong".to_owned()) }
}
