//! Omaha with 4, 5 or 6 hole cards, and Texas hold'em with 2: exact outcomes of every starting-hand cluster against
//! every other.
//!
//! Two engines that share nothing but card and strength tables: [`rules`] enumerates placements and boards as the
//! method's author describes it and is the readable reference; `fast` is what computes matrices. The workload cuts
//! the matrix into jobs and slices and assembles the artifact.
//!
//! Deliberately absent: network, disk, scheduling.

pub mod fast;
mod matchup;
mod matrix;
mod outcome;
mod pictures;
mod probe;
pub mod pushfold;
pub mod rules;

pub use fast::{Fast, FastMatchups};
pub use matchup::{MatchupError, Matchups};
pub use matrix::Omaha;
pub use outcome::Outcome;
pub use probe::{Census, Hand, Probe};
