//! The order in which boards stand in vectors.
//!
//! Whatever depends on the ranks a board shows in one suit is kept in *lanes*: one lane for each set of three, four
//! or five ranks. Sets of which three ranks fit into a straight come first, so that straight flushes, which are
//! rare, concern only the leading chunks.

use fulldeck_cards::{RANKS, RankMultisets};

/// Lanes handled at a time.
pub const CHUNK: usize = 64;
/// Chunks of lanes for three, four and five ranks: 286, 715 and 1,287 sets.
pub const CHUNKS: [usize; 3] = [5, 12, 21];
/// Leading chunks with sets that can carry a straight flush, for three and four ranks.
pub const STRAIGHT_CHUNKS: [usize; 2] = [1, 7];
/// All chunks, threes first, then fours, then fives.
pub const ALL_CHUNKS: usize = CHUNKS[0] + CHUNKS[1] + CHUNKS[2];

/// Slots of a chunk of threes: boards that complete the set with two more ranks.
pub const THREE_SLOTS: usize = THREE_APART + THREE_BESIDE + RANKS;
/// Two different ranks outside of the set, as positions among the ten outside.
pub const THREE_APART: usize = 45;
/// One rank of the set again, and any rank: `member * RANKS + rank`.
pub const THREE_BESIDE: usize = 3 * RANKS;
/// Slots of a chunk of fours: any rank outside of the set, then a member again.
pub const FOUR_SLOTS: usize = RANKS + 4;

/// Bytes of a row's sections.
pub const THREES_BYTES: usize = CHUNKS[0] * THREE_SLOTS * CHUNK;
/// See [`THREES_BYTES`].
pub const FOURS_BYTES: usize = CHUNKS[1] * FOUR_SLOTS * CHUNK;
/// See [`THREES_BYTES`].
pub const FIVES_BYTES: usize = CHUNKS[2] * CHUNK;

/// Chunks and repetitions of the six runs that hold every board once: see [`Lanes::runs`].
pub const RUNS: [(usize, usize); 6] = [(4, 1), (2, 7), (1, 28), (2, 21), (4, 6), (8, 1)];
/// Bytes of the section with every board once.
pub const RUNS_BYTES: usize = run_bytes();
/// Bytes of a row: the codes of one rank multiset on every board, section by section.
pub const ROW_BYTES: usize = THREES_BYTES + FOURS_BYTES + FIVES_BYTES + RUNS_BYTES;

/// Ranks below this one make up the low half of [`Lanes::runs`].
pub const LOW_RANKS: usize = 7;

const fn run_bytes() -> usize {
    let mut bytes = 0;
    let mut run = 0;
    while run < RUNS.len() {
        bytes += RUNS[run].0 * RUNS[run].1 * CHUNK;
        run += 1;
    }
    bytes
}

/// The sets of ranks behind the lanes, and the boards behind the slots.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// Rank masks of the sets of three, four and five ranks, in lane order.
    pub sets: [Vec<u16>; 3],
    /// Number of leading sets that can carry a straight flush, for three and four ranks.
    pub straight: [usize; 2],
}

impl Default for Lanes {
    fn default() -> Self {
        Self::new()
    }
}

impl Lanes {
    /// Orders the sets.
    #[must_use]
    pub fn new() -> Self {
        let mut straight = [0; 2];
        let sets = std::array::from_fn(|index| {
            let mut masks: Vec<u16> =
                (0..1u16 << RANKS).filter(|mask| mask.count_ones() as usize == index + 3).collect();
            if index < 2 {
                masks.sort_by_key(|mask| !carries_straight(*mask));
                straight[index] = masks.partition_point(|mask| carries_straight(*mask));
                assert!(straight[index] <= STRAIGHT_CHUNKS[index] * CHUNK);
            }
            assert!(masks.len() <= CHUNKS[index] * CHUNK);
            masks
        });
        Self { sets, straight }
    }

