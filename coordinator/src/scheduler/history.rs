//! Which attempts were handed out for the slices that are still open: a late result of one of them is welcome.

use std::collections::BTreeMap;

use fulldeck_job::SliceId;

use super::MAX_ATTEMPTS_REMEMBERED;
use super::ids::AttemptKey;

/// A slice of a run.
pub(super) type Place = (u32, SliceId);

#[derive(Debug, Default)]
pub(super) struct History {
    by_attempt: BTreeMap<AttemptKey, Place>,
    by_slice: BTreeMap<Place, Vec<AttemptKey>>,
}

impl History {
    /// Remembers an attempt; the oldest of the slice is forgotten beyond the bound.
    pub(super) fn add(&mut self, key: AttemptKey, place: Place) {
        if self.by_attempt.insert(key, place).is_some() {
            return;
        }
        let attempts = self.by_slice.entry(place).or_default();
        attempts.push(key);
        if attempts.len() > MAX_ATTEMPTS_REMEMBERED {
            let oldest = attempts.remove(0);
            self.by_attempt.remove(&oldest);
        }
    }

    /// The slice of an attempt.
    pub(super) fn place(&self, key: AttemptKey) -> Option<Place> {
        self.by_attempt.get(&key).copied()
    }

    /// The slice is durable: its attempts need not be told apart any longer.
    pub(super) fn forget(&mut self, place: Place) {
        for key in self.by_slice.remove(&place).unwrap_or_default() {
            self.by_attempt.remove(&key);
        }
    }

    #[cfg(test)]
    pub(super) fn attempts(&self) -> usize {
        self.by_attempt.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_attempts_of_a_slice_are_remembered() {
        let key = |sequence| AttemptKey { epoch: 1, start_id: 7, sequence };
        let place = (1, SliceId(3));
        let mut history = History::default();
        let last = MAX_ATTEMPTS_REMEMBERED as u64 + 5;
        for sequence in 1..=last {
            history.add(key(sequence), place);
        }
        assert_eq!(history.attempts(), MAX_ATTEMPTS_REMEMBERED);
        assert_eq!(history.place(key(5)), None);
        assert_eq!(history.place(key(6)), Some(place));
        history.forget(place);
        assert_eq!(history.place(key(last)), None);
        assert_eq!(history.attempts(), 0);
    }
}
