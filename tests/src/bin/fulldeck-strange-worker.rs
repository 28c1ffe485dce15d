//! A worker that misbehaves as its first word says: `lie:PERCENT`, `panic:SLICE`, `abort:SLICE` or `slow:MILLISECONDS`.
//! In everything else it is `fulldeck-worker`, and takes its words.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser as _;
use fulldeck_common::Backend;
use fulldeck_job::{
    ArtifactSink, CheckError, Computation, ComputeContext, ComputeError, Estimate, ParameterSpec,
    Parameters, Plan, PlanError, Registry, Slice, Workload, WorkloadError,
};
use fulldeck_service::{StopSignal, exit, logging};
use fulldeck_worker::{CommandLine, Ending};

/// What is strange about it.
#[derive(Clone, Copy)]
enum Manner {
    /// In so many percent of the slices counts are wrong, in a way that no identity notices.
    Lie(u32),
    Panic(u32),
    Abort(u32),
    /// Every batch takes so many milliseconds longer.
    Slow(u64),
}

struct Strange {
    right: Arc<dyn Workload>,
    manner: Manner,
}

struct StrangeComputation {
    right: Arc<dyn Computation>,
    manner: Manner,
}

fn manner(text: &str) -> Result<Manner, String> {
    let (word, number) = text.split_once(':').ok_or("the manner has the form WORD:NUMBER")?;
    let number: u32 = number.parse().map_err(|_| format!("{number} is no number"))?;
    match word {
        "lie" => Ok(Manner::Lie(number)),
        "panic" => Ok(Manner::Panic(number)),
        "abort" => Ok(Manner::Abort(number)),
        "slow" => Ok(Manner::Slow(number.into())),
        _ => Err(format!("the manner {word} is not known")),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::from(exit::USAGE)
        }
    }
}

fn run() -> Result<u8, String> {
    let mut words: Vec<_> = std::env::args_os().collect();
    let manner = if words.len() > 1 { words.remove(1) } else { return Err("no manner".into()) };
    let command_line = CommandLine::parse_from(words);
    let (filter, format) = command_line.log();
    logging::init(filter, format).map_err(|error| error.to_string())?;
    let manner = self::manner(&manner.to_string_lossy())?;
    let options = command_line.options().map_err(|error| error.to_string())?;
    let registry = fulldeck_common::registry_with(Backend::best());
    let strange = |right: &Arc<dyn Workload>| -> Arc<dyn Workload> {
        Arc::new(Strange { right: Arc::clone(right), manner })
    };
    let registry = Registry::new(registry.iter().map(strange).collect());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let ended = runtime.block_on(async {
        let stop = StopSignal::install().map_err(|error| error.to_string())?;
        let summary = fulldeck_worker::run(options, registry, stop.clone()).await;
        match summary {
            Ok(summary) if summary.ending == Ending::Stopped => Ok(stop.exit_code()),
            Ok(_) => Ok(exit::OK),
            Err(error) => Ok(error.exit_code()),
        }
    });
    runtime.shutdown_background();
    ended
}

impl Workload for Strange {
    fn name(&self) -> &'static str {
        self.right.name()
    }

    fn summary(&self) -> &'static str {
        self.right.summary()
    }

    fn algorithm_version(&self) -> u32 {
        self.right.algorithm_version()
    }

    fn parameters(&self) -> &'static [ParameterSpec] {
        self.right.parameters()
    }

    fn prepare(&self, parameters: &Parameters) -> Result<Arc<dyn Computation>, WorkloadError> {
        let right = self.right.prepare(parameters)?;
        Ok(Arc::new(StrangeComputation { right, manner: self.manner }))
    }
}

impl Computation for StrangeComputation {
    fn estimate(&self) -> Estimate {
        self.right.estimate()
    }

    fn plan(&self, slice_target: u32) -> Result<Plan, PlanError> {
        self.right.plan(slice_target)
    }

    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        let has = |number: u32| slices.iter().any(|slice| slice.id.0 == number);
        match self.manner {
            Manner::Panic(number) if has(number) => panic!("slice {number} is too strange"),
            Manner::Abort(number) if has(number) => std::process::abort(),
            Manner::Slow(milliseconds) => {
                let until = Instant::now() + Duration::from_millis(milliseconds);
                while Instant::now() < until {
                    context.poll()?;
                    std::thread::park_timeout(Duration::from_millis(20));
                }
            }
            _ => {}
        }
        let mut payloads = self.right.compute(slices, context)?;
        if let Manner::Lie(percent) = self.manner {
            let lies = |slice: &Slice| slice.id.0.wrapping_mul(37) % 100 < percent;
            for (slice, payload) in slices.iter().zip(&mut payloads).filter(|(one, _)| lies(one)) {
                self.lie(slice, payload);
            }
        }
        Ok(payloads)
    }

    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        self.right.check(slice, payload)
    }

    fn assemble(
        &self,
        plan: &Plan,
        payloads: &mut dyn Iterator<Item = std::io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> std::io::Result<()> {
        self.right.assemble(plan, payloads, sink)
    }
}

impl StrangeComputation {
    /// Makes counts wrong by one, wherever the identities still hold.
    fn lie(&self, slice: &Slice, payload: &mut [u8]) {
        const PARTS: usize = 64;
        const COUNT: usize = size_of::<u32>();
        let part = payload.len().div_ceil(PARTS).next_multiple_of(COUNT);
        for start in (0..payload.len()).step_by(part) {
            let counts = (start..payload.len().min(start + part)).step_by(COUNT);
            counts.clone().for_each(|at| payload[at] ^= 1);
            if self.right.check(slice, payload).is_err() {
                counts.for_each(|at| payload[at] ^= 1);
            }
        }
    }
}
