//! `fulldeck shard WORKLOAD`: a part of a run, without a coordinator.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use fulldeck_job::record::bundle::BundleHeader;
use fulldeck_job::{Digest, Shard};
use fulldeck_service::{ArrayTask, StopSignal, TimeLimit, exit, host};
use fulldeck_worker::shard::{ShardEnding, ShardJob, ShardSummary, compute_shard};
use fulldeck_worker::thread_count;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::cli::{RunArgs, quoted};
use crate::error::CliError;
use crate::output::table::pairs;
use crate::output::units::{counted, grouped};
use crate::output::{Answer, Style, object};

/// Longest time for what is being computed that can be asked for, in seconds: a week.
const MAX_WINDOW: u64 = 7 * 24 * 3600;
/// Slices that an error names.
const MAX_NAMED: usize = 5;

/// Flags of `shard`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck shard omaha --index 0 --of 64 --out bundles
  fulldeck shard omaha -p cards=2 --index auto --of 4 --out bundles --time-limit auto
  fulldeck import bundles

Every part is computed from nothing but these words: start them in any order, on any machines. The same command goes \
on where it ended; exit code 10 says that it should be given again.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunArgs,
    /// Which part, from 0; auto: that of this element of an array job (Slurm, Kubernetes, PBS)
    #[arg(long, env = "FULLDECK_INDEX", value_name = "I")]
    #[arg(value_parser = index)]
    index: Index,
    /// How many parts there are [default with auto: as many as the array of Slurm has elements]
    #[arg(long, env = "FULLDECK_OF", value_name = "N")]
    of: Option<u32>,
    /// Folder of the bundles; all parts of a run may share one
    #[arg(long, env = "FULLDECK_OUT", value_name = "FOLDER")]
    out: PathBuf,
    /// Computing threads [default: all this process may use]
    #[arg(long, env = "FULLDECK_THREADS", value_name = "N", value_parser = thread_count)]
    threads: Option<usize>,
    /// This process has to end so long after its start: 900, 15m, 12h, 2d; auto: what Slurm allows
    #[arg(long, env = "FULLDECK_TIME_LIMIT", value_name = "TIME")]
    time_limit: Option<TimeLimit>,
    /// How long what is being computed may take when asked to stop, in seconds
    #[arg(long, env = "FULLDECK_DRAIN_WINDOW", value_name = "SECONDS", default_value_t = 20)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=MAX_WINDOW))]
    drain_window: u64,
}

/// Which part.
#[derive(Clone, Copy, Debug)]
enum Index {
    Number(u32),
    Auto,
}

fn index(text: &str) -> Result<Index, String> {
    match text.parse() {
        Ok(number) => Ok(Index::Number(number)),
        Err(_) if text == "auto" => Ok(Index::Auto),
        Err(_) => Err("a whole number from 0, or auto, is right".to_owned()),
    }
}

impl Arguments {
    fn shard(&self) -> Result<Shard, CliError> {
        let (index, of) = match self.index {
            Index::Number(index) => (index, self.of),
            Index::Auto => {
                let task = ArrayTask::find(self.of, |name| std::env::var(name).ok())
                    .map_err(|error| CliError::usage(error.to_string()))?;
                (task.index, task.of)
            }
        };
        let of = of.ok_or_else(|| {
            CliError::usage("it is not known how many parts there are").hint("say so with --of N")
        })?;
        Shard::new(index, of).map_err(|error| CliError::usage(error.to_string()))
    }

