//! Questions to finished artifacts.

use fulldeck_job::{ArtifactSource, QueryError};
use serde_json::{Map, Value, json};

use super::tables::TableRun;
use crate::answers::counts;
use crate::{DeckCard, HoleClass, TextError, check_count, parse_together, to_text};

pub(super) fn refused(error: impl ToString) -> QueryError {
    QueryError::Question(error.to_string())
}

/// A hole, and perhaps a board.
pub(super) fn of_table(
    run: &TableRun,
    artifact: &dyn ArtifactSource,
    question: &[String],
) -> Result<Map<String, Value>, QueryError> {
    let texts: Vec<&str> = question.iter().map(String::as_str).collect();
    let (hole_text, board_text) = match texts[..] {
        [hole] => (hole, ""),
        [hole, board] => (hole, board),
        _ => {
            return Err(refused(format!(
                "{} words given: two hole cards are asked for, and perhaps a board, each without spaces or in quotes",
                texts.len()
            )));
        }
    };
    let deck = run.game().deck;
    let hands = parse_together(&[hole_text, board_text], deck).map_err(refused)?;
    let hole = two(hole_text, &hands[0]).map_err(refused)?;
    let board = &hands[1];
    if board.len() > run.stage() {
        return Err(refused(format!(
            "'{board_text}' has {} cards, where this table keeps boards of 0 to {}",
            board.len(),
            run.stage()
        )));
    }
    let place =
        run.locate(hole, board).expect("cards read together are different cards of the deck");
    let odds = run.read(artifact, board.len(), place)?;
    let mut answer = Map::new();
    answer.insert("hole".into(), json!(to_text(&hole)));
    answer.insert("class".into(), json!(HoleClass::of(hole).to_string()));
    answer.insert("board".into(), json!(to_text(board)));
    answer.insert("deck".into(), json!(deck.size()));
    answer.insert("rule".into(), json!(run.game().rule.name()));
    answer.extend(counts(odds));
    Ok(answer)
}

/// Two cards.
pub(super) fn two(text: &str, cards: &[DeckCard]) -> Result<[DeckCard; 2], TextError> {
    check_count(text, cards, &[2])?;
    Ok([cards[0], cards[1]])
}
