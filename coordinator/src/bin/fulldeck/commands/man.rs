//! `fulldeck man [COMMAND]`

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_mangen::Man;
use fulldeck_service::exit;

use crate::cli::Cli;
use crate::error::CliError;

/// Flags of `man`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The command; without one, the program
    command: Option<String>,
    /// Write the pages of all commands into this folder instead
    #[arg(long, env = "FULLDECK_MAN_DIR", value_name = "FOLDER", conflicts_with = "command")]
    dir: Option<PathBuf>,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let mut program = Cli::command();
    program.build();
    if let Some(folder) = &arguments.dir {
        let refused = |error| {
            CliError::usage(format!("cannot write manual pages to {}: {error}", folder.display()))
        };
        fs::create_dir_all(folder).map_err(refused)?;
        for page in [&program].into_iter().chain(program.get_subcommands()) {
            Man::new(page.clone()).generate_to(folder).map_err(refused)?;
        }
        return Ok(exit::OK);
    }
    let page = match &arguments.command {
        None => &program,
        Some(name) => program.find_subcommand(name).ok_or_else(|| {
            CliError::usage(format!("unknown command '{name}'")).hint("see fulldeck --help")
        })?,
    };
    let mut text = Vec::new();
    Man::new(page.clone()).render(&mut text)?;
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(&text)?;
    stdout.flush()?;
    Ok(exit::OK)
}
