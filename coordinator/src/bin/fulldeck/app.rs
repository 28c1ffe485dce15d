//! What every command is given: output, workloads, progress and logs.

use std::future::Future;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

use fulldeck_common::Backend;
use fulldeck_job::{Computation, Parameters, Registry, RunSpec, Workload};
use fulldeck_service::logging::{self, LogFormat};
use indicatif::MultiProgress;

use crate::cli::{Global, RunArgs};
use crate::error::CliError;
use crate::output::{Output, Shape};

/// What every command is given.
pub(crate) struct App {
    pub(crate) output: Output,
    /// File of a picture, if -o names one.
    pub(crate) file: Option<PathBuf>,
    pub(crate) registry: Registry,
    /// Instructions the kernels use.
    pub(crate) backend: Backend,
    /// Bars are drawn here, and logs are written through it so that both stay whole.
    pub(crate) bars: MultiProgress,
    /// Whether bars are drawn.
    pub(crate) progress: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: u8,
    log_colour: bool,
}

/// A run as asked for on the command line.
pub(crate) struct Asked {
    pub(crate) spec: RunSpec,
    pub(crate) workload: Arc<dyn Workload>,
    pub(crate) parameters: Parameters,
}

impl Asked {
    pub(crate) fn computation(&self) -> Result<Arc<dyn Computation>, CliError> {
        Ok(self.workload.prepare(&self.parameters)?)
    }
}

impl App {
    pub(crate) fn new(global: &Global) -> Self {
        let backend = global.cpu.unwrap_or_else(Backend::best);
        let terminal = std::io::stderr().is_terminal();
        Self {
            output: Output::new(global.output.format(), global.color),
            file: match &global.output {
                Shape::File(file) => Some(file.clone()),
                Shape::Format(_) => None,
            },
            registry: fulldeck_common::registry_with(backend),
            backend,
            bars: MultiProgress::new(),
            progress: terminal && !global.no_progress && !global.quiet,
            quiet: global.quiet,
            verbose: global.verbose,
            log_colour: global.color.on(terminal),
        }
    }

    /// Logs to standard error from `level` on; -v and -q shift it.
    pub(crate) fn log(&self, level: &str, format: LogFormat) -> Result<(), CliError> {
        let level = match (self.quiet, self.verbose, level) {
            (true, ..) => "error",
            (false, 0, level) => level,
            (false, 1, "warn") => "info",
            (false, 1, _) | (false, 2, "warn") => "debug",
            _ => "trace",
        };
        let filter = format!("{level},h2=info,hyper=info,tower=info,sled=off");
        let bars = self.bars.clone();
        logging::init_to(&filter, format, self.log_colour, move || AroundBars(bars.clone()))
            .map_err(|error| CliError::usage(error.to_string()))
    }

    /// One line on standard error, unless -q.
    pub(crate) fn say(&self, line: &str) {
        if !self.quiet {
            // In one piece, or a bar is drawn between the text and the end of its line. Standard error may be closed: then
            // there is nobody to tell.
            let _ = AroundBars(self.bars.clone()).write_all(format!("{line}\n").as_bytes());
        }
    }

    pub(crate) fn workload(&self, name: &str) -> Result<&Arc<dyn Workload>, CliError> {
        self.registry.get(name).ok_or_else(|| {
            let known: Vec<_> = self.registry.iter().map(|workload| workload.name()).collect();
            CliError::usage(format!("unknown workload '{name}'"))
                .hint(format!("the workloads are {}", known.join(", ")))
        })
    }

    pub(crate) fn asked(&self, run: &RunArgs) -> Result<Asked, CliError> {
        let workload = self.workload(&run.workload)?.clone();
        let parameters = Parameters::parse(workload.parameters(), &run.parameters)?;
        let spec = RunSpec {
            workload: workload.name().to_owned(),
            algorithm_version: workload.algorithm_version(),
            parameters: parameters.clone(),
            slice_target: run.slices,
        };
        Ok(Asked { spec, workload, parameters })
    }

    /// Runs the asynchronous part of a command. Computing has its own threads, so two are plenty.
    pub(crate) fn block_on<T>(
        &self,
        future: impl Future<Output = Result<T, CliError>>,
    ) -> Result<T, CliError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| CliError::unexpected(format!("cannot start threads: {error}")))?;
        let outcome = runtime.block_on(future);
        // Computing or merging that has not noticed the end yet must not hold the process.
        runtime.shutdown_background();
        outcome
    }
}

/// Standard error, with the bars out of the way while a line is written.
struct AroundBars(MultiProgress);

impl Write for AroundBars {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.suspend(|| std::io::stderr().write_all(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().flush()
    }
}
