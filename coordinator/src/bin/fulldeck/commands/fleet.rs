//! `fulldeck drain WORKER`, `fulldeck quarantine HOST` and `fulldeck release HOST`

use clap::Args;
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::cli::Link;
use crate::error::CliError;
use crate::output::{Answer, Style, object};
use crate::remote;

/// Flags of `drain`.
#[derive(Debug, Args)]
#[command(after_help = "\
The worker takes nothing more, finishes what ends within its drain window, hands back the rest and leaves.

Examples:
  fulldeck drain node7-4711
  fulldeck drain 123456 --data-dir D")]
pub(crate) struct Drain {
    /// The worker: its name or its session, see 'fulldeck workers -o wide'
    worker: String,
    #[command(flatten)]
    link: Link,
}

/// Flags of `quarantine`.
#[derive(Debug, Args)]
#[command(after_help = "\
Nothing is leased to its workers for half an hour, twice as long each time.

Examples:
  fulldeck quarantine node7-4711 --reason 'memory errors'
  fulldeck quarantine 0123456789abcdef --data-dir D")]
pub(crate) struct Quarantine {
    /// The host: its key, or the name or session of a worker on it
    host: String,
    /// Why; shown to whoever asks
    #[arg(long, env = "FULLDECK_REASON", value_name = "TEXT", default_value = "by hand")]
    reason: String,
    #[command(flatten)]
    link: Link,
}

/// Flags of `release`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck release node7-4711
  fulldeck release 0123456789abcdef --data-dir D")]
pub(crate) struct Release {
    /// The host: its key, or the name or session of a worker on it
    host: String,
    #[command(flatten)]
    link: Link,
}

pub(crate) fn drain(arguments: &Drain, app: &App) -> Result<u8, CliError> {
    let worker = app.block_on(async {
        remote::require(&arguments.link).await?.drain(&arguments.worker).await
    })?;
    app.output.print(&Done {
        fields: json!({ "worker": worker.name, "session": worker.session, "state": worker.state }),
        id: worker.session.to_string(),
        text: format!("{} is draining and will leave", worker.name),
    })?;
    Ok(exit::OK)
}

pub(crate) fn quarantine(arguments: &Quarantine, app: &App) -> Result<u8, CliError> {
    let Quarantine { host, reason, link } = arguments;
    let host_key =
        app.block_on(async { remote::require(link).await?.quarantine(host, reason).await })?;
    app.output.print(&Done {
        fields: json!({ "host_key": host_key, "quarantined": true }),
        text: format!("nothing is leased to host {host_key}: fulldeck release {host_key}"),
        id: host_key,
    })?;
    Ok(exit::OK)
}

pub(crate) fn release(arguments: &Release, app: &App) -> Result<u8, CliError> {
    let host_key = app.block_on(async {
        remote::require(&arguments.link).await?.release(&arguments.host).await
    })?;
    app.output.print(&Done {
        fields: json!({ "host_key": host_key, "quarantined": false }),
        text: format!("host {host_key} gets work again"),
        id: host_key,
    })?;
    Ok(exit::OK)
}

/// Something was done.
struct Done {
    fields: Value,
    id: String,
    text: String,
}

impl Answer for Done {
    fn json(&self) -> Map<String, Value> {
        object(self.fields.clone())
    }

    fn ids(&self) -> Vec<String> {
        vec![self.id.clone()]
    }

    fn table(&self, _: Style) -> String {
        format!("{}\n", self.text)
    }
}
