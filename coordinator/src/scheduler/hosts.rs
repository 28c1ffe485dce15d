//! Which machines can be trusted with work: failures that went well elsewhere are the machine's own.

use std::collections::{BTreeMap, VecDeque};

use super::history::Place;
use super::{
    FIRST_QUARANTINE, MAX_BLAMED, MAX_HOSTS, MAX_QUARANTINE_DOUBLINGS, Millis, TRIALS_REMEMBERED,
};

/// How the last attempt at a slice ended on this host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    Good,
    Failed,
    /// Failed, and then it went well elsewhere.
    Blamed,
}

#[derive(Clone, Debug, Default)]
struct Host {
    trials: VecDeque<(Place, Trial)>,
    quarantine: Option<(Millis, String)>,
    quarantines: u32,
    /// Results in a row that nothing was said against.
    good_in_row: u64,
}

/// All hosts that were heard of, by key.
#[derive(Debug, Default)]
pub(super) struct Hosts(BTreeMap<String, Host>);

impl Hosts {
    /// A result of this host became durable.
    pub(super) fn succeeded(&mut self, key: &str, place: Place) {
        if let Some(host) = self.host(key) {
            host.note(place, Trial::Good);
            host.good_in_row += 1;
        }
    }

    pub(super) fn failed(&mut self, key: &str, place: Place) {
        if let Some(host) = self.host(key) {
            host.note(place, Trial::Failed);
            host.good_in_row = 0;
        }
    }

    /// What failed on this host went well on another one. Whether the host failed so too often.
    pub(super) fn blame(&mut self, key: &str, place: Place) -> bool {
        let Some(host) = self.0.get_mut(key) else { return false };
        for (failed, trial) in &mut host.trials {
            if *failed == place && *trial == Trial::Failed {
                *trial = Trial::Blamed;
            }
        }
        host.trials.iter().filter(|(_, trial)| *trial == Trial::Blamed).count() >= MAX_BLAMED
    }

    /// Keeps work away from a host; until when, longer each time.
    pub(super) fn quarantine(&mut self, key: &str, reason: String, now: Millis) -> Option<Millis> {
        let host = self.host(key)?;
        let doublings = host.quarantines.min(MAX_QUARANTINE_DOUBLINGS);
        let until = now + Millis(FIRST_QUARANTINE.0 << doublings);
        host.quarantines += 1;
        host.trials.clear();
        host.good_in_row = 0;
        host.quarantine = Some((until, reason));
        Some(until)
    }

    /// Lets a host have work again; whether it was in quarantine.
    pub(super) fn release(&mut self, key: &str) -> bool {
        self.0.get_mut(key).is_some_and(|host| host.quarantine.take().is_some())
    }

    /// Until when work is kept away from a host, and why.
    pub(super) fn quarantined(&self, key: &str, now: Millis) -> Option<(Millis, &str)> {
        let (until, reason) = self.0.get(key)?.quarantine.as_ref()?;
        (*until > now).then_some((*until, reason.as_str()))
    }

    /// Results in a row that nothing was said against.
    pub(super) fn good_in_row(&self, key: &str) -> u64 {
        self.0.get(key).map_or(0, |host| host.good_in_row)
    }

    /// A host without a key is not told from others.
    fn host(&mut self, key: &str) -> Option<&mut Host> {
        if key.is_empty() || (self.0.len() >= MAX_HOSTS && !self.0.contains_key(key)) {
            return None;
        }
        Some(self.0.entry(key.to_owned()).or_default())
    }
}

impl Host {
    fn note(&mut self, place: Place, trial: Trial) {
        if self.trials.len() == TRIALS_REMEMBERED {
            self.trials.pop_front();
        }
        self.trials.push_back((place, trial));
    }
}

#[cfg(test)]
mod tests {
    use fulldeck_job::SliceId;

    use super::*;

    #[test]
    fn three_failures_that_went_well_elsewhere_are_the_hosts_own() {
        let mut hosts = Hosts::default();
        let place = |slice| (1, SliceId(slice));
        for slice in 0..3 {
            hosts.failed("bad", place(slice));
        }
        assert!(!hosts.blame("bad", place(0)) && !hosts.blame("bad", place(0)), "blamed once");
        assert!(!hosts.blame("bad", place(1)));
        assert!(hosts.blame("bad", place(2)));
        let mut now = Millis(0);
        for minutes in [30, 60, 120] {
            let until = hosts.quarantine("bad", "because".to_owned(), now).unwrap();
            assert_eq!(until.since(now), Millis(minutes * 60_000));
            assert!(hosts.quarantined("bad", Millis(until.0 - 1)).is_some());
            assert!(hosts.quarantined("bad", until).is_none());
            now = until;
        }
        assert!(!hosts.blame("bad", place(2)), "it begins anew");
        assert!(hosts.release("bad") && !hosts.release("bad"));
        assert_eq!(hosts.quarantine("", "because".to_owned(), now), None);
    }

    #[test]
    fn only_the_last_attempts_are_remembered() {
        let mut hosts = Hosts::default();
        hosts.failed("h", (1, SliceId(0)));
        for slice in 1..=TRIALS_REMEMBERED as u32 {
            hosts.succeeded("h", (1, SliceId(slice)));
        }
        assert_eq!(hosts.good_in_row("h"), TRIALS_REMEMBERED as u64);
        hosts.blame("h", (1, SliceId(0)));
        assert!(hosts.0["h"].trials.iter().all(|(_, trial)| *trial == Trial::Good));
    }
}
