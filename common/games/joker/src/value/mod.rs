//! What a hand is worth: the evaluator, its classes, and the five cards that count.

mod best;
mod classes;
mod evaluator;
mod ranks;
mod sum;

pub use best::{Became, BestFive};
pub use classes::{Class, Classes, HandType};
pub use evaluator::{Evaluator, Value};
pub(crate) use ranks::each_multiset;
pub(crate) use sum::{RANK_KEYS, Sum};
