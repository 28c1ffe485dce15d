//! How strong clusters are: their equity against a random hand, from exact sums.

use fulldeck_job::{ComputeContext, QueryError};
use rayon::prelude::*;

use crate::matrix::{Matrix, Stored};

/// Rows are added up in so many parts; sums are whole numbers, so the number does not matter.
const PARTS: usize = 64;

/// For each cluster the half boards that it wins, and all of them, times the hands of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Strengths {
    won: Vec<u64>,
    all: Vec<u64>,
}

impl Strengths {
    fn zero(clusters: usize) -> Self {
        Self { won: vec![0; clusters], all: vec![0; clusters] }
    }

    /// Reads the whole matrix once.
    pub(super) fn of_matrix(
        matrix: &Matrix,
        stored: &Stored<'_>,
        context: &ComputeContext<'_>,
    ) -> Result<Self, QueryError> {
        let clusters = matrix.clusters().as_slice();
        let part = |part: usize| {
            let mut sums = Self::zero(clusters.len());
            for row in (part..clusters.len()).step_by(PARTS) {
                context.poll().map_err(|_| QueryError::Cancelled)?;
                let orbit = u64::from(clusters[row].orbit());
                for (column, (_, outcome)) in (row..).zip(stored.triangle_row(row)?) {
                    let all = orbit * 2 * outcome.total();
                    sums.add(row, orbit * (2 * outcome.win + outcome.tie), all);
                    if column > row {
                        sums.add(column, orbit * (2 * outcome.lose + outcome.tie), all);
                    }
                }
            }
            Ok::<_, QueryError>(sums)
        };
        (0..PARTS)
            .into_par_iter()
            .map(part)
            .try_reduce(|| Self::zero(clusters.len()), |a, b| Ok(a.plus(&b)))
    }

    /// From what each cluster wins of `all` its half boards.
    pub(crate) fn new(won: Vec<u64>, all: Vec<u64>) -> Self {
        Self { won, all }
    }

    fn add(&mut self, cluster: usize, won: u64, all: u64) {
        self.won[cluster] += won;
        self.all[cluster] += all;
    }

    fn plus(mut self, other: &Self) -> Self {
        for (sums, more) in [(&mut self.won, &other.won), (&mut self.all, &other.all)] {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        self
    }

    /// Equity of a cluster against a random hand, in percent.
    pub(crate) fn percent(&self, cluster: usize) -> f64 {
        100.0 * self.won[cluster] as f64 / self.all[cluster] as f64
    }

    /// All clusters, the strongest first; equally strong ones by their number. Compared exactly.
    pub(crate) fn strongest_first(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.won.len()).collect();
        let product =
            |won: usize, all: usize| u128::from(self.won[won]) * u128::from(self.all[all]);
        order.sort_by(|a, b| product(*b, *a).cmp(&product(*a, *b)).then(a.cmp(b)));
        order
    }
}
