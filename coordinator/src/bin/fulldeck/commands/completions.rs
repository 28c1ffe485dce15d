//! `fulldeck completions SHELL`

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use fulldeck_service::exit;

use crate::cli::Cli;
use crate::error::CliError;

/// Flags of `completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck completions bash > fulldeck.bash")]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "fulldeck", &mut script);
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(&script)?;
    stdout.flush()?;
    Ok(exit::OK)
}
