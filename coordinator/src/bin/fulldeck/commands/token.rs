//! `fulldeck token rotate ROLE`

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use fulldeck_service::{Access, AccessToken, Role, TOKEN_BOOK, TlsFlags, TokenBook, exit};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep};

use crate::app::App;
use crate::cli::DataDir;
use crate::error::CliError;
use crate::output::table::pairs;
use crate::output::{Answer, Style, object};
use crate::remote::Admin;

/// A running coordinator looks every second.
const TAKEN_OVER_WITHIN: Duration = Duration::from_secs(10);
/// Time between two tries.
const TRY_EVERY: Duration = Duration::from_millis(200);

/// Flags of `token`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck token rotate worker --data-dir D")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Replace the token of a role; the old one is refused from then on, by a running coordinator too
    #[command(after_help = "\
Examples:
  fulldeck token rotate worker
  fulldeck token rotate operator --data-dir D

The new token is in the role's access file in the data folder: access.toml, access-worker.toml or access-reader.toml. \
Workers that were started with a copy need the new file; they read it again when they reconnect.")]
    Rotate(Rotate),
}

#[derive(Debug, Args)]
struct Rotate {
    /// reader, worker or operator
    role: Role,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    tls: TlsFlags,
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let Action::Rotate(rotate) = &arguments.action;
    let access = rotate.replace()?;
    let access = access.with_tls(&rotate.tls)?;
    let in_force = app.block_on(in_force(&access))?;
    let access_file = rotate.data.access_file_of(rotate.role);
    app.output.print(&Rotated { role: rotate.role, access_file, in_force })?;
    Ok(exit::OK)
}

impl Rotate {
    /// Writes a new token into the access file, then its hash.
    fn replace(&self) -> Result<Access, CliError> {
        let (book_file, access_file) =
            (self.data.data_dir.join(TOKEN_BOOK), self.data.access_file_of(self.role));
        if !book_file.exists() {
            let folder = self.data.data_dir.display();
            return Err(CliError::not_found(format!(
                "no coordinator was ever started in {folder}"
            ))
            .hint("name its data folder with --data-dir"));
        }
        let mut book = TokenBook::read(&book_file)?;
        // Address and CA are the same for all roles.
        let mut access =
            Access::read(&access_file).or_else(|_| Access::read(&self.data.access_file()))?;
        access.token = AccessToken::random()?;
        book.set(self.role, &access.token);
        access.write(&access_file)?;
        book.write(&book_file)?;
        Ok(access)
    }
}

/// Waits until a running coordinator takes the new token; `None` if none runs.
async fn in_force(access: &Access) -> Result<Option<bool>, CliError> {
    let deadline = Instant::now() + TAKEN_OVER_WITHIN;
    loop {
        match Admin::connect(access).await {
            Ok(_) => return Ok(Some(true)),
            Err(error) if error.exit == exit::UNREACHABLE => return Ok(None),
            Err(_) if Instant::now() >= deadline => return Ok(Some(false)),
            Err(_) => sleep(TRY_EVERY).await,
        }
    }
}

struct Rotated {
    role: Role,
    access_file: PathBuf,
    in_force: Option<bool>,
}

impl Rotated {
    fn state(&self) -> &'static str {
        match self.in_force {
            Some(true) => "the old token is refused from now on",
            Some(false) => "the running coordinator still takes the old one: start it again",
            None => "no coordinator runs; the next one takes the new token",
        }
    }
}

impl Answer for Rotated {
    fn json(&self) -> Map<String, Value> {
        object(json!({
            "role": self.role.name(),
            "access_file": self.access_file.display().to_string(),
            "in_force": self.in_force,
        }))
    }

    fn ids(&self) -> Vec<String> {
        vec![self.access_file.display().to_string()]
    }

    fn table(&self, style: Style) -> String {
        let (role, file) = (self.role.to_string(), self.access_file.display().to_string());
        pairs(style, &[("role", role), ("new token in", file), ("state", self.state().to_owned())])
    }
}
