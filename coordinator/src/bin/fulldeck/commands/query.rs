//! `fulldeck query RUN HAND [HAND2]`

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_artifact::DirectorySource;
use fulldeck_service::exit;
use serde_json::{Map, Value};

use crate::app::App;
use crate::cli::{Link, Part};
use crate::error::CliError;
use crate::output::table::{plain, record};
use crate::output::{Answer, Style};
use crate::{artifacts, questions, remote};

/// Flags of `query`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The run: its number, 'last', a fingerprint prefix, or the folder of an artifact
    run: String,
    /// The question, in the workload's words: for omaha a hand (its row), or two (their cell)
    #[arg(value_name = "HAND", num_args = 1..=16, required_unless_present = "stdin")]
    question: Vec<String>,
    /// Answer many: one question a line on standard input, one JSON line each
    #[arg(long, env = "FULLDECK_STDIN", conflicts_with = "question")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    stdin: bool,
    #[command(flatten)]
    part: Part,
    #[command(flatten)]
    link: Link,
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    if arguments.link.coordinator.is_some() || arguments.link.access.is_some() {
        return app.block_on(async {
            let mut coordinator = remote::require(&arguments.link).await?;
            let job = arguments.part.only.as_deref();
            answer_with(arguments, app, |words| {
                let answer = tokio::task::block_in_place(|| {
                    tokio::runtime::Handle::current().block_on(coordinator.query(
                        &arguments.run,
                        job,
                        words,
                    ))
                })?;
                serde_json::from_str(&answer).map_err(|error| {
                    CliError::conflict(format!("the coordinator's answer is malformed: {error}"))
                })
            })
        });
    }
    let folder = artifacts::find(&arguments.link.data, &arguments.run, &arguments.part)?;
    let source = DirectorySource::open(&folder)?;
    let computation = artifacts::computation(app, source.manifest())?;
    answer_with(arguments, app, |words| Ok(computation.query(&source, words)?))
}

fn answer_with(
    arguments: &Arguments,
    app: &App,
    mut answer: impl FnMut(&[String]) -> Result<Map<String, Value>, CliError>,
) -> Result<u8, CliError> {
    if arguments.stdin {
        let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout().lock());
        return questions::answer_all(&mut input, &mut out, answer);
    }
    app.output.print(&Record(answer(&arguments.question)?))?;
    Ok(exit::OK)
}

/// A flat answer of a workload.
pub(crate) struct Record(pub(crate) Map<String, Value>);

impl Answer for Record {
    fn json(&self) -> Map<String, Value> {
        self.0.clone()
    }

    fn ids(&self) -> Vec<String> {
        vec![self.0.values().map(plain).collect::<Vec<_>>().join("\t")]
    }

    fn table(&self, style: Style) -> String {
        record(style, &self.0)
    }
}
