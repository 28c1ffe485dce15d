//! What becomes of leasing when the store fails, comes back, or has little space.

use fulldeck_job::SliceId;

use super::checks::Doubt;
use super::core::Core;
use super::slice::{Holders, SliceState};
use super::{Found, Millis, Notice, Refusal};

/// Bytes of results that are not durable yet, not compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Of slices in the hands of workers, or on the way to the disk.
    pub leased_bytes: u64,
    /// Of all open slices, those included.
    pub open_bytes: u64,
}

impl Core {
    /// Nothing more is leased or taken; heartbeats go on.
    pub(super) fn fail_store(&mut self, reason: String) {
        if self.store_failed.is_none() {
            self.refuse_polls(&Refusal::StoreFailed(reason.clone()));
            self.tell(Notice::StoreFailed { reason: reason.clone() });
            self.store_failed = Some(reason);
        }
    }

    /// The store goes on. What it holds counts, whatever was told before.
    pub(super) fn store_back(&mut self, now: Millis, found: &[Found], lost: &[(u32, SliceId)]) {
        self.store_failed = None;
        for result in found {
            self.found(now, result);
        }
        for (run, slice) in lost {
            self.discarded(now, *run, *slice);
        }
        self.stirred = true;
        self.tell(Notice::StoreBack { found: found.len(), lost: lost.len() });
    }

    fn found(&mut self, now: Millis, result: &Found) {
        let Found { run: number, slice, digest, doubted } = *result;
        let Some(run) = self.runs.get_mut(&number) else { return };
        let state = run.state(slice);
        match state {
            SliceState::Committed(known) if known == digest && !doubted => return,
            SliceState::Doubted { digest: known, .. } if known == digest && doubted => return,
            _ => {}
        }
        run.doubts.remove(&slice);
        if doubted {
            // Nobody knows any more whose word it is.
            run.doubts.insert(slice, Doubt::new("", digest));
            let holders = Holders::default();
            run.set(slice, SliceState::Doubted { digest, holders }, now);
        } else {
            run.set(slice, SliceState::Committed(digest), now);
        }
        self.drop_holders(state.holders());
        self.history.forget((number, slice));
        self.tell_if_ended(number);
    }

    /// Leases nothing more as long as there is a reason.
    pub(super) fn hold_leases(&mut self, reason: Option<String>) {
        match (&self.leasing_held, &reason) {
            (None, Some(reason)) => self.tell(Notice::LeasingHeld { reason: reason.clone() }),
            (Some(_), None) => self.tell(Notice::LeasingGoesOn),
            _ => {}
        }
        self.stirred |= reason.is_none();
        self.leasing_held = reason;
    }

    /// How much is still to be stored.
    #[must_use]
    pub fn demand(&self) -> Demand {
        let mut demand = Demand::default();
        for run in self.runs.values() {
            for slice in run.plan.slices() {
                let leased = match run.state(slice.id) {
                    SliceState::Waiting => false,
                    SliceState::Leased(_) | SliceState::Committing { .. } => true,
                    // A result is there already; another one is compared, not kept.
                    SliceState::Doubted { .. } => continue,
                    SliceState::Committed(_) | SliceState::Parked => continue,
                };
                demand.open_bytes = demand.open_bytes.saturating_add(slice.raw_bytes);
                if leased {
                    demand.leased_bytes = demand.leased_bytes.saturating_add(slice.raw_bytes);
                }
            }
        }
        demand
    }
}
