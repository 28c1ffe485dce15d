//! `fulldeck doctor`

use std::path::Path;

use clap::Args;
use fulldeck_service::{exit, host};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::cli::{DataDir, Link};
use crate::error::CliError;
use crate::offline::Folder;
use crate::output::table::columns;
use crate::output::units::{bytes, counted};
use crate::output::{Answer, Style, object};
use crate::{artifacts, remote};

/// Fewest open files a coordinator with many workers gets along with.
const WANTED_OPEN_FILES: u64 = 1024;
/// Less free space than this is worth a warning, in bytes.
const WANTED_FREE_BYTES: u64 = 4 << 30;

/// Flags of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck doctor
  fulldeck doctor --data-dir D -o json")]
pub(crate) struct Arguments {
    #[command(flatten)]
    link: Link,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Finding {
    Good,
    Warning,
    Bad,
}

struct Check {
    name: &'static str,
    finding: Finding,
    detail: String,
    /// Exit code of the commands that this finding would stop.
    exit: u8,
}

impl Check {
    fn new(name: &'static str, finding: Finding, detail: impl Into<String>) -> Self {
        let exit = if finding == Finding::Bad { exit::NOT_READY } else { exit::OK };
        Self { name, finding, detail: detail.into(), exit }
    }

    /// What a command would say.
    fn failed(name: &'static str, error: &CliError) -> Self {
        Self { exit: error.exit, ..Self::new(name, Finding::Bad, error.line()) }
    }

    fn word(&self) -> &'static str {
        match self.finding {
            Finding::Good => "ok",
            Finding::Warning => "warning",
            Finding::Bad => "bad",
        }
    }
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let names: Vec<_> = app.registry.iter().map(|workload| workload.name()).collect();
    let checks = vec![
        Check::new("program", Finding::Good, fulldeck_service::build()),
        processor(app),
        memory(),
        open_files(),
        Check::new("workloads", Finding::Good, names.join(", ")),
        folder(&arguments.link.data.data_dir),
        checkpoint(&arguments.link.data, app),
        merged(&arguments.link),
        coordinator(&arguments.link, app),
    ];
    let code = checks.iter().map(|check| check.exit).find(|code| *code != exit::OK);
    app.output.print(&Checks(checks))?;
    Ok(code.unwrap_or(exit::OK))
}

fn processor(app: &App) -> Check {
    let backend = app.backend.name();
    let detail = format!("{} threads, {backend}", host::available_threads());
    match backend {
        "portable" => Check::new("processor", Finding::Warning, format!("{detail}: slow")),
        _ => Check::new("processor", Finding::Good, detail),
    }
}

fn memory() -> Check {
    match host::usable_memory() {
        Some(usable) => Check::new("memory", Finding::Good, bytes(usable)),
        None => Check::new("memory", Finding::Warning, "the system does not tell"),
    }
}

fn open_files() -> Check {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let finding = match limit {
        Some(limit) if limit < WANTED_OPEN_FILES => Finding::Warning,
        _ => Finding::Good,
    };
    let detail = limit.map_or("unlimited".to_owned(), |limit| limit.to_string());
    Check::new("open files", finding, detail)
}

/// The folder itself, or the nearest one above it that exists: nothing is created.
fn folder(data_dir: &Path) -> Check {
    let name = "data folder";
    let absolute = std::path::absolute(data_dir).unwrap_or_else(|_| data_dir.to_owned());
    let Some(there) = absolute.ancestors().find(|ancestor| ancestor.exists()) else {
        return Check::new(name, Finding::Bad, format!("{} has no root", absolute.display()));
    };
    if !there.is_dir() {
        return Check::new(name, Finding::Bad, format!("{} is not a folder", there.display()));
    }
    if let Err(error) = rustix::fs::access(there, rustix::fs::Access::WRITE_OK) {
        let detail = format!("{} cannot be written: {error}", there.display());
        return Check::new(name, Finding::Bad, detail);
    }
    let Some(free) = host::free_bytes(there) else {
        let detail = format!("the system does not tell how much is free in {}", there.display());
        return Check::new(name, Finding::Bad, detail);
    };
    let finding = if free < WANTED_FREE_BYTES { Finding::Warning } else { Finding::Good };
    let state = if there == absolute { "" } else { " (not created yet)" };
    Check::new(name, finding, format!("{}{state}, {} free", absolute.display(), bytes(free)))
}

/// What is in the data folder, if nobody writes it just now.
fn checkpoint(data: &DataDir, app: &App) -> Check {
    let name = "checkpoint";
    let looked = match Folder::find(app, data) {
        Ok(Some(folder)) => folder.check().and_then(|()| folder.statuses()).map(Some),
        Ok(None) => Ok(None),
        Err(error) => Err(error),
    };
    match looked {
        Ok(Some(runs)) => Check::new(name, Finding::Good, counted(runs.len() as u64, "run")),
        Ok(None) => Check::new(name, Finding::Good, "there is none yet"),
        // In use; whether the folder can be used at all is another check.
        Err(error) if error.kind == "usage" => {
            Check::new(name, Finding::Good, format!("not looked at: {}", error.line()))
        }
        Err(error) => Check::failed(name, &error),
    }
}

fn merged(link: &Link) -> Check {
    match artifacts::list(&link.data) {
        Ok(places) => Check::new("merged runs", Finding::Good, places.len().to_string()),
        Err(error) => Check::failed("merged runs", &error),
    }
}

fn coordinator(link: &Link, app: &App) -> Check {
    let answered = app.block_on(async {
        match remote::find(link).await? {
            Some(mut coordinator) => {
                coordinator.workers().await.map(|workers| Some(workers.len() as u64))
            }
            None => Ok(None),
        }
    });
    match answered {
        Ok(Some(workers)) => {
            let detail = format!("running, {}", counted(workers, "worker"));
            Check::new("coordinator", Finding::Good, detail)
        }
        Ok(None) => Check::new("coordinator", Finding::Good, "none is running here"),
        Err(error) => Check::failed("coordinator", &error),
    }
}

struct Checks(Vec<Check>);

impl Answer for Checks {
    fn json(&self) -> Map<String, Value> {
        object(json!({ "checks": self.lines() }))
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        let check = |check: &Check| {
            object(json!({ "name": check.name, "finding": check.word(), "detail": check.detail }))
        };
        self.0.iter().map(check).collect()
    }

    fn ids(&self) -> Vec<String> {
        let bad = self.0.iter().filter(|check| check.finding != Finding::Good);
        bad.map(|check| check.name.to_owned()).collect()
    }

    fn table(&self, style: Style) -> String {
        let rows = self
            .0
            .iter()
            .map(|check| vec![check.name.to_owned(), check.word().to_owned(), check.detail.clone()])
            .collect();
        columns(style, &["check", "finding", "detail"], rows)
    }
}
