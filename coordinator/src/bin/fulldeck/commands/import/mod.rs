//! `fulldeck import DIR...`: brings results that were computed without a coordinator into a run.

mod bundles;
mod send;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_coordinator::{Coordinator, CoordinatorOptions};
use fulldeck_proto::v1::{RunStatus, SubmitResponse};
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use self::bundles::{Damage, Group};
use self::send::Tally;
use crate::app::App;
use crate::cli::Link;
use crate::error::CliError;
use crate::output::table::pairs;
use crate::output::units::{counted, grouped};
use crate::output::{Answer, Style, object};
use crate::progress::Activity;
use crate::remote::{self, Admin};

/// Damaged places and mismatches that are told one by one.
const MAX_TOLD: usize = 20;

/// Flags of `import`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck import bundles
  fulldeck import bundles --access D/access.toml
  fulldeck import bundles --dry-run --of 64

What is there already is counted and not stored twice. Exit codes: 6 other bytes than those in the store, 8 bundles of \
another run or release (nothing is imported), 9 something is damaged (the rest is imported).")]
pub(crate) struct Arguments {
    /// Folders of bundles, or single bundles
    #[arg(required = true, value_name = "FOLDER")]
    places: Vec<PathBuf>,
    #[command(flatten)]
    link: Link,
    /// Only say what would be imported
    #[arg(long, env = "FULLDECK_DRY_RUN")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    dry_run: bool,
    /// Take what is whole of bundles that are not finished, too
    #[arg(long, env = "FULLDECK_SALVAGE")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    salvage: bool,
    /// Say which of N parts would compute what no bundle holds, as an array job takes it
    #[arg(long, env = "FULLDECK_OF", value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(fulldeck_job::MAX_SHARDS)))]
    of: Option<u32>,
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let activity = Activity::new(app, "reading bundles");
    let (groups, damaged) = bundles::collect(app, &arguments.places, arguments.salvage)?;
    activity.clear();
    let mut runs = Vec::new();
    let activity = Activity::new(app, "importing");
    app.block_on(async {
        if arguments.dry_run {
            runs = look(&groups);
            return Ok(());
        }
        if let Some(mut admin) = remote::find(&arguments.link).await? {
            return import_all(&mut admin, &groups, &mut runs).await;
        }
        arguments.link.data.check()?;
        // A coordinator for a moment, that takes results the same way as any other.
        let nobody = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let options = CoordinatorOptions::new(arguments.link.data.data_dir.clone(), nobody);
        let coordinator = Coordinator::start(options, app.registry.clone()).await?;
        let outcome = match Admin::connect(coordinator.access()).await {
            Ok(mut admin) => import_all(&mut admin, &groups, &mut runs).await,
            Err(error) => Err(error),
        };
        coordinator.shutdown().await?;
        outcome
    })?;
    activity.clear();
    for (run, group) in runs.iter_mut().zip(&groups) {
        run.missing_shards = arguments.of.map(|of| group.missing_shards(of)).transpose()?;
    }
    let imported = Imported { runs, damaged, dry_run: arguments.dry_run };
    app.output.print(&imported)?;
    imported.verdict(app)
}

/// What is there, without asking anybody.
fn look(groups: &[Group]) -> Vec<ImportedRun> {
    groups.iter().map(|group| ImportedRun::of(group, None, Tally::default(), None)).collect()
}

async fn import_all(
    admin: &mut Admin,
    groups: &[Group],
    runs: &mut Vec<ImportedRun>,
) -> Result<(), CliError> {
    // Everything is looked at before anything is imported.
    let mut known = Vec::new();
    for group in groups {
        known.push(found_or_new(admin, group).await?);
    }
    for (group, known) in groups.iter().zip(known) {
        let number = match known {
            // A cancelled run stays cancelled.
            SubmitResponse { existed: true, ref spec, .. } => spec.as_ref().map_or(0, |s| s.run),
            _ => {
                let made = submit(admin, group, false).await?;
                made.spec.map_or(0, |spec| spec.run)
            }
        };
        let tally = send::all(admin, group).await?;
        let status = admin.run(&number.to_string()).await?;
        runs.push(ImportedRun::of(group, Some(number), tally, Some(&status)));
    }
    Ok(())
}

async fn submit(
    admin: &mut Admin,
    group: &Group,
    dry_run: bool,
) -> Result<SubmitResponse, CliError> {
    let header = &group.header;
    admin.submit(&header.workload, &group.parameters, header.slice_target, dry_run).await
}

