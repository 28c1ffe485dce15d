//! `fulldeck workers`

use clap::Args;
use fulldeck_coordinator::view;
use fulldeck_proto::v1::WorkerStatus;
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::cli::Link;
use crate::error::CliError;
use crate::output::table::columns;
use crate::output::units::{ago, bytes, grouped};
use crate::output::{Answer, Style, object};
use crate::remote;

/// Flags of `workers`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck workers --data-dir D
  fulldeck workers -o wide")]
pub(crate) struct Arguments {
    #[command(flatten)]
    link: Link,
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let workers =
        app.block_on(async { remote::require(&arguments.link).await?.workers().await })?;
    app.output.print(&Workers(workers))?;
    Ok(exit::OK)
}

struct Workers(Vec<WorkerStatus>);

impl Answer for Workers {
    fn json(&self) -> Map<String, Value> {
        object(json!({ "workers": self.lines() }))
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        self.0.iter().map(view::worker).collect()
    }

    fn ids(&self) -> Vec<String> {
        self.0.iter().map(|worker| worker.session.to_string()).collect()
    }

    fn table(&self, style: Style) -> String {
        if self.0.is_empty() {
            return "no workers\n".to_owned();
        }
        let mut titles = vec![
            "worker",
            "state",
            ">threads",
            "cpu",
            ">leased",
            ">committed",
            ">last beat",
            ">memory",
        ];
        if style.wide {
            titles.extend([">session", "host"]);
        }
        let rows = self
            .0
            .iter()
            .map(|worker| {
                let mut row = vec![
                    worker.name.clone(),
                    worker.state.clone(),
                    worker.threads.to_string(),
                    worker.cpu.clone(),
                    worker.leased.to_string(),
                    grouped(worker.committed),
                    ago(worker.last_beat_seconds_ago, style.terminal),
                    bytes(worker.rss_bytes),
                ];
                if style.wide {
                    row.extend([worker.session.to_string(), worker.host_key.clone()]);
                }
                row
            })
            .collect();
        columns(style, &titles, rows)
    }
}
