//! Dou Dizhu: the exact rules, players, an arena that measures them, and exact tables over all hands.
//!
//! Main modules: [`cards`] (hands as fifteen counts), [`moves`] (the 27,471 moves, generated from the hand), [`game`] (deals,
//! auctions, play, score), [`agents`] (players), [`arena`] (deals played out), [`groups`] (fewest moves of every hand),
//! [`endgame`] (open cards, searched), [`answers`] and [`hints`] (what a person asks), and the workload [`DouDizhu`].
//!
//! Deliberately absent: suits (they never matter), network, disk, terminal.

pub mod agents;
pub mod answers;
pub mod arena;
pub mod cards;
pub mod endgame;
pub mod game;
pub mod groups;
pub mod hints;
pub mod moves;
mod workload;

pub use workload::DouDizhu;
