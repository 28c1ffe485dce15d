//! Questions about one hand.

use serde_json::{Value, json};

use super::{Answer, QuestionError, play_text, record};
use crate::agents::seed::{Evaluator, Group, Prune, Recorder, whole};
use crate::agents::{AgentKind, GreedyPlayer};
use crate::cards::Hand;
use crate::game::{Lead, Seat, View};
use crate::groups::Solver;
use crate::moves::{Move, RuleSet, moves};

/// Memory of values for one question: 512 KiB.
const MEMORY_BITS: u32 = 16;
/// Cards of a player who bids.
const BIDDING_CARDS: u32 = 17;

/// Every move of a hand, or everything that beats `last`.
#[must_use]
pub fn legal_moves(hand: Hand, last: Option<&Move>, rules: RuleSet) -> Answer {
    let found = moves(hand, last, rules);
    let list: Vec<Value> = found
        .iter()
        .map(|mv| json!({ "cards": mv.to_string(), "type": mv.kind.name(), "key": mv.key.to_string() }))
        .collect();
    record(json!({
        "hand": hand.to_string(),
        "on": last.map(ToString::to_string),
        "on_type": last.map(|last| last.kind.name()),
        "n_moves": found.len(),
        "may_pass": last.is_some(),
        "moves": list,
    }))
}

/// What `seed` thinks a hand is worth, and how it would play it out.
#[must_use]
pub fn value(hand: Hand, prune: Prune) -> Answer {
    let mut evaluator = Evaluator::new(prune, MEMORY_BITS);
    let value = evaluator.value(hand);
    let mut plan = Vec::new();
    let mut left = hand;
    while !left.is_empty() {
        let group = evaluator.lead(left, &mut crate::agents::seed::Unwatched);
        let group = group.expect("a hand that is not empty can lead");
        plan.push(json!({
            "cards": group.cards.to_string(),
            "type": group.kind.name(),
            "value": group.value(),
        }));
        left -= group.cards;
    }
    record(json!({
        "hand": hand.to_string(),
        "cards": hand.len(),
        "sum_value": value.sum,
        "need_round": value.rounds,
        "score": value.score(),
        "one_group": whole(hand).map(|(kind, _)| kind.name()),
        "plan": plan,
    }))
}

/// What `seed` bids with 17 cards.
///
/// # Errors
/// [`QuestionError::Refused`] for another number of cards.
pub fn bid(hand: Hand) -> Result<Answer, QuestionError> {
    if hand.len() != BIDDING_CARDS {
        return Err(QuestionError::Refused(format!(
            "{hand} has {} cards, players bid with {BIDDING_CARDS}",
            hand.len()
        )));
    }
    let mut evaluator = Evaluator::new(Prune::Series, MEMORY_BITS);
    let value = evaluator.value(hand);
    Ok(record(json!({
        "hand": hand.to_string(),
        "sum_value": value.sum,
        "need_round": value.rounds,
        "bid": evaluator.bid(hand),
    })))
}

/// Fewest moves into which a hand can be cut, and one way to do it.
#[must_use]
pub fn groups(hand: Hand) -> Answer {
    let partition = Solver::default().partition(hand);
    let text: Vec<_> = partition.iter().map(ToString::to_string).collect();
    record(json!({
        "hand": hand.to_string(),
        "cards": hand.len(),
        "groups": partition.len(),
        "partition": text.join(" "),
    }))
}

/// What an agent leads; with `why`, every candidate.
///
/// # Errors
/// [`QuestionError::Refused`] for an agent that needs to know the whole game.
pub fn lead(
    hand: Hand,
    agent: AgentKind,
    prune: Prune,
    why: bool,
) -> Result<Answer, QuestionError> {
    choose(hand, None, agent, prune, why)
}

/// What an agent plays on `last`; with `why`, every candidate.
///
/// # Errors
/// [`QuestionError::Refused`] for an agent that needs to know the whole game.
pub fn follow(
    hand: Hand,
    last: &Move,
    agent: AgentKind,
    prune: Prune,
    why: bool,
) -> Result<Answer, QuestionError> {
    choose(hand, Some(last), agent, prune, why)
}

fn choose(
    hand: Hand,
    last: Option<&Move>,
    agent: AgentKind,
    prune: Prune,
    why: bool,
) -> Result<Answer, QuestionError> {
    let (play, candidates) = match agent {
        AgentKind::Seed => by_seed(hand, last, prune),
        AgentKind::Greedy => by_greedy(hand, last),
        other => {
            return Err(QuestionError::Refused(format!(
                "{other} decides by the whole game, not by one hand: ask seed or greedy, or play a game and ask for hints"
            )));
        }
    };
    let mut answer = record(json!({
        "hand": hand.to_string(),
        "on": last.map(ToString::to_string),
        "agent": agent.to_string(),
        "play": play_text(play.as_ref()),
        "type": play.map(|mv| mv.kind.name()),
    }));
    if why {
        answer.insert("candidates".to_owned(), candidates);
    }
    Ok(answer)
}

fn by_seed(hand: Hand, last: Option<&Move>, prune: Prune) -> (Option<Move>, Value) {
    let mut evaluator = Evaluator::new(prune, MEMORY_BITS);
    let mut recorder = Recorder::default();
    let group = match last {
        None => evaluator.lead(hand, &mut recorder),
        Some(last) => evaluator.follow(hand, last, &mut recorder),
    };
    let candidates = recorder
        .0
        .into_iter()
        .map(|one| {
            let chosen = group == Some(one.group);
            json!({
                "cards": one.group.cards.to_string(),
                "type": one.group.kind.name(),
                "rest_value": one.rest.sum,
                "rest_rounds": one.rest.rounds,
                "rest_score": one.rest.score(),
                "chosen": chosen,
            })
        })
        .collect();
    let play = group.map(|Group { kind, key, cards }| Move { kind, key, cards });
    (play, candidates)
}

fn by_greedy(hand: Hand, last: Option<&Move>) -> (Option<Move>, Value) {
    // Greedy looks at nothing but its hand and what it has to beat.
    let [seat, other] = [0, 1].map(Seat::new);
    let view = View {
        rules: RuleSet::STRICT,
        seat,
        landlord: seat,
        hand,
        last: last.map(|mv| Lead { mv: *mv, by: other }),
        left: [hand.len(); 3],
        played: Hand::EMPTY,
        bottom: Hand::EMPTY,
        turns: &[],
    };
    let mut player = GreedyPlayer::default();
    let play = player.choose(&view);
    let candidates = player
        .ranked(&view)
        .into_iter()
        .map(|(mv, left)| {
            json!({
                "cards": mv.to_string(),
                "type": mv.kind.name(),
                "groups_left": left,
                "chosen": play == Some(mv),
            })
        })
        .collect();
    (play, candidates)
}
