//! Shards: a plan divided among processes that never speak to each other. Each of them finds its part alone.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::{Plan, SliceId};

/// Most shards of a run.
pub const MAX_SHARDS: u32 = 1_000_000;
/// Batches are kept whole where there are at least so many for each shard.
const BATCHES_PER_SHARD: usize = 8;

/// One of so many parts of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    of: u32,
}

/// Why two numbers are not a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// There is no shard of nothing, and not of endlessly many.
    #[error("{0} shards are not possible; 1 to {MAX_SHARDS} are right")]
    Of(u32),
    /// Beyond the last.
    #[error("there is no shard {index} of {of}; they go from 0 to {}", of - 1)]
    Index {
        /// What was given.
        index: u32,
        /// How many there are.
        of: u32,
    },
}

impl Shard {
    /// Shard `index`, from 0, of `of`.
    ///
    /// # Errors
    /// [`ShardError`] when there is no such shard.
    pub fn new(index: u32, of: u32) -> Result<Self, ShardError> {
        if !(1..=MAX_SHARDS).contains(&of) {
            return Err(ShardError::Of(of));
        }
        if index >= of {
            return Err(ShardError::Index { index, of });
        }
        Ok(Self { index, of })
    }

    /// Which one, from 0.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Of how many.
    #[must_use]
    pub const fn of(self) -> u32 {
        self.of
    }

    /// The slices of this shard, in the order in which they are best computed: a pure function of the plan. Every slice
    /// belongs to exactly one shard.
    ///
    /// Slices are taken batch by batch and cut into contiguous ranges of about equal cost: what lies at cost `a` to `b`
    /// of a total `t` belongs to shard `floor(of * (a + b) / 2t)`. Batches, which share work, stay whole where there
    /// are at least eight for each shard; a shard then costs at most one batch more or less than its share.
    #[must_use]
    pub fn slices(self, plan: &Plan) -> Vec<SliceId> {
        let total = u128::from(plan.total_cost());
        let mut before = 0u128;
        let mut mine = Vec::new();
        for unit in self.units(plan) {
            let cost: u128 = unit.iter().map(|slice| cost_of(plan, *slice)).sum();
            let middle = u128::from(self.of) * (2 * before + cost) / (2 * total).max(1);
            if middle.min(u128::from(self.of - 1)) == u128::from(self.index) {
                mine.extend(unit);
            }
            before += cost;
        }
        mine
    }

    /// What is not divided further.
    fn units(self, plan: &Plan) -> Vec<Vec<SliceId>> {
        let mut positions = BTreeMap::new();
        let mut batches: Vec<Vec<SliceId>> = Vec::new();
        for slice in plan.slices() {
            let position = *positions.entry(slice.batch).or_insert_with(|| {
                batches.push(Vec::new());
                batches.len() - 1
            });
            batches[position].push(slice.id);
        }
        if batches.len() >= BATCHES_PER_SHARD * self.of as usize {
            return batches;
        }
        batches.into_iter().flatten().map(|slice| vec![slice]).collect()
    }
}

fn cost_of(plan: &Plan, slice: SliceId) -> u128 {
    plan.slice(slice).map_or(0, |slice| u128::from(slice.cost))
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let odd = || format!("'{text}' is not of the form '0 of 4'");
        let (index, of) = text.split_once(" of ").ok_or_else(odd)?;
        let (index, of) = (index.parse().map_err(|_| odd())?, of.parse().map_err(|_| odd())?);
        Self::new(index, of).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Job, JobIndex, Slice};

    /// A plan of one job whose slices have these costs and batches.
    fn plan(costs: &[(u64, u32)]) -> Plan {
        let slices = costs.iter().enumerate().map(|(id, (cost, batch))| Slice {
            id: SliceId(id as u32),
            job: JobIndex(0),
            first_row: id as u32,
            rows: 1,
            elements: 1,
            raw_bytes: 8,
            cost: *cost,
            batch: *batch,
        });
        let job = Job { name: "a".into(), family: String::new(), rows: costs.len() as u32 };
        Plan::new(vec![job], slices.collect()).unwrap()
    }

    fn cost(plan: &Plan, slices: &[SliceId]) -> u64 {
        slices.iter().map(|slice| plan.slice(*slice).unwrap().cost).sum()
    }

    #[test]
    fn there_is_no_shard_outside_of_the_range() {
        assert_eq!(Shard::new(0, 0), Err(ShardError::Of(0)));
        assert_eq!(Shard::new(3, 3), Err(ShardError::Index { index: 3, of: 3 }));
        assert_eq!("2 of 3".parse(), Ok(Shard { index: 2, of: 3 }));
        assert!("3 of 3".parse::<Shard>().unwrap_err().contains("from 0 to 2"));
        assert!("x".parse::<Shard>().is_err());
    }

    #[test]
    fn batches_stay_whole_where_there_are_enough() {
        let costs: Vec<_> = (0..64).map(|slice| (5, slice / 4)).collect();
        let plan = plan(&costs);
        let two: Vec<_> = (0..2).map(|i| Shard::new(i, 2).unwrap().slices(&plan)).collect();
        assert_eq!([two[0].len(), two[1].len()], [32, 32]);
        // Sixteen batches are too few for five shards: then slices are what is divided.
        let five: Vec<_> = (0..5).map(|i| Shard::new(i, 5).unwrap().slices(&plan).len()).collect();
        assert_eq!(five, [13, 13, 12, 13, 13]);
    }

    #[test]
    fn more_shards_than_slices_leave_some_empty() {
        let plan = plan(&[(1, 0), (1, 1)]);
        let sizes: Vec<_> = (0..5).map(|i| Shard::new(i, 5).unwrap().slices(&plan).len()).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 2);
    }

    proptest! {
        #[test]
        fn every_slice_has_one_shard_and_no_shard_is_far_from_its_share(
            costs in prop::collection::vec((1u64..1000, 0u32..6), 1..60),
            of in 1u32..9,
        ) {
            let plan = plan(&costs);
            let shards: Vec<_> =
                (0..of).map(|index| Shard::new(index, of).unwrap().slices(&plan)).collect();
            let mut all = shards.concat();
            all.sort();
            prop_assert_eq!(all, plan.slices().iter().map(|slice| slice.id).collect::<Vec<_>>());
            let largest = costs.iter().map(|(cost, _)| *cost).max().unwrap() as f64;
            let share = plan.total_cost() as f64 / f64::from(of);
            for shard in &shards {
                prop_assert!((cost(&plan, shard) as f64 - share).abs() <= largest + 1e-6);
            }
        }
    }
}
