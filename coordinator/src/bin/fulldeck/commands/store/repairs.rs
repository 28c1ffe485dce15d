//! `store repair`, `rebuild`, `compact` and `clean`.

use std::time::Instant;

use fulldeck_coordinator::store::care::{self, Clean, Compact, Rebuild, Repair};
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use super::{Changed, Confirmed, slices, slices_json};
use crate::app::App;
use crate::error::CliError;
use crate::output::table::{columns, pairs};
use crate::output::units::{bytes, counted, duration, grouped};
use crate::output::{Answer, Style, object};
use crate::progress::Activity;

pub(super) fn repair(arguments: &Confirmed, app: &App) -> Result<u8, CliError> {
    let Confirmed { changed, yes } = arguments;
    let activity = Activity::new(app, "reading every result");
    let repair =
        care::repair(&changed.data.data_dir, *yes, &changed.options()).map_err(Changed::told)?;
    activity.clear();
    // Without --yes everything is as damaged as before.
    let code = if *yes || repair.actions.is_empty() { exit::OK } else { exit::STORE_DAMAGED };
    app.output.print(&repair)?;
    if !yes && !repair.actions.is_empty() {
        app.say("nothing was changed; --yes does it");
    }
    Ok(code)
}

pub(super) fn rebuild(changed: &Changed, app: &App) -> Result<u8, CliError> {
    let started = Instant::now();
    let activity = Activity::new(app, "building the index");
    let rebuild =
        care::rebuild(&changed.data.data_dir, &changed.options()).map_err(Changed::told)?;
    activity.clear();
    let code = if rebuild.lost.is_empty() { exit::OK } else { exit::STORE_DAMAGED };
    app.output.print(&Rebuilt { rebuild, seconds: started.elapsed().as_secs_f64() })?;
    Ok(code)
}

pub(super) fn compact(changed: &Changed, app: &App) -> Result<u8, CliError> {
    let activity = Activity::new(app, "writing segments anew");
    let compact =
        care::compact(&changed.data.data_dir, &changed.options()).map_err(Changed::told)?;
    activity.clear();
    app.output.print(&compact)?;
    Ok(exit::OK)
}

pub(super) fn clean(arguments: &Confirmed, app: &App) -> Result<u8, CliError> {
    let Confirmed { changed, yes } = arguments;
    let clean =
        care::clean(&changed.data.data_dir, *yes, &changed.options()).map_err(Changed::told)?;
    app.output.print(&clean)?;
    if !yes && !clean.leftovers.is_empty() {
        app.say("nothing was removed; --yes does it");
    }
    Ok(exit::OK)
}

impl Answer for Repair {
    fn json(&self) -> Map<String, Value> {
        object(json!({
            "acted": self.acted,
            "actions": self.actions,
            "lost": slices_json(&self.lost),
        }))
    }

    fn ids(&self) -> Vec<String> {
        self.actions.clone()
    }

    fn table(&self, style: Style) -> String {
        if self.actions.is_empty() {
            return pairs(style, &[("store", "good, there is nothing to repair".to_owned())]);
        }
        let label = if self.acted { "repaired" } else { "to repair" };
        let mut lines: Vec<_> = self.actions.iter().map(|action| (label, action.clone())).collect();
        if !self.lost.is_empty() {
            lines.push(("computed again", slices(&self.lost)));
        }
        pairs(style, &lines)
    }
}

struct Rebuilt {
    rebuild: Rebuild,
    seconds: f64,
}

impl Answer for Rebuilt {
    fn json(&self) -> Map<String, Value> {
        object(json!({
            "runs": self.rebuild.runs,
            "slices": self.rebuild.slices,
            "lost": slices_json(&self.rebuild.lost),
            "elapsed_seconds": self.seconds,
        }))
    }

    fn ids(&self) -> Vec<String> {
        vec![self.rebuild.slices.to_string()]
    }

    fn table(&self, style: Style) -> String {
        let Rebuild { runs, slices: known, lost } = &self.rebuild;
        let what = format!("{} of {}", counted(*known, "slice"), counted((*runs).into(), "run"));
        let mut lines =
            vec![("index", format!("new, {what}")), ("elapsed", duration(self.seconds))];
        if !lost.is_empty() {
            lines.push(("computed again", slices(lost)));
        }
        pairs(style, &lines)
    }
}

impl Answer for Compact {
    fn json(&self) -> Map<String, Value> {
        object(json!({
            "rewritten": self.rewritten,
            "written": self.written,
            "before_bytes": self.before_bytes,
            "after_bytes": self.after_bytes,
            "live_bytes": self.live_bytes,
        }))
    }

    fn ids(&self) -> Vec<String> {
        vec![self.after_bytes.to_string()]
    }

    fn table(&self, style: Style) -> String {
        let done = match self.rewritten {
            0 => "nothing: no segment is mostly dead or damaged".to_owned(),
            rewritten => format!(
                "{} written anew as {}",
                counted(rewritten.into(), "segment"),
                grouped(self.written.into())
            ),
        };
        pairs(
            style,
            &[
                ("done", done),
                ("before", bytes(self.before_bytes)),
                ("after", bytes(self.after_bytes)),
                ("live", bytes(self.live_bytes)),
            ],
        )
    }
}

impl Answer for Clean {
    fn json(&self) -> Map<String, Value> {
        object(json!({ "acted": self.acted, "leftovers": self.lines() }))
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        let line = |leftover: &care::Leftover| {
            object(json!({
                "path": leftover.path.display().to_string(),
                "what": leftover.what,
                "bytes": leftover.bytes,
            }))
        };
        self.leftovers.iter().map(line).collect()
    }

    fn ids(&self) -> Vec<String> {
        self.leftovers.iter().map(|leftover| leftover.path.display().to_string()).collect()
    }

    fn table(&self, style: Style) -> String {
        if self.leftovers.is_empty() {
            return pairs(style, &[("leftovers", "none".to_owned())]);
        }
        let rows = self.leftovers.iter().map(|leftover| {
            let path = leftover.path.display().to_string();
            vec![path, bytes(leftover.bytes), leftover.what.to_owned()]
        });
        let state = if self.acted { "removed" } else { "to remove" };
        columns(style, &[state, ">size", "what"], rows.collect())
    }
}
