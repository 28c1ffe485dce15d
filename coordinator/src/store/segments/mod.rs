//! The segment files: the truth about everything that was committed.

mod load;
mod payload;
mod survey;
mod table;
mod writer;

pub(super) use load::{Loaded, Tail, load};
pub(super) use payload::{
    decision_payload, discard_payload, read_discard as discarded, run_payload,
};
pub(super) use survey::{Depth, Survey, survey};
pub(super) use table::{TableEntry, decode as decode_table, encode as encode_table};
pub(super) use writer::{Append, SegmentWriter};
