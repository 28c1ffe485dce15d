//! Two agents against each other, without a run.

use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};

use super::{Answer, QuestionError, play_text, record};
use crate::agents::AgentKind;
use crate::arena::{Arena, Order, Played, Setting, is_mirror};
use crate::workload::{Contest, ContestError};

/// Plays deals `0..deals` in both orders on the current thread pool, and adds up. `progress` is told of every deal.
///
/// # Errors
/// [`QuestionError::Refused`] when `cancel` was set.
pub fn contest(
    setting: Setting,
    agents: [AgentKind; 2],
    deals: u32,
    cancel: &AtomicBool,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Answer, QuestionError> {
    Contest { setting, agents, deals }.play(cancel, progress).map_err(|ContestError| {
        QuestionError::Refused("the contest was stopped before it was over".to_owned())
    })
}

/// The games of deals `0..deals`, card by card: one record each.
#[must_use]
pub fn games(setting: Setting, agents: [AgentKind; 2], deals: u32) -> Vec<Answer> {
    let mut arena = Arena::new(setting);
    let orders: &[Order] =
        if is_mirror(agents) { &[Order::First] } else { &[Order::First, Order::Second] };
    (0..deals)
        .flat_map(|deal| orders.iter().map(move |order| (deal, *order)))
        .map(|(deal, order)| {
            let played = arena.play(agents, deal.into(), order);
            let landlord = agents[order as usize];
            game(deal, landlord, &played, setting)
        })
        .collect()
}

fn game(deal: u32, landlord: AgentKind, played: &Played, setting: Setting) -> Answer {
    let [first, second, third] = played.deal.hands.map(|hand| hand.to_string());
    let turns = played.game.turns().iter();
    let moves: Vec<_> =
        turns.map(|turn| format!("{}:{}", turn.seat, play_text(turn.play.as_ref()))).collect();
    record(json!({
        "deal": deal,
        "hand_0": first,
        "hand_1": second,
        "hand_2": third,
        "bottom": played.deal.bottom.to_string(),
        "landlord": played.game.landlord().index(),
        "landlord_agent": landlord.to_string(),
        "bid": played.bid,
        "moves": moves.join(" "),
        "winner": if played.score.landlord_won { "landlord" } else { "farmers" },
        "bombs": played.score.bombs,
        "spring": played.score.spring,
        "landlord_score": Value::from(played.score.landlord(played.bid, setting.scoring)),
    }))
}
