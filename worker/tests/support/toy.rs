//! A workload of one row a slice, whose computing waits for a gate.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use fulldeck_job::{
    ArtifactSink, CheckError, Computation, ComputeContext, ComputeError, Estimate, Job, JobIndex,
    ParameterKind, ParameterSpec, Parameters, Plan, PlanError, Registry, Slice, SliceId, Workload,
    WorkloadError,
};
use tokio::sync::watch;

use super::PATIENCE;

/// What a test sees and holds of the toy's computing.
#[derive(Default)]
pub struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
    calls: Mutex<Vec<Vec<u32>>>,
    panics: Mutex<BTreeSet<u32>>,
    begun: watch::Sender<usize>,
    passed: watch::Sender<usize>,
}

impl Gate {
    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }

    /// A call with this slice panics.
    pub fn panic_at(&self, slice: u32) {
        self.panics.lock().unwrap().insert(slice);
    }

    /// The slices of each call so far.
    pub fn calls(&self) -> Vec<Vec<u32>> {
        self.calls.lock().unwrap().clone()
    }

    /// Waits until so many calls have begun.
    pub async fn until_begun(&self, calls: usize) {
        reached(&self.begun, calls).await;
    }

    /// Waits until so many calls have gone through the gate.
    pub async fn until_passed(&self, calls: usize) {
        reached(&self.passed, calls).await;
    }

    fn pass(&self, context: &ComputeContext<'_>) -> Result<(), ComputeError> {
        let mut open = self.open.lock().unwrap();
        while !*open {
            context.poll()?;
            open = self.opened.wait_timeout(open, Duration::from_millis(5)).unwrap().0;
        }
        context.poll()
    }
}

async fn reached(count: &watch::Sender<usize>, calls: usize) {
    let mut count = count.subscribe();
    let reached = count.wait_for(|count| *count >= calls);
    tokio::time::timeout(PATIENCE, reached).await.expect("computing goes on").unwrap();
}

#[derive(Clone)]
pub struct Toy {
    pub gate: Arc<Gate>,
    pub algorithm_version: u32,
    /// Shifts the plan's costs: another plan for the same fingerprint.
    pub skew: u64,
}

impl Toy {
    pub fn new() -> Self {
        Self { gate: Arc::default(), algorithm_version: 1, skew: 0 }
    }

    pub fn registry(&self) -> Registry {
        Registry::new(vec![Arc::new(self.clone())])
    }
}

pub fn payload(slice: u32) -> Vec<u8> {
    (0..2000u32).map(|byte| (byte.wrapping_mul(slice + 1) >> 3) as u8).collect()
}

impl Workload for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn summary(&self) -> &'static str {
        "a toy"
    }

    fn algorithm_version(&self) -> u32 {
        self.algorithm_version
    }

    fn parameters(&self) -> &'static [ParameterSpec] {
        const SLICES: ParameterSpec = ParameterSpec {
            name: "slices",
            summary: "number of slices",
            default: "6",
            kind: ParameterKind::Integer { min: 1, max: 100 },
        };
        const BATCH: ParameterSpec = ParameterSpec {
            name: "batch",
            summary: "slices of a batch",
            default: "2",
            kind: ParameterKind::Integer { min: 1, max: 100 },
        };
        &[BATCH, SLICES]
    }

    fn prepare(&self, parameters: &Parameters) -> Result<Arc<dyn Computation>, WorkloadError> {
        Ok(Arc::new(Bound {
            toy: self.clone(),
            slices: parameters.integer("slices") as u32,
            batch: parameters.integer("batch") as u32,
        }))
    }
}

struct Bound {
    toy: Toy,
    slices: u32,
    batch: u32,
}

impl Computation for Bound {
    fn estimate(&self) -> Estimate {
        unreachable!("workers do not ask")
    }

    fn plan(&self, _: u32) -> Result<Plan, PlanError> {
        let job = Job { name: "rows".into(), family: String::new(), rows: self.slices };
        let slice = |id| Slice {
            id: SliceId(id),
            job: JobIndex(0),
            first_row: id,
            rows: 1,
            elements: 2000,
            raw_bytes: 2000,
            cost: 5 + self.toy.skew,
            batch: id / self.batch,
        };
        Plan::new(vec![job], (0..self.slices).map(slice).collect())
    }

    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        let gate = &self.toy.gate;
        gate.calls.lock().unwrap().push(slices.iter().map(|slice| slice.id.0).collect());
        gate.begun.send_modify(|count| *count += 1);
        gate.pass(context)?;
        gate.passed.send_modify(|count| *count += 1);
        let panics = gate.panics.lock().unwrap().clone();
        slices
            .iter()
            .map(|slice| {
                assert!(!panics.contains(&slice.id.0), "slice {} is poisoned", slice.id.0);
                (context.progress)(slice.cost);
                Ok(payload(slice.id.0))
            })
            .collect()
    }

    fn check(&self, slice: &Slice, bytes: &[u8]) -> Result<(), CheckError> {
        if bytes == payload(slice.id.0) { Ok(()) } else { Err(CheckError("other bytes".into())) }
    }

    fn assemble(
        &self,
        _: &Plan,
        _: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        _: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        unreachable!("workers do not merge")
    }
}
