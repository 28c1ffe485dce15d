//! Ranks and hands. Suits never matter: a hand is fifteen counts.

mod hand;
mod parse;
mod rank;

pub use hand::{Hand, RankSet};
pub use parse::{CardsError, parse_hand};
pub use rank::Rank;
