//! A run's state, as JSON and for people.

use fulldeck_job::Fingerprint;
use fulldeck_proto::v1::{JobStatus, RunSpec, RunState, RunStatus};
use serde_json::{Map, Value, json};

use crate::error::CliError;
use crate::output::table::{bar, columns, pairs};
use crate::output::units::{bytes, counted, duration, grouped, percent};
use crate::output::{Answer, Style, object};

const BAR_WIDTH: usize = 40;
const JOB_BAR_WIDTH: usize = 20;

/// One run.
pub(crate) struct RunView(pub(crate) RunStatus);

/// Several runs.
pub(crate) struct RunList(pub(crate) Vec<RunStatus>);

/// Stable word of a state.
pub(crate) fn state_word(status: &RunStatus) -> &'static str {
    match status.state() {
        RunState::Unspecified => "unknown",
        RunState::Queued => "queued",
        RunState::Running => "running",
        RunState::Finished => "finished",
        RunState::FinishedWithParked => "finished_with_parked",
        RunState::Stopped => "stopped",
        RunState::Idle => "idle",
    }
}

fn spec(status: &RunStatus) -> RunSpec {
    status.spec.clone().unwrap_or_default()
}

/// The fingerprint as 64 digits.
pub(crate) fn fingerprint(spec: &RunSpec) -> String {
    Fingerprint::from_slice(&spec.fingerprint).map(|hash| hash.to_string()).unwrap_or_default()
}

/// Canonical text as an object.
pub(crate) fn parameters(canonical: &str) -> Map<String, Value> {
    let pairs = canonical.lines().filter_map(|line| line.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), Value::from(value))).collect()
}

fn done(status: &RunStatus) -> f64 {
    percent(status.committed_cost, status.cost)
}

/// The honest range of the time left, or why there is none.
pub(crate) fn time_left(status: &RunStatus) -> String {
    if status.state() == RunState::Finished {
        return "-".to_owned();
    }
    match (status.seconds_left_low, status.seconds_left_high) {
        (Some(low), Some(high)) => {
            let (low, high) = (duration(low), duration(high));
            if low == high { low } else { format!("{low} to {high}") }
        }
        _ if status.no_estimate_because.is_empty() => "-".to_owned(),
        _ => format!("- ({})", status.no_estimate_because),
    }
}

/// Why nobody will finish a run, although its coordinator is there: its store takes nothing more.
pub(crate) fn halted(status: &RunStatus) -> Option<CliError> {
    let open = !matches!(status.state(), RunState::Finished | RunState::FinishedWithParked);
    (open && !status.store_failed.is_empty()).then(|| {
        let (run, done) = (spec(status).run, done(status));
        let reason = &status.store_failed;
        CliError::incomplete(format!("run {run} does not go on, it is at {done:.1} %: {reason}"))
            .hint("start the coordinator again")
    })
}

fn job_json(job: &JobStatus) -> Value {
    json!({
        "name": job.name,
        "family": job.family,
        "percent": percent(job.committed_cost, job.cost),
        "slices": job.slices,
        "committed": job.committed,
        "leased": job.leased,
        "parked": job.parked,
        "cost": job.cost,
        "committed_cost": job.committed_cost,
    })
}

fn run_json(status: &RunStatus) -> Map<String, Value> {
    let spec = spec(status);
    let seconds_left = match (status.seconds_left_low, status.seconds_left_high) {
        (Some(low), Some(high)) => json!({ "low": low, "high": high }),
        _ => Value::Null,
    };
    let parked: Vec<_> = status
        .parked_slices
        .iter()
        .map(|parked| json!({ "slice": parked.slice, "reason": parked.reason }))
        .collect();
    object(json!({
        "run": spec.run,
        "workload": spec.workload,
        "algorithm_version": spec.algorithm_version,
        "parameters": parameters(&spec.parameters),
        "fingerprint": fingerprint(&spec),
        "state": state_word(status),
        "percent": done(status),
        "cost": status.cost,
        "committed_cost": status.committed_cost,
        "cost_per_second": status.cost_per_second,
        "seconds_left": seconds_left,
        "no_estimate_because": (!status.no_estimate_because.is_empty())
            .then_some(&status.no_estimate_because),
        "slices": {
            "total": status.slices,
            "committed": status.committed,
            "leased": status.leased,
            "waiting": status.waiting,
            "parked": status.parked,
        },
        "parked_slices": parked,
        "workers": { "live": status.workers_live, "suspect": status.workers_suspect },
        "mismatched": status.mismatched,
        "last_commit_seconds_ago": status.last_commit_seconds_ago,
        "stored_bytes": status.stored_bytes,
        "store_failed": (!status.store_failed.is_empty()).then_some(&status.store_failed),
        "artifact": (!status.artifact.is_empty()).then_some(&status.artifact),
        "jobs": status.jobs.iter().map(job_json).collect::<Vec<_>>(),
    }))
}

