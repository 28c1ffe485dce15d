//! `fulldeck merge RUN`

use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_artifact::Manifest;
use fulldeck_service::exit;

use crate::app::App;
use crate::artifacts::check_run_name;
use crate::cli::{Link, Part};
use crate::error::CliError;
use crate::offline::Folder;
use crate::progress::Activity;
use crate::remote;
use crate::summary::Merged;

/// Flags of `merge`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck merge last
  fulldeck merge 1 --data-dir D --only aabc-aabb
  fulldeck merge 1 --again")]
pub(crate) struct Arguments {
    /// The run: its number, 'last', or a fingerprint prefix
    #[arg(allow_negative_numbers = true)]
    run: String,
    #[command(flatten)]
    part: Part,
    /// Merge although it was done before: an artifact that is damaged is replaced
    #[arg(long, env = "FULLDECK_AGAIN")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    again: bool,
    #[command(flatten)]
    link: Link,
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    check_run_name(&arguments.run)?;
    let (job, again) = (arguments.part.only.as_deref(), arguments.again);
    let activity = Activity::new(app, "merging");
    let remote = app.block_on(async {
        match remote::find(&arguments.link).await? {
            Some(mut coordinator) => coordinator.merge(&arguments.run, job, again).await.map(Some),
            None => Ok(None),
        }
    })?;
    let (folder, manifest) = match remote {
        Some(answer) => (PathBuf::from(answer.path), manifest(&answer.manifest_json)?),
        None => Folder::open_alone(app, &arguments.link.data)?.merge(&arguments.run, job, again)?,
    };
    activity.clear();
    app.output.print(&Merged::of(folder, manifest, arguments.link.clone()))?;
    Ok(exit::OK)
}

/// A manifest as a coordinator sends it.
pub(crate) fn manifest(json: &str) -> Result<Manifest, CliError> {
    serde_json::from_str(json)
        .map_err(|error| CliError::conflict(format!("the coordinator's manifest is odd: {error}")))
}