/// The run of these bundles as the coordinator has or would have it; refused if it is cut otherwise.
async fn found_or_new(admin: &mut Admin, group: &Group) -> Result<SubmitResponse, CliError> {
    let answer = submit(admin, group, true).await?;
    let spec = answer.spec.clone().unwrap_or_default();
    let header = &group.header;
    let file = group.bundles[0].path.display();
    if spec.fingerprint[..] != header.fingerprint.0 {
        return Err(CliError::conflict(format!(
            "{file} is of run {}, which the coordinator would know by another fingerprint",
            header.fingerprint.short()
        ))
        .hint("install the same release on both; nothing was imported"));
    }
    if spec.plan_digest[..] != header.plan_digest.0 {
        return Err(CliError::conflict(format!(
            "run {} is cut into other slices ({}) than {file}: its plan is another one",
            spec.run, answer.slices
        ))
        .hint("make the bundles with the --slices of the run, or import them into another data folder; nothing was imported"));
    }
    Ok(answer)
}

struct ImportedRun {
    run: Option<u32>,
    workload: String,
    fingerprint: String,
    bundles: usize,
    slices: usize,
    held: usize,
    tally: Tally,
    committed: Option<u32>,
    missing_shards: Option<String>,
}

impl ImportedRun {
    fn of(group: &Group, run: Option<u32>, tally: Tally, status: Option<&RunStatus>) -> Self {
        Self {
            run,
            workload: group.header.workload.clone(),
            fingerprint: group.header.fingerprint.to_string(),
            bundles: group.bundles.len(),
            slices: group.plan.slices().len(),
            held: group.held().len(),
            tally,
            committed: status.map(|status| status.committed),
            missing_shards: None,
        }
    }

    fn json(&self) -> Value {
        json!({
            "run": self.run,
            "workload": self.workload,
            "fingerprint": self.fingerprint,
            "bundles": self.bundles,
            "slices": self.slices,
            "held": self.held,
            "imported": self.tally.imported,
            "duplicates": self.tally.duplicates,
            "mismatches": self.tally.mismatches,
            "refused": self.tally.refused,
            "committed": self.committed,
            "missing_shards": self.missing_shards,
        })
    }

    fn table(&self, style: Style) -> String {
        let known = |number: Option<u32>| number.map_or("-".to_owned(), |n| grouped(n.into()));
        let mut rows = vec![
            ("run", known(self.run)),
            ("workload", self.workload.clone()),
            ("fingerprint", self.fingerprint[..12].to_owned()),
            ("bundles", grouped(self.bundles as u64)),
            ("slices in them", format!("{} of {}", grouped(self.held as u64), self.slices)),
            ("imported", grouped(self.tally.imported)),
            ("duplicates", grouped(self.tally.duplicates)),
            ("mismatches", grouped(self.tally.mismatches.len() as u64)),
            ("committed", known(self.committed)),
        ];
        if let Some(missing) = &self.missing_shards {
            let none = if missing.is_empty() { "none" } else { missing };
            rows.push(("missing parts", none.to_owned()));
        }
        pairs(style, &rows)
    }
}

struct Imported {
    runs: Vec<ImportedRun>,
    damaged: Vec<Damage>,
    dry_run: bool,
}

impl Imported {
    /// The exit code: what is worst counts.
    fn verdict(&self, app: &App) -> Result<u8, CliError> {
        let refused = self.runs.iter().flat_map(|run| &run.tally.refused);
        let bad: Vec<&String> = self.damaged.iter().chain(refused).collect();
        for line in bad.iter().take(MAX_TOLD) {
            app.say(&format!("damaged or refused: {line}"));
        }
        let mismatches: Vec<_> = self.runs.iter().flat_map(|run| &run.tally.mismatches).collect();
        for mismatch in mismatches.iter().take(MAX_TOLD) {
            app.say(&format!("mismatch: {mismatch}"));
        }
        if !mismatches.is_empty() {
            return Err(CliError::mismatch(format!(
                "{} of the bundles have other bytes than those in the store, which stay",
                counted(mismatches.len() as u64, "result")
            ))
            .hint("one of the two was computed wrongly: compute the slices again, or see fulldeck verify"));
        }
        if !bad.is_empty() {
            return Err(CliError::damaged(format!(
                "{} of the bundles cannot be used: {}",
                counted(bad.len() as u64, "part"),
                bad[0]
            ))
            .hint("everything else was imported; fulldeck shard with the same words computes what is missing"));
        }
        Ok(exit::OK)
    }
}

impl Answer for Imported {
    fn json(&self) -> Map<String, Value> {
        object(json!({
            "dry_run": self.dry_run,
            "runs": self.runs.iter().map(ImportedRun::json).collect::<Vec<_>>(),
            "damaged": self.damaged,
        }))
    }

    fn ids(&self) -> Vec<String> {
        self.runs.iter().filter_map(|run| run.run).map(|run| run.to_string()).collect()
    }

    fn table(&self, style: Style) -> String {
        self.runs.iter().map(|run| run.table(style)).collect::<Vec<_>>().join("\n\n")
    }
}