/// What to do next.
fn next_step(status: &RunStatus) -> String {
    let run = spec(status).run;
    match status.state() {
        RunState::Finished if status.artifact.is_empty() => format!("fulldeck merge {run}"),
        RunState::Finished => format!("fulldeck query {run} HAND, or fulldeck verify {run}"),
        RunState::FinishedWithParked => "see the parked slices and the workers' logs".to_owned(),
        _ if !status.store_failed.is_empty() => "start the coordinator again".to_owned(),
        RunState::Stopped => {
            "nobody computes: fulldeck coordinator and fulldeck worker, or the same fulldeck run"
                .to_owned()
        }
        _ if status.workers_live == 0 => "nobody computes: start a fulldeck worker".to_owned(),
        _ => format!("fulldeck wait {run}"),
    }
}

fn run_table(status: &RunStatus, style: Style) -> String {
    let run = spec(status);
    let fingerprint = fingerprint(&run);
    let shown = if style.wide { &fingerprint[..] } else { fingerprint.get(..12).unwrap_or("") };
    let words: Vec<_> = run.parameters.lines().collect();
    let share = done(status);
    let per_minute = 60.0 * 100.0 * status.cost_per_second / status.cost.max(1) as f64;
    let computing = status.state() == RunState::Running && status.cost_per_second > 0.0;
    let rate =
        if computing { format!("{per_minute:.2} % of the work a minute") } else { "-".to_owned() };
    let mut lines = vec![
        ("run", format!("{} {} {} [{shown}]", run.run, run.workload, words.join(" "))),
        ("state", state_word(status).replace('_', " ")),
        ("work", format!("[{}] {share:.1} %", bar(share, BAR_WIDTH))),
        ("rate", rate),
        ("time left", time_left(status)),
        (
            "slices",
            format!(
                "{} of {} done, {} leased, {} waiting, {} parked",
                grouped(status.committed.into()),
                grouped(status.slices.into()),
                grouped(status.leased.into()),
                grouped(status.waiting.into()),
                grouped(status.parked.into())
            ),
        ),
        ("workers", format!("{} alive, {} suspect", status.workers_live, status.workers_suspect)),
        ("results", counted(status.mismatched, "mismatch")),
        (
            "checkpoint",
            status
                .last_commit_seconds_ago
                .map_or("-".to_owned(), |age| format!("{} ago", duration(age))),
        ),
        ("stored", bytes(status.stored_bytes)),
    ];
    if !status.store_failed.is_empty() {
        lines.push(("store", format!("takes nothing more: {}", status.store_failed)));
    }
    for parked in &status.parked_slices {
        lines.push(("parked", format!("slice {}: {}", parked.slice, parked.reason)));
    }
    if !status.artifact.is_empty() {
        lines.push(("artifact", status.artifact.clone()));
    }
    lines.push(("next", next_step(status)));
    let mut text = pairs(style, &lines);
    if !status.jobs.is_empty() {
        text.push('\n');
        text.push_str(&job_table(&status.jobs, style));
    }
    text
}

