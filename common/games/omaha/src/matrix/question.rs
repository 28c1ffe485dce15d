//! Questions to a finished matrix: one hand (its row), or two hands (a cell).

use fulldeck_cards::{CardSet, parse_hand};
use fulldeck_job::{ArtifactSource, QueryError};
use serde_json::{Map, Value, json};

use super::Matrix;
use super::stored::Stored;
use crate::Outcome;
use crate::rules::Family;

pub(super) fn answer(
    matrix: &Matrix,
    artifact: &dyn ArtifactSource,
    question: &[String],
) -> Result<Map<String, Value>, QueryError> {
    let hands = question
        .iter()
        .map(|text| parse_hand(text, &[matrix.cards]))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| QueryError::Question(error.to_string()))?;
    let stored = Stored::open(matrix, artifact)?;
    match hands.as_slice() {
        [hand] => row(matrix, &stored, *hand),
        [a, b] => cell(matrix, &stored, *a, *b),
        _ => Err(QueryError::Question(format!(
            "{} hands given: one hand asks for its row, two for the cell of one against the other",
            hands.len()
        ))),
    }
}

fn cell(
    matrix: &Matrix,
    stored: &Stored<'_>,
    a: CardSet,
    b: CardSet,
) -> Result<Map<String, Value>, QueryError> {
    let clusters = &matrix.clusters;
    let (row, column) = (clusters.index_of(a), clusters.index_of(b));
    let (n, outcome) = stored.cell(row.0 as usize, column.0 as usize)?;
    let [group_a, group_b] =
        [row, column].map(|index| clusters.groups()[clusters.group_of(index)].pattern);
    let mut answer = Map::new();
    for (name, index, group) in [("a", row, group_a), ("b", column, group_b)] {
        answer.insert(
            format!("hand_{name}"),
            json!(clusters.cluster(index).representative().to_string()),
        );
        answer.insert(format!("cluster_{name}"), json!(index.0));
        answer.insert(format!("group_{name}"), json!(group.to_string()));
        answer.insert(format!("orbit_{name}"), json!(clusters.cluster(index).orbit()));
    }
    answer.insert("combination".into(), json!(format!("{group_a} x {group_b}")));
    answer.insert("family".into(), json!(Family::of(group_a, group_b).to_string()));
    answer.insert("n".into(), json!(n));
    answer.extend(counts(outcome, u64::from(matrix.boards)));
    Ok(answer)
}

fn row(
    matrix: &Matrix,
    stored: &Stored<'_>,
    hand: CardSet,
) -> Result<Map<String, Value>, QueryError> {
    let clusters = &matrix.clusters;
    let index = clusters.index_of(hand);
    let mut sum = Outcome::default();
    let mut n = 0;
    for (hands, outcome) in stored.row(index.0 as usize)? {
        n += u64::from(hands);
        sum += outcome;
    }
    let cluster = clusters.cluster(index);
    let mut answer = Map::new();
    answer.insert("hand".into(), json!(cluster.representative().to_string()));
    answer.insert("cluster".into(), json!(index.0));
    answer.insert(
        "group".into(),
        json!(clusters.groups()[clusters.group_of(index)].pattern.to_string()),
    );
    answer.insert("orbit".into(), json!(cluster.orbit()));
    answer.insert("n".into(), json!(n));
    answer.extend(counts(sum, u64::from(matrix.boards)));
    Ok(answer)
}

fn counts(outcome: Outcome, boards: u64) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("win".into(), json!(outcome.win));
    map.insert("tie".into(), json!(outcome.tie));
    map.insert("lose".into(), json!(outcome.lose));
    map.insert("boards".into(), json!(boards));
    map.insert("total".into(), json!(outcome.total()));
    map.insert("equity".into(), json!(outcome.equity()));
    map
}
