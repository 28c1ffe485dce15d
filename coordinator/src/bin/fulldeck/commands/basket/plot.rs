//! `fulldeck basket plot`

use clap::Args;
use fulldeck_common::basket::pictures;
use fulldeck_service::exit;

use super::shape::{RuleFlag, Shape, wrong};
use crate::app::App;
use crate::error::CliError;
use crate::pictures::Drawn;

/// Flags of `basket plot`.
#[derive(Clone, Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    drawn: Drawn,
    #[command(flatten)]
    shape: Shape,
    #[command(flatten)]
    rule: RuleFlag,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let Some(asked) = arguments.drawn.asked(app, pictures::KINDS)? else { return Ok(exit::OK) };
    let basket = arguments.shape.basket()?;
    asked.write(app, &pictures::map(&basket, arguments.rule.rule()).map_err(wrong)?)?;
    Ok(exit::OK)
}
