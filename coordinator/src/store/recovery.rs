//! What opening a store had to do.

use std::fmt;

use fulldeck_job::SliceId;

use super::model::Model;

/// What opening a store found and did. A store that was closed in order reports nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Why the index was rebuilt from the segments, if it was.
    pub rebuilt: Option<String>,
    /// Records that were in the segments and not yet in the index: durable, but perhaps never acknowledged.
    pub replayed: usize,
    /// Bytes cut from the end of the last segment; they are kept beside it.
    pub torn_bytes: u64,
    /// What cannot be read. The slices named here are waiting again.
    pub damaged: Vec<Damage>,
    /// Anything else worth a line in the log.
    pub notes: Vec<String>,
}

/// A stretch of a segment that cannot be read, or a result that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Number of the segment.
    pub segment: u32,
    /// Where it starts, in bytes from the start of the segment.
    pub offset: u64,
    /// Run and slice whose result it held, where known.
    pub slice: Option<(u32, SliceId)>,
    /// What is wrong.
    pub reason: String,
}

impl Recovery {
    /// Whether there is anything to tell.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }

    /// Damage to a result counts no more once the slice has been computed again.
    pub(super) fn forget_healed(&mut self, model: &Model) {
        self.damaged.retain(|damage| {
            damage.slice.is_none_or(|(run, slice)| !model.is_committed(run, slice.0))
        });
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "segment {} at byte {}: {}", self.segment, self.offset, self.reason)?;
        if let Some((run, slice)) = self.slice {
            write!(f, "; slice {} of run {run} will be computed again", slice.0)?;
        }
        Ok(())
    }
}
