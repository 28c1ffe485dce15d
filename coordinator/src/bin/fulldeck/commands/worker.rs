//! `fulldeck worker`

use std::time::{Duration, Instant};

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_service::logging::LogFormat;
use fulldeck_service::{Access, AccessToken, Role, StopSignal, TimeLimit, exit};
use fulldeck_worker::{AccessSource, Ending, WorkerOptions, WorkerSummary};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::cli::Link;
use crate::error::CliError;
use crate::output::table::pairs;
use crate::output::units::grouped;
use crate::output::{Answer, Style, object};

/// Longest patience that can be asked for, in seconds: a week.
const MAX_PATIENCE: u64 = 7 * 24 * 3600;

/// Flags of `worker`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck worker --access D/access-worker.toml
  fulldeck worker --access D/access-worker.toml --threads 4 --exit-when-done")]
pub(crate) struct Arguments {
    #[command(flatten)]
    link: Link,
    /// Computing threads [default: all this process may use]
    #[arg(long, env = "FULLDECK_THREADS", value_name = "N", value_parser = fulldeck_worker::thread_count)]
    threads: Option<usize>,
    /// Name shown to people [default: host name and process number]
    #[arg(long, env = "FULLDECK_NAME")]
    name: Option<String>,
    /// How long to wait for an absent coordinator, in seconds
    #[arg(long, env = "FULLDECK_RECONNECT_FOR", value_name = "SECONDS", default_value_t = 600)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=MAX_PATIENCE))]
    reconnect_for: u64,
    /// How long running slices may take when asked to stop, in seconds
    #[arg(long, env = "FULLDECK_DRAIN_WINDOW", value_name = "SECONDS", default_value_t = 30)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=MAX_PATIENCE))]
    drain_window: u64,
    /// What tells this machine from others [default: its machine id and the user]
    #[arg(long, env = "FULLDECK_HOST", value_parser = fulldeck_worker::host_name)]
    host: Option<String>,
    /// This process has to end so long after its start (900, 15m, 12h, 2d; auto: what Slurm allows): no slice is begun
    /// that would not be done by then
    #[arg(long, env = "FULLDECK_TIME_LIMIT", value_name = "TIME")]
    time_limit: Option<TimeLimit>,
    /// Leave when no run has anything left to do
    #[arg(long, env = "FULLDECK_EXIT_WHEN_DONE")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    exit_when_done: bool,
    /// Log lines as JSON
    #[arg(long, env = "FULLDECK_LOG_JSON")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    log_json: bool,
}

impl Arguments {
    pub(crate) fn log_format(&self) -> LogFormat {
        if self.log_json { LogFormat::Json } else { LogFormat::Text }
    }

    fn options(&self, app: &App) -> Result<WorkerOptions, CliError> {
        let link = &self.link;
        let access = match (&link.access, &link.coordinator, &link.token_file) {
            (Some(file), ..) => AccessSource::File(file.clone(), link.tls.clone()),
            (None, Some(url), Some(file)) => {
                let access = Access::new(url, AccessToken::read_file(file)?)?;
                AccessSource::Fixed(access.with_tls(&link.tls)?)
            }
            _ => AccessSource::File(link.data.access_file_of(Role::Worker), link.tls.clone()),
        };
        let mut options = WorkerOptions::new(access);
        options.cpu = app.backend.name().to_owned();
        options.threads = self.threads.unwrap_or(options.threads);
        options.name = self.name.clone().unwrap_or(options.name);
        options.reconnect_for = Duration::from_secs(self.reconnect_for);
        options.drain_window = Duration::from_secs(self.drain_window);
        options.exit_when_done = self.exit_when_done;
        options.host_key = self.host.clone().unwrap_or(options.host_key);
        options.ends = self.time_limit.and_then(TimeLimit::left).map(|left| Instant::now() + left);
        Ok(options)
    }
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let options = arguments.options(app)?;
    let (summary, signal) = app.block_on(async {
        let stop = StopSignal::install()
            .map_err(|error| CliError::unexpected(format!("cannot listen to signals: {error}")))?;
        let summary = fulldeck_worker::run(options, app.registry.clone(), stop.clone()).await?;
        Ok((summary, stop.exit_code()))
    })?;
    app.output.print(&Summary(summary))?;
    Ok(if summary.ending == Ending::Stopped { signal } else { exit::OK })
}

struct Summary(WorkerSummary);

impl Summary {
    fn ending(&self) -> &'static str {
        match self.0.ending {
            Ending::AllDone => "all_done",
            Ending::Drained => "drained",
            Ending::Stopped => "stopped",
        }
    }
}

impl Answer for Summary {
    fn json(&self) -> Map<String, Value> {
        object(json!({
            "ending": self.ending(),
            "committed": self.0.committed,
            "duplicates": self.0.duplicates,
            "failed": self.0.failed,
            "dropped": self.0.dropped,
            "released": self.0.released,
        }))
    }

    fn ids(&self) -> Vec<String> {
        vec![self.0.committed.to_string()]
    }

    fn table(&self, style: Style) -> String {
        pairs(
            style,
            &[
                ("worker", self.ending().replace('_', " ")),
                ("committed", grouped(self.0.committed)),
                ("duplicates", grouped(self.0.duplicates)),
                ("failed", grouped(self.0.failed)),
                ("dropped", grouped(self.0.dropped)),
                ("released", grouped(self.0.released)),
            ],
        )
    }
}
