//! `fulldeck bench pushfold`: one pass of the push/fold solver over a merged matrix, beside reading the same bytes.

use std::sync::atomic::AtomicBool;

use clap::Args;
use fulldeck_common::omaha::pushfold::{Payoffs, Stakes, Strategies};
use fulldeck_job::ComputeContext;
use fulldeck_service::{exit, host};
use serde_json::{Map, Value, json};

use super::{Spread, rounded, timed};
use crate::app::App;
use crate::artifacts;
use crate::cli::{DataDir, Part};
use crate::commands::solve::hole_cards;
use crate::error::CliError;
use crate::output::table::pairs;
use crate::output::units::bytes;
use crate::output::{Answer, Style, object};

/// Passes, and as many readings, by turns.
const ROUNDS: usize = 9;
const MILLI: f64 = 1e3;

/// Flags of `bench pushfold`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck bench pushfold
  fulldeck bench pushfold --run 1 --data-dir D --threads 1")]
pub(crate) struct Arguments {
    /// The merged run: its number, 'last', a fingerprint prefix, or the folder of its artifact
    #[arg(long, env = "FULLDECK_RUN", value_name = "RUN", default_value = "last")]
    run: String,
    #[command(flatten)]
    data: DataDir,
    /// Threads [default: all this process may use]
    #[arg(long, env = "FULLDECK_THREADS", value_name = "N", value_parser = fulldeck_worker::thread_count)]
    threads: Option<usize>,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let (source, _) = artifacts::open(app, &arguments.data, &arguments.run, &Part { only: None })?;
    let cards = hole_cards(source.manifest())?;
    let threads = arguments.threads.unwrap_or_else(host::available_threads);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| CliError::unexpected(format!("cannot start threads: {error}")))?;
    let measured = pool.install(|| {
        let cancel = AtomicBool::new(false);
        let context = ComputeContext { cancel: &cancel, progress: &|_| {} };
        let usable = host::usable_memory().unwrap_or(u64::MAX);
        let (payoffs, load_seconds) =
            timed(|| Payoffs::load(&source, cards, app.backend, usable, &context));
        let payoffs = payoffs?;
        let stakes = Stakes::new(10.0, 0.5, 0.0)?;
        let strategies =
            Strategies { push: vec![0.5; payoffs.clusters()], call: vec![0.5; payoffs.clusters()] };
        let (mut passes, mut reads) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            passes.push(timed(|| std::hint::black_box(payoffs.advantages(&stakes, &strategies))).1);
            reads.push(timed(|| std::hint::black_box(payoffs.read())).1);
        }
        Ok::<_, CliError>(Measured {
            cpu: app.backend.name(),
            cards,
            threads,
            bytes: payoffs.bytes(),
            load_seconds,
            pass: Spread::of(passes),
            read: Spread::of(reads),
        })
    })?;
    app.output.print(&measured)?;
    Ok(exit::OK)
}

struct Measured {
    cpu: &'static str,
    cards: usize,
    threads: usize,
    /// Bytes that a pass reads.
    bytes: u64,
    load_seconds: f64,
    /// Seconds of a pass, and of reading as many bytes.
    pass: Spread,
    read: Spread,
}

impl Measured {
    fn ratio(&self) -> f64 {
        self.pass.median / self.read.median
    }
}

impl Answer for Measured {
    fn json(&self) -> Map<String, Value> {
        let spread = |spread: Spread| {
            json!({
                "least": rounded(spread.least * MILLI),
                "median": rounded(spread.median * MILLI),
                "most": rounded(spread.most * MILLI),
            })
        };
        object(json!({
            "cpu": self.cpu,
            "cards": self.cards,
            "threads": self.threads,
            "bytes": self.bytes,
            "load_seconds": rounded(self.load_seconds),
            "pass_milliseconds": spread(self.pass),
            "read_milliseconds": spread(self.read),
            "ratio": rounded(self.ratio()),
        }))
    }

    fn ids(&self) -> Vec<String> {
        vec![rounded(self.ratio()).to_string()]
    }

    fn table(&self, style: Style) -> String {
        let shown = |spread: Spread| {
            let rate = self.bytes as f64 / spread.median;
            let [least, median, most] = [spread.least, spread.median, spread.most];
            format!(
                "{:.0} ms ({:.0} to {:.0} ms), {} a second",
                median * MILLI,
                least * MILLI,
                most * MILLI,
                bytes(rate as u64)
            )
        };
        let of = format!("{} hole cards, {}, {} threads", self.cards, self.cpu, self.threads);
        pairs(
            style,
            &[
                ("solver", of),
                ("payoffs", format!("{}, loaded in {:.1} s", bytes(self.bytes), self.load_seconds)),
                ("one pass", shown(self.pass)),
                ("reading only", shown(self.read)),
                ("ratio", format!("{:.2}", self.ratio())),
            ],
        )
    }
}
