//! The facade that the programs see: the registry of workloads, and the games behind it for what they answer without
//! a run.
//!
//! Deliberately absent: logic. Adding a game is its crate and one line in [`registry`].

use std::sync::Arc;

pub use fulldeck_basket as basket;
pub use fulldeck_betting as betting;
pub use fulldeck_cards::{Card, CardSet, Clusters};
pub use fulldeck_doudizhu as doudizhu;
pub use fulldeck_eval::arch::{Backend, UnknownBackend};
pub use fulldeck_job::Registry;
pub use fulldeck_joker as joker;
pub use fulldeck_omaha as omaha;

/// Every workload, computing with the kernels of `backend`.
#[must_use]
pub fn registry_with(backend: Backend) -> Registry {
    Registry::new(vec![
        Arc::new(fulldeck_omaha::Omaha::new(backend)),
        Arc::new(fulldeck_joker::Joker),
        Arc::new(fulldeck_betting::Betting),
        Arc::new(fulldeck_basket::Totalling),
        Arc::new(fulldeck_doudizhu::DouDizhu),
    ])
}

/// Every workload, computing with the fastest kernels of this processor.
#[must_use]
pub fn registry() -> Registry {
    registry_with(Backend::best())
}
