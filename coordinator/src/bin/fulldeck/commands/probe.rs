//! `fulldeck probe live|ready`

use clap::{Args, ValueEnum};
use fulldeck_service::{Access, exit};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::cli::Link;
use crate::error::CliError;
use crate::output::{Answer, Style, object};
use crate::remote;

/// Flags of `probe`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck probe live
  fulldeck probe ready --data-dir D

The exit code is 0 if it is so, 7 if no coordinator answers, 10 if its store has failed. Any token does, even an old one.")]
pub(crate) struct Arguments {
    /// What is asked
    question: Question,
    #[command(flatten)]
    link: Link,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Question {
    /// Whether the coordinator answers
    Live,
    /// Whether it leases and stores
    Ready,
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let access = match remote::named(&arguments.link)? {
        Some(access) => access,
        None => {
            let file = arguments.link.data.access_file();
            if !file.exists() {
                return Err(remote::absent(&arguments.link));
            }
            Access::read(&file)?.with_tls(&arguments.link.tls)?
        }
    };
    let serves = app.block_on(remote::serves(&access))?;
    if arguments.question == Question::Ready && !serves {
        return Err(CliError::incomplete(format!(
            "the coordinator at {} leases and stores nothing more",
            access.url
        ))
        .hint("fulldeck status says why"));
    }
    app.output.print(&Healthy { url: access.url, serves })?;
    Ok(exit::OK)
}

struct Healthy {
    url: String,
    serves: bool,
}

impl Answer for Healthy {
    fn json(&self) -> Map<String, Value> {
        object(json!({ "url": self.url, "live": true, "ready": self.serves }))
    }

    fn ids(&self) -> Vec<String> {
        vec![self.url.clone()]
    }

    fn table(&self, _: Style) -> String {
        let state = if self.serves { "live and ready" } else { "live, not ready" };
        format!("{}: {state}\n", self.url)
    }
}
