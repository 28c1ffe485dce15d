//! The one program a person installs. Data goes to standard output, everything else to standard error; every error is
//! one line and an exit code of [`fulldeck_service::exit`].

mod app;
mod artifacts;
mod cli;
mod commands;
mod disk_args;
mod error;
mod error_conversions;
mod files;
mod local;
mod offline;
mod output;
mod pictures;
mod progress;
mod questions;
mod remote;
mod run_view;
mod strategy_files;
mod summary;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::panic;
use std::process::ExitCode;

use clap::{ColorChoice, FromArgMatches};
use fulldeck_service::logging::LogFormat;
use fulldeck_service::{UsageError, exit};

use crate::app::App;
use crate::cli::{Cli, Command, Preview};
use crate::error::CliError;

fn main() -> ExitCode {
    panic::set_hook(Box::new(report_panic));
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // The hook has said it already; computing threads catch their own panics and never come here.
    ExitCode::from(panic::catch_unwind(|| run(arguments)).unwrap_or(exit::UNEXPECTED))
}

fn run(arguments: Vec<OsString>) -> u8 {
    let preview = Preview::of(&arguments);
    let colour = preview.color.on(std::io::stderr().is_terminal());
    match parse(arguments, &preview).and_then(|cli| cli.map_or(Ok(exit::OK), |cli| execute(&cli))) {
        Ok(code) => code,
        Err(error) => {
            error.report(preview.json, colour);
            error.exit
        }
    }
}

/// `None` when help or the version was asked for, and has been printed.
fn parse(arguments: Vec<OsString>, preview: &Preview) -> Result<Option<Cli>, CliError> {
    let choice = match preview.color {
        cli::ColorWhen::Auto => ColorChoice::Auto,
        cli::ColorWhen::Always => ColorChoice::Always,
        cli::ColorWhen::Never => ColorChoice::Never,
    };
    let bare = arguments.len() == 1;
    let parsed = cli::command()
        .color(choice)
        .try_get_matches_from(&arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed {
        Ok(cli) => Ok(Some(cli)),
        Err(error) if !error.use_stderr() => {
            error.print()?;
            Ok(None)
        }
        Err(error) if bare && !preview.json => {
            error.print()?;
            Err(CliError::usage("no command is given")
                .hint("the usual first one is 'fulldeck run'"))
        }
        Err(error) => Err(UsageError::new(&error, &cli::command(), &arguments).into()),
    }
}

fn execute(cli: &Cli) -> Result<u8, CliError> {
    let app = App::new(&cli.global);
    if let Some(file) = app.file.as_ref().filter(|_| !cli.command.draws()) {
        return Err(CliError::usage(format!("'{}' is no shape of output", file.display())).hint(
            "the shapes are table, wide, json, jsonl, id; files are for commands that draw",
        ));
    }
    match &cli.command {
        Command::Coordinator(arguments) => app.log("info", arguments.log_format())?,
        Command::Worker(arguments) => app.log("info", arguments.log_format())?,
        Command::Shard(_) => app.log("info", LogFormat::Text)?,
        // The coordinator of the same process says what its workers would only repeat.
        Command::Run(_) if app.verbose == 0 => {
            app.log("warn,fulldeck_worker=error", LogFormat::Text)?;
        }
        _ => app.log("warn", LogFormat::Text)?,
    }
    match &cli.command {
        Command::Run(arguments) => commands::run::execute(arguments, &app),
        Command::Coordinator(arguments) => commands::coordinator::execute(arguments, &app),
        Command::Worker(arguments) => commands::worker::execute(arguments, &app),
        Command::Shard(arguments) => commands::shard::execute(arguments, &app),
        Command::Import(arguments) => commands::import::execute(arguments, &app),
        Command::Workloads(arguments) => commands::workloads::execute(arguments, &app),
        Command::Submit(arguments) => commands::submit::execute(arguments, &app),
        Command::Status(arguments) => commands::status::execute(arguments, &app),
        Command::Wait(arguments) => commands::wait::execute(arguments, &app),
        Command::Pause(arguments) => commands::control::pause(arguments, &app),
        Command::Resume(arguments) => commands::control::resume(arguments, &app),
        Command::Cancel(arguments) => commands::control::cancel(arguments, &app),
        Command::Retry(arguments) => commands::control::retry(arguments, &app),
        Command::Explain(arguments) => commands::explain::execute(arguments, &app),
        Command::Workers(arguments) => commands::workers::execute(arguments, &app),
        Command::Drain(arguments) => commands::fleet::drain(arguments, &app),
        Command::Quarantine(arguments) => commands::fleet::quarantine(arguments, &app),
        Command::Release(arguments) => commands::fleet::release(arguments, &app),
        Command::Probe(arguments) => commands::probe::execute(arguments, &app),
        Command::Token(arguments) => commands::token::execute(arguments, &app),
        Command::Solve(arguments) => commands::solve::execute(arguments, &app),
        Command::Bench(arguments) => commands::bench::execute(arguments, &app),
        Command::Merge(arguments) => commands::merge::execute(arguments, &app),
        Command::Query(arguments) => commands::query::execute(arguments, &app),
        Command::Plot(arguments) => commands::plot::execute(arguments, &app),
        Command::Verify(arguments) => commands::verify::execute(arguments, &app),
        Command::Omaha(arguments) => commands::omaha::execute(arguments, &app),
        Command::Joker(arguments) => commands::joker::execute(arguments, &app),
        Command::Betting(arguments) => commands::betting::execute(arguments, &app),
        Command::Basket(arguments) => commands::basket::execute(arguments, &app),
        Command::DouDizhu(arguments) => commands::doudizhu::execute(arguments, &app),
        Command::Store(arguments) => commands::store::execute(arguments, &app),
        Command::Completions(arguments) => commands::completions::execute(arguments),
        Command::Man(arguments) => commands::man::execute(arguments),
        Command::Doctor(arguments) => commands::doctor::execute(arguments, &app),
    }
}

/// A panic is a defect of the program: one line that says where.
fn report_panic(info: &panic::PanicHookInfo<'_>) {
    if fulldeck_coordinator::store::panic_is_handled() {
        return;
    }
    let what = info.payload_as_str().unwrap_or("no message").replace('\n', " ");
    let place = info
        .location()
        .map_or_else(String::new, |location| format!(" ({}:{})", location.file(), location.line()));
    // Standard error may be closed: then there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "error: a defect of fulldeck: {what}{place}");
}
