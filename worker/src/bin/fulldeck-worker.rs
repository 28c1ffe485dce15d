//! The slim worker: computes slices for a coordinator, and nothing else.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use fulldeck_common::Backend;
use fulldeck_service::{StopSignal, UsageError, exit, logging};
use fulldeck_worker::{CommandLine, Ending, WorkerOptions, WorkerSummary};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let command_line = match CommandLine::try_parse_from(&arguments) {
        Ok(command_line) => command_line,
        Err(error) if !error.use_stderr() => {
            // A reader that went away has read enough.
            let _ = error.print();
            return ExitCode::from(exit::OK);
        }
        Err(error) => {
            let UsageError { message, hint } =
                UsageError::new(&error, &CommandLine::command(), &arguments);
            return refuse(&format!("{message}; {hint}"));
        }
    };
    let (filter, format) = command_line.log();
    if let Err(error) = logging::init(filter, format) {
        return refuse(&error);
    }
    let backend = match command_line.cpu().map(str::parse).transpose() {
        Ok(backend) => backend.unwrap_or_else(Backend::best),
        Err(error) => return refuse(&error),
    };
    let mut options = match command_line.options() {
        Ok(options) => options,
        Err(error) => return refuse(&error),
    };
    options.cpu = backend.name().to_owned();
    let runtime =
        match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return fail(&error, exit::UNEXPECTED),
        };
    let code = runtime.block_on(work(options, backend));
    // Computing that has not noticed its cancel flag yet must not hold the process.
    runtime.shutdown_background();
    code
}

async fn work(options: WorkerOptions, backend: Backend) -> ExitCode {
    let stop = match StopSignal::install() {
        Ok(stop) => stop,
        Err(error) => return fail(&error, exit::UNEXPECTED),
    };
    match fulldeck_worker::run(options, fulldeck_common::registry_with(backend), stop.clone()).await
    {
        Ok(summary) => {
            tell(&summary);
            match summary.ending {
                Ending::AllDone | Ending::Drained => ExitCode::from(exit::OK),
                Ending::Stopped => ExitCode::from(stop.exit_code()),
            }
        }
        Err(error) => fail(&error, error.exit_code()),
    }
}

fn tell(summary: &WorkerSummary) {
    let WorkerSummary { ending, committed, duplicates, failed, dropped, released } = *summary;
    let peak_mib =
        fulldeck_service::host::process_memory().map_or(0, |memory| memory.peak_rss_bytes >> 20);
    tracing::info!(
        committed,
        duplicates,
        failed,
        dropped,
        released,
        peak_mib,
        "{}",
        match ending {
            Ending::AllDone => "everything is done",
            Ending::Drained => "drained",
            Ending::Stopped => "stopped",
        }
    );
}

fn refuse(error: &(impl std::fmt::Display + ?Sized)) -> ExitCode {
    fail(error, exit::USAGE)
}

#[expect(clippy::print_stderr, reason = "a program's last word, even when logging is not set up")]
fn fail(error: &(impl std::fmt::Display + ?Sized), code: u8) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::from(code)
}
