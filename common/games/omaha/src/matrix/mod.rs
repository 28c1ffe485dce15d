//! The workload: the outcome matrix of all clusters against each other.

mod artifact;
mod compute;
mod disjoint;
mod layout;
mod part;
mod plan;
mod question;
mod stored;
#[cfg(test)]
pub(crate) mod tests;
mod verify;

use std::io;
use std::sync::{Arc, OnceLock};

use fulldeck_cards::Clusters;
use fulldeck_eval::arch::Backend;
use fulldeck_job::picture::{Picture, PictureKind};
use fulldeck_job::{
    ArtifactSink, ArtifactSource, CheckError, Computation, ComputeContext, ComputeError, Estimate,
    JobIndex, ParameterKind, ParameterSpec, Parameters, Plan, PlanError, QueryError, Sample, Slice,
    VerifyReport, Workload, WorkloadError,
};
use serde_json::{Map, Value};

use crate::fast::{Engine, Loaded, RankHand, Suited, boards};
use crate::pictures;
use disjoint::Disjoint;
use layout::{GroupPair, JobCells, Row, group_pairs};
use part::Part;
pub(crate) use stored::Stored;

/// The workload `omaha`.
#[derive(Clone, Copy, Debug)]
pub struct Omaha {
    backend: Backend,
}

impl Omaha {
    /// With the kernels of `backend`; every back-end gives the same bytes.
    #[must_use]
    pub const fn new(backend: Backend) -> Self {
        Self { backend }
    }
}

const PARAMETERS: &[ParameterSpec] = &[ParameterSpec {
    name: "cards",
    summary: "hole cards of a hand: 4, 5 or 6 for Omaha, 2 for Texas hold'em",
    default: "4",
    kind: ParameterKind::Choice(&["2", "4", "5", "6"]),
}];

impl Workload for Omaha {
    fn name(&self) -> &'static str {
        "omaha"
    }

    fn summary(&self) -> &'static str {
        "exact win/tie/lose counts of every starting-hand cluster against every other"
    }

    fn algorithm_version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> &'static [ParameterSpec] {
        PARAMETERS
    }

    fn prepare(&self, parameters: &Parameters) -> Result<Arc<dyn Computation>, WorkloadError> {
        let cards = parameters.integer("cards") as usize;
        Ok(Arc::new(MatrixRun { cards, backend: self.backend, matrix: OnceLock::new() }))
    }
}

/// A matrix run; the clusters are enumerated at first use, the engine's tables at first computing.
pub(crate) struct MatrixRun {
    cards: usize,
    backend: Backend,
    matrix: OnceLock<Matrix>,
}

impl MatrixRun {
    fn matrix(&self) -> &Matrix {
        self.matrix.get_or_init(|| Matrix::new(self.cards, self.backend))
    }
}

/// Everything about the matrix of one hand size.
pub(crate) struct Matrix {
    cards: usize,
    backend: Backend,
    clusters: Clusters,
    pairs: Vec<GroupPair>,
    rows: Vec<Row>,
    /// Boards of one pair of hands.
    boards: u32,
    disjoint: OnceLock<Disjoint>,
    computing: OnceLock<Computing>,
}

/// What only computing needs.
struct Computing {
    engine: Engine,
    /// By rank multiset; filled as they are met, and kept: they meet all others.
    loaded: Vec<OnceLock<Loaded>>,
    suited: Vec<Suited>,
}

impl Matrix {
    pub(crate) fn new(cards: usize, backend: Backend) -> Self {
        let clusters = Clusters::new(cards);
        let pairs = group_pairs(&clusters);
        let jobs: Vec<_> = pairs.iter().map(|pair| JobCells::new(&clusters, *pair)).collect();
        let rows = layout::rows(&clusters, &jobs);
        Self {
            cards,
            backend,
            pairs,
            rows,
            boards: boards(cards) as u32,
            clusters,
            disjoint: OnceLock::new(),
            computing: OnceLock::new(),
        }
    }

    pub(crate) const fn clusters(&self) -> &Clusters {
        &self.clusters
    }

    /// Boards of one pair of hands.
    pub(crate) const fn boards(&self) -> u32 {
        self.boards
    }

    /// Hands that share no card with a given one: C(52 - n, n).
    pub(crate) fn hands_met(&self) -> u64 {
        let (left, cards) = (52 - self.cards as u64, self.cards as u64);
        (0..cards).fold(1, |product, taken| product * (left - taken) / (taken + 1))
    }

