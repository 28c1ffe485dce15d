//! `fulldeck plot RUN --kind KIND -o FILE`

use std::sync::atomic::AtomicBool;

use clap::Args;
use fulldeck_job::{ComputeContext, QueryError};
use fulldeck_service::{exit, host};

use crate::app::App;
use crate::artifacts;
use crate::cli::{DataDir, Part};
use crate::error::CliError;
use crate::pictures::{Drawn, source_of};
use crate::progress::Activity;

/// Flags of `plot`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck plot last
  fulldeck plot last --kind heatmap -o equities.png
  fulldeck plot 1 --data-dir D --kind strength --file strength.svg -o json

Without a file the kinds of pictures that can be made of the run are listed. The picture names the run's fingerprint; the \
same run gives the same bytes. Pictures that need no run: joker plot, betting plot, basket plot; push or fold: \
solve pushfold --plot.")]
pub(crate) struct Arguments {
    /// The run: its number, 'last', a fingerprint prefix, or the folder of an artifact
    #[arg(allow_negative_numbers = true)]
    run: String,
    #[command(flatten)]
    drawn: Drawn,
    /// Computing threads [default: all this process may use]
    #[arg(long, env = "FULLDECK_THREADS", value_name = "N")]
    #[arg(value_parser = fulldeck_worker::thread_count)]
    threads: Option<usize>,
    #[command(flatten)]
    data: DataDir,
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    // A wrong name of the file is told before the run is looked at.
    arguments.drawn.file(app)?;
    let (source, computation) =
        artifacts::open(app, &arguments.data, &arguments.run, &Part { only: None })?;
    let asked = arguments
        .drawn
        .asked(app, computation.pictures())
        .map_err(|error| error.hint(format!("this is {}", source_of(app, source.manifest()))))?;
    let Some(asked) = asked else { return Ok(exit::OK) };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.unwrap_or_else(host::available_threads))
        .thread_name(|number| format!("plot-{number}"))
        .build()
        .map_err(|error| CliError::unexpected(format!("cannot start threads: {error}")))?;
    let activity = Activity::of(app, "reading the artifact", computation.estimate().elements);
    let progress = |done: u64| activity.add(done);
    let context = ComputeContext { cancel: &AtomicBool::new(false), progress: &progress };
    let picture = pool.install(|| computation.picture(&source, asked.kind.name, &context));
    activity.clear();
    let mut picture = picture.map_err(|error| match error {
        QueryError::Artifact(_) => {
            let place = artifacts::place(source.folder());
            artifacts::repairable(error.into(), &arguments.data, place.as_ref())
        }
        _ => error.into(),
    })?;
    picture.source = source_of(app, source.manifest());
    asked.write(app, &picture)?;
    Ok(exit::OK)
}
