//! `store backup` and `store restore`.

use fulldeck_coordinator::store::care::{self, Backup, Restore};
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use super::{BackupArguments, Changed, RestoreArguments};
use crate::app::App;
use crate::cli::quoted;
use crate::error::CliError;
use crate::output::table::pairs;
use crate::output::units::{bytes, counted, grouped};
use crate::output::{Answer, Style, object};
use crate::progress::Activity;

pub(super) fn backup(arguments: &BackupArguments, app: &App) -> Result<u8, CliError> {
    let BackupArguments { folder, changed, .. } = arguments;
    let activity = Activity::new(app, "copying");
    let backup = care::backup(&changed.data.data_dir, folder, arguments.how(), &changed.options())
        .map_err(Changed::told)?;
    activity.clear();
    if backup.damaged > 0 {
        let places = counted(backup.damaged.into(), "place");
        app.say(&format!("{places} of the store cannot be read; see fulldeck store check"));
    }
    app.output.print(&backup)?;
    Ok(exit::OK)
}

pub(super) fn restore(arguments: &RestoreArguments, app: &App) -> Result<u8, CliError> {
    let RestoreArguments { folder, changed } = arguments;
    let activity = Activity::new(app, "restoring");
    let restored =
        care::restore(folder, &changed.data.data_dir, &changed.options()).map_err(Changed::told)?;
    activity.clear();
    let words = changed.data.words();
    app.output.print(&Restored { restored, words })?;
    Ok(exit::OK)
}

impl Answer for Backup {
    fn json(&self) -> Map<String, Value> {
        object(json!({
            "folder": self.folder.display().to_string(),
            "store_id": self.store_id,
            "final": self.is_final,
            "segments": self.segments,
            "bytes": self.bytes,
            "copied_bytes": self.copied_bytes,
            "slices": self.slices,
            "damaged": self.damaged,
        }))
    }

    fn ids(&self) -> Vec<String> {
        vec![self.folder.display().to_string()]
    }

    fn table(&self, style: Style) -> String {
        let folder = self.folder.display().to_string();
        let next = match self.is_final {
            true => "this folder does not start again; restore it where it goes on".to_owned(),
            false => "the same command copies what is new".to_owned(),
        };
        pairs(
            style,
            &[
                ("backup", folder.clone()),
                ("results", counted(self.slices, "slice")),
                (
                    "segments",
                    format!(
                        "{}, {}, of which {} were copied now",
                        grouped(self.segments.into()),
                        bytes(self.bytes),
                        bytes(self.copied_bytes)
                    ),
                ),
                ("next", next),
                (
                    "restore by",
                    format!("fulldeck store restore {} --data-dir NEW", quoted(&folder)),
                ),
            ],
        )
    }
}

struct Restored {
    restored: Restore,
    /// By which a command finds the folder again.
    words: String,
}

impl Answer for Restored {
    fn json(&self) -> Map<String, Value> {
        let Restore { folder, store_id, keeps_identity, runs, slices, bytes } = &self.restored;
        object(json!({
            "folder": folder.display().to_string(),
            "store_id": store_id,
            "keeps_identity": keeps_identity,
            "runs": runs,
            "slices": slices,
            "bytes": bytes,
        }))
    }

    fn ids(&self) -> Vec<String> {
        vec![self.restored.folder.display().to_string()]
    }

    fn table(&self, style: Style) -> String {
        let Restore { folder, store_id, keeps_identity, runs, slices, bytes: size } =
            &self.restored;
        let identity = match keeps_identity {
            true => format!("{store_id}, as before: workers go on"),
            false => {
                format!("{store_id}, a new one: results of workers of the old one do not count")
            }
        };
        let results = counted(*slices, "slice");
        pairs(
            style,
            &[
                ("restored", folder.display().to_string()),
                ("identity", identity),
                (
                    "results",
                    format!("{results} of {}, {}", counted((*runs).into(), "run"), bytes(*size)),
                ),
                ("next", format!("fulldeck status{0}, or fulldeck coordinator{0}", self.words)),
            ],
        )
    }
}
