//! Texas hold'em with up to two jokers: what hands are worth, exact odds, and exact tables of all of them.
pub(crate) mod card;
mod counting;
mod text;
mod value;

pub use card::{Deck, DeckCard, Rule};
pub use counting::{Histogram, Positions, Standing};
pub use text::{
    MAX_TEXT_CHARACTERS, TextError, check_count, from_key, parse_hand, parse_together, to_chinese,
    to_key, to_text,
};
pub use value::{Became, BestFive, Class, Classes, Evaluator, HandType, Value};
