//! `fulldeck bench slices`: a random share of a run, computed but not kept.

use std::sync::atomic::AtomicBool;

use clap::Args;
use fulldeck_job::{Computation, ComputeContext, Permutation, Plan, Sample, Slice};
use fulldeck_service::{exit, host};
use fulldeck_worker::thread_count;
use serde_json::{Map, Value, json};

use super::{Spread, rounded, timed};
use crate::app::App;
use crate::cli::RunArgs;
use crate::commands::verify::Percent;
use crate::error::CliError;
use crate::output::table::pairs;
use crate::output::units::{bytes, counted, duration, grouped, percent};
use crate::output::{Answer, Style, object};
use crate::progress::Activity;

/// Flags of `bench slices`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck bench slices omaha -p cards=5 --sample 1%")]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunArgs,
    /// Share of the slices to compute; whole batches are taken, so every job has its share
    #[arg(long, env = "FULLDECK_SAMPLE", value_name = "PERCENT", default_value = "1%")]
    sample: Percent,
    /// Elements of each slice to recompute with the second engine, if the workload has one
    #[arg(long, env = "FULLDECK_RECHECK", value_name = "N", default_value_t = 1)]
    recheck: u64,
    /// Chooses the sample: the same seed takes the same slices
    #[arg(long, env = "FULLDECK_SEED", value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Computing threads [default: all this process may use]
    #[arg(long, env = "FULLDECK_THREADS", value_name = "N", value_parser = thread_count)]
    threads: Option<usize>,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let asked = app.asked(&arguments.run)?;
    let computation = asked.computation()?;
    let plan = computation.plan(arguments.run.slices)?;
    let batches = drawn(&plan, &arguments.sample, arguments.seed);
    let threads = arguments.threads.unwrap_or_else(host::available_threads);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|number| format!("bench-{number}"))
        .build()
        .map_err(|error| CliError::unexpected(format!("cannot start threads: {error}")))?;

    let mut measured = Measured {
        run: asked.spec.workload.clone(),
        parameters: asked
            .parameters
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect(),
        cpu: app.backend.name(),
        threads,
        slices: plan.slices().len() as u64,
        cost: plan.total_cost(),
        ..Measured::default()
    };
    let activity = Activity::of(app, "computing", batches.len() as u64);
    for batch in &batches {
        pool.install(|| measured.take(computation.as_ref(), batch, arguments))?;
        activity.add(1);
    }
    activity.clear();
    measured.peak_bytes = host::process_memory().map_or(0, |memory| memory.peak_rss_bytes);
    let mismatched = measured.mismatched;
    app.output.print(&measured)?;
    Ok(if mismatched == 0 { exit::OK } else { exit::MISMATCH })
}

/// Whole batches at random until they hold the share of the slices.
fn drawn(plan: &Plan, share: &Percent, seed: u64) -> Vec<Vec<Slice>> {
    let batches: Vec<Vec<Slice>> = {
        let mut sorted = plan.slices().to_vec();
        sorted.sort_by_key(|slice| slice.batch);
        sorted.chunk_by(|a, b| a.batch == b.batch).map(<[Slice]>::to_vec).collect()
    };
    let wanted = (plan.slices().len() as f64 * share.0 / 100.0).ceil() as usize;
    let order = Permutation::new(batches.len() as u64, seed);
    let mut taken = 0;
    (0..batches.len() as u64)
        .map(|draw| &batches[order.at(draw) as usize])
        .take_while(|batch| {
            let more = taken < wanted;
            taken += batch.len();
            more
        })
        .cloned()
        .collect()
}

/// What was computed, and how long it took.
#[derive(Default)]
struct Measured {
    run: String,
    parameters: Vec<String>,
    cpu: &'static str,
    threads: usize,
    /// Slices and cost of the whole run.
    slices: u64,
    cost: u64,
    /// Of the sample: slices, elements, cost, and seconds of wall time for each batch with its cost.
    sampled_slices: u64,
    sampled_elements: u64,
    sampled_cost: u64,
    batches: Vec<(u64, f64)>,
    checked: u64,
    mismatched: u64,
    examples: Vec<String>,
    peak_bytes: u64,
}

