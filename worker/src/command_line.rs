//! The command line of `fulldeck-worker`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::builder::BoolishValueParser;
use clap::{ArgAction, ArgGroup, CommandFactory, Parser};
use fulldeck_service::logging::LogFormat;
use fulldeck_service::{Access, AccessError, AccessToken, TimeLimit, TlsFlags, TokenError};

use crate::{AccessSource, MAX_THREADS, WorkerOptions};

/// Longest patience that can be asked for, in seconds: a week.
const MAX_PATIENCE: u64 = 7 * 24 * 3600;
/// Longest name of a host, in bytes.
const MAX_HOST_BYTES: usize = 64;

/// Computes slices for a fulldeck coordinator.
#[derive(Debug, Parser)]
#[command(name = "fulldeck-worker", version)]
#[command(group(ArgGroup::new("where").required(true).args(["access", "coordinator"])))]
#[command(after_help = "\
Examples:
  fulldeck-worker --access access-worker.toml
  fulldeck-worker --coordinator http://10.0.0.7:7411 --token-file token --threads 4")]
pub struct CommandLine {
    /// Access file that the coordinator writes when it starts (address and token)
    #[arg(long, value_name = "FILE", env = "FULLDECK_ACCESS")]
    access: Option<PathBuf>,
    /// Address of the coordinator, http(s)://host:port; the token is in the file named by FULLDECK_TOKEN_FILE
    #[arg(long, value_name = "URL", env = "FULLDECK_COORDINATOR", requires = "token_file")]
    coordinator: Option<String>,
    /// File that holds the coordinator's token
    #[arg(long, value_name = "FILE", env = "FULLDECK_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    tls: TlsFlags,
    /// Computing threads (default: every one this process may use)
    #[arg(long, value_name = "N", env = "FULLDECK_THREADS", value_parser = thread_count)]
    threads: Option<usize>,
    /// Instructions the kernels use: portable, avx2 or avx512 (default: the fastest of this processor)
    #[arg(long, value_name = "NAME", env = "FULLDECK_CPU")]
    cpu: Option<String>,
    /// Name shown to people (default: host name and process number)
    #[arg(long, env = "FULLDECK_NAME")]
    name: Option<String>,
    /// How long to wait for an absent coordinator, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, env = "FULLDECK_RECONNECT_FOR")]
    #[arg(value_parser = clap::value_parser!(u64).range(..=MAX_PATIENCE))]
    reconnect_for: u64,
    /// How long running slices may take when asked to stop, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, env = "FULLDECK_DRAIN_WINDOW")]
    #[arg(value_parser = clap::value_parser!(u64).range(..=MAX_PATIENCE))]
    drain_window: u64,
    /// What tells this machine from others (default: its machine id and the user)
    #[arg(long, env = "FULLDECK_HOST", value_parser = host_name)]
    host: Option<String>,
    /// This process has to end so long after its start (900, 15m, 12h, 2d; auto: what Slurm allows): no slice is begun
    /// that would not be done by then
    #[arg(long, value_name = "TIME", env = "FULLDECK_TIME_LIMIT")]
    time_limit: Option<TimeLimit>,
    /// Leave when no run has anything left to do
    #[arg(long, env = "FULLDECK_EXIT_WHEN_DONE")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    exit_when_done: bool,
    /// Log lines as JSON
    #[arg(long, env = "FULLDECK_LOG_JSON")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    log_json: bool,
    /// More on standard error: -v debug, -vv trace
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,
    /// Only warnings and errors
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
}

/// Why the options of a command line cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    /// The token file.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The address.
    #[error(transparent)]
    Access(#[from] AccessError),
}

/// A name that tells a machine from others.
///
/// # Errors
/// What would be right.
pub fn host_name(text: &str) -> Result<String, String> {
    let right = |byte: u8| byte.is_ascii_graphic();
    if (1..=MAX_HOST_BYTES).contains(&text.len()) && text.bytes().all(right) {
        return Ok(text.to_owned());
    }
    Err(format!("1 to {MAX_HOST_BYTES} letters, digits and signs without spaces are right"))
}

/// A number of computing threads.
///
/// # Errors
/// What would be right.
pub fn thread_count(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|threads| (1..=MAX_THREADS).contains(threads))
        .ok_or_else(|| format!("a whole number from 1 to {MAX_THREADS} is right"))
}

impl CommandLine {
    /// For help, manual pages and messages.
    #[must_use]
    pub fn command() -> clap::Command {
        <Self as CommandFactory>::command()
    }

    /// Name of the instructions the kernels are to use.
    #[must_use]
    pub fn cpu(&self) -> Option<&str> {
        self.cpu.as_deref()
    }

    /// What is logged, and how.
    #[must_use]
    pub fn log(&self) -> (&'static str, LogFormat) {
        let filter = match (self.quiet, self.verbose) {
            (true, _) => "warn",
            (false, 0) => "info",
            (false, 1) => "debug,h2=info,hyper_util=info,tower=info",
            (false, _) => "trace",
        };
        (filter, if self.log_json { LogFormat::Json } else { LogFormat::Text })
    }

    /// What the worker is told.
    ///
    /// # Errors
    /// [`OptionsError`].
    pub fn options(&self) -> Result<WorkerOptions, OptionsError> {
        let access = match (&self.coordinator, &self.token_file) {
            (Some(url), Some(file)) => {
                let access = Access::new(url, AccessToken::read_file(file)?)?;
                AccessSource::Fixed(access.with_tls(&self.tls)?)
            }
            // Clap has seen to it that one of the two is there.
            _ => AccessSource::File(self.access.clone().unwrap_or_default(), self.tls.clone()),
        };
        let mut options = WorkerOptions::new(access);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed_and_its_examples_are_understood() {
        CommandLine::command().debug_assert();
        let help = CommandLine::command().render_help().to_string();
        let examples: Vec<_> =
            help.lines().filter(|line| line.starts_with("  fulldeck-worker ")).collect();
        assert_eq!(examples.len(), 2, "{help}");
        for example in examples {
            CommandLine::try_parse_from(example.split_whitespace()).expect(example);
        }
    }

    #[test]
    fn thread_counts_are_bounded() {
        assert_eq!(thread_count("4"), Ok(4));
        for bad in ["0", "-1", "many", "100000"] {
            assert!(thread_count(bad).unwrap_err().contains("1 to"));
        }
    }
}
