//! `fulldeck man [COMMAND]...`

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man;
use fulldeck_service::exit;

use crate::cli;
use crate::error::CliError;

/// Flags of `man`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck man run
  fulldeck man omaha matchup
  fulldeck man fulldeck-worker
  fulldeck man --dir ~/.local/share/man/man1")]
pub(crate) struct Arguments {
    /// The command, in one word or several; without one, the program. Also: fulldeck-worker
    command: Vec<String>,
    /// Write the pages of all commands into this folder instead
    #[arg(long, env = "FULLDECK_MAN_DIR", value_name = "FOLDER", conflicts_with = "command")]
    dir: Option<PathBuf>,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let programs = [cli::command(), fulldeck_worker::CommandLine::command()];
    if let Some(folder) = &arguments.dir {
        let refused = |error| {
            CliError::usage(format!("cannot write manual pages to {}: {error}", folder.display()))
        };
        fs::create_dir_all(folder).map_err(refused)?;
        for program in programs {
            clap_mangen::generate_to(program, folder).map_err(refused)?;
        }
        return Ok(exit::OK);
    }
    let mut text = Vec::new();
    Man::new(page(programs, &arguments.command)?).render(&mut text)?;
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(&text)?;
    stdout.flush()?;
    Ok(exit::OK)
}

/// The command that these words name, `omaha matchup`; the other program by its own name.
fn page(programs: [Command; 2], words: &[String]) -> Result<Command, CliError> {
    let [mut program, worker] = programs;
    if let [name] = words
        && name == worker.get_name()
    {
        return Ok(worker);
    }
    program.build();
    let mut page = &program;
    for word in words {
        page = page.find_subcommand(word).ok_or_else(|| {
            CliError::usage(format!("unknown command '{}'", words.join(" ")))
                .hint("see fulldeck --help")
        })?;
    }
    Ok(page.clone())
}
