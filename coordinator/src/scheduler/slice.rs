//! State of one slice.

use fulldeck_job::Digest;

use super::ids::AttemptKey;
use super::{MAX_HOLDERS, ReplyId};

/// The attempts of one slice, at most [`MAX_HOLDERS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Holders([Option<AttemptKey>; MAX_HOLDERS]);

impl Holders {
    pub(super) fn one(key: AttemptKey) -> Self {
        let mut holders = Self::default();
        holders.0[0] = Some(key);
        holders
    }

    /// With one more attempt; `None` if there is no room.
    pub(super) fn with(mut self, key: AttemptKey) -> Option<Self> {
        *self.0.iter_mut().find(|place| place.is_none())? = Some(key);
        Some(self)
    }

    pub(super) fn remove(&mut self, key: AttemptKey) {
        for place in &mut self.0 {
            if *place == Some(key) {
                *place = None;
            }
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = AttemptKey> + '_ {
        self.0.iter().flatten().copied()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

/// Where a slice stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SliceState {
    /// Nobody has it.
    Waiting,
    /// One or two workers have it.
    Leased(Holders),
    /// A good result is on its way to the disk.
    Committing {
        /// Its digest.
        digest: Digest,
        /// The upload that brought it.
        upload: ReplyId,
        /// Whose leases still run.
        holders: Holders,
    },
    /// Durable.
    Committed(Digest),
    /// Given up; the run keeps the reason.
    Parked,
}

/// What people count: [`SliceState`] without its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Waiting,
    Leased,
    Committed,
    Parked,
}

impl SliceState {
    pub(super) fn phase(&self) -> Phase {
        match self {
            Self::Waiting => Phase::Waiting,
            Self::Leased(_) | Self::Committing { .. } => Phase::Leased,
            Self::Committed(_) => Phase::Committed,
            Self::Parked => Phase::Parked,
        }
    }

    pub(super) fn holders(&self) -> Holders {
        match self {
            Self::Leased(holders) | Self::Committing { holders, .. } => *holders,
            Self::Waiting | Self::Committed(_) | Self::Parked => Holders::default(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) state: SliceState,
    /// Counted failures.
    pub(super) failures: u8,
}

const _: () = assert!(size_of::<Entry>() <= 160, "a run may have a million slices");
