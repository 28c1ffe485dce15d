//! Questions to a finished matrix: one hand (its row), or two hands (a cell).

use std::io;

use fulldeck_cards::{CardSet, ClusterIndex, parse_hand};
use fulldeck_job::{ArtifactSource, QueryError};
use serde_json::{Map, Value, json};

use super::Matrix;
use super::artifact::{COUNT, TIE, WIN};
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
    match hands.as_slice() {
        [hand] => row(matrix, artifact, *hand),
        [a, b] => cell(matrix, artifact, *a, *b),
        _ => Err(QueryError::Question(format!(
            "{} hands given: one hand asks for its row, two for the cell of one against the other",
            hands.len()
        ))),
    }
}

/// Outcome of cell (row, column) in either orientation, and its number of hands.
pub(super) fn read_cell(
    matrix: &Matrix,
    artifact: &dyn ArtifactSource,
    row: u64,
    column: u64,
) -> Result<(u32, Outcome), QueryError> {
    let hands = matrix.disjoint_hands(row, column);
    let total = u64::from(hands) * u64::from(matrix.boards);
    let at = matrix.position(row.min(column), row.max(column));
    let read = |array| -> Result<u64, QueryError> {
        let mut bytes = [0; COUNT];
        artifact.read_at(array, at, &mut bytes)?;
        Ok(u64::from(u32::from_le_bytes(bytes)))
    };
    let (win, tie) = (read(WIN)?, read(TIE)?);
    let outcome = if row <= column {
        Outcome { win, tie, lose: rest(total, win, tie)? }
    } else {
        let orbit =
            |index: u64| u64::from(matrix.clusters.cluster(ClusterIndex(index as u32)).orbit());
        // orbit(i) lose(i, j) = orbit(j) win(j, i), and the same for ties.
        let turn = |count: u64| {
            let (counted, orbit) = (orbit(column) * count, orbit(row));
            if counted % orbit == 0 {
                Ok(counted / orbit)
            } else {
                Err(damaged(format!("{counted} boards do not divide among {orbit} hands")))
            }
        };
        let (lose, tie) = (turn(win)?, turn(tie)?);
        Outcome { win: rest(total, lose, tie)?, tie, lose }
    };
    Ok((hands, outcome))
}

fn rest(total: u64, counted: u64, tie: u64) -> Result<u64, QueryError> {
    total
        .checked_sub(counted + tie)
        .ok_or_else(|| damaged(format!("a cell holds {counted} and {tie} of {total} boards")))
}

fn damaged(text: String) -> QueryError {
    QueryError::Artifact(io::Error::new(io::ErrorKind::InvalidData, text))
}

fn cell(
    matrix: &Matrix,
    artifact: &dyn ArtifactSource,
    a: CardSet,
    b: CardSet,
) -> Result<Map<String, Value>, QueryError> {
    let clusters = &matrix.clusters;
    let (row, column) = (clusters.index_of(a), clusters.index_of(b));
    let (n, outcome) = read_cell(matrix, artifact, row.0.into(), column.0.into())?;
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
    artifact: &dyn ArtifactSource,
    hand: CardSet,
) -> Result<Map<String, Value>, QueryError> {
    let clusters = &matrix.clusters;
    let index = clusters.index_of(hand);
    let mut sum = Outcome::default();
    let mut n = 0;
    for (column, outcome) in read_row(matrix, artifact, index)?.into_iter().enumerate() {
        n += u64::from(matrix.disjoint_hands(index.0.into(), column as u64));
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

/// A whole row of the matrix: the hand against every cluster.
fn read_row(
    matrix: &Matrix,
    artifact: &dyn ArtifactSource,
    index: ClusterIndex,
) -> Result<Vec<Outcome>, QueryError> {
    let clusters = matrix.clusters.len() as u64;
    let row = u64::from(index.0);
    let mut outcomes = (0..row)
        .map(|column| Ok(read_cell(matrix, artifact, row, column)?.1))
        .collect::<Result<Vec<_>, QueryError>>()?;
    let read = |array| -> Result<Vec<u8>, QueryError> {
        let mut bytes = vec![0; (clusters - row) as usize * COUNT];
        artifact.read_at(array, matrix.position(row, row), &mut bytes)?;
        Ok(bytes)
    };
    let (wins, ties) = (read(WIN)?, read(TIE)?);
    let count = |bytes: &[u8]| u64::from(u32::from_le_bytes(bytes.try_into().expect("four bytes")));
    for (column, (win, tie)) in (row..).zip(wins.chunks(COUNT).zip(ties.chunks(COUNT))) {
        let total = u64::from(matrix.disjoint_hands(row, column)) * u64::from(matrix.boards);
        let (win, tie) = (count(win), count(tie));
        outcomes.push(Outcome { win, tie, lose: rest(total, win, tie)? });
    }
    Ok(outcomes)
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
