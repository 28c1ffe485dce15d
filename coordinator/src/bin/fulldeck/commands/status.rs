//! `fulldeck status [RUN]`

use std::time::Duration;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_proto::v1::RunStatus;
use fulldeck_service::exit;

use crate::app::App;
use crate::artifacts::check_run_name;
use crate::cli::Link;
use crate::error::CliError;
use crate::offline::Folder;
use crate::output::{Answer, Format};
use crate::remote::{self, Admin};
use crate::run_view::{RunList, RunView, halted, is_over};

/// Time between two looks of `-w`.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Flags of `status`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck status
  fulldeck status last --data-dir D -w
  fulldeck status 1 -o json")]
pub(crate) struct Arguments {
    /// The run: its number, 'last', or a fingerprint prefix; without it, all runs
    #[arg(allow_negative_numbers = true)]
    run: Option<String>,
    /// Look again until everything shown is finished
    #[arg(short, long, env = "FULLDECK_WATCH")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    watch: bool,
    #[command(flatten)]
    pub(crate) link: Link,
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    if let Some(run) = &arguments.run {
        check_run_name(run)?;
    }
    let coordinator = app.block_on(async {
        match remote::find(&arguments.link).await? {
            Some(mut coordinator) if arguments.watch => {
                watch(arguments, app, &mut coordinator).await.map(|()| true)
            }
            Some(mut coordinator) => {
                let runs = look(arguments, &mut coordinator).await?;
                app.output.print(answer(arguments, runs).as_ref()).map(|()| true)
            }
            None => Ok(false),
        }
    })?;
    if !coordinator {
        let folder = Folder::open(app, &arguments.link.data)?;
        let runs = match &arguments.run {
            Some(run) => vec![folder.status(run)?],
            None => folder.statuses()?,
        };
        app.output.print(answer(arguments, runs).as_ref())?;
        folder.check()?;
        if arguments.watch {
            app.say("no coordinator is running here: nothing will change");
        }
    }
    Ok(exit::OK)
}

async fn look(arguments: &Arguments, from: &mut Admin) -> Result<Vec<RunStatus>, CliError> {
    match &arguments.run {
        Some(run) => Ok(vec![from.run(run).await?]),
        None => from.runs().await,
    }
}

fn answer(arguments: &Arguments, mut runs: Vec<RunStatus>) -> Box<dyn Answer> {
    match (&arguments.run, runs.pop()) {
        (Some(_), Some(run)) => Box::new(RunView(run, arguments.link.clone())),
        (_, last) => {
            runs.extend(last);
            Box::new(RunList(runs))
        }
    }
}

/// Redraws in place on a terminal; elsewhere prints again whenever something changed.
async fn watch(arguments: &Arguments, app: &App, from: &mut Admin) -> Result<(), CliError> {
    let terminal = console::Term::stdout();
    let in_place =
        app.output.style.terminal && matches!(app.output.format, Format::Table | Format::Wide);
    let mut shown = String::new();
    let mut before: Option<Vec<RunStatus>> = None;
    loop {
        let runs = look(arguments, from).await?;
        if in_place || before.as_ref().is_none_or(|before| changed(before, &runs)) {
            if in_place {
                let columns = usize::from(terminal.size().1).max(1);
                terminal.clear_last_lines(lines_on_screen(&shown, columns))?;
            }
            let answer = answer(arguments, runs.clone());
            shown = app.output.render(answer.as_ref());
            app.output.print(answer.as_ref())?;
        }
        if runs.iter().all(is_over) {
            return Ok(());
        }
        if let Some(halted) = runs.iter().find_map(halted) {
            return Err(halted);
        }
        before = Some(runs);
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// A line longer than the terminal is wide takes several.
fn lines_on_screen(text: &str, columns: usize) -> usize {
    text.lines().map(|line| console::measure_text_width(line).max(1).div_ceil(columns)).sum()
}

/// Whether anything but times and rates differs.
fn changed(before: &[RunStatus], now: &[RunStatus]) -> bool {
    let counts = |runs: &[RunStatus]| {
        let of = |run: &RunStatus| {
            let workers = (run.workers_live, run.workers_suspect);
            let slices = (run.committed, run.leased, run.waiting, run.parked);
            let texts = (run.artifact.clone(), run.store_failed.clone());
            (run.state, slices, workers, run.mismatched, texts)
        };
        runs.iter().map(of).collect::<Vec<_>>()
    };
    counts(before) != counts(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_alone_are_no_change() {
        let run = |committed, ago| RunStatus {
            committed,
            last_commit_seconds_ago: Some(ago),
            ..RunStatus::default()
        };
        assert!(!changed(&[run(1, 0.5)], &[run(1, 7.0)]));
        assert!(changed(&[run(1, 0.5)], &[run(2, 0.5)]));
        assert!(changed(&[], &[run(1, 0.5)]));
    }

    #[test]
    fn wrapped_lines_count_as_often_as_they_wrap() {
        assert_eq!(lines_on_screen("", 80), 0);
        assert_eq!(lines_on_screen("abc\n\nabcdefgh\n", 4), 4);
    }
}
