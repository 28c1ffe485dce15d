//! The workload `basket`: totals over all positions of every basket of a grid, position by position.

mod artifact;
mod plan;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;

use fulldeck_job::picture::{Picture, PictureKind};
use fulldeck_job::{
    ArtifactSink, ArtifactSource, CheckError, Computation, ComputeContext, ComputeError, Estimate,
    ParameterKind, ParameterSpec, Parameters, Plan, PlanError, QueryError, Sample, Slice,
    VerifyReport, Workload, WorkloadError,
};
use rayon::prelude::*;
use serde_json::{Map, Value};

use crate::pictures;
use crate::totals::{Counted, Positions};

/// The workload `basket`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totalling;

/// Most positions of one basket: rows of a job are numbered by 32 bits.
const MAX_POSITIONS: u64 = 4_000_000_000;
/// Positions that are looked at between two looks at the cancel flag.
const CHUNK: u64 = 1 << 20;

const PARAMETERS: &[ParameterSpec] = &[
    ParameterSpec {
        name: "colours",
        summary: "baskets of one colour up to so many",
        default: "4",
        kind: ParameterKind::Integer { min: 1, max: 30 },
    },
    ParameterSpec {
        name: "balls",
        summary: "one ball of each colour up to so many",
        default: "31",
        kind: ParameterKind::Integer { min: 1, max: 1000 },
    },
    ParameterSpec {
        name: "max_positions",
        summary: "baskets with more positions are left out",
        default: "100000000",
        kind: ParameterKind::Integer { min: 2, max: MAX_POSITIONS },
    },
];

impl Workload for Totalling {
    fn name(&self) -> &'static str {
        "basket"
    }

    fn summary(&self) -> &'static str {
        "lost positions and winning moves of the basket game, for every size up to a limit"
    }

    fn algorithm_version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> &'static [ParameterSpec] {
        PARAMETERS
    }

    fn prepare(&self, parameters: &Parameters) -> Result<Arc<dyn Computation>, WorkloadError> {
        let [colours, balls, most] =
            ["colours", "balls", "max_positions"].map(|name| parameters.integer(name));
        Ok(Arc::new(Grid::new(colours as u32, balls as u32, most)))
    }
}

/// One basket of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Point {
    colours: u32,
    balls: u32,
    positions: u64,
}

/// All baskets of a run, by colours and balls.
struct Grid {
    points: Vec<Point>,
}

impl Grid {
    fn new(colours: u32, balls: u32, most: u64) -> Self {
        let pairs =
            (1..=colours).flat_map(|colours| (1..=balls).map(move |balls| (colours, balls)));
        let points = pairs.filter_map(|(colours, balls)| {
            let positions = (u64::from(balls) + 1).checked_pow(colours);
            let positions = positions.filter(|positions| *positions <= most)?;
            Some(Point { colours, balls, positions })
        });
        Self { points: points.collect() }
    }

    fn positions(&self) -> u64 {
        self.points.iter().map(|point| point.positions).sum()
    }
}

impl Computation for Grid {
    fn estimate(&self) -> Estimate {
        let points = self.points.len() as u64;
        Estimate {
            elements: self.positions(),
            core_seconds: self.points.iter().map(plan::cost_of).sum::<u64>() as f64 * 1e-9,
            worker_bytes: 16 << 20,
            store_bytes: points * 64,
            artifact_bytes: points * 100,
        }
    }

    fn plan(&self, slice_target: u32) -> Result<Plan, PlanError> {
        plan::plan(&self.points, slice_target)
    }

    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        slices.iter().map(|slice| self.compute_slice(slice, context)).collect()
    }

    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        artifact::check(&self.points, slice, payload)
    }

    fn assemble(
        &self,
        plan: &Plan,
        payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        artifact::assemble(&self.points, plan, payloads, sink)
    }

    fn query(
        &self,
        artifact: &dyn ArtifactSource,
        question: &[String],
    ) -> Result<Map<String, Value>, QueryError> {
        artifact::answer(&self.points, artifact, question)
    }

    fn pictures(&self) -> &'static [PictureKind] {
        &[pictures::LOST, pictures::MOVES]
    }

    fn picture(
        &self,
        artifact: &dyn ArtifactSource,
        kind: &str,
        context: &ComputeContext<'_>,
    ) -> Result<Picture, QueryError> {
        let draw = match kind {
            "lost" => pictures::lost,
            "moves" => pictures::moves,
            _ => return Err(QueryError::no_picture(kind, self.pictures())),
        };
        let counts = artifact::counts(&self.points, artifact)?;
        (context.progress)(self.positions());
        Ok(draw(&counts))
    }

    fn verify(
        &self,
        artifact: &dyn ArtifactSource,
        sample: &Sample,
        context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, QueryError> {
        artifact::verify(&self.points, artifact, sample, context)
    }
}

impl Grid {
    fn compute_slice(
        &self,
        slice: &Slice,
        context: &ComputeContext<'_>,
    ) -> Result<Vec<u8>, ComputeError> {
        let point = self.points.get(slice.job.0 as usize);
        let (first, end) =
            (u64::from(slice.first_row), u64::from(slice.first_row) + u64::from(slice.rows));
        let point = point.filter(|point| end <= point.positions).ok_or_else(|| {
            ComputeError::Invalid(format!("there is no row {end} of job {}", slice.job.0))
        })?;
        let positions = Positions::new(point.colours as usize, point.balls as u16);
        let chunks: Vec<u64> = (first..end).step_by(CHUNK as usize).collect();
        let parts = chunks
            .into_par_iter()
            .map(|start| {
                context.poll()?;
                let range = start..(start + CHUNK).min(end);
                let share = range.end - range.start;
                let counted = positions.count_range(range);
                let cost = u128::from(slice.cost) * u128::from(share) / u128::from(slice.rows);
                (context.progress)(cost as u64);
                Ok(counted)
            })
            .collect::<Result<Vec<_>, ComputeError>>()?;
        let mut counted = Counted::default();
        parts.iter().for_each(|part| counted.add(part));
        Ok(artifact::payload(&counted))
    }
}
