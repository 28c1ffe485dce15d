//! What is refused is logged, but nobody can fill a disk by being refused.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;

/// Least time between two lines about one address.
const QUIET: Duration = Duration::from_secs(60);
/// Most addresses that are remembered; further ones are counted only.
const MAX_ADDRESSES: usize = 1_024;

/// Counts refusals and logs the first of each address and minute. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refusals {
    /// All refusals there were.
    pub(crate) count: Counter,
    said: Arc<Mutex<BTreeMap<IpAddr, Instant>>>,
}

impl Refusals {
    /// Somebody was refused, for this reason.
    pub(crate) fn note(&self, address: IpAddr, reason: &str) {
        self.count.inc();
        if self.is_worth_a_line(address, Instant::now()) {
            tracing::warn!(%address, "refused: {reason} (said once a minute)");
        }
    }

    fn is_worth_a_line(&self, address: IpAddr, now: Instant) -> bool {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = |then: &Instant| now.saturating_duration_since(*then) < QUIET;
        if said.get(&address).is_some_and(recent) {
            return false;
        }
        if said.len() >= MAX_ADDRESSES {
            said.retain(|_, then| recent(then));
        }
        if said.len() >= MAX_ADDRESSES {
            return false;
        }
        said.insert(address, now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_for_each_address_and_minute_and_a_bound_on_all() {
        let refusals = Refusals::default();
        let start = Instant::now();
        let address = |number: u32| IpAddr::from(number.to_be_bytes());
        assert!(refusals.is_worth_a_line(address(1), start));
        assert!(!refusals.is_worth_a_line(address(1), start + QUIET / 2));
        assert!(refusals.is_worth_a_line(address(1), start + QUIET));
        let later = start + QUIET;
        let said = (2..5_000).filter(|number| refusals.is_worth_a_line(address(*number), later));
        assert_eq!(said.count(), MAX_ADDRESSES - 1);
        assert!(refusals.is_worth_a_line(address(6_000), later + QUIET), "old ones are forgotten");
    }
}
