//! `fulldeck store`: care of the checkpoint.

mod copies;
mod looks;
mod repairs;

use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args, Subcommand};
use fulldeck_coordinator::store::care::{self, BackupOptions};
use fulldeck_coordinator::store::{OpenOptions, StoreError};
use fulldeck_service::exit;

use crate::app::App;
use crate::cli::DataDir;
use crate::error::CliError;

/// Flags of `store`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck store stat
  fulldeck store check --deep --data-dir D")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Sizes, counts, last commit, last backup, free space; also while a coordinator runs
    #[command(after_help = "\
Examples:
  fulldeck store stat
  fulldeck store stat --data-dir D -o json")]
    Stat(Place),
    /// Look at everything and name what is damaged (code 9; 6 if a digest differs); also while a coordinator runs
    #[command(
        visible_alias = "verify",
        after_help = "\
Examples:
  fulldeck store check
  fulldeck store check --deep --data-dir D"
    )]
    Check(CheckArguments),
    /// Say what there is to repair; with --yes, do it. Nothing is deleted
    #[command(after_help = "\
Examples:
  fulldeck store repair --data-dir D
  fulldeck store repair --data-dir D --yes")]
    Repair(Confirmed),
    /// Build a new index from the segments
    #[command(after_help = "\
Examples:
  fulldeck store rebuild
  fulldeck store rebuild --data-dir D -o json")]
    Rebuild(Changed),
    /// Copy the checkpoint to a folder; again to the same one, it copies what is new. Also while a coordinator runs
    #[command(after_help = "\
Examples:
  fulldeck store backup /mnt/backup/omaha
  fulldeck store backup /mnt/new --final --data-dir D")]
    Backup(BackupArguments),
    /// Make a data folder from a backup, which is verified first
    #[command(after_help = "\
Examples:
  fulldeck store restore /mnt/backup/omaha --data-dir D
  fulldeck store restore /mnt/new --data-dir D -o json")]
    Restore(RestoreArguments),
    /// Write segments anew that are mostly dead or damaged
    #[command(after_help = "\
Examples:
  fulldeck store compact
  fulldeck store compact --data-dir D -o json")]
    Compact(Changed),
    /// Show what nothing needs any more; with --yes, remove it
    #[command(after_help = "\
Examples:
  fulldeck store clean --data-dir D
  fulldeck store clean --data-dir D --yes")]
    Clean(Confirmed),
}

#[derive(Debug, Args)]
struct Place {
    #[command(flatten)]
    data: DataDir,
}

/// A store that is written.
#[derive(Debug, Args)]
struct Changed {
    #[command(flatten)]
    data: DataDir,
    /// Use a data folder on a network filesystem all the same
    #[arg(long, env = "FULLDECK_ALLOW_NETWORK_STORE")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    allow_network_store: bool,
}

#[derive(Debug, Args)]
struct CheckArguments {
    #[command(flatten)]
    place: Place,
    /// Read every result, decode it, and compare its digest
    #[arg(long, env = "FULLDECK_DEEP")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    deep: bool,
}

#[derive(Debug, Args)]
struct Confirmed {
    #[command(flatten)]
    changed: Changed,
    /// Do it, instead of only saying what would be done
    #[arg(long, env = "FULLDECK_YES")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    yes: bool,
}

#[derive(Debug, Args)]
struct BackupArguments {
    /// Folder of the backup: new, empty, or an earlier backup of the same store
    folder: PathBuf,
    #[command(flatten)]
    changed: Changed,
    /// Hand the store over: it does not start here again, and keeps its identity where it is restored, so that workers
    /// go on
    #[arg(long = "final", env = "FULLDECK_FINAL")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    hand_over: bool,
    /// Link closed segments instead of copying them, where both folders are on one disk
    #[arg(long, env = "FULLDECK_LINK")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    link: bool,
}

#[derive(Debug, Args)]
struct RestoreArguments {
    /// Folder of the backup
    folder: PathBuf,
    #[command(flatten)]
    changed: Changed,
}

impl Changed {
    fn options(&self) -> OpenOptions {
        OpenOptions { allow_network: self.allow_network_store, ..OpenOptions::default() }
    }

    /// An error about the folder that a coordinator holds says what is left to do.
    fn told(error: StoreError) -> CliError {
        match error {
            StoreError::Locked { .. } => CliError::from(error)
                .only_hint("stop it first; store stat, check and backup work beside it"),
            other => other.into(),
        }
    }
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    match &arguments.action {
        Action::Stat(place) => {
            app.output.print(&care::stat(&place.data.data_dir)?)?;
            Ok(exit::OK)
        }
        Action::Check(check) => looks::check(check, app),
        Action::Repair(confirmed) => repairs::repair(confirmed, app),
        Action::Rebuild(changed) => repairs::rebuild(changed, app),
        Action::Backup(backup) => copies::backup(backup, app),
        Action::Restore(restore) => copies::restore(restore, app),
        Action::Compact(changed) => repairs::compact(changed, app),
        Action::Clean(confirmed) => repairs::clean(confirmed, app),
    }
}

impl BackupArguments {
    fn how(&self) -> BackupOptions {
        BackupOptions { hand_over: self.hand_over, link: self.link }
    }
}

/// `1 slice`, or `slices 3, 4 and 7 more of run 1`: what has to be computed again.
fn slices(lost: &[(u32, u32)]) -> String {
    const SHOWN: usize = 12;
    let mut shown: Vec<_> =
        lost.iter().take(SHOWN).map(|(run, slice)| format!("slice {slice} of run {run}")).collect();
    if let Some(more @ 1..) = lost.len().checked_sub(SHOWN) {
        shown.push(format!("and {more} more"));
    }
    shown.join(", ")
}

/// Lost slices for programs.
fn slices_json(lost: &[(u32, u32)]) -> serde_json::Value {
    lost.iter().map(|(run, slice)| serde_json::json!({ "run": run, "slice": slice })).collect()
}
