//! A run's state, as JSON and for people.

use fulldeck_coordinator::view;
pub(crate) use fulldeck_coordinator::view::{fingerprint, parameters, state_word};
use fulldeck_proto::v1::{JobStatus, RunSpec, RunState, RunStatus};
use serde_json::{Map, Value, json};

use crate::cli::{Link, quoted};
use crate::error::CliError;
use crate::output::table::{bar, columns, pairs};
use crate::output::units::{ago, bytes, counted, duration, grouped, percent};
use crate::output::{Answer, Style, object};

/// Why a stopped folder has no estimate.
pub(crate) const NO_COORDINATOR: &str = "no coordinator is running";

const BAR_WIDTH: usize = 40;
const JOB_BAR_WIDTH: usize = 20;

/// One run, and how it was found.
pub(crate) struct RunView(pub(crate) RunStatus, pub(crate) Link);

/// Several runs.
pub(crate) struct RunList(pub(crate) Vec<RunStatus>);

/// Whether nothing of a run changes by itself any more.
pub(crate) fn is_over(status: &RunStatus) -> bool {
    matches!(
        status.state(),
        RunState::Finished | RunState::FinishedWithParked | RunState::Cancelled
    )
}

fn spec(status: &RunStatus) -> RunSpec {
    status.spec.clone().unwrap_or_default()
}

fn done(status: &RunStatus) -> f64 {
    percent(status.committed_cost, status.cost)
}

/// The honest range of the time that computing takes, or why there is none; that merging follows is said.
pub(crate) fn time_left(status: &RunStatus) -> String {
    if status.state() == RunState::Finished {
        return "-".to_owned();
    }
    match (status.seconds_left_low, status.seconds_left_high) {
        (Some(low), Some(high)) => {
            let (low, high) = (duration(low), duration(high));
            let range = if low == high { low } else { format!("{low} to {high}") };
            format!("{range}, then merging")
        }
        _ if status.no_estimate_because.is_empty() => "-".to_owned(),
        _ => format!("- ({})", status.no_estimate_because),
    }
}

/// What to do when the store of a coordinator has failed.
const COMES_BACK: &str =
    "free some space and the coordinator goes on by itself; if it was no full disk, see its log";

/// Why nobody will finish a run, although its coordinator is there: its store takes nothing more.
pub(crate) fn halted(status: &RunStatus) -> Option<CliError> {
    let open = !is_over(status);
    (open && !status.store_failed.is_empty()).then(|| {
        let (run, done) = (spec(status).run, done(status));
        let reason = &status.store_failed;
        CliError::incomplete(format!("run {run} does not go on, it is at {done:.1} %: {reason}"))
            .hint(COMES_BACK)
    })
}

/// The command that computes a run here.
pub(crate) fn run_command(spec: &RunSpec, words: &str) -> String {
    let parameters: String =
        spec.parameters.lines().map(|word| format!(" -p {}", quoted(word))).collect();
    format!("fulldeck run {}{parameters}{words}", spec.workload)
}

/// What is asked of a merged run.
pub(crate) fn questions(run: u32, link: &Link) -> String {
    let query = format!("fulldeck query {run} HAND{}", link.words());
    // Verifying reads the artifact on this machine's disk.
    match link.names_coordinator() {
        true => query,
        false => format!("{query}, or fulldeck verify {run}{}", link.words()),
    }
}

/// What to do next, with the words by which the place is found again.
fn next_step(status: &RunStatus, link: &Link) -> String {
    let spec = spec(status);
    let (run, words) = (spec.run, link.words());
    match status.state() {
        RunState::Finished if status.artifact.is_empty() => format!("fulldeck merge {run}{words}"),
        RunState::Finished => questions(run, link),
        RunState::FinishedWithParked => format!("fulldeck retry {run}{words}"),
        RunState::Paused | RunState::Cancelled => format!("fulldeck resume {run}{words}"),
        RunState::Stalled => format!("fulldeck explain {run}{words}"),
        _ if !status.store_failed.is_empty() => COMES_BACK.to_owned(),
        _ if status.workers_live > 0 => format!("fulldeck wait {run}{words}"),
        _ if status.no_estimate_because == NO_COORDINATOR => {
            let computes = run_command(&spec, &words);
            format!("nobody computes: {computes}, or fulldeck coordinator{words} and workers")
        }
        _ => format!("nobody computes: fulldeck worker{words}"),
    }
}

