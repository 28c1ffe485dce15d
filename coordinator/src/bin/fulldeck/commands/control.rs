//! `fulldeck pause|resume|cancel RUN` and `fulldeck retry RUN [SLICE]...`

use clap::Args;
use fulldeck_coordinator::store::RunControl;
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::artifacts::check_run_name;
use crate::cli::Link;
use crate::error::CliError;
use crate::local;
use crate::output::units::counted;
use crate::output::{Answer, Style, object};
use crate::remote;
use crate::run_view::RunView;

/// Flags of `pause`.
#[derive(Debug, Args)]
#[command(after_help = "\
What is being computed is finished; nothing more is begun until 'fulldeck resume'.

Examples:
  fulldeck pause last
  fulldeck pause 3 --data-dir D")]
pub(crate) struct Pause {
    #[command(flatten)]
    target: Target,
}

/// Flags of `resume`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck resume last
  fulldeck resume 3 --data-dir D")]
pub(crate) struct Resume {
    #[command(flatten)]
    target: Target,
}

/// Flags of `cancel`.
#[derive(Debug, Args)]
#[command(after_help = "\
Workers drop what they compute of it. What is stored stays: 'fulldeck resume' goes on from there.

Examples:
  fulldeck cancel last
  fulldeck cancel 3 --data-dir D")]
pub(crate) struct Cancel {
    #[command(flatten)]
    target: Target,
}

/// Flags of `retry`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck retry last
  fulldeck retry 3 17 18 --data-dir D")]
pub(crate) struct Retry {
    #[command(flatten)]
    target: Target,
    /// The parked slices to compute again [default: all of them]
    #[arg(value_name = "SLICE")]
    slices: Vec<u32>,
}

/// A run and where it is.
#[derive(Debug, Args)]
struct Target {
    /// The run: its number, 'last', or a fingerprint prefix
    #[arg(allow_negative_numbers = true)]
    run: String,
    #[command(flatten)]
    link: Link,
}

pub(crate) fn pause(arguments: &Pause, app: &App) -> Result<u8, CliError> {
    control(&arguments.target, app, RunControl::Paused)
}

pub(crate) fn resume(arguments: &Resume, app: &App) -> Result<u8, CliError> {
    control(&arguments.target, app, RunControl::Open)
}

pub(crate) fn cancel(arguments: &Cancel, app: &App) -> Result<u8, CliError> {
    control(&arguments.target, app, RunControl::Cancelled)
}

fn control(target: &Target, app: &App, control: RunControl) -> Result<u8, CliError> {
    let Target { run, link } = target;
    check_run_name(run)?;
    let status = app.block_on(async {
        match remote::find(link).await? {
            Some(mut coordinator) => coordinator.control(run, control).await,
            None => {
                local::with(app, link, async |handle| Ok(handle.control(run, control).await?)).await
            }
        }
    })?;
    app.output.print(&RunView(status, link.clone()))?;
    Ok(exit::OK)
}

pub(crate) fn retry(arguments: &Retry, app: &App) -> Result<u8, CliError> {
    let Retry { target: Target { run, link }, slices } = arguments;
    check_run_name(run)?;
    let slices = app.block_on(async {
        match remote::find(link).await? {
            Some(mut coordinator) => coordinator.retry(run, slices).await,
            None => {
                local::with(app, link, async |handle| Ok(handle.retry(run, slices).await?)).await
            }
        }
    })?;
    app.output.print(&Retried(slices))?;
    Ok(exit::OK)
}

struct Retried(Vec<u32>);

impl Answer for Retried {
    fn json(&self) -> Map<String, Value> {
        object(json!({ "retried": self.0 }))
    }

    fn ids(&self) -> Vec<String> {
        self.0.iter().map(u32::to_string).collect()
    }

    fn table(&self, _: Style) -> String {
        format!("{} will be computed again\n", counted(self.0.len() as u64, "slice"))
    }
}
