//! The enumeration rules: fix one hand, place the other hand's suits in every strategically different way, lay every
//! board in as few suits as matter, weigh and add.
//!
//! This is the readable reference: right for every pair of suit patterns and for two (hold'em), four, five and six
//! hole cards (Omaha). It shares only the strength classes with the fast engine, which is checked against it.
//!
//! Main types: [`Rules`] (the engine); [`Combination`] and [`Family`] (the kinds of pairs the method tells apart);
//! [`variants`] (placements); [`Deck`] (boards); [`SignificantSuits`] (which suits must be kept apart).
//!
//! Deliberately absent: threads, vector code, and anything remembered from one cell to the next.

mod boards;
mod combination;
mod engine;
mod error;
mod significant;
mod strengths;
mod variants;

pub use boards::{BoardSuits, Deck, RankCount, rank_boards};
pub use combination::{Combination, Family, FlushSuits};
pub use engine::Rules;
pub use error::RulesError;
pub use significant::{Procedure, SignificantSuits};
pub use variants::{Variant, variants};
