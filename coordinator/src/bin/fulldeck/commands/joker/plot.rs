//! `fulldeck joker plot`

use clap::Args;
use clap::builder::BoolishValueParser;
use fulldeck_common::joker::{Deck, Rule, pictures};
use fulldeck_service::exit;

use super::lines::DeckSize;
use crate::app::App;
use crate::error::CliError;
use crate::pictures::Drawn;

/// Flags of `joker plot`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    drawn: Drawn,
    /// Cards of the deck: without jokers, or with one or two
    #[arg(long, env = "FULLDECK_DECK", value_name = "CARDS", default_value = "54")]
    deck: DeckSize,
    /// difference: the deck whose equities are subtracted
    #[arg(long, env = "FULLDECK_MINUS", value_name = "DECK", default_value = "52")]
    minus: DeckSize,
    /// frequencies: size of the hands, 5, 6 or 7
    #[arg(long, env = "FULLDECK_CARDS", value_name = "N", default_value_t = 7)]
    cards: usize,
    /// A joker also makes the fifth of a rank: five of a kind, which beats the royal flush
    #[arg(long, env = "FULLDECK_FIVE_OF_A_KIND")]
    #[arg(value_parser = BoolishValueParser::new(), action = clap::ArgAction::SetTrue)]
    five_of_a_kind: bool,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let Some(asked) = arguments.drawn.asked(app, pictures::KINDS)? else { return Ok(exit::OK) };
    let rule = if arguments.five_of_a_kind { Rule::Wild } else { Rule::Distinct };
    let deck = (Deck::from(arguments.deck), rule);
    let minus = arguments.minus.into();
    let picture = pictures::of_deck(asked.kind.name, deck, minus, arguments.cards)?;
    asked.write(app, &picture)?;
    Ok(exit::OK)
}
