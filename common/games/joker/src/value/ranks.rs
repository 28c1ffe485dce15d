//! A perfect numbering of rank multisets: two look-ups and an addition, no collisions, no gaps.

use fulldeck_cards::{RANKS, RankMultiset};

use super::sum::{BASE, LOW_RANKS, RANK_KEYS, high, low};

/// Most natural cards of a hand.
pub(crate) const MAX_NATURAL: usize = 7;
const HIGH_RANKS: usize = RANKS - LOW_RANKS;
const LOW_CODES: usize = (BASE as usize).pow(LOW_RANKS as u32);
const HIGH_CODES: usize = (BASE as usize).pow(HIGH_RANKS as u32);

/// Numbers the multisets of each size from 0: those with the same high ranks are neighbours, and within them the low
/// ranks are numbered among all of their size.
#[derive(Clone, Debug)]
pub(crate) struct RankIndex {
    low: Vec<u16>,
    /// By size.
    high: Vec<Vec<u32>>,
    /// Number of multisets of each size.
    len: [usize; MAX_NATURAL + 1],
}

impl RankIndex {
    pub(crate) fn new() -> Self {
        let mut low_index = vec![0; LOW_CODES];
        let mut low_len = [0; MAX_NATURAL + 1];
        for (code, index) in low_index.iter_mut().enumerate() {
            if let Some(len) = low_len.get_mut(digit_sum(code)) {
                *index = *len as u16;
                *len += 1;
            }
        }
        let mut len = [0; MAX_NATURAL + 1];
        let high = (0..=MAX_NATURAL)
            .map(|size| {
                let mut starts = vec![0; HIGH_CODES];
                for (code, start) in starts.iter_mut().enumerate() {
                    if let Some(rest) = size.checked_sub(digit_sum(code)) {
                        *start = len[size] as u32;
                        len[size] += low_len[rest];
                    }
                }
                starts
            })
            .collect();
        Self { low: low_index, high, len }
    }

    /// Number of multisets of `size` ranks.
    pub(crate) const fn len(&self, size: usize) -> usize {
        self.len[size]
    }

    /// The number of the multiset of `size` ranks that has this key.
    pub(crate) fn of(&self, size: usize, key: u64) -> usize {
        self.high[size][high(key)] as usize + usize::from(self.low[low(key)])
    }

    pub(crate) fn low(&self) -> &[u16] {
        &self.low
    }

    pub(crate) fn high(&self, size: usize) -> &[u32] {
        &self.high[size]
    }
}

fn digit_sum(mut code: usize) -> usize {
    let mut sum = 0;
    while code > 0 {
        sum += code % BASE as usize;
        code /= BASE as usize;
    }
    sum
}

/// Calls `visit` with the counts and the key of every multiset of `size` ranks in which none occurs more than `most`
/// times.
pub(crate) fn each_multiset(size: usize, most: u8, mut visit: impl FnMut(&RankMultiset, u64)) {
    fill(&mut [0; RANKS], 0, size, most, 0, &mut visit);
}

fn fill(
    counts: &mut RankMultiset,
    rank: usize,
    left: usize,
    most: u8,
    key: u64,
    visit: &mut impl FnMut(&RankMultiset, u64),
) {
    if left == 0 {
        return visit(counts, key);
    }
    if rank == RANKS || left > (RANKS - rank) * usize::from(most) {
        return;
    }
    for count in 0..=most.min(left as u8) {
        counts[rank] = count;
        let key = key + u64::from(count) * RANK_KEYS[rank];
        fill(counts, rank + 1, left - usize::from(count), most, key, visit);
    }
    counts[rank] = 0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_multiset_has_its_own_number() {
        let index = RankIndex::new();
        for (size, known) in [(3, 455), (4, 1_820), (5, 6_175), (6, 18_395), (7, 49_205)] {
            assert_eq!(index.len(size), known);
            let mut seen = vec![false; known];
            each_multiset(size, 4, |_, key| {
                assert!(!std::mem::replace(&mut seen[index.of(size, key)], true));
            });
            assert!(seen.into_iter().all(|seen| seen));
        }
    }
}
