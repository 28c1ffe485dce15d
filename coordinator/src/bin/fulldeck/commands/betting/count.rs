//! `fulldeck betting count PLAYERS [SEAT]`

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_common::betting::answer::DEFAULT_MAX_DIGITS;
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use super::asked::Asked;
use crate::app::App;
use crate::commands::query::Record;
use crate::error::CliError;
use crate::questions::answer_lines;

/// Flags of `betting count`.
#[derive(Clone, Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// Write all digits to a file, '-' for standard output (and nothing else to it)
    #[arg(long, env = "FULLDECK_DECIMAL", value_name = "FILE", conflicts_with = "stdin")]
    decimal: Option<PathBuf>,
    /// Longest number that is computed, in digits; memory is about 9 bytes for each
    #[arg(long, env = "FULLDECK_MAX_DIGITS", value_name = "N", default_value_t = DEFAULT_MAX_DIGITS)]
    max_digits: u64,
    /// Answer many: the same arguments, one question a line on standard input, one JSON line each
    #[arg(long, env = "FULLDECK_STDIN", conflicts_with = "players")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    stdin: bool,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    if arguments.stdin {
        return answer_lines(|line: &Arguments| match line.decimal {
            Some(_) => Err(CliError::usage("digits of many numbers do not go to one file")),
            None => answer(line, &mut io::sink()),
        });
    }
    match &arguments.decimal {
        None => app.output.print(&Record(answer(arguments, &mut io::sink())?))?,
        Some(path) if path.as_os_str() == "-" => {
            let mut out = BufWriter::new(io::stdout().lock());
            answer(arguments, &mut out)?;
            out.write_all(b"\n")?;
            out.flush()?;
        }
        Some(path) => {
            let fields = to_file(arguments, path)?;
            app.output.print(&Record(fields))?;
        }
    }
    Ok(exit::OK)
}

fn answer(arguments: &Arguments, out: &mut dyn Write) -> Result<Map<String, Value>, CliError> {
    Ok(arguments.asked.question()?.count(arguments.max_digits, out)?)
}

/// The file appears when the number is computed: a refusal leaves nothing behind.
fn to_file(arguments: &Arguments, path: &PathBuf) -> Result<Map<String, Value>, CliError> {
    struct AtFirstDigit<'a> {
        path: &'a PathBuf,
        file: Option<File>,
    }
    impl Write for AtFirstDigit<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match &mut self.file {
                Some(file) => file.write(bytes),
                none => none.insert(File::create(self.path)?).write(bytes),
            }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut fields =
        answer(arguments, &mut AtFirstDigit { path, file: None }).map_err(|error| {
            // What went wrong outside the program is the file's fault.
            match error.kind {
                "unexpected" => CliError::usage(format!("{}: {}", path.display(), error.message)),
                _ => error,
            }
        })?;
    fields.insert("file".to_owned(), json!(path.display().to_string()));
    Ok(fields)
}
