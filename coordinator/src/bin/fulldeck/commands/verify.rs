//! `fulldeck verify RUN`

use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use clap::Args;
use fulldeck_artifact::Manifest;
use fulldeck_job::{Computation, ComputeContext, Sample, VerifyReport};
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::artifacts;
use crate::cli::{DataDir, Part};
use crate::error::CliError;
use crate::output::table::pairs;
use crate::output::units::{bytes, duration, grouped};
use crate::output::{Answer, Style, object};
use crate::progress::Activity;

/// Share that is recomputed unless another is wanted ...
const USUAL_PERCENT: f64 = 1.0;
/// ... but no more elements than this.
const USUAL_ELEMENTS: f64 = 10_000.0;

/// Flags of `verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck verify last
  fulldeck verify 1 --sample 0.001% --seed 7
  fulldeck verify ./fulldeck-data/artifacts/run-1-0123456789ab")]
pub(crate) struct Arguments {
    /// The run: its number, 'last', a fingerprint prefix, or the folder of an artifact
    #[arg(allow_negative_numbers = true)]
    run: String,
    #[command(flatten)]
    part: Part,
    /// Share of the elements to recompute, e.g. 1% or 0.01%; 100% for all [default: 1%, at most 10,000 elements]. The
    /// independent engine looks at every board of each: 10,000 cells of omaha take it about two core-minutes
    #[arg(long, env = "FULLDECK_SAMPLE", value_name = "PERCENT")]
    sample: Option<Percent>,
    /// Chooses the sample: the same seed takes the same elements
    #[arg(long, env = "FULLDECK_SEED", value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Computing threads [default: all this process may use]
    #[arg(long, env = "FULLDECK_THREADS", value_name = "N")]
    #[arg(value_parser = fulldeck_worker::thread_count)]
    threads: Option<usize>,
    #[command(flatten)]
    data: DataDir,
}

/// A share above 0 % and at most 100 %.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Percent(pub(crate) f64);

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.strip_suffix('%')
            .and_then(|number| number.trim().parse::<f64>().ok())
            .filter(|percent| *percent > 0.0 && *percent <= 100.0)
            .map(Self)
            .ok_or_else(|| {
                "a share is a number above 0 and at most 100 with a %, e.g. 1%".to_owned()
            })
    }
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let (source, computation) =
        artifacts::open(app, &arguments.data, &arguments.run, &arguments.part)?;
    let folder = source.folder().to_owned();
    let place = artifacts::place(&folder);
    let repairable =
        |error: CliError| artifacts::repairable(error, &arguments.data, place.as_ref());
    let threads = arguments.threads.unwrap_or_else(fulldeck_service::host::available_threads);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|number| format!("verify-{number}"))
        .build()
        .map_err(|error| CliError::unexpected(format!("cannot start threads: {error}")))?;

    let started = Instant::now();
    let activity = Activity::new(app, "checking the digests");
    pool.install(|| source.check_digests()).map_err(|error| repairable(error.into()))?;
    activity.clear();
    let whole = elements(computation.as_ref(), source.manifest())? as f64;
    let percent = arguments.sample.map_or_else(
        || USUAL_PERCENT.min(100.0 * USUAL_ELEMENTS / whole.max(1.0)),
        |Percent(percent)| percent,
    );
    let elements = (whole * percent / 100.0).ceil();
    let activity = Activity::of(app, "recomputing", elements as u64);
    let cancel = AtomicBool::new(false);
    let progress = |done: u64| activity.add(done);
    let context = ComputeContext { cancel: &cancel, progress: &progress };
    let sample = Sample { fraction: percent / 100.0, seed: arguments.seed };
    let report = pool
        .install(|| computation.verify(&source, &sample, &context))
        .map_err(|error| repairable(error.into()))?;
    activity.clear();

    let mismatched = report.mismatched;
    app.output.print(&Verified {
        manifest: source.manifest().clone(),
        folder: folder.display().to_string(),
        sample_percent: percent,
        seed: arguments.seed,
        report,
        seconds: started.elapsed().as_secs_f64(),
    })?;
    Ok(if mismatched == 0 { exit::OK } else { exit::MISMATCH })
}

/// Elements of an artifact: those of the run, or of the job whose part it is.
fn elements(computation: &dyn Computation, manifest: &Manifest) -> Result<u64, CliError> {
    let Some(name) = manifest.facts.get("job").and_then(Value::as_str) else {
        return Ok(computation.estimate().elements);
    };
    let plan = computation.plan(0)?;
    let job = artifacts::job_named(&plan, name)?;
    Ok(plan.slices_of(job).map(|slice| slice.elements).sum())
}

/// A percentage to four digits.
fn short(percent: f64) -> f64 {
    let scale = 10f64.powf(3.0 - percent.log10().floor());
    (percent * scale).round() / scale
}

struct Verified {
    manifest: Manifest,
    folder: String,
    sample_percent: f64,
    seed: u64,
    report: VerifyReport,
    seconds: f64,
}

impl Answer for Verified {
    fn json(&self) -> Map<String, Value> {
        object(json!({
            "run": self.manifest.provenance.run,
            "workload": self.manifest.workload,
            "fingerprint": self.manifest.fingerprint.to_string(),
            "artifact": self.folder,
            "artifact_digest": self.manifest.artifact_digest.to_string(),
            "digest_bytes": self.manifest.data_bytes(),
            "sample_percent": self.sample_percent,
            "seed": self.seed,
            "checked": self.report.checked,
            "mismatched": self.report.mismatched,
            "examples": self.report.examples,
            "elapsed_seconds": self.seconds,
        }))
    }

    fn ids(&self) -> Vec<String> {
        vec![self.report.mismatched.to_string()]
    }

    fn table(&self, style: Style) -> String {
        let manifest = &self.manifest;
        let mut lines = vec![
            ("artifact", self.folder.clone()),
            ("digests", format!("right, {} read", bytes(manifest.data_bytes()))),
            ("sample", format!("{} %, seed {}", short(self.sample_percent), self.seed)),
            ("checked", grouped(self.report.checked)),
            ("mismatched", grouped(self.report.mismatched)),
            ("elapsed", duration(self.seconds)),
        ];
        lines.extend(self.report.examples.iter().map(|example| ("differs", example.clone())));
        pairs(style, &lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_shown_to_four_digits() {
        for (percent, text) in [(100.0, "100"), (1.0, "1"), (0.007_406_665, "0.007407")] {
            assert_eq!(short(percent).to_string(), text);
        }
    }

    #[test]
    fn a_share_needs_its_sign() {
        assert_eq!("0.5%".parse::<Percent>().unwrap().0, 0.5);
        assert_eq!("100 %".parse::<Percent>().unwrap().0, 100.0);
        for bad in ["1", "0%", "101%", "-1%", "NaN%", "%", "one%"] {
            assert!(bad.parse::<Percent>().is_err(), "{bad}");
        }
    }
}
