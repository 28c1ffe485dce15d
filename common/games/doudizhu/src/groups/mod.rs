//! The fewest groups into which a hand can be cut: how many turns it takes to play it out.
//!
//! [`mod@reference`] says what is meant. [`Solver`] is what computes: it chooses the chains (runs of cards, pairs and triples), and
//! looks up what the rest costs, which depends only on how many ranks have one, two, three or four cards left.

mod chains;
mod index;
pub mod reference;
mod rest;
mod solver;

pub use index::HandIndex;
pub use solver::Solver;

/// Most groups any hand of 20 cards needs: one a rank, the jokers together.
pub const MOST_GROUPS: u8 = 14;
