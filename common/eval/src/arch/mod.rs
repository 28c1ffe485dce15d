//! Vector kernels: portable Rust, AVX2 and AVX-512 behind one dispatch point.
//!
//! The algorithms are written once, in `kernels`, over the small vocabulary of `vector::Vector`; a
//! back-end only says how 64 lanes are compared, selected and added. All back-ends give the same numbers, which the
//! tests check against each other.
#![allow(unsafe_code)]

mod backend;
mod kernels;
mod payoffs;
mod portable;
mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use backend::{Backend, SetSummer, UnknownBackend};
pub use kernels::{FlushCodes, FlushCounts, HandParts, RankCount, RankSums, RunWeights, SideSums};
pub use payoffs::{PAYOFF_ROWS, PayoffColumns, PayoffRow};
pub use vector::{Bytes, Words};
