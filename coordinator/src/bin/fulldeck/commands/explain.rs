//! `fulldeck explain RUN [SLICE]`

use clap::Args;
use fulldeck_proto::v1::{ExplainResponse, Explanation};
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::artifacts::check_run_name;
use crate::cli::Link;
use crate::error::CliError;
use crate::output::table::columns;
use crate::output::units::grouped;
use crate::output::{Answer, Style, object};
use crate::remote;

/// Flags of `explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck explain last
  fulldeck explain 3 17 --data-dir D -o json")]
pub(crate) struct Arguments {
    /// The run: its number, 'last', or a fingerprint prefix
    #[arg(allow_negative_numbers = true)]
    run: String,
    /// One slice; without it, the first that are not finished
    slice: Option<u32>,
    #[command(flatten)]
    link: Link,
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    check_run_name(&arguments.run)?;
    let answer = app.block_on(async {
        remote::require(&arguments.link).await?.explain(&arguments.run, arguments.slice).await
    })?;
    app.output.print(&Explained(answer))?;
    Ok(exit::OK)
}

struct Explained(ExplainResponse);

impl Explained {
    fn left_out(&self) -> u64 {
        u64::from(self.0.unfinished).saturating_sub(self.0.slices.len() as u64)
    }
}

impl Answer for Explained {
    fn json(&self) -> Map<String, Value> {
        object(json!({
            "run": self.0.run,
            "slices": self.lines(),
            "unfinished": self.0.unfinished,
            "left_out": self.left_out(),
        }))
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        let line = |one: &Explanation| {
            object(json!({
                "slice": one.slice,
                "job": one.job,
                "code": one.code,
                "text": one.text,
                "history": one.history,
            }))
        };
        self.0.slices.iter().map(line).collect()
    }

    fn ids(&self) -> Vec<String> {
        self.0.slices.iter().map(|one| one.slice.to_string()).collect()
    }

    fn table(&self, style: Style) -> String {
        if self.0.slices.is_empty() {
            return "every slice is finished\n".to_owned();
        }
        let rows = self
            .0
            .slices
            .iter()
            .map(|one| {
                let history = one.history.iter().map(|what| format!("\n  before: {what}"));
                let text = format!("{}{}", one.text, history.collect::<String>());
                vec![one.slice.to_string(), one.job.clone(), one.code.clone(), text]
            })
            .collect();
        let mut text = columns(style, &[">slice", "job", "state", "why"], rows);
        if self.left_out() > 0 {
            let (shown, all) = (self.0.slices.len() as u64, u64::from(self.0.unfinished));
            text.push_str(&format!("the first {} of {}\n", grouped(shown), grouped(all)));
        }
        text
    }
}