    /// For every byte of a row the board it stands for, as five ranks ascending; `None` where there is none.
    #[must_use]
    pub fn boards(&self) -> Vec<Option<[u8; 5]>> {
        let mut boards = vec![None; ROW_BYTES];
        for (lane, mask) in self.sets[0].iter().enumerate() {
            let (members, outside) = split(*mask);
            let mut put = |slot: usize, extra: [u8; 2]| {
                let at = (lane / CHUNK * THREE_SLOTS + slot) * CHUNK + lane % CHUNK;
                boards[at] = board(&members, &extra);
            };
            let mut slot = 0;
            for (j, first) in outside.iter().enumerate() {
                for second in &outside[j + 1..] {
                    put(slot, [*first, *second]);
                    slot += 1;
                }
            }
            assert_eq!(slot, THREE_APART, "ten ranks outside make 45 pairs");
            for rank in 0..RANKS as u8 {
                for (member, own) in members.iter().enumerate() {
                    // Two members again are one board, kept under the lower of the two.
                    if !members.contains(&rank) || *own < rank {
                        put(slot + member * RANKS + usize::from(rank), [*own, rank]);
                    }
                }
                put(slot + THREE_BESIDE + usize::from(rank), [rank, rank]);
            }
        }
        for (lane, mask) in self.sets[1].iter().enumerate() {
            let (members, outside) = split(*mask);
            let mut put = |slot: usize, extra: u8| {
                let at = (lane / CHUNK * FOUR_SLOTS + slot) * CHUNK + lane % CHUNK;
                boards[THREES_BYTES + at] = board(&members, &[extra]);
            };
            for rank in outside {
                put(usize::from(rank), rank);
            }
            for (member, own) in members.iter().enumerate() {
                put(RANKS + member, *own);
            }
        }
        for (lane, mask) in self.sets[2].iter().enumerate() {
            boards[THREES_BYTES + FOURS_BYTES + lane] = board(&split(*mask).0, &[]);
        }
        let runs = &mut boards[ROW_BYTES - RUNS_BYTES..];
        let mut first = 0;
        for run in self.runs() {
            for outer in &run.outer {
                for (lane, inner) in run.inner.iter().enumerate() {
                    runs[first + lane] = board(outer, inner);
                }
                first += run.chunks * CHUNK;
            }
        }
        assert_eq!(first, RUNS_BYTES);
        boards
    }

    /// Six runs in which each of the 6,175 boards stands once, as an `outer` part repeated over all `inner` parts:
    /// one part has ranks below [`LOW_RANKS`], the other the ranks from there on. All boards with the same inner
    /// part share one factor of their weight.
    #[must_use]
    pub fn runs(&self) -> [Run; 6] {
        std::array::from_fn(|low_cards| {
            let low = parts(0..LOW_RANKS as u8, low_cards);
            let high = parts(LOW_RANKS as u8..RANKS as u8, 5 - low_cards);
            let (chunks, repeats) = RUNS[low_cards];
            let inner_is_low = low_cards >= 3;
            let (inner, outer) = if inner_is_low { (low, high) } else { (high, low) };
            assert!(inner.len() <= chunks * CHUNK && outer.len() == repeats);
            Run { inner_is_low, inner, outer, chunks }
        })
    }
}

/// See [`Lanes::runs`].
#[derive(Clone, Debug)]
pub struct Run {
    /// Whether the inner part has the low ranks.
    pub inner_is_low: bool,
    /// Inner parts, in lane order.
    pub inner: Vec<Vec<u8>>,
    /// Outer parts.
    pub outer: Vec<Vec<u8>>,
    /// Chunks that the inner parts fill.
    pub chunks: usize,
}

/// Multisets of `cards` of these ranks, none more than four times.
fn parts(ranks: std::ops::Range<u8>, cards: usize) -> Vec<Vec<u8>> {
    if cards == 0 {
        return vec![Vec::new()];
    }
    let all = RankMultisets::new(cards);
    let within = |ranks_of: &&[u8]| ranks_of.iter().all(|rank| ranks.contains(rank));
    (0..all.len()).map(|index| all.ranks(index)).filter(within).map(<[u8]>::to_vec).collect()
}

/// Ranks in and out of a set, ascending.
fn split(mask: u16) -> (Vec<u8>, Vec<u8>) {
    (0..RANKS as u8).partition(|rank| mask >> rank & 1 == 1)
}

fn board(members: &[u8], extra: &[u8]) -> Option<[u8; 5]> {
    let mut ranks = [members, extra].concat();
    ranks.sort_unstable();
    let ranks: [u8; 5] = ranks.try_into().expect("a board has five cards");
    (ranks[0] != ranks[4]).then_some(ranks)
}

/// Rank masks of the ten straights, the wheel first.
pub const STRAIGHTS: [u16; 10] = {
    let mut masks = [0b1_0000_0000_1111; 10];
    let mut low = 0;
    while low < 9 {
        masks[low + 1] = 0b1_1111 << low;
        low += 1;
    }
    masks
};

fn carries_straight(mask: u16) -> bool {
    STRAIGHTS.iter().any(|straight| (straight & mask).count_ones() >= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_hold_each_board_once_and_other_sections_what_they_say() {
        let lanes = Lanes::new();
        assert_eq!(lanes.straight[0], 64);
        let boards = lanes.boards();
        let mut once: Vec<_> = boards[ROW_BYTES - RUNS_BYTES..].iter().flatten().collect();
        assert_eq!(once.len(), 6175);
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), 6175);
        let threes = boards[..THREES_BYTES].iter().flatten().count();
        assert_eq!(threes, 286 * (45 + 3 * 10 + 3 + 13));
        let fours = boards[THREES_BYTES..][..FOURS_BYTES].iter().flatten().count();
        assert_eq!(fours, 715 * 13);
    }
}
