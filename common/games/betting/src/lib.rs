//! Betting trees: how many pure strategies, decisions and information sets there are, exactly.
//!
//! * [`preflop`]: one fixed-limit round without cards, any number of players; canonical states turn it into a
//!   [`program`], a list of sums and products.
//! * [`program`]: such a list evaluated over whole numbers, residues, or bounds.
//! * [`structure`]: betting structures with rounds and cards, from files or by name.
//! * [`decimal`]: the whole numbers, in a decimal base.
//! * [`answer`]: records for people and programs. [`pictures`]: how numbers grow. [`Betting`]: the workload.
//!
//! Deliberately absent: cards' values, strategies themselves, network, disk.

pub mod answer;
pub mod decimal;
mod digest;
pub mod pictures;
pub mod preflop;
pub mod program;
pub mod structure;
mod workload;

pub use digest::{Digest, END_DIGITS};
pub use workload::Betting;