impl Measured {
    fn take(
        &mut self,
        computation: &dyn Computation,
        batch: &[Slice],
        arguments: &Arguments,
    ) -> Result<(), CliError> {
        let cancel = AtomicBool::new(false);
        let context = ComputeContext { cancel: &cancel, progress: &|_| () };
        if self.batches.is_empty() {
            // Tables are built at first use and are no part of what is extrapolated.
            let smallest = batch.iter().min_by_key(|slice| slice.elements).copied();
            computation.compute(smallest.as_slice(), &context)?;
        }
        let (payloads, seconds) = timed(|| computation.compute(batch, &context));
        let cost = batch.iter().map(|slice| slice.cost).sum();
        self.batches.push((cost, seconds));
        self.sampled_cost += cost;
        for (slice, payload) in batch.iter().zip(payloads?) {
            self.sampled_slices += 1;
            self.sampled_elements += slice.elements;
            if slice.elements == 0 || arguments.recheck == 0 {
                computation.check(slice, &payload).map_err(|error| mismatch(slice, &error.0))?;
                continue;
            }
            let fraction = (arguments.recheck as f64 / slice.elements as f64).min(1.0);
            let seed = arguments.seed.wrapping_add(u64::from(slice.id.0));
            let report =
                computation.recheck(slice, &payload, &Sample { fraction, seed }, &context)?;
            self.checked += report.checked;
            self.mismatched += report.mismatched;
            self.examples.extend(report.examples);
        }
        Ok(())
    }

    fn seconds(&self) -> f64 {
        self.batches.iter().map(|(_, seconds)| seconds).sum()
    }

    /// Time of the whole run on these threads, from the sample's cost.
    fn whole_seconds(&self) -> f64 {
        self.seconds() * self.cost as f64 / self.sampled_cost.max(1) as f64
    }

    /// The same from single batches: the least and the most that one of them suggests.
    fn whole_spread(&self) -> Spread {
        let of = |(cost, seconds): &(u64, f64)| seconds * self.cost as f64 / (*cost).max(1) as f64;
        Spread::of(self.batches.iter().map(of).collect())
    }
}

fn mismatch(slice: &Slice, why: &str) -> CliError {
    CliError::unexpected(format!("slice {} is wrong: {why}", slice.id.0))
}

impl Answer for Measured {
    fn json(&self) -> Map<String, Value> {
        let spread = self.whole_spread();
        object(json!({
            "workload": self.run,
            "parameters": self.parameters,
            "cpu": self.cpu,
            "threads": self.threads,
            "slices": self.slices,
            "sampled_slices": self.sampled_slices,
            "sampled_elements": self.sampled_elements,
            "sampled_cost_percent": rounded(percent(self.sampled_cost, self.cost)),
            "seconds": rounded(self.seconds()),
            "whole_seconds_estimate": rounded(self.whole_seconds()),
            "whole_seconds_by_batch": {
                "least": rounded(spread.least),
                "median": rounded(spread.median),
                "most": rounded(spread.most),
            },
            "rechecked": self.checked,
            "mismatched": self.mismatched,
            "examples": self.examples,
            "peak_bytes": self.peak_bytes,
        }))
    }

    fn ids(&self) -> Vec<String> {
        vec![rounded(self.whole_seconds()).to_string()]
    }

    fn table(&self, style: Style) -> String {
        let spread = self.whole_spread();
        let rechecked = match self.checked {
            0 => "nothing: no second engine was asked".to_owned(),
            checked => format!(
                "{} by the second engine, {} differ",
                counted(checked, "element"),
                grouped(self.mismatched)
            ),
        };
        let mut lines = vec![
            ("run", format!("{} {}", self.run, self.parameters.join(" "))),
            ("cpu", format!("{}, {}", self.cpu, counted(self.threads as u64, "thread"))),
            (
                "sample",
                format!(
                    "{} of {} slices in {} batches, {:.2} % of the work, {} elements",
                    grouped(self.sampled_slices),
                    grouped(self.slices),
                    self.batches.len(),
                    percent(self.sampled_cost, self.cost),
                    grouped(self.sampled_elements)
                ),
            ),
            ("identities", "hold in every slice".to_owned()),
            ("rechecked", rechecked),
            ("computed in", duration(self.seconds())),
            (
                "whole run",
                format!(
                    "about {} on these threads (estimate; single batches say {} to {})",
                    duration(self.whole_seconds()),
                    duration(spread.least),
                    duration(spread.most)
                ),
            ),
            ("peak memory", bytes(self.peak_bytes)),
        ];
        lines.extend(self.examples.iter().map(|example| ("differs", example.clone())));
        pairs(style, &lines)
    }
}