    /// The command that goes on.
    fn command(&self, shard: Shard) -> String {
        let mut command = format!("fulldeck shard {}", self.run.workload);
        for parameter in &self.run.parameters {
            command.push_str(&format!(" -p {}", quoted(parameter)));
        }
        if self.run.slices != 0 {
            command.push_str(&format!(" --slices {}", self.run.slices));
        }
        let out = self.out.to_string_lossy();
        let (index, of) = (shard.index(), shard.of());
        command + &format!(" --index {index} --of {of} --out {}", quoted(&out))
    }
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    // Asked first: the time runs.
    let left = arguments.time_limit.and_then(TimeLimit::left);
    let ends = left.map(|left| Instant::now() + left);
    let shard = arguments.shard()?;
    let asked = app.asked(&arguments.run)?;
    let computation = asked.computation()?;
    let plan = computation.plan(arguments.run.slices)?;
    if plan.slices().len() < shard.of() as usize {
        let slices = counted(plan.slices().len() as u64, "slice");
        app.say(&format!("the plan has {slices}: some parts are empty; more come by --slices N"));
    }
    let header = BundleHeader::new(&asked.spec, plan.digest(), shard);
    let job = ShardJob {
        header: header.clone(),
        computation,
        plan: plan.into(),
        folder: arguments.out.clone(),
        threads: arguments.threads.unwrap_or_else(host::available_threads),
        host: host_number(&host::host_key()),
        ends,
        drain_window: Duration::from_secs(arguments.drain_window),
    };
    let (summary, signal) = app.block_on(async {
        let stop = StopSignal::install()
            .map_err(|error| CliError::unexpected(format!("cannot listen to signals: {error}")))?;
        let summary = compute_shard(job, stop.clone()).await?;
        Ok((summary, stop.exit_code()))
    })?;
    let again = arguments.command(shard);
    app.output.print(&Computed { header, summary: summary.clone() })?;
    verdict(&summary, signal, &again)
}

/// The exit code, or what is left to do.
fn verdict(summary: &ShardSummary, signal: u8, again: &str) -> Result<u8, CliError> {
    if !summary.failed.is_empty() {
        let named: Vec<_> = summary.failed.iter().take(MAX_NAMED).collect();
        let slices: Vec<_> = named.iter().map(|(slice, _)| slice.to_string()).collect();
        return Err(CliError::run_failed(format!(
            "{} cannot be computed ({}): {}",
            counted(summary.failed.len() as u64, "slice"),
            slices.join(", "),
            named[0].1
        )));
    }
    let missing = counted(summary.missing() as u64, "slice");
    let error = match summary.ending {
        _ if summary.missing() == 0 => return Ok(exit::OK),
        ShardEnding::Stopped => {
            CliError::signalled(signal, format!("stopped at once, {missing} missing"))
        }
        ShardEnding::OutOfTime => CliError::incomplete(format!("out of time, {missing} missing")),
        ShardEnding::Drained | ShardEnding::Done => {
            CliError::incomplete(format!("stopped, {missing} missing"))
        }
    };
    Err(error.hint(format!("everything done is kept: {again}")))
}

/// First eight bytes of the BLAKE3 of a host key.
fn host_number(key: &str) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = Digest::of(key.as_bytes()).0;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

struct Computed {
    header: BundleHeader,
    summary: ShardSummary,
}

impl Answer for Computed {
    fn json(&self) -> Map<String, Value> {
        let ShardSummary { slices, held, computed, failed, bundles, .. } = &self.summary;
        let failed: Vec<_> =
            failed.iter().map(|(slice, why)| json!({ "slice": slice, "reason": why })).collect();
        object(json!({
            "workload": self.header.workload,
            "fingerprint": self.header.fingerprint.to_string(),
            "plan": self.header.plan_digest.to_string(),
            "index": self.header.shard.index(),
            "of": self.header.shard.of(),
            "slices": slices,
            "held": held,
            "computed": computed,
            "missing": self.summary.missing(),
            "failed": failed,
            "bundles": bundles.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        }))
    }

    fn ids(&self) -> Vec<String> {
        self.summary.bundles.iter().map(|path| path.display().to_string()).collect()
    }

    fn table(&self, style: Style) -> String {
        let summary = &self.summary;
        pairs(
            style,
            &[
                ("shard", self.header.shard.to_string()),
                ("workload", self.header.workload.clone()),
                ("fingerprint", self.header.fingerprint.short()),
                ("slices", grouped(summary.slices as u64)),
                ("held before", grouped(summary.held as u64)),
                ("computed", grouped(summary.computed as u64)),
                ("missing", grouped(summary.missing() as u64)),
            ],
        )
    }
}
