//! `fulldeck query RUN HAND [HAND2]`

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_artifact::Manifest;
use fulldeck_job::QueryError;
use fulldeck_service::exit;
use serde_json::{Map, Value};

use crate::app::App;
use crate::cli::{Link, Part};
use crate::error::CliError;
use crate::output::table::{EQUITY, record};
use crate::output::{Answer, Style};
use crate::{artifacts, questions, remote};

/// Flags of `query`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck query last AsAhKsKh JcTc9d8d
  fulldeck query 1 AsAhKsKh --data-dir D -o json
  fulldeck query last --stdin < hands.txt

What omaha answers: a hand stands for its cluster, the hands that are the same but for the names of suits; the first of \
them is shown as its hand. orbit is their number; n the number of hands of the second cluster that share no card with the \
first hand; boards the number of boards each of them is judged on; total = n * boards = win + tie + lose; equity = (win + \
tie / 2) / total. One hand is judged against all others.")]
pub(crate) struct Arguments {
    /// The run: its number, 'last', a fingerprint prefix, or the folder of an artifact
    #[arg(allow_negative_numbers = true)]
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
    if arguments.link.names_coordinator() {
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
    let data = &arguments.link.data;
    let (source, computation) = artifacts::open(app, data, &arguments.run, &arguments.part)?;
    let place = artifacts::place(source.folder());
    answer_with(arguments, app, |words| {
        computation.query(&source, words).map_err(|error| match error {
            // 'last' may be another run than was thought of.
            QueryError::Question(_) => CliError::from(error).hint(named(source.manifest())),
            _ => artifacts::repairable(error.into(), data, place.as_ref()),
        })
    })
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
    let record = Record(answer(&arguments.question)?);
    app.output.print(&Asked { question: arguments.question.join(" "), record })?;
    Ok(exit::OK)
}

/// `this is run 1, omaha cards=4`.
fn named(manifest: &Manifest) -> String {
    let parameters = manifest.canonical_parameters();
    let parameters: Vec<_> = parameters.lines().collect();
    let (run, workload) = (manifest.provenance.run, &manifest.workload);
    format!("this is run {run}, {workload} {}", parameters.join(" "))
}

/// A flat answer of a workload.
pub(crate) struct Record(pub(crate) Map<String, Value>);

impl Answer for Record {
    fn json(&self) -> Map<String, Value> {
        self.0.clone()
    }

    fn ids(&self) -> Vec<String> {
        let bare = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        vec![self.0.values().map(bare).collect::<Vec<_>>().join("\t")]
    }

    fn table(&self, style: Style) -> String {
        record(style, &self.0)
    }
}

/// A record, and for people also what was asked: the record says it in the workload's words.
struct Asked {
    question: String,
    record: Record,
}

impl Answer for Asked {
    fn json(&self) -> Map<String, Value> {
        self.record.json()
    }

    fn ids(&self) -> Vec<String> {
        self.record.ids()
    }

    fn table(&self, style: Style) -> String {
        let mut fields = Map::from_iter([("asked".to_owned(), self.question.as_str().into())]);
        for (name, value) in &self.record.0 {
            let reason = "- (these hands never meet: they share cards)";
            let value = match (name.as_str(), value) {
                (EQUITY, Value::Null) => reason.into(),
                _ => value.clone(),
            };
            fields.insert(name.clone(), value);
        }
        record(style, &fields)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn people_are_told_what_they_asked_and_why_there_is_no_equity() {
        let fields = |equity: Value| crate::output::object(json!({ "n": 0, "equity": equity }));
        let asked = |equity| Asked { question: "AsAh KsAh".into(), record: Record(fields(equity)) };
        let style = Style { wide: false, colour: false, terminal: false };
        let text = asked(Value::Null).table(style);
        assert!(text.starts_with(" asked   AsAh KsAh\n") && text.contains("never meet"), "{text}");
        assert!(asked(json!(0.5)).table(style).ends_with(" 50.000 %\n"));
        assert_eq!(asked(Value::Null).json(), fields(Value::Null));
        assert_eq!(asked(json!(0.5)).ids(), ["0\t0.5"]);
    }
}
