//! Betting trees.

pub mod decimal;
pub mod preflop;
pub mod program;
pub mod structure;
