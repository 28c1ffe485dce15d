//! Texas hold'em with up to two jokers: what hands are worth, exact odds, and exact tables of all of them.
mod answers;
mod boards;
mod card;
mod counting;
mod estimate;
mod odds;
mod plain;
mod preflop;
mod showdown;
mod table;
mod text;
mod value;
mod workload;

pub use answers::{AnswerError, Answers};
pub use card::{Deck, DeckCard, Rule};
pub use counting::{Histogram, Positions, Standing, deal_first};
pub use estimate::{Estimate, Share, Weighting, estimate};
pub use odds::{Odds, OddsError, against_hand, against_random};
pub use preflop::{HoleClass, Preflop};
pub use table::Table;
pub use text::{
    MAX_TEXT_CHARACTERS, TextError, check_count, from_key, parse_hand, parse_together, to_chinese,
    to_key, to_text,
};
pub use value::{Became, BestFive, Class, Classes, Evaluator, HandType, Value};
pub use workload::Joker;
