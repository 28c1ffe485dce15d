//! How fast a run goes, and how long it will take.
//!
//! Measured in planned cost per second, over the last five minutes or the last twenty commits, whichever is longer.
//! Time without a live worker does not count.

use std::collections::VecDeque;

use super::Millis;

/// The window reaches back at least so far ...
const WINDOW: Millis = Millis(300_000);
/// ... and at least over so many commits.
const WINDOW_COMMITS: u64 = 20;
/// Commits within one of these are kept together, so that the window has a bounded number of entries.
const BUCKET: Millis = Millis(1_000);
/// Fewer commits say nothing about the speed.
const MIN_COMMITS: u64 = 3;
/// The range is never narrower than this, to either side.
const MIN_SPREAD: f64 = 0.05;
/// The range is never wider than from half to twice the expectation.
const MAX_SPREAD: f64 = 2.0;

/// Rate and time left.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeLeft {
    /// Planned cost per second; 0 while unknown.
    pub cost_per_second: f64,
    /// Lowest and highest expectation in seconds, or why there is none.
    pub seconds: Result<(f64, f64), &'static str>,
}

impl TimeLeft {
    /// Not less than this: what is in hand takes so long, however many there are.
    pub(super) fn at_least(mut self, floor: Millis) -> Self {
        if let Ok((low, high)) = &mut self.seconds {
            *low = low.max(floor.seconds());
            *high = high.max(floor.seconds());
        }
        self
    }
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    at: Millis,
    cost: u64,
    commits: u64,
}

#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Where the window begins: the first lease at first.
    since: Option<Millis>,
    buckets: VecDeque<Bucket>,
    commits_in_window: u64,
    commits: u64,
}

impl Pace {
    /// Something of the run is being computed. `live` is time with live workers, here and below.
    pub(super) fn start(&mut self, live: Millis) {
        self.since.get_or_insert(live);
    }

    pub(super) fn commit(&mut self, live: Millis, cost: u64) {
        self.start(live);
        self.commits += 1;
        self.commits_in_window += 1;
        match self.buckets.back_mut() {
            Some(last) if live.since(last.at) < BUCKET => {
                last.cost = last.cost.saturating_add(cost);
                last.commits += 1;
            }
            _ => self.buckets.push_back(Bucket { at: live, cost, commits: 1 }),
        }
        while let Some(first) = self.buckets.front()
            && live.since(first.at) > WINDOW
            && self.commits_in_window - first.commits >= WINDOW_COMMITS
        {
            self.commits_in_window -= first.commits;
            self.since = Some(first.at);
            self.buckets.pop_front();
        }
    }

    pub(super) fn time_left(&self, live: Millis, workers: usize, open_cost: u64) -> TimeLeft {
        let since = self.since.unwrap_or(live);
        let elapsed = live.since(since).seconds();
        let cost: u64 = self.buckets.iter().map(|bucket| bucket.cost).sum();
        let known = self.commits >= MIN_COMMITS && elapsed > 0.0;
        let rate = if known { cost as f64 / elapsed } else { 0.0 };
        let seconds = if open_cost == 0 {
            Err("nothing is left to compute")
        } else if workers == 0 {
            Err("no worker is connected")
        } else if !known {
            Err("fewer than 3 slices were committed since the coordinator started")
        } else {
            let expected = open_cost as f64 / rate;
            let (slow, fast) = self.spread(since, live, rate);
            Ok((expected / fast, expected / slow))
        };
        TimeLeft { cost_per_second: rate, seconds }
    }

    /// The slower and the faster half of the window, as shares of its rate.
    fn spread(&self, since: Millis, live: Millis, rate: f64) -> (f64, f64) {
        let middle = Millis(since.0.midpoint(live.0));
        let half = middle.since(since).seconds();
        let cost: u64 = self
            .buckets
            .iter()
            .filter(|bucket| bucket.at <= middle)
            .map(|bucket| bucket.cost)
            .sum();
        let first = if half > 0.0 { cost as f64 / half / rate } else { 1.0 };
        let second = 2.0 - first;
        let (slow, fast) = (first.min(second), first.max(second));
        (
            slow.clamp(1.0 / MAX_SPREAD, 1.0 / (1.0 + MIN_SPREAD)),
            fast.clamp(1.0 / (1.0 - MIN_SPREAD), MAX_SPREAD),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_promised_before_three_commits() {
        let mut pace = Pace::default();
        pace.start(Millis(0));
        pace.commit(Millis(10_000), 5);
        pace.commit(Millis(20_000), 5);
        let left = pace.time_left(Millis(20_000), 1, 100);
        assert_eq!(left.cost_per_second, 0.0);
        assert!(left.seconds.unwrap_err().contains("fewer than 3"));
        pace.commit(Millis(30_000), 5);
        assert!(pace.time_left(Millis(30_000), 1, 100).seconds.is_ok());
        assert!(pace.time_left(Millis(30_000), 0, 100).seconds.unwrap_err().contains("no worker"));
        assert!(pace.time_left(Millis(30_000), 1, 0).seconds.unwrap_err().contains("nothing"));
    }

    #[test]
    fn the_whole_remaining_cost_counts_and_the_truth_lies_in_the_range() {
        // 76 slices of cost 7, one each 5 s: the story of an ETA that only saw the running wave.
        let mut pace = Pace::default();
        pace.start(Millis(0));
        for done in 1..=76u64 {
            let now = Millis(done * 5_000);
            pace.commit(now, 7);
            if done >= 8 {
                let truth = (76 - done) as f64 * 5.0;
                let left = pace.time_left(now, 4, (76 - done) * 7);
                match left.seconds {
                    Ok((low, high)) => {
                        assert!(low <= truth && truth <= high, "{done}: {low} {truth} {high}");
                        assert!(
                            low >= truth * 0.85 && high <= truth * 1.15,
                            "{low} {truth} {high}"
                        );
                    }
                    Err(_) => assert_eq!(done, 76),
                }
            }
        }
    }

    #[test]
    fn the_window_forgets_old_speed_and_stays_bounded() {
        let mut pace = Pace::default();
        pace.start(Millis(0));
        for tick in 1..=10_000u64 {
            pace.commit(Millis(tick * 100), 1);
        }
        assert!(pace.buckets.len() <= 302, "{}", pace.buckets.len());
        for tick in 1..=6_000u64 {
            pace.commit(Millis(1_000_000 + tick * 100), 3);
        }
        let left = pace.time_left(Millis(1_600_000), 1, 1);
        assert!((left.cost_per_second - 30.0).abs() < 1.0, "{left:?}");
        // Slow commits: twenty of them are kept however old they are.
        for hour in 1..=30u64 {
            pace.commit(Millis(1_600_000 + hour * 3_600_000), 3_600);
        }
        let left = pace.time_left(Millis(1_600_000 + 30 * 3_600_000), 1, 1);
        assert!((left.cost_per_second - 1.0).abs() < 0.1, "{left:?}");
        assert!(pace.commits_in_window >= 20);
    }
}
