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
    /// Durable, but it counts only once others have found the same; the run keeps what they found.
    Doubted {
        /// Digest of what is stored.
        digest: Digest,
        /// Who computes it again.
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
            Self::Doubted { holders, .. } if holders.is_empty() => Phase::Waiting,
            Self::Doubted { .. } => Phase::Leased,
            Self::Leased(_) | Self::Committing { .. } => Phase::Leased,
            Self::Committed(_) => Phase::Committed,
            Self::Parked => Phase::Parked,
        }
    }

    /// The same with other holders; a slice that nobody has waits.
    pub(super) fn with_holders(self, holders: Holders) -> Self {
        match self {
            Self::Leased(_) | Self::Waiting if holders.is_empty() => Self::Waiting,
            Self::Leased(_) | Self::Waiting => Self::Leased(holders),
            Self::Committing { digest, upload, .. } => Self::Committing { digest, upload, holders },
            Self::Doubted { digest, .. } => Self::Doubted { digest, holders },
            Self::Committed(_) | Self::Parked => self,
        }
    }

    pub(super) fn holders(&self) -> Holders {
        match self {
            Self::Leased(holders)
            | Self::Committing { holders, .. }
            | Self::Doubted { holders, .. } => *holders,
            Self::Waiting | Self::Committed(_) | Self::Parked => Holders::default(),
        }
    }
}

const _: () = assert!(size_of::<SliceState>() <= 160, "a run may have a million slices");
