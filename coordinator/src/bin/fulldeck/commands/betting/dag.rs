//! `fulldeck betting dag PLAYERS [SEAT]` and `fulldeck betting verify-dag FILE`

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args, ValueEnum};
use fulldeck_common::betting::program::{Program, estimate};
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use super::asked::Asked;
use super::residue::{Moduli, Residues};
use crate::app::App;
use crate::error::CliError;
use crate::output::table::record;
use crate::output::{Answer, Style};
use crate::questions::answer_lines;

/// Longest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Flags of `betting dag`.
#[derive(Clone, Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// One line a situation, or the powers of distinct factors that the number is a product of
    #[arg(long, env = "FULLDECK_FORM", value_name = "FORM", default_value = "situations")]
    form: Form,
    /// Write the list to a file
    #[arg(long, env = "FULLDECK_FILE", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Answer many: the same arguments, one question a line on standard input, one JSON line each
    #[arg(long, env = "FULLDECK_STDIN", conflicts_with = "players")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    stdin: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Situations,
    Powers,
}

/// Flags of `betting verify-dag`.
#[derive(Clone, Debug, Args)]
pub(super) struct VerifyArguments {
    /// A file that `betting dag` wrote, '-' for standard input
    file: PathBuf,
    #[command(flatten)]
    moduli: Moduli,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    if arguments.stdin {
        return answer_lines(|line: &Arguments| Ok(answer(line)?.fields));
    }
    app.output.print(&answer(arguments)?)?;
    Ok(exit::OK)
}

fn answer(arguments: &Arguments) -> Result<Printed, CliError> {
    let question = arguments.asked.question()?;
    let program = question.structure.strategies(question.seat);
    let program = match arguments.form {
        Form::Situations => program,
        Form::Powers => program.contracted(),
    };
    let text = program.to_string();
    let mut fields = Map::new();
    fields.insert("lines".to_owned(), json!(program.nodes().len()));
    let Some(path) = &arguments.file else {
        fields.insert("program".to_owned(), json!(text));
        return Ok(Printed { fields, text });
    };
    fs::write(path, &text)
        .map_err(|error| CliError::usage(format!("cannot write {}: {error}", path.display())))?;
    fields.insert("file".to_owned(), json!(path.display().to_string()));
    Ok(Printed { fields, text: String::new() })
}

/// A program as it is, or where it was written.
struct Printed {
    fields: Map<String, Value>,
    text: String,
}

impl Answer for Printed {
    fn json(&self) -> Map<String, Value> {
        self.fields.clone()
    }

    fn ids(&self) -> Vec<String> {
        self.fields.get("file").and_then(Value::as_str).map(str::to_owned).into_iter().collect()
    }

    fn table(&self, style: Style) -> String {
        if self.text.is_empty() { record(style, &self.fields) } else { self.text.clone() }
    }
}

pub(super) fn verify(arguments: &VerifyArguments, app: &App) -> Result<u8, CliError> {
    let path = &arguments.file;
    let wrong = |what: String| CliError::usage(format!("{}: {what}", path.display()));
    let program: Program =
        read(path).map_err(wrong)?.parse().map_err(|error| wrong(format!("{error}")))?;
    let known = estimate(&program);
    let mut fields = Map::new();
    fields.insert("lines".to_owned(), json!(program.nodes().len()));
    fields.insert("digits".to_owned(), json!(known.as_ref().map(|known| known.digits.to_string())));
    fields.insert("first20".to_owned(), json!(known.map(|known| known.first20)));
    fields.insert("residues".to_owned(), arguments.moduli.of(&program));
    app.output.print(&Residues(fields))?;
    Ok(exit::OK)
}

fn read(path: &PathBuf) -> Result<String, String> {
    let mut text = String::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().take(MAX_FILE_BYTES + 1).read_to_string(&mut text)
    } else {
        fs::File::open(path)
            .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text))
    };
    match read {
        Err(error) => Err(format!("cannot read it: {error}")),
        Ok(len) if len as u64 > MAX_FILE_BYTES => {
            Err(format!("longer than {MAX_FILE_BYTES} bytes"))
        }
        Ok(_) => Ok(text),
    }
}
