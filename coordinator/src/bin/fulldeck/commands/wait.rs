//! `fulldeck wait RUN`

use std::time::{Duration, Instant};

use clap::Args;
use fulldeck_proto::v1::{RunState, RunStatus};
use fulldeck_service::exit;

use crate::app::App;
use crate::artifacts::check_run_name;
use crate::cli::Link;
use crate::error::CliError;
use crate::offline::Folder;
use crate::output::units::percent;
use crate::progress::RunBars;
use crate::remote;
use crate::run_view::{RunView, halted, is_over};

/// Time between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Longest wait that can be asked for: a year.
const MAX_SECONDS: u64 = 365 * 24 * 3600;

/// Flags of `wait`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck wait last
  fulldeck wait 3 --data-dir D --timeout 3600")]
pub(crate) struct Arguments {
    /// The run: its number, 'last', or a fingerprint prefix
    #[arg(allow_negative_numbers = true)]
    run: String,
    #[command(flatten)]
    link: Link,
    /// Give up after so many seconds, with exit code 5
    #[arg(long, env = "FULLDECK_TIMEOUT", value_name = "SECONDS")]
    #[arg(value_parser = clap::value_parser!(u64).range(..=MAX_SECONDS))]
    timeout: Option<u64>,
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    check_run_name(&arguments.run)?;
    let status = app.block_on(async {
        let Some(mut coordinator) = remote::find(&arguments.link).await? else {
            return finished(arguments, app);
        };
        // 'last' must not change its meaning while we wait.
        let first = coordinator.run(&arguments.run).await?;
        let number = first.spec.as_ref().map_or(arguments.run.clone(), |spec| spec.run.to_string());
        let deadline =
            arguments.timeout.map(|seconds| Instant::now() + Duration::from_secs(seconds));
        let mut bars = RunBars::new(app, &first);
        let mut watched = coordinator.watch(&number).await?;
        let mut status = first;
        loop {
            bars.show(&status);
            if is_over(&status) {
                bars.clear();
                return Ok(status);
            }
            if let Some(halted) = halted(&status) {
                bars.clear();
                return Err(halted);
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                bars.clear();
                let done = percent(status.committed_cost, status.cost);
                return Err(CliError::timed_out(format!("run {number} is at {done:.1} %")).hint(
                    format!("it goes on: fulldeck wait {number}{}", arguments.link.words()),
                ));
            }
            // The bars turn, and the deadline is looked at, also while nothing changes.
            if let Ok(next) = tokio::time::timeout(LOOK_EVERY, watched.next()).await {
                status = match next? {
                    Some(next) => next,
                    None => coordinator.run(&number).await?,
                };
            }
        }
    })?;
    let failed = status.state() != RunState::Finished;
    app.output.print(&RunView(status, arguments.link.clone()))?;
    Ok(if failed { exit::RUN_FAILED } else { exit::OK })
}

/// The run of a stopped folder, if it is finished; nothing else is worth waiting for there.
fn finished(arguments: &Arguments, app: &App) -> Result<RunStatus, CliError> {
    if !Folder::exists(&arguments.link.data) {
        return Err(remote::absent(&arguments.link));
    }
    let status = Folder::open(app, &arguments.link.data)?.status(&arguments.run)?;
    match status.state() {
        RunState::Finished => Ok(status),
        _ => Err(remote::absent(&arguments.link)),
    }
}
