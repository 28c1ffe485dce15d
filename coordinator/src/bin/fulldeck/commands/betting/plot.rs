//! `fulldeck betting plot`

use clap::Args;
use fulldeck_common::betting::pictures;
use fulldeck_service::exit;

use super::asked::YesNo;
use crate::app::App;
use crate::error::CliError;
use crate::pictures::Drawn;

/// Flags of `betting plot`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    drawn: Drawn,
    /// Players at most, 2 to 23
    #[arg(long, env = "FULLDECK_PLAYERS", value_name = "N", default_value_t = 12)]
    players: u64,
    /// Highest bet at most, the big blind being 1
    #[arg(long, env = "FULLDECK_CAP", value_name = "N", default_value_t = 6)]
    cap: u64,
    /// Whether a player may fold where checking costs nothing
    #[arg(long, env = "FULLDECK_FOLD_WHEN_FREE", value_name = "WHETHER", default_value = "yes")]
    fold_when_free: YesNo,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let Some(asked) = arguments.drawn.asked(app, pictures::KINDS)? else { return Ok(exit::OK) };
    let free = arguments.fold_when_free == YesNo::Yes;
    let picture = pictures::growth(arguments.players, arguments.cap, free)
        .map_err(|error| CliError::usage(error.to_string()))?;
    asked.write(app, &picture)?;
    Ok(exit::OK)
}
