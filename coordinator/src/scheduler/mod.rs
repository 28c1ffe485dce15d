//! Who computes what: a pure state machine over runs, slices, workers and attempts.
//!
//! [`Core::step`] takes the time and one [`Event`] and returns [`Effect`]s; [`Core::next_deadline`] says when it wants
//! to be called at the latest. Main types: [`Core`], [`Event`], [`Effect`], [`Reply`].
//!
//! Invariants: a slice is committed at most once; no slice has more than two attempts; a committed digest never
//! changes.
//!
//! Deliberately absent: clocks, sockets, disks, randomness, and the bytes of results.

mod admission;
mod alarms;
mod checks;
mod control;
mod core;
mod explain;
mod history;
mod hosts;
mod ids;
mod import;
mod lease;
mod limits;
mod message;
mod pace;
mod run;
mod session;
mod slice;
mod snapshot;
mod store_state;
mod stragglers;
#[cfg(test)]
mod tests;
mod trouble;
mod upload;
mod worker;

pub use self::core::Core;
pub use checks::Validation;
pub use explain::Explanation;
pub use fulldeck_job::record::Token;
pub use ids::{Identity, Millis, ReplyId, SessionId};
pub use limits::*;
pub use message::{
    Caller, Effect, Event, Failure, Found, Held, HeldVerdict, Lease, LeaseNote, Notice, Offer,
    Outcome, Refusal, Registration, Reply, RunSeed, Storing, Timings,
};
pub use pace::TimeLeft;
pub use snapshot::{JobSnapshot, RunPhase, RunSnapshot, WorkerSnapshot};
pub use store_state::Demand;
