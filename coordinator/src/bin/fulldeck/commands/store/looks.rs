//! `store stat` and `store check`.

use fulldeck_coordinator::store::care::{self, Check, FindingKind, Stat};
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use super::CheckArguments;
use crate::app::App;
use crate::error::CliError;
use crate::output::table::{columns, pairs};
use crate::output::units::{bytes, counted, grouped, moment};
use crate::output::{Answer, Style, object};

/// Findings that a person is shown; programs get all of them.
const SHOWN: usize = 50;

pub(super) fn check(arguments: &CheckArguments, app: &App) -> Result<u8, CliError> {
    let check = care::check(&arguments.place.data.data_dir, arguments.deep)?;
    let code = match (check.is_damaged(), check.is_mismatched()) {
        (true, _) => exit::STORE_DAMAGED,
        (false, true) => exit::MISMATCH,
        (false, false) => exit::OK,
    };
    let words = arguments.place.data.words();
    app.output.print(&Checked { check, words })?;
    Ok(code)
}

impl Answer for Stat {
    fn json(&self) -> Map<String, Value> {
        let runs: Vec<_> = self
            .runs
            .iter()
            .map(|run| {
                json!({
                    "run": run.run,
                    "workload": run.workload,
                    "slices": run.slices,
                    "stored_bytes": run.stored_bytes,
                })
            })
            .collect();
        object(json!({
            "store_id": self.store_id,
            "epoch": self.epoch,
            "last_commit": self.last_commit,
            "last_write_unix_s": self.last_write_unix_s,
            "last_backup_unix_s": self.last_backup_unix_s,
            "in_use_by": self.in_use_by,
            "segments": self.segments,
            "segment_bytes": self.segment_bytes,
            "live_bytes": self.live_bytes,
            "index_bytes": self.index_bytes,
            "reserve_bytes": self.reserve_bytes,
            "leftover_bytes": self.leftover_bytes,
            "free_bytes": self.free_bytes,
            "filesystem": self.filesystem,
            "damaged": self.damaged,
            "runs": runs,
        }))
    }

    fn ids(&self) -> Vec<String> {
        vec![self.store_id.clone()]
    }

    fn table(&self, style: Style) -> String {
        let time = |at: Option<u64>| {
            at.map_or("never".to_owned(), |unix_s| moment(unix_s, style.terminal))
        };
        let dead = self.segment_bytes.saturating_sub(self.live_bytes);
        let slices: u64 = self.runs.iter().map(|run| run.slices).sum();
        let mut lines = vec![
            ("store", format!("{}, epoch {}", self.store_id, self.epoch)),
            ("in use by", self.in_use_by.clone().unwrap_or_else(|| "nobody".to_owned())),
            (
                "segments",
                format!(
                    "{} in {}: {} live, {} dead or framing",
                    bytes(self.segment_bytes),
                    grouped(self.segments.into()),
                    bytes(self.live_bytes),
                    bytes(dead)
                ),
            ),
            ("index", bytes(self.index_bytes)),
            ("reserve", bytes(self.reserve_bytes)),
            ("leftovers", bytes(self.leftover_bytes)),
            (
                "free",
                format!(
                    "{} on {}",
                    self.free_bytes.map_or("-".to_owned(), bytes),
                    self.filesystem.as_deref().unwrap_or("an unknown filesystem")
                ),
            ),
            ("last commit", format!("number {}", grouped(self.last_commit))),
            ("last write", time(self.last_write_unix_s)),
            ("last backup", time(self.last_backup_unix_s)),
            (
                "results",
                format!(
                    "{} of {}",
                    counted(slices, "slice"),
                    counted(self.runs.len() as u64, "run")
                ),
            ),
        ];
        if self.damaged > 0 {
            let places = counted(self.damaged.into(), "place");
            lines.push(("damaged", format!("{places}; see fulldeck store check")));
        }
        let mut text = pairs(style, &lines);
        if !self.runs.is_empty() {
            let rows = self.runs.iter().map(|run| {
                vec![
                    run.run.to_string(),
                    run.workload.clone(),
                    grouped(run.slices),
                    bytes(run.stored_bytes),
                ]
            });
            text.push('\n');
            text += &columns(style, &["run", "workload", ">slices", ">stored"], rows.collect());
        }
        text
    }
}

struct Checked {
    check: Check,
    /// By which a command finds the folder again.
    words: String,
}

fn kind(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Note => "note",
        FindingKind::Damage => "damage",
        FindingKind::Mismatch => "mismatch",
    }
}

impl Checked {
    fn verdict(&self) -> String {
        let Check { deep, .. } = self.check;
        match (self.check.is_damaged(), self.check.is_mismatched()) {
            (true, _) => format!("damaged; see what fulldeck store repair{} would do", self.words),
            (false, true) => {
                format!("digests differ; see what fulldeck store repair{} would do", self.words)
            }
            (false, false) if deep => "good, every result was read".to_owned(),
            (false, false) => "good; --deep reads every result".to_owned(),
        }
    }
}

impl Answer for Checked {
    fn json(&self) -> Map<String, Value> {
        let check = &self.check;
        object(json!({
            "good": !check.is_damaged() && !check.is_mismatched(),
            "deep": check.deep,
            "in_use_by": check.in_use_by,
            "segments": check.segments,
            "records": check.records,
            "bytes": check.bytes,
            "slices": check.slices,
            "index_equal": check.index_equal,
            "findings": self.lines(),
        }))
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        let finding = |finding: &care::Finding| {
            let slice = finding.slice.map(|(run, slice)| json!({ "run": run, "slice": slice }));
            object(json!({
                "kind": kind(finding.kind),
                "place": finding.place,
                "what": finding.what,
                "slice": slice,
            }))
        };
        self.check.findings.iter().map(finding).collect()
    }

    fn ids(&self) -> Vec<String> {
        self.check.findings.iter().map(|finding| finding.place.clone()).collect()
    }

    fn table(&self, style: Style) -> String {
        let check = &self.check;
        let index = match check.index_equal {
            Some(true) => "equal to the segments".to_owned(),
            Some(false) => "not equal to the segments".to_owned(),
            None => match &check.in_use_by {
                Some(holder) => format!("not looked at: in use by {holder}"),
                None => "not looked at".to_owned(),
            },
        };
        let mut text = pairs(
            style,
            &[
                ("store", self.verdict()),
                (
                    "segments",
                    format!(
                        "{}, {}, {}",
                        grouped(check.segments.into()),
                        counted(check.records, "record"),
                        bytes(check.bytes)
                    ),
                ),
                ("results", counted(check.slices, "slice")),
                ("index", index),
            ],
        );
        if !check.findings.is_empty() {
            let rows = check.findings.iter().take(SHOWN).map(|finding| {
                let slice = finding.slice.map(|(run, slice)| format!("slice {slice} of run {run}"));
                vec![
                    kind(finding.kind).to_owned(),
                    finding.place.clone(),
                    finding.what.clone(),
                    slice.unwrap_or_default(),
                ]
            });
            text.push('\n');
            text +=
                &columns(style, &["finding", "place", "what", "computed again"], rows.collect());
            if let Some(more @ 1..) = check.findings.len().checked_sub(SHOWN) {
                text += &format!(" and {more} more: -o json shows all\n");
            }
        }
        text
    }
}
