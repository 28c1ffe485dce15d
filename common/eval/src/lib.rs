//! Strength of five cards, numbered by the 7,462 classes, and the vector kernels that compare many strengths at once.
//!
//! Main types: [`Strengths`] and [`Strength`]; the kernels are in [`arch`].
//!
//! Deliberately absent: which cards of a hand and a board may play together. That is a game's rule.

pub mod arch;
pub mod lanes;
mod strength;

pub use strength::{Strength, Strengths};