    fn disjoint(&self) -> &Disjoint {
        self.disjoint.get_or_init(|| Disjoint::new(&self.clusters))
    }

    /// The part that belongs to a job, by the job's name.
    fn part_named(&self, job: &str) -> Option<Part> {
        let pair = self.pairs.iter().find(|pair| plan::job_name(&self.clusters, **pair) == job)?;
        Some(Part::of_job(&self.clusters, *pair))
    }

    fn computing(&self) -> &Computing {
        self.computing.get_or_init(|| {
            let ranks = self.clusters.ranks();
            let hands: Vec<_> =
                (0..ranks.len()).map(|index| RankHand::new(ranks.counts(index))).collect();
            let suited = self
                .clusters
                .as_slice()
                .iter()
                .map(|cluster| {
                    let hand = &hands[ranks.index_of_hand(cluster.representative())];
                    Suited::new(cluster, hand)
                })
                .collect();
            let loaded = hands.iter().map(|_| OnceLock::new()).collect();
            Computing { engine: Engine::new(self.cards, self.backend), loaded, suited }
        })
    }

    /// What the engine keeps for rank multiset `ranks`.
    fn loaded(&self, ranks: usize) -> &Loaded {
        let computing = self.computing();
        computing.loaded[ranks].get_or_init(|| {
            computing.engine.load(RankHand::new(self.clusters.ranks().counts(ranks)))
        })
    }
}

impl Computation for MatrixRun {
    fn estimate(&self) -> Estimate {
        let matrix = self.matrix();
        let cells = Part::whole(&matrix.clusters).cells();
        let rank_pairs = matrix.clusters.ranks().len() as f64;
        Estimate {
            elements: cells,
            core_seconds: rank_pairs * rank_pairs / 2.0 * RANK_PAIR_SECONDS[self.cards]
                + cells as f64 * CELL_SECONDS,
            worker_bytes: WORKER_BYTES[self.cards],
            store_bytes: (cells as f64 * plan::CELL_BYTES as f64 * STORED_SHARE) as u64,
            artifact_bytes: cells * plan::CELL_BYTES,
        }
    }

    fn plan(&self, slice_target: u32) -> Result<Plan, PlanError> {
        plan::plan(self.matrix(), slice_target)
    }

    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        compute::compute(self.matrix(), slices, context)
    }

    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        artifact::check(self.matrix(), slice, payload)
    }

    fn assemble(
        &self,
        plan: &Plan,
        payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        let matrix = self.matrix();
        let whole = Part::whole(&matrix.clusters);
        artifact::assemble(matrix, &whole, plan.slices().iter(), payloads, sink)
    }

    fn assemble_job(
        &self,
        plan: &Plan,
        job: JobIndex,
        payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        let matrix = self.matrix();
        let part = Part::of_job(&matrix.clusters, matrix.pairs[job.0 as usize]);
        artifact::assemble(matrix, &part, plan.slices_of(job), payloads, sink)
    }

    fn query(
        &self,
        artifact: &dyn ArtifactSource,
        question: &[String],
    ) -> Result<Map<String, Value>, QueryError> {
        question::answer(self.matrix(), artifact, question)
    }

    fn pictures(&self) -> &'static [PictureKind] {
        pictures::kinds(self.cards)
    }

    fn picture(
        &self,
        artifact: &dyn ArtifactSource,
        kind: &str,
        context: &ComputeContext<'_>,
    ) -> Result<Picture, QueryError> {
        pictures::picture(self.matrix(), artifact, kind, context)
    }

    fn verify(
        &self,
        artifact: &dyn ArtifactSource,
        sample: &Sample,
        context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, QueryError> {
        verify::verify(self.matrix(), artifact, sample, context)
    }

    fn recheck(
        &self,
        slice: &Slice,
        payload: &[u8],
        sample: &Sample,
        context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, ComputeError> {
        verify::recheck(self.matrix(), slice, payload, sample, context)
    }
}

/// CPU time of one pair of rank multisets on one core of a 2024 server with AVX-512, by hole cards, in seconds.
const RANK_PAIR_SECONDS: [f64; 7] = [0.0, 0.0, 1e-4, 0.0, 1.1e-5, 2.2e-5, 8e-5];
/// The same for one cell.
const CELL_SECONDS: f64 = 3e-8;
/// Memory of a worker by hole cards, in bytes.
const WORKER_BYTES: [u64; 7] = [0, 0, 64 << 20, 0, 320 << 20, 800 << 20, 2200 << 20];
/// What compression leaves of a result.
const STORED_SHARE: f64 = 0.45;
