//! The basket game: two players put balls of one colour at a time into a basket; whoever places the last ball wins, or
//! loses.
//!
//! [`Basket`] has the rules, [`theory`] who wins, [`Lookahead`] an engine that sees so many moves ahead, [`Session`] a
//! game against a person, [`totals`] counts over all positions, [`pictures`] who wins at a glance, [`Totalling`] the workload.
//!
//! Deliberately absent: the terminal, network, disk.

mod lookahead;
pub mod matches;
mod notation;
mod picture;
pub mod pictures;
mod rules;
pub mod session;
pub mod theory;
pub mod totals;
mod trace;
mod workload;

pub use lookahead::{Lookahead, LookaheadError, MAX_DEPTH, MAX_POSITIONS};
pub use notation::NotationError;
pub use picture::Picture;
pub use rules::{Basket, BasketError, MAX_BALLS, MAX_COLOURS, Move, Position, Rule};
pub use session::Session;
pub use trace::trace;
pub use workload::Totalling;
