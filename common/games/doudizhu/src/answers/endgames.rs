//! Endgames with open cards.

use serde_json::{Value, json};

use super::{Answer, QuestionError, play_text, read_move, record};
use crate::cards::parse_hand;
use crate::endgame::{Position, Solver};
use crate::game::Role;
use crate::moves::RuleSet;

/// A position in words.
#[derive(Clone, Debug)]
pub struct EndgameQuestion<'a> {
    /// Hands of the landlord, the farmer after him, the farmer before him.
    pub hands: [&'a str; 3],
    /// Whose turn it is.
    pub to_move: Role,
    /// What has to be beaten and who played it.
    pub last: Option<(&'a str, Role)>,
    /// The rules.
    pub rules: RuleSet,
    /// Nodes that the search may take.
    pub budget: u64,
}

/// Who wins with best play of all, and with which moves.
///
/// # Errors
/// [`QuestionError`] for a position that cannot be.
pub fn endgame(question: &EndgameQuestion<'_>) -> Result<Answer, QuestionError> {
    let [landlord, down, up] = question.hands;
    let hands = [parse_hand(landlord)?, parse_hand(down)?, parse_hand(up)?];
    let last = match question.last {
        None => None,
        Some((cards, by)) => Some((read_move(cards, None, question.rules)?, by as usize)),
    };
    let to_move = question.to_move as usize;
    let position = Position { hands, to_move, last, rules: question.rules };
    position.check()?;
    let (moves, nodes) = Solver::default().root_moves(&position, question.budget);
    let outcomes = || moves.iter().map(|one| one.wins);
    let mover_wins = if outcomes().any(|wins| wins == Some(true)) {
        Some(true)
    } else if outcomes().all(|wins| wins == Some(false)) {
        Some(false)
    } else {
        None
    };
    let landlord_wins = mover_wins.map(|wins| wins == (question.to_move == Role::Landlord));
    let winning = moves.iter().filter(|one| one.wins == Some(true));
    let winning: Vec<_> = winning.map(|one| play_text(one.play.as_ref())).collect();
    let list: Vec<Value> = moves
        .iter()
        .map(|one| json!({ "play": play_text(one.play.as_ref()), "wins": one.wins }))
        .collect();
    Ok(record(json!({
        "to_move": question.to_move.name(),
        "landlord_wins": landlord_wins,
        "winning_moves": winning.join(" "),
        "n_winning_moves": winning.len(),
        "n_moves": moves.len(),
        "nodes": nodes,
        "moves": list,
    })))
}
