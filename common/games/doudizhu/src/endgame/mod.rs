//! Endgames with open cards: does the landlord win if all play as well as can be?

mod known;
mod position;
pub mod reference;
mod solver;

pub use position::{Position, PositionError, random_position};
pub use solver::{RootMove, Solution, Solver};
