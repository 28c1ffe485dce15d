//! The slim worker: computes slices for a coordinator, and nothing else.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgGroup, Parser};
use fulldeck_common::Backend;
use fulldeck_service::logging::{self, LogFormat};
use fulldeck_service::{Access, AccessToken, StopSignal, exit};
use fulldeck_worker::{AccessSource, Ending, WorkerOptions, WorkerSummary};

/// Computes slices for a fulldeck coordinator.
#[derive(Debug, Parser)]
#[command(name = "fulldeck-worker", version, group(ArgGroup::new("where").required(true).args(["access", "coordinator"])))]
struct Arguments {
    /// Access file that the coordinator writes when it starts (address and token)
    #[arg(long, value_name = "FILE", env = "FULLDECK_ACCESS")]
    access: Option<PathBuf>,
    /// Address of the coordinator, http://host:port; the token is in the file named by FULLDECK_TOKEN_FILE
    #[arg(long, value_name = "URL", env = "FULLDECK_COORDINATOR", requires = "token_file")]
    coordinator: Option<String>,
    /// File that holds the coordinator's token
    #[arg(long, value_name = "FILE", env = "FULLDECK_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// Computing threads (default: every one this process may use)
    #[arg(long, value_name = "N", env = "FULLDECK_THREADS")]
    threads: Option<usize>,
    /// Instructions the kernels use: portable, avx2 or avx512 (default: the fastest of this processor)
    #[arg(long, value_name = "NAME", env = "FULLDECK_CPU")]
    cpu: Option<Backend>,
    /// Name shown to people (default: host name and process number)
    #[arg(long, env = "FULLDECK_NAME")]
    name: Option<String>,
    /// How long to wait for an absent coordinator, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, env = "FULLDECK_RECONNECT_FOR")]
    reconnect_for: u64,
    /// How long running slices may take when asked to stop, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, env = "FULLDECK_DRAIN_WINDOW")]
    drain_window: u64,
    /// Leave when no run has anything left to do
    #[arg(long, env = "FULLDECK_EXIT_WHEN_DONE")]
    exit_when_done: bool,
    /// Log lines as JSON
    #[arg(long, env = "FULLDECK_LOG_JSON")]
    log_json: bool,
    /// More on standard error: -v debug, -vv trace
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Only warnings and errors
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let filter = match (arguments.quiet, arguments.verbose) {
        (true, _) => "warn",
        (false, 0) => "info",
        (false, 1) => "debug,h2=info,hyper_util=info,tower=info",
        (false, _) => "trace",
    };
    let format = if arguments.log_json { LogFormat::Json } else { LogFormat::Text };
    if let Err(error) = logging::init(filter, format) {
        return refuse(&error);
    }
    let backend = arguments.cpu.unwrap_or_else(Backend::best);
    let options = match options(arguments, backend) {
        Ok(options) => options,
        Err(error) => return refuse(&*error),
    };
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

fn options(
    arguments: Arguments,
    backend: Backend,
) -> Result<WorkerOptions, Box<dyn std::error::Error>> {
    let access = match (arguments.access, arguments.coordinator, arguments.token_file) {
        (Some(file), _, _) => AccessSource::File(file),
        (None, Some(url), Some(file)) => {
            AccessSource::Fixed(Access::new(&url, AccessToken::read_file(&file)?)?)
        }
        _ => return Err("give --access FILE, or --coordinator URL with a token file".into()),
    };
    let mut options = WorkerOptions::new(access);
    options.threads = arguments.threads.unwrap_or(options.threads);
    options.cpu = backend.name().to_owned();
    options.name = arguments.name.unwrap_or(options.name);
    options.reconnect_for = Duration::from_secs(arguments.reconnect_for);
    options.drain_window = Duration::from_secs(arguments.drain_window);
    options.exit_when_done = arguments.exit_when_done;
    Ok(options)
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