fn run_table(status: &RunStatus, link: &Link, style: Style) -> String {
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
        ("results", results(status)),
        (
            "checkpoint",
            status.last_commit_seconds_ago.map_or("-".to_owned(), |age| ago(age, style.terminal)),
        ),
        ("stored", bytes(status.stored_bytes)),
    ];
    if status.stuck_seconds > 0.0 {
        let what = "work could be leased, but is not: a defect, please report what explain says";
        lines.push(("stuck", format!("{}: {what}", duration(status.stuck_seconds))));
    }
    if !status.store_failed.is_empty() {
        lines.push(("store", format!("takes nothing more: {}", status.store_failed)));
    }
    for parked in &status.parked_slices {
        lines.push(("parked", format!("slice {}: {}", parked.slice, parked.reason)));
    }
    if !status.artifact.is_empty() {
        lines.push(("artifact", status.artifact.clone()));
    }
    lines.push(("next", next_step(status, link)));
    let mut text = pairs(style, &lines);
    if !status.jobs.is_empty() {
        text.push('\n');
        text.push_str(&job_table(&status.jobs, style));
    }
    text
}

/// How many results were checked by a second computation, and what came out.
fn results(status: &RunStatus) -> String {
    let mut parts = vec![counted(status.mismatched, "mismatch")];
    let mut add = |count: u64, what: &str| {
        if count > 0 {
            parts.push(format!("{} {what}", grouped(count)));
        }
    };
    add(status.confirmed, "confirmed by another host");
    add(status.confirmed_alone, "confirmed by the same host only");
    add(status.doubted, "to be confirmed");
    add(status.copies, "computed twice because the first took too long");
    parts.join(", ")
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
        view::run(&self.0)
    }

    fn ids(&self) -> Vec<String> {
        vec![spec(&self.0).run.to_string()]
    }

    fn table(&self, style: Style) -> String {
        run_table(&self.0, &self.1, style)
    }
}

impl Answer for RunList {
    fn json(&self) -> Map<String, Value> {
        object(json!({ "runs": self.lines() }))
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        self.0.iter().map(view::run).collect()
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
    use crate::cli::DataDir;

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
        let value = Value::Object(RunView(status(), link("D")).json());
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
        assert_eq!(time_left(&status), "1m 00s to 1h 20m, then merging");
    }

    fn link(folder: &str) -> Link {
        Link::of(&DataDir { data_dir: folder.into() })
    }

    #[test]
    fn the_next_step_names_the_place_and_the_parameters() {
        let next = |status: &RunStatus| next_step(status, &link("my data"));
        let mut status = status();
        assert_eq!(next(&status), "nobody computes: fulldeck worker --data-dir 'my data'");
        status.no_estimate_because = NO_COORDINATOR.to_owned();
        let run = "fulldeck run omaha -p cards=4 --data-dir 'my data'";
        assert!(next(&status).contains(run), "{}", next(&status));
        status.store_failed = "the disk is full".to_owned();
        assert_eq!(next(&status), COMES_BACK);
        status.store_failed.clear();
        status.workers_live = 1;
        assert_eq!(next(&status), "fulldeck wait 3 --data-dir 'my data'");
        status.state = RunState::Finished.into();
        assert_eq!(next(&status), "fulldeck merge 3 --data-dir 'my data'");
        status.artifact = "somewhere".to_owned();
        assert!(next(&status).ends_with("fulldeck verify 3 --data-dir 'my data'"));
        assert_eq!(next_step(&status, &link("./fulldeck-data")).matches("--").count(), 0);
    }

    #[test]
    fn the_age_of_the_checkpoint_is_a_moment_when_piped() {
        let status = RunStatus { last_commit_seconds_ago: Some(0.038), ..status() };
        let line = |terminal| {
            let style = Style { wide: false, colour: false, terminal };
            let text = RunView(status.clone(), link("D")).table(style);
            text.lines().find(|line| line.contains("checkpoint")).unwrap().to_owned()
        };
        assert!(line(true).ends_with("38 ms ago"), "{}", line(true));
        assert!(line(false).ends_with('Z') && !line(false).contains("ago"), "{}", line(false));
    }

    #[test]
    fn a_run_shows_its_parts_in_order() {
        let style = Style { wide: false, colour: false, terminal: false };
        let text = RunView(status(), link("D")).table(style);
        let mut rest = &text[..];
        for part in ["omaha", "running", "[####", "time left", "9 of 10", "next", "aabc-aabb"] {
            let (_, after) = rest.split_once(part).unwrap_or_else(|| panic!("{part} in {text}"));
            rest = after;
        }
    }
}
