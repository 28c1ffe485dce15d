//! `fulldeck coordinator`

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_coordinator::scheduler::{Millis, Timings, Validation};
use fulldeck_coordinator::{Coordinator, CoordinatorOptions};
use fulldeck_service::logging::LogFormat;
use fulldeck_service::{AccessToken, StopLevel, StopSignal, exit};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::cli::{DataDir, quoted};
use crate::disk_args::DiskArgs;
use crate::error::CliError;
use crate::output::table::pairs;
use crate::output::{Answer, Style, object};

/// Heartbeats that a lease holds at least: some may get lost.
const MIN_BEATS: u64 = 4;

/// Flags of `coordinator`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck coordinator --data-dir D
  fulldeck coordinator --data-dir D --listen 0.0.0.0:7411 --insecure-plaintext")]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataDir,
    /// Address to listen on; port 0 takes a free one
    #[arg(long, env = "FULLDECK_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:7411")]
    #[arg(value_parser = address)]
    listen: SocketAddr,
    /// Listen where other machines can reach it although nothing is encrypted
    #[arg(long, env = "FULLDECK_INSECURE_PLAINTEXT")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    insecure_plaintext: bool,
    /// File that holds the token [default: the token of the access file, else a new one]
    #[arg(long, env = "FULLDECK_TOKEN_FILE", value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Which results are computed a second time: off, spot:1% (a share of the batches), quorum:2 (all, until so many are
    /// equal), or adaptive (less and less, the longer a host is right)
    #[arg(long, env = "FULLDECK_VALIDATE", value_name = "HOW", default_value = "spot:1%")]
    #[arg(value_parser = validation)]
    validate: Validation,
    /// Workers say so often that they live, in seconds
    #[arg(long, env = "FULLDECK_HEARTBEAT", value_name = "SECONDS", default_value = "3")]
    #[arg(value_parser = seconds)]
    heartbeat: Millis,
    /// What a worker has is given to others when nothing is heard of it for so long, in seconds; at least four heartbeats
    #[arg(long, env = "FULLDECK_LEASE", value_name = "SECONDS", default_value = "30")]
    #[arg(value_parser = seconds)]
    lease: Millis,
    #[command(flatten)]
    disk: DiskArgs,
    /// Log lines as JSON
    #[arg(long, env = "FULLDECK_LOG_JSON")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    log_json: bool,
}

/// Which results are computed a second time.
fn validation(text: &str) -> Result<Validation, String> {
    let share = |text: &str| -> Option<f64> {
        let percent: f64 = text.strip_suffix('%')?.parse().ok()?;
        (percent > 0.0 && percent <= 100.0).then_some(percent / 100.0)
    };
    let quorum = |text: &str| text.parse().ok().filter(|equal| (2..=9).contains(equal));
    let found = match text.split_once(':') {
        None if text == "off" => Some(Validation::Off),
        None if text == "adaptive" => Some(Validation::Adaptive),
        Some(("spot", text)) => share(text).map(Validation::Spot),
        Some(("quorum", text)) => quorum(text).map(Validation::Quorum),
        _ => None,
    };
    found.ok_or_else(|| "off, spot:1%, quorum:2 (to 9) or adaptive is right".to_owned())
}

/// A time in seconds, with fractions.
fn seconds(text: &str) -> Result<Millis, String> {
    let time = text.parse().ok().filter(|seconds: &f64| (0.1..=3_600.0).contains(seconds));
    time.map(|seconds| Millis((seconds * 1_000.0) as u64))
        .ok_or_else(|| "seconds from 0.1 to 3600 are right".to_owned())
}

/// An address to listen on.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "an IP address and a port are right, e.g. 127.0.0.1:7411".to_owned())
}

impl Arguments {
    fn timings(&self) -> Result<Timings, CliError> {
        if self.lease.0 < MIN_BEATS * self.heartbeat.0 {
            return Err(CliError::usage(format!(
                "a lease of {} s is too short for heartbeats every {} s; it holds at least {MIN_BEATS} of them",
                self.lease.seconds(),
                self.heartbeat.seconds()
            )));
        }
        Ok(Timings { heartbeat: self.heartbeat, lease: self.lease, ..Timings::default() })
    }

    pub(crate) fn log_format(&self) -> LogFormat {
        if self.log_json { LogFormat::Json } else { LogFormat::Text }
    }
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    arguments.data.check()?;
    app.block_on(async {
        let stop = StopSignal::install()
            .map_err(|error| CliError::unexpected(format!("cannot listen to signals: {error}")))?;
        let mut options =
            CoordinatorOptions::new(arguments.data.data_dir.clone(), arguments.listen);
        options.insecure_plaintext = arguments.insecure_plaintext;
        options.timings = arguments.timings()?;
        options.validation = arguments.validate;
        arguments.disk.apply(&mut options);
        options.token = arguments.token_file.as_deref().map(AccessToken::read_file).transpose()?;
        let access_file = options.access_file();
        let coordinator = Coordinator::start(options, app.registry.clone()).await?;
        app.output.print(&Listening { url: coordinator.access().url.clone(), access_file })?;
        let handle = coordinator.handle();
        loop {
            tokio::select! {
                () = stop.reached(StopLevel::Drain) => break,
                reason = handle.store_failed() => {
                    tracing::error!("nothing more is leased or stored: {reason}");
                }
            }
            // It still answers questions, and its workers wait until it goes on.
            tokio::select! {
                () = stop.reached(StopLevel::Drain) => break,
                () = handle.store_serves() => {}
            }
        }
        tokio::select! {
            ended = coordinator.shutdown() => ended?,
            () = stop.reached(StopLevel::Stop) => return Ok(stop.exit_code()),
        }
        Ok(exit::OK)
    })
}

struct Listening {
    url: String,
    access_file: PathBuf,
}

impl Listening {
    fn join(&self) -> String {
        format!("fulldeck worker --access {}", quoted(&self.access_file.to_string_lossy()))
    }
}

impl Answer for Listening {
    fn json(&self) -> Map<String, Value> {
        object(json!({
            "url": self.url,
            "access_file": self.access_file.display().to_string(),
            "join": self.join(),
        }))
    }

    fn ids(&self) -> Vec<String> {
        vec![self.url.clone()]
    }

    fn table(&self, style: Style) -> String {
        pairs(style, &[("coordinator", self.url.clone()), ("join with", self.join())])
    }
}
