//! Reading cells back from an artifact, in either orientation.

use std::io;

use fulldeck_job::{ArtifactSource, QueryError};

use super::Matrix;
use super::artifact::{COUNT, TIE, WIN};
use super::part::Part;
use crate::Outcome;

/// An artifact of the matrix.
pub(crate) struct Stored<'a> {
    matrix: &'a Matrix,
    artifact: &'a dyn ArtifactSource,
    part: Part,
    /// The job whose part of the matrix it is; `None` for the whole.
    job: Option<&'a str>,
}

impl<'a> Stored<'a> {
    /// # Errors
    /// [`QueryError::Artifact`] if it claims to hold a job that does not exist.
    pub(crate) fn open(
        matrix: &'a Matrix,
        artifact: &'a dyn ArtifactSource,
    ) -> Result<Self, QueryError> {
        let job = artifact.fact("job").map(|name| name.as_str().unwrap_or_default());
        let part = match job {
            None => Part::whole(&matrix.clusters),
            Some(name) => matrix
                .part_named(name)
                .ok_or_else(|| damaged(format!("it claims to hold a job '{name}'")))?,
        };
        Ok(Self { matrix, artifact, part, job })
    }

    pub(super) fn part(&self) -> &Part {
        &self.part
    }

    /// Number of hands and outcome of cell (row, column) in either orientation.
    pub(super) fn cell(&self, row: usize, column: usize) -> Result<(u32, Outcome), QueryError> {
        let disjoint = self.matrix.disjoint();
        let hands = disjoint.hands(disjoint.from(row).placements(column), column);
        let (as_row, as_column) = (row as u64, column as u64);
        if self.part.holds(as_row, as_column) {
            let at = self.part.position(as_row, as_column);
            let (win, tie) = (self.count(WIN, at)?, self.count(TIE, at)?);
            let lose = self.rest(hands, win, tie)?;
            return Ok((hands, Outcome { win, tie, lose }));
        }
        if !self.part.holds(as_column, as_row) {
            return Err(self.absent("the cell of these hands"));
        }
        let at = self.part.position(as_column, as_row);
        let (win, tie) = (self.count(WIN, at)?, self.count(TIE, at)?);
        // orbit(i) lose(i, j) = orbit(j) win(j, i), and the same for ties.
        let turn = |count: u64| {
            let counted = u64::from(disjoint.orbit(column)) * count;
            let orbit = u64::from(disjoint.orbit(row));
            if counted.is_multiple_of(orbit) {
                Ok(counted / orbit)
            } else {
                Err(damaged(format!("{counted} boards do not divide among {orbit} hands")))
            }
        };
        let (lose, tie) = (turn(win)?, turn(tie)?);
        Ok((hands, Outcome { win: self.rest(hands, lose, tie)?, tie, lose }))
    }

    /// A whole row of the matrix: numbers of hands, and outcomes, against every cluster.
    pub(crate) fn row(&self, row: usize) -> Result<Vec<(u32, Outcome)>, QueryError> {
        let from_diagonal = self.triangle_row(row)?;
        let before = (0..row).map(|column| self.cell(row, column));
        let mut cells = before.collect::<Result<Vec<_>, _>>()?;
        cells.extend(from_diagonal);
        Ok(cells)
    }

    /// A row from the diagonal on.
    pub(crate) fn triangle_row(&self, row: usize) -> Result<Vec<(u32, Outcome)>, QueryError> {
        if self.job.is_some() {
            return Err(self.absent("a whole row"));
        }
        let clusters = self.matrix.clusters.len();
        let read = |array| -> Result<Vec<u8>, QueryError> {
            let mut bytes = vec![0; (clusters - row) * COUNT];
            let at = self.part.position(row as u64, row as u64);
            self.artifact.read_at(array, at, &mut bytes)?;
            Ok(bytes)
        };
        let (wins, ties) = (read(WIN)?, read(TIE)?);
        let disjoint = self.matrix.disjoint();
        let from = disjoint.from(row);
        let counts = wins.chunks_exact(COUNT).zip(ties.chunks_exact(COUNT));
        (row..)
            .zip(counts)
            .map(|(column, (win, tie))| {
                let hands = disjoint.hands(from.placements(column), column);
                let (win, tie) = (count_of(win), count_of(tie));
                Ok((hands, Outcome { win, tie, lose: self.rest(hands, win, tie)? }))
            })
            .collect()
    }

    fn count(&self, array: &str, at: u64) -> Result<u64, QueryError> {
        let mut bytes = [0; COUNT];
        self.artifact.read_at(array, at, &mut bytes)?;
        Ok(count_of(&bytes))
    }

    /// What is left of all boards.
    fn rest(&self, hands: u32, counted: u64, tie: u64) -> Result<u64, QueryError> {
        let total = u64::from(hands) * u64::from(self.matrix.boards);
        total
            .checked_sub(counted + tie)
            .ok_or_else(|| damaged(format!("a cell holds {counted} and {tie} of {total} boards")))
    }

    fn absent(&self, what: &str) -> QueryError {
        let job = self.job.unwrap_or("nothing");
        QueryError::Question(format!("the artifact holds the job {job} alone, not {what}"))
    }
}

fn count_of(bytes: &[u8]) -> u64 {
    u64::from(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
}

fn damaged(text: String) -> QueryError {
    QueryError::Artifact(io::Error::new(io::ErrorKind::InvalidData, text))
}
