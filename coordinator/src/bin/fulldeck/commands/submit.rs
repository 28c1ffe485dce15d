//! `fulldeck submit WORKLOAD`

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_proto::v1::SubmitResponse;
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::cli::{Link, RunArgs};
use crate::error::CliError;
use crate::output::table::pairs;
use crate::output::units::grouped;
use crate::output::{Answer, Style, object};
use crate::{remote, run_view};

/// Flags of `submit`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck submit omaha -p cards=5 --data-dir D
  fulldeck submit omaha --dry-run")]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    link: Link,
    /// Only plan the run and say how many slices it would have
    #[arg(long, env = "FULLDECK_DRY_RUN")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    dry_run: bool,
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let run = &arguments.run;
    // What is wrong is said here, in the words of `run`, also when no coordinator is there.
    app.asked(run)?.computation()?;
    let answer = app.block_on(async {
        let mut coordinator = remote::require(&arguments.link).await?;
        coordinator.submit(&run.workload, &run.parameters, run.slices, arguments.dry_run).await
    })?;
    let words = arguments.link.words();
    app.output.print(&Submitted { answer, dry_run: arguments.dry_run, words })?;
    Ok(exit::OK)
}

struct Submitted {
    answer: SubmitResponse,
    dry_run: bool,
    /// By which a command finds the coordinator again.
    words: String,
}

impl Answer for Submitted {
    fn json(&self) -> Map<String, Value> {
        let spec = self.answer.spec.clone().unwrap_or_default();
        object(json!({
            "run": (!self.dry_run || self.answer.existed).then_some(spec.run),
            "workload": spec.workload,
            "parameters": run_view::parameters(&spec.parameters),
            "fingerprint": run_view::fingerprint(&spec),
            "existed": self.answer.existed,
            "dry_run": self.dry_run,
            "jobs": self.answer.jobs,
            "slices": self.answer.slices,
        }))
    }

    fn ids(&self) -> Vec<String> {
        self.answer.spec.iter().map(|spec| spec.run.to_string()).collect()
    }

    fn table(&self, style: Style) -> String {
        let spec = self.answer.spec.clone().unwrap_or_default();
        let (run, next) = match (self.dry_run, self.answer.existed) {
            (true, false) => ("a new one".to_owned(), "the same without --dry-run".to_owned()),
            (_, true) => (
                format!("{} (was there already)", spec.run),
                format!("fulldeck status {}{}", spec.run, self.words),
            ),
            (false, false) => {
                (spec.run.to_string(), format!("fulldeck status {}{} -w", spec.run, self.words))
            }
        };
        pairs(
            style,
            &[
                ("run", run),
                ("workload", spec.workload.clone()),
                ("parameters", spec.parameters.lines().collect::<Vec<_>>().join(" ")),
                ("fingerprint", run_view::fingerprint(&spec)),
                ("jobs", grouped(self.answer.jobs.into())),
                ("slices", grouped(self.answer.slices.into())),
                ("next", next),
            ],
        )
    }
}
