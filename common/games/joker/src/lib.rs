//! Texas hold'em with up to two jokers: what hands are worth, exact odds, and exact tables of all of them.
//!
//! Main types: [`Evaluator`] and [`BestFive`] (five to seven cards under a [`Rule`]), [`against_random`] and
//! [`against_hand`] (exact [`Odds`] on demand), [`Table`] (all holes on all boards of none to four cards), [`Preflop`]
//! (starting hands, shipped), [`Histogram`] and [`Positions`] (where hands stand), [`estimate`](estimate()) (a known estimate,
//! for comparison), [`Answers`] (texts in, records out), [`pictures`] and [`Joker`] (the workload).
//!
//! Three ideas carry it. A joker's best card is found when the evaluator's tables are built, so that hands with jokers cost
//! what others cost. On a full board cards fall into few kinds, and one sweep over the pairs of kinds in order of value
//! gives the odds of all holes at once. And boards that differ in the names of suits or jokers only are one board.
//!
//! Deliberately absent: network, disk, scheduling; more than one opponent; the joker that is an ace or completes a straight or
//! flush only.

mod answers;
mod boards;
mod card;
mod counting;
mod estimate;
mod odds;
pub mod pictures;
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
pub use showdown::Won;
pub use table::Table;
pub use text::{
    MAX_TEXT_CHARACTERS, TextError, check_count, from_key, parse_hand, parse_together, to_chinese,
    to_key, to_text,
};
pub use value::{Became, BestFive, Class, Classes, Evaluator, HandType, Value};
pub use workload::Joker;
