//! `fulldeck workloads [NAME]`

use std::sync::Arc;

use clap::Args;
use fulldeck_job::{Estimate, JobIndex, ParameterKind, Parameters, Plan, Slice, Workload};
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::error::CliError;
use crate::output::table::{columns, pairs};
use crate::output::units::{bytes, duration, grouped};
use crate::output::{Answer, Style, object};

/// Flags of `workloads`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck workloads
  fulldeck workloads omaha -p cards=5 -o wide")]
pub(crate) struct Arguments {
    /// One workload, in detail
    name: Option<String>,
    /// A parameter for the estimates, name=value; may be repeated
    #[arg(short, long = "parameter", env = "FULLDECK_PARAMETERS", value_name = "NAME=VALUE")]
    #[arg(value_delimiter = ' ', requires = "name")]
    parameters: Vec<String>,
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    match &arguments.name {
        None => app.output.print(&List(app.registry.iter().cloned().collect()))?,
        Some(name) => {
            let workload = app.workload(name)?.clone();
            let parameters = Parameters::parse(workload.parameters(), &arguments.parameters)?;
            let computation = workload.prepare(&parameters)?;
            let (estimate, plan) = (computation.estimate(), computation.plan(0)?);
            app.output.print(&Detail { workload, parameters, estimate, plan })?;
        }
    }
    Ok(exit::OK)
}

struct List(Vec<Arc<dyn Workload>>);

fn described(workload: &dyn Workload) -> Map<String, Value> {
    let parameters: Vec<_> = workload
        .parameters()
        .iter()
        .map(|parameter| {
            let (min, max, choices) = match parameter.kind {
                ParameterKind::Integer { min, max } => (Some(min), Some(max), None),
                ParameterKind::Choice(words) => (None, None, Some(words)),
            };
            json!({
                "name": parameter.name,
                "summary": parameter.summary,
                "default": parameter.default,
                "min": min,
                "max": max,
                "choices": choices,
            })
        })
        .collect();
    object(json!({
        "name": workload.name(),
        "summary": workload.summary(),
        "algorithm_version": workload.algorithm_version(),
        "parameters": parameters,
    }))
}

impl Answer for List {
    fn json(&self) -> Map<String, Value> {
        object(json!({ "workloads": self.lines() }))
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        self.0.iter().map(|workload| described(workload.as_ref())).collect()
    }

    fn ids(&self) -> Vec<String> {
        self.0.iter().map(|workload| workload.name().to_owned()).collect()
    }

    fn table(&self, style: Style) -> String {
        let rows = self
            .0
            .iter()
            .map(|workload| {
                let parameters: Vec<_> = workload
                    .parameters()
                    .iter()
                    .map(|parameter| format!("{}={}", parameter.name, parameter.default))
                    .collect();
                vec![
                    workload.name().to_owned(),
                    parameters.join(" "),
                    workload.summary().to_owned(),
                ]
            })
            .collect();
        columns(style, &["workload", "parameters", "what it computes"], rows)
    }
}

/// How many elements of the artifact these slices hold.
fn elements<'a>(slices: impl Iterator<Item = &'a Slice>) -> u64 {
    slices.map(|slice| slice.elements).sum()
}

struct Detail {
    workload: Arc<dyn Workload>,
    parameters: Parameters,
    estimate: Estimate,
    plan: Plan,
}

impl Answer for Detail {
    fn json(&self) -> Map<String, Value> {
        let mut fields = described(self.workload.as_ref());
        let chosen: Map<String, Value> = self
            .parameters
            .iter()
            .map(|(name, value)| (name.to_owned(), Value::from(value)))
            .collect();
        let estimate = &self.estimate;
        fields.insert("chosen".to_owned(), chosen.into());
        fields.insert(
            "estimate".to_owned(),
            json!({
                "elements": estimate.elements,
                "jobs": self.plan.jobs().len(),
                "slices": self.plan.slices().len(),
                "core_seconds": estimate.core_seconds,
                "worker_bytes": estimate.worker_bytes,
                "store_bytes": estimate.store_bytes,
                "artifact_bytes": estimate.artifact_bytes,
            }),
        );
        let jobs: Vec<_> = self
            .plan
            .jobs()
            .iter()
            .map(|job| json!({ "name": job.name, "family": job.family, "rows": job.rows }))
            .collect();
        fields.insert("jobs".to_owned(), jobs.into());
        fields
    }

    fn ids(&self) -> Vec<String> {
        vec![self.workload.name().to_owned()]
    }

    fn table(&self, style: Style) -> String {
        let estimate = &self.estimate;
        let chosen: Vec<_> =
            self.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let about = |text: String| format!("about {text} (estimate)");
        let mut text = pairs(
            style,
            &[
                ("workload", self.workload.name().to_owned()),
                ("summary", self.workload.summary().to_owned()),
                ("algorithm version", self.workload.algorithm_version().to_string()),
                ("parameters", chosen.join(" ")),
                ("elements", grouped(elements(self.plan.slices().iter()))),
                ("jobs", grouped(self.plan.jobs().len() as u64)),
                ("slices", grouped(self.plan.slices().len() as u64)),
                (
                    "work",
                    about(format!(
                        "{:.4} core-hours, {} on one core",
                        estimate.core_seconds / 3600.0,
                        duration(estimate.core_seconds)
                    )),
                ),
                ("memory of a worker", about(bytes(estimate.worker_bytes))),
                ("checkpoint", about(bytes(estimate.store_bytes))),
                ("artifact", about(bytes(estimate.artifact_bytes))),
            ],
        );
        let parameters = self
            .workload
            .parameters()
            .iter()
            .map(|parameter| {
                vec![
                    parameter.name.to_owned(),
                    parameter.default.to_owned(),
                    parameter.kind.to_string(),
                    parameter.summary.to_owned(),
                ]
            })
            .collect();
        text.push('\n');
        text.push_str(&columns(
            style,
            &["parameter", "default", "takes", "what it is"],
            parameters,
        ));
        if style.wide {
            let jobs = self.plan.jobs().iter();
            let rows = (0..)
                .map(JobIndex)
                .zip(jobs)
                .map(|(index, job)| {
                    let slices = self.plan.slices_of(index).count() as u64;
                    let elements = elements(self.plan.slices_of(index));
                    vec![job.name.clone(), job.family.clone(), grouped(slices), grouped(elements)]
                })
                .collect();
            text.push('\n');
            text.push_str(&columns(style, &["job", "family", ">slices", ">elements"], rows));
        }
        text
    }
}
