//! The segment files: the truth about everything that was committed.

mod load;
mod payload;
mod table;
mod writer;

pub(super) use load::{Loaded, Tail, load};
pub(super) use payload::{decision_payload, discard_payload, run_payload};
pub(super) use table::TableEntry;
pub(super) use writer::{Append, SegmentWriter};
