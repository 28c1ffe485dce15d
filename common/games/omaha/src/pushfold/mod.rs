//! The heads-up push/fold game, solved from a finished matrix.
//!
//! The small blind folds or pushes all chips, the big blind folds or calls; called, the board is run out and the pot
//! goes by the matrix. Card removal is exact: hand i meets hand j with the weight `orbit(i) * n(i, j)`.
//!
//! [`Payoffs`] holds the matrix as both players' gains, [`solve`] finds strategies (predictive regret matching), and
//! [`certify`] measures by an independent best response how much either player could still gain. [`pictures`] describes what was found.

mod certificate;
mod payoffs;
pub mod pictures;
mod solver;
mod stakes;
#[cfg(test)]
mod tests;

pub use certificate::{Certificate, certify};
pub use payoffs::{Advantages, Payoffs};
pub use solver::{Limits, Solution, solve};
pub use stakes::{PushFoldError, Stakes, Strategies};
