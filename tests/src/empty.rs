//! A workload that computes nothing: many slices of eight bytes each, to load a coordinator with.

use std::io;
use std::sync::Arc;

use fulldeck_job::{
    ArtifactSink, CheckError, Computation, ComputeContext, ComputeError, ElementType, Estimate,
    Job, JobIndex, ParameterKind, ParameterSpec, Parameters, Plan, PlanError, Registry, Slice,
    SliceId, Workload, WorkloadError,
};

/// Slices that are leased together.
const BATCH: u32 = 8;
/// Bytes of a result.
const BYTES: u64 = 8;

const PARAMETERS: &[ParameterSpec] = &[ParameterSpec {
    name: "slices",
    summary: "number of slices",
    default: "1000",
    kind: ParameterKind::Integer { min: 1, max: 1_000_000 },
}];

/// The only workload.
#[must_use]
pub fn registry() -> Registry {
    Registry::new(vec![Arc::new(Empty)])
}

/// The result of a slice: its number.
#[must_use]
pub fn payload(slice: u32) -> [u8; BYTES as usize] {
    u64::from(slice).to_le_bytes()
}

struct Empty;

struct Bound(u32);

impl Workload for Empty {
    fn name(&self) -> &'static str {
        "empty"
    }

    fn summary(&self) -> &'static str {
        "slices that take no time"
    }

    fn algorithm_version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> &'static [ParameterSpec] {
        PARAMETERS
    }

    fn prepare(&self, parameters: &Parameters) -> Result<Arc<dyn Computation>, WorkloadError> {
        Ok(Arc::new(Bound(parameters.integer("slices") as u32)))
    }
}

impl Computation for Bound {
    fn estimate(&self) -> Estimate {
        Estimate {
            elements: self.0.into(),
            core_seconds: 0.0,
            worker_bytes: 0,
            store_bytes: BYTES * u64::from(self.0),
            artifact_bytes: BYTES * u64::from(self.0),
        }
    }

    fn plan(&self, _slice_target: u32) -> Result<Plan, PlanError> {
        let jobs = vec![Job { name: "all".into(), family: String::new(), rows: self.0 }];
        let slice = |id| Slice {
            id: SliceId(id),
            job: JobIndex(0),
            first_row: id,
            rows: 1,
            elements: 1,
            raw_bytes: BYTES,
            cost: 1,
            batch: id / BATCH,
        };
        Plan::new(jobs, (0..self.0).map(slice).collect())
    }

    fn compute(
        &self,
        slices: &[Slice],
        _context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        Ok(slices.iter().map(|slice| payload(slice.id.0).to_vec()).collect())
    }

    fn check(&self, slice: &Slice, result: &[u8]) -> Result<(), CheckError> {
        let right = payload(slice.id.0);
        (*result == right).then_some(()).ok_or_else(|| CheckError("another number".into()))
    }

    fn assemble(
        &self,
        _plan: &Plan,
        payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        let array = sink.array("numbers", ElementType::U64, &[self.0.into()])?;
        for (at, payload) in payloads.enumerate() {
            sink.write_at(array, at as u64 * BYTES, &payload?)?;
        }
        Ok(())
    }
}
