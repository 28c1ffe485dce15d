//! A workload of a few lines: the squares of the numbers 0, 1, 2, ... in two jobs.

use std::io;
use std::sync::Arc;

use fulldeck_job::*;
use serde_json::{Map, Value, json};

/// `version` tells releases apart.
pub(super) struct Squares {
    pub(super) version: u32,
}

pub(super) struct Bound {
    rows: u32,
    /// Bytes behind each square, to make results large.
    padding: u64,
}

const PARAMETERS: &[ParameterSpec] = &[
    ParameterSpec {
        name: "padding",
        summary: "bytes behind each square",
        default: "0",
        kind: ParameterKind::Integer { min: 0, max: 64 << 20 },
    },
    ParameterSpec {
        name: "rows",
        summary: "rows of each job",
        default: "8",
        kind: ParameterKind::Integer { min: 1, max: 1_000 },
    },
];

pub(super) fn registry() -> Registry {
    Registry::new(vec![Arc::new(Squares { version: 1 })])
}

impl Workload for Squares {
    fn name(&self) -> &'static str {
        "squares"
    }

    fn summary(&self) -> &'static str {
        "squares of numbers"
    }

    fn algorithm_version(&self) -> u32 {
        self.version
    }

    fn parameters(&self) -> &'static [ParameterSpec] {
        PARAMETERS
    }

    fn prepare(&self, parameters: &Parameters) -> Result<Arc<dyn Computation>, WorkloadError> {
        let rows = parameters.integer("rows") as u32;
        Ok(Arc::new(Bound { rows, padding: parameters.integer("padding") }))
    }
}

impl Bound {
    fn number(&self, slice: &Slice, row: u32) -> u64 {
        u64::from(slice.job.0 * self.rows + slice.first_row + row)
    }

    fn width(&self) -> usize {
        8 + self.padding as usize
    }
}

impl Computation for Bound {
    fn estimate(&self) -> Estimate {
        let bytes = 2 * u64::from(self.rows) * self.width() as u64;
        Estimate {
            elements: 2 * u64::from(self.rows),
            core_seconds: 0.0,
            worker_bytes: bytes,
            store_bytes: bytes,
            artifact_bytes: bytes,
        }
    }

    /// One row a slice, two slices a batch.
    fn plan(&self, _: u32) -> Result<Plan, PlanError> {
        let jobs = ["low", "high"].map(|name| Job {
            name: name.into(),
            family: String::new(),
            rows: self.rows,
        });
        let slices = (0..2 * self.rows)
            .map(|id| Slice {
                id: SliceId(id),
                job: JobIndex(id / self.rows),
                first_row: id % self.rows,
                rows: 1,
                elements: 1,
                raw_bytes: self.width() as u64,
                cost: 1,
                batch: id / 2,
            })
            .collect();
        Plan::new(jobs.into(), slices)
    }

    fn compute(
        &self,
        slices: &[Slice],
        _: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        let payload = |slice: &Slice| {
            let number = self.number(slice, 0);
            let mut bytes = (number * number).to_le_bytes().to_vec();
            // Noise that does not compress, the same each time.
            let mut noise = number + 1;
            bytes.extend((0..self.padding).map(|_| {
                noise ^= noise << 13;
                noise ^= noise >> 7;
                noise ^= noise << 17;
                noise as u8
            }));
            bytes
        };
        Ok(slices.iter().map(payload).collect())
    }

    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        let number = self.number(slice, 0);
        if payload[..8] == (number * number).to_le_bytes() {
            Ok(())
        } else {
            Err(CheckError(format!("not the square of {number}")))
        }
    }

    fn assemble(
        &self,
        plan: &Plan,
        payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        let array = sink.array("squares", ElementType::U64, &[2 * u64::from(self.rows)])?;
        for (slice, payload) in plan.slices().iter().zip(payloads) {
            sink.write_at(array, self.number(slice, 0), &payload?[..8])?;
        }
        sink.fact("rows", json!(self.rows));
        Ok(())
    }

    fn query(
        &self,
        artifact: &dyn ArtifactSource,
        question: &[String],
    ) -> Result<Map<String, Value>, QueryError> {
        let number: u64 = question
            .first()
            .and_then(|word| word.parse().ok())
            .ok_or_else(|| QueryError::Question("ask for a number".into()))?;
        let mut bytes = [0; 8];
        artifact.read_at("squares", number, &mut bytes)?;
        Ok(Map::from_iter([("square".into(), json!(u64::from_le_bytes(bytes)))]))
    }
}