fn job_table(jobs: &[JobStatus], style: Style) -> String {
    let mut titles = vec!["job", "work", ">percent", ">slices", ">leased", ">parked"];
    if style.wide {
        titles.extend(["family", ">cost"]);
    }
    let rows = jobs
        .iter()
        .map(|job| {
            let share = percent(job.committed_cost, job.cost);
            let mut row = vec![
                job.name.clone(),
                format!("[{}]", bar(share, JOB_BAR_WIDTH)),
                format!("{share:.1}"),
                format!("{}/{}", job.committed, job.slices),
                job.leased.to_string(),
                job.parked.to_string(),
            ];
            if style.wide {
                row.extend([job.family.clone(), grouped(job.cost)]);
            }
            row
        })
        .collect();
    columns(style, &titles, rows)
}

impl Answer for RunView {
    fn json(&self) -> Map<String, Value> {
        run_json(&self.0)
    }

    fn ids(&self) -> Vec<String> {
        vec![spec(&self.0).run.to_string()]
    }

    fn table(&self, style: Style) -> String {
        run_table(&self.0, style)
    }
}

impl Answer for RunList {
    fn json(&self) -> Map<String, Value> {
        object(json!({ "runs": self.lines() }))
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        self.0.iter().map(run_json).collect()
    }

    fn ids(&self) -> Vec<String> {
        self.0.iter().map(|status| spec(status).run.to_string()).collect()
    }

    fn table(&self, style: Style) -> String {
        if self.0.is_empty() {
            return "no runs\n".to_owned();
        }
        let mut titles =
            vec![">run", "workload", "state", ">percent", ">slices", "time left", "fingerprint"];
        if style.wide {
            titles.extend(["parameters", "artifact"]);
        }
        let rows = self
            .0
            .iter()
            .map(|status| {
                let run = spec(status);
                let digits = fingerprint(&run);
                let mut row = vec![
                    run.run.to_string(),
                    run.workload.clone(),
                    state_word(status).replace('_', " "),
                    format!("{:.1}", done(status)),
                    format!("{}/{}", status.committed, status.slices),
                    time_left(status),
                    digits.get(..12).unwrap_or("").to_owned(),
                ];
                if style.wide {
                    row.push(run.parameters.lines().collect::<Vec<_>>().join(" "));
                    row.push(status.artifact.clone());
                }
                row
            })
            .collect();
        columns(style, &titles, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status() -> RunStatus {
        RunStatus {
            spec: Some(RunSpec {
                run: 3,
                workload: "omaha".into(),
                algorithm_version: 1,
                parameters: "cards=4\n".into(),
                fingerprint: vec![0xab; 32].into(),
                ..RunSpec::default()
            }),
            state: RunState::Running.into(),
            slices: 10,
            committed: 9,
            cost: 1000,
            committed_cost: 9999,
            no_estimate_because: "nothing finished yet".into(),
            jobs: vec![JobStatus { name: "aabc-aabb".into(), slices: 10, ..JobStatus::default() }],
            ..RunStatus::default()
        }
    }

    #[test]
    fn json_has_the_documented_names() {
        let value = Value::Object(RunView(status()).json());
        assert_eq!(value["fingerprint"], "ab".repeat(32));
        assert_eq!(value["parameters"], json!({ "cards": "4" }));
        assert_eq!(value["state"], "running");
        assert_eq!(value["slices"]["committed"], 9);
        assert_eq!(value["seconds_left"], Value::Null);
        assert_eq!(value["no_estimate_because"], "nothing finished yet");
        assert_eq!(value["artifact"], Value::Null);
        assert_eq!(value["jobs"][0]["name"], "aabc-aabb");
    }

    #[test]
    fn without_an_estimate_the_reason_is_said() {
        let mut status = status();
        assert_eq!(time_left(&status), "- (nothing finished yet)");
        status.seconds_left_low = Some(60.0);
        status.seconds_left_high = Some(4800.0);
        assert_eq!(time_left(&status), "1m 00s to 1h 20m");
    }

    #[test]
    fn a_run_shows_its_parts_in_order() {
        let style = Style { wide: false, colour: false, terminal: false };
        let text = RunView(status()).table(style);
        let mut rest = &text[..];
        for part in ["omaha", "running", "[####", "time left", "9 of 10", "next", "aabc-aabb"] {
            let (_, after) = rest.split_once(part).unwrap_or_else(|| panic!("{part} in {text}"));
            rest = after;
        }
    }
}
