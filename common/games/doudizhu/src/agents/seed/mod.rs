//! The player of the article series: it leads and follows so that what is left of the hand is worth most.
//!
//! [`Evaluator`] has the value of a hand and the two decisions as the articles give them; `player` makes a legal player
//! of it. Kept on purpose: bombs lend wings, only what is left is scored, and of equal candidates the later one wins.

mod evaluator;
mod follow;
mod group;
mod lead;
mod memo;
mod player;
mod watch;
mod whole;

pub use evaluator::{Evaluator, Prune};
pub use group::{Group, HandValue};
pub use player::SeedPlayer;
pub use watch::{Considered, Recorder, Unwatched, Watch};
pub use whole::whole;
