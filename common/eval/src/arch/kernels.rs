//! The kernels, written once over [`Vector`].
//!
//! All compare two hands' *codes*: one signed byte for each board, greater for the stronger hand, negative exactly
//! when the hand makes less than a full house by ranks alone. Boards stand in the order of [`crate::lanes`]; a code
//! means nothing on another board. `left` is the number of cards of each rank that neither hand holds.

pub(super) use super::payoffs::add_payoffs;
use super::vector::{Bytes, Vector, Words};
use crate::lanes::{
    ALL_CHUNKS, CHUNK, CHUNKS, FIVES_BYTES, FOUR_SLOTS, FOURS_BYTES, ROW_BYTES, RUNS, RUNS_BYTES,
    STRAIGHT_CHUNKS, THREE_APART, THREE_BESIDE, THREE_SLOTS, THREES_BYTES,
};
use fulldeck_cards::RANKS;

const FOURS_AT: usize = THREES_BYTES / CHUNK;
const FIVES_AT: usize = FOURS_AT + FOURS_BYTES / CHUNK;
const RUNS_AT: usize = FIVES_AT + FIVES_BYTES / CHUNK;
const _: () = assert!(RUNS_AT + RUNS_BYTES / CHUNK == ROW_BYTES / CHUNK);

/// Factors of the boards' weights, run by run in the order of [`crate::lanes::Lanes::runs`]: a board weighs its inner
/// factor times its outer one.
#[derive(Clone, Copy, Debug)]
pub struct RunWeights<'a> {
    /// Inner factors, as many chunks as the run has; zero where a chunk has no board.
    pub inner: [&'a [Words]; RUNS.len()],
    /// Outer factors, one for each repetition of the run.
    pub outer: [&'a [u16]; RUNS.len()],
}

/// Boards won and lost by ranks alone, weighted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankCount {
    /// Won by the first hand.
    pub win: u32,
    /// Lost by the first hand.
    pub lose: u32,
}

/// What [`RankSums`] holds twice: once for wins of the first hand, once for its losses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideSums {
    /// For each set of three ranks: boards with these cards of one suit (and anything else that is left) that this
    /// side wins by ranks while nobody has a full house.
    pub threes: [Words; CHUNKS[0]],
    /// The same for sets of four.
    pub fours: [Bytes; CHUNKS[1]],
    /// The same for sets of five, one bit each.
    pub fives: [u64; CHUNKS[2]],
    /// For straight-carrying threes: boards with exactly these cards of the suit that this side wins with a full
    /// house or better, as if all cards held were of other suits.
    pub full_threes: Words,
    /// What each rank held in the suit adds to `full_threes`.
    pub full_threes_by_rank: [Bytes; RANKS],
    /// `full_threes` for fours; ranks held in the suit change nothing.
    pub full_fours: [Bytes; STRAIGHT_CHUNKS[1]],
}

/// Sums over the boards that complete each set of suited board ranks: see [`SideSums`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankSums {
    /// Wins of the first hand.
    pub win: SideSums,
    /// Its losses.
    pub lose: SideSums,
    /// For each set of three: boards with exactly these cards of the suit on which somebody has a full house or
    /// better, as if all cards held were of other suits.
    pub full_threes: [Words; CHUNKS[0]],
    /// What each rank held in the suit adds to `full_threes`.
    pub full_threes_by_rank: [[Bytes; CHUNKS[0]]; RANKS],
    /// `full_threes` for fours; ranks held in the suit change nothing.
    pub full_fours: [Bytes; CHUNKS[1]],
}

/// Codes of the best flush that ranks held in a suit make with each set of board ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlushCodes {
    /// 1 and up; 0 without a flush and where a card of the set is held.
    pub low: [Bytes; ALL_CHUNKS],
    /// The same, but 127 where a card of the set is held.
    pub high: [Bytes; ALL_CHUNKS],
    /// -1 where the flush is straight, on the straight-carrying chunks of threes and fours.
    pub straight: [Bytes; STRAIGHT_CHUNKS[0] + STRAIGHT_CHUNKS[1]],
    /// Whether `straight` has any.
    pub any_straight: bool,
}

/// What ranks held in the suit add to the sums that depend on them.
#[derive(Clone, Debug, Default)]
pub struct HandParts {
    /// Sum of [`RankSums::full_threes_by_rank`] over the ranks held.
    pub full_threes: [Bytes; CHUNKS[0]],
    /// Sum of [`SideSums::full_threes_by_rank`], wins.
    pub full_win: Bytes,
    /// Sum of [`SideSums::full_threes_by_rank`], losses.
    pub full_lose: Bytes,
}

/// Outcome of [`super::Backend::count_flushes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlushCounts {
    /// Number of sets of three, four and five board ranks on which the first hand's flush is the better one.
    pub ahead: [u32; 3],
    /// Boards on which the first hand is ahead by flush, yet somebody's full house decides.
    pub win_overruled: u32,
    /// The same where it is behind.
    pub lose_overruled: u32,
    /// Boards on which a full house won for the first hand, and a straight flush decides instead.
    pub win_by_full_house: u32,
    /// The same for the second hand.
    pub lose_by_full_house: u32,
}

#[inline(always)]
pub(super) unsafe fn maximum<V: Vector>(rows: &[&[Bytes]], out: &mut [Bytes]) {
    for (at, out) in out.iter_mut().enumerate() {
        unsafe {
            let mut best = V::load(&rows[0][at]);
            for row in &rows[1..] {
                best = V::max(best, V::load(&row[at]));
            }
            V::store(out, best);
        }
    }
}

#[inline(always)]
pub(super) unsafe fn count_by_ranks<V: Vector>(
    a: &[Bytes],
    b: &[Bytes],
    weights: &RunWeights<'_>,
) -> RankCount {
    let (a, b) = (&a[RUNS_AT..], &b[RUNS_AT..]);
    let mut at = 0;
    let mut count = RankCount::default();
    for (run, (chunks, repeats)) in RUNS.into_iter().enumerate() {
        // A lane collects at most 42 weights of at most 1,024: no run overflows its words.
        unsafe {
            let mut win = V::words_splat(0);
            let mut lose = V::words_splat(0);
            for outer in &weights.outer[run][..repeats] {
                let outer = V::words_splat(*outer);
                for inner in &weights.inner[run][..chunks] {
                    let (code_a, code_b) = (V::load(&a[at]), V::load(&b[at]));
                    let weight = V::words_mul(V::words_load(inner), outer);
                    win = V::words_add_if(win, V::greater(code_a, code_b), weight);
                    lose = V::words_add_if(lose, V::greater(code_b, code_a), weight);
                    at += 1;
                }
            }
            count.win += V::words_sum(win);
            count.lose += V::words_sum(lose);
        }
    }
    count
}

/// The lookups that a set's own members and the ranks outside of it need.
pub(super) struct Members {
    pub(super) three_members: [[Bytes; 3]; CHUNKS[0]],
    pub(super) three_outside: [[Bytes; 10]; CHUNKS[0]],
    pub(super) four_members: [[Bytes; 4]; CHUNKS[1]],
    /// -1 where a rank is not in the set of three.
    pub(super) not_in_three: [[Bytes; RANKS]; CHUNKS[0]],
}

/// Two comparisons of the codes at one place.
struct Compared<V: Vector> {
    win: V::Mask,
    lose: V::Mask,
    /// Somebody has a full house or better.
    full: V::Mask,
    full_a: V::Mask,
    full_b: V::Mask,
}

#[inline(always)]
unsafe fn compare<V: Vector>(a: &Bytes, b: &Bytes) -> Compared<V> {
    unsafe {
        let (a, b) = (V::load(a), V::load(b));
        let (win, lose) = (V::greater(a, b), V::greater(b, a));
        let minus_one = V::splat(0xff);
        let (full_a, full_b) = (V::greater(a, minus_one), V::greater(b, minus_one));
        Compared { win, lose, full: V::either(full_a, full_b), full_a, full_b }
    }
}

#[inline(always)]
pub(super) unsafe fn sum_by_sets<V: Vector>(
    a: &[Bytes],
    b: &[Bytes],
    left: &[u8; RANKS],
    members: &Members,
    out: &mut RankSums,
) {
    let mut left_by_rank = [0; 16];
    let mut beside_by_rank = [0; 16];
    for rank in 0..RANKS {
        left_by_rank[rank] = left[rank];
        beside_by_rank[rank] = left[rank].saturating_sub(1);
    }
    for chunk in 0..CHUNKS[0] {
        let at = chunk * THREE_SLOTS;
        let (a, b) = (&a[at..at + THREE_SLOTS], &b[at..at + THREE_SLOTS]);
        unsafe {
            let left_outside = lookup_all::<V, 10>(&left_by_rank, &members.three_outside[chunk]);
            let (win, lose) = sum_apart::<V>(a, b, left_outside);
            let beside = lookup_all::<V, 3>(&beside_by_rank, &members.three_members[chunk]);
            let sums = (win, lose);
            if chunk < STRAIGHT_CHUNKS[0] {
                sum_beside::<V, true>(chunk, a, b, left, beside, members, sums, out);
            } else {
                sum_beside::<V, false>(chunk, a, b, left, beside, members, sums, out);
            }
        }
    }
    for chunk in 0..CHUNKS[1] {
        let at = FOURS_AT + chunk * FOUR_SLOTS;
        unsafe {
            let beside = lookup_all::<V, 4>(&beside_by_rank, &members.four_members[chunk]);
            let (a, b) = (&a[at..at + FOUR_SLOTS], &b[at..at + FOUR_SLOTS]);
            sum_fours::<V>(chunk, a, b, left, beside, out);
        }
    }
    for chunk in 0..CHUNKS[2] {
        unsafe {
            let (a, b) = (V::load(&a[FIVES_AT + chunk]), V::load(&b[FIVES_AT + chunk]));
            out.win.fives[chunk] = V::bits(V::greater(a, b));
            out.lose.fives[chunk] = V::bits(V::greater(b, a));
        }
    }
}

/// `table[index]` for each of `N` times 64 lanes. A loop, since a closure would not be compiled for the back-end.
#[inline(always)]
unsafe fn lookup_all<V: Vector, const N: usize>(
    table: &[u8; 16],
    indices: &[Bytes; N],
) -> [V::Bytes; N] {
    unsafe {
        let mut values = [V::splat(0); N];
        for (value, index) in values.iter_mut().zip(indices) {
            *value = V::lookup(table, V::load(index));
        }
        values
    }
}

/// Boards that add two different ranks from outside of the set: no full house is possible.
#[inline(always)]
unsafe fn sum_apart<V: Vector>(
    a: &[Bytes],
    b: &[Bytes],
    left: [V::Bytes; 10],
) -> (V::Words, V::Words) {
    unsafe {
        let mut win = V::words_splat(0);
        let mut lose = V::words_splat(0);
        let mut slot = 0;
        for first in 0..9 {
            let mut win_first = V::splat(0);
            let mut lose_first = V::splat(0);
            for second in &left[first + 1..] {
                let (code_a, code_b) = (V::load(&a[slot]), V::load(&b[slot]));
                win_first = V::add_if(win_first, V::greater(code_a, code_b), *second);
                lose_first = V::add_if(lose_first, V::greater(code_b, code_a), *second);
                slot += 1;
            }
            let factor = V::widen(left[first]);
            win = V::words_add(win, V::words_mul(V::widen(win_first), factor));
            lose = V::words_add(lose, V::words_mul(V::widen(lose_first), factor));
        }
        (win, lose)
    }
}

/// One kind of win while the ranks of one multiplicity are added: `slots` with a member and a rank, `twice` with the
/// rank twice.
struct Kind<V: Vector> {
    slots: V::Bytes,
    twice: V::Bytes,
}

impl<V: Vector> Kind<V> {
    #[inline(always)]
    unsafe fn new() -> Self {
        unsafe { Self { slots: V::splat(0), twice: V::splat(0) } }
    }

    /// With `beside` cards of each of the ranks to be had from the other suits.
    #[inline(always)]
    unsafe fn weighted(&self, beside: u16) -> V::Words {
        unsafe {
            V::words_add(
                V::words_mul(V::widen(self.slots), V::words_splat(beside)),
                V::words_mul(
                    V::widen(self.twice),
                    V::words_splat(beside * beside.saturating_sub(1) / 2),
                ),
            )
        }
    }
}

/// Boards that show a rank of the set of three again, or another rank twice.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
unsafe fn sum_beside<V: Vector, const STRAIGHT: bool>(
    chunk: usize,
    a: &[Bytes],
    b: &[Bytes],
    left: &[u8; RANKS],
    beside: [V::Bytes; 3],
    members: &Members,
    (mut win, mut lose): (V::Words, V::Words),
    out: &mut RankSums,
) {
    unsafe {
        let one = V::splat(1);
        let mut full = V::words_splat(0);
        let mut full_win = V::words_splat(0);
        let mut full_lose = V::words_splat(0);
        // Ranks with equally many cards left share their factor, so that bytes suffice until the end.
        for count in 0..=4u8 {
            let per_rank = V::splat(count.saturating_sub(1));
            let mut win_kind = Kind::<V>::new();
            let mut lose_kind = Kind::<V>::new();
            let mut full_kind = Kind::<V>::new();
            let mut full_win_kind = Kind::<V>::new();
            let mut full_lose_kind = Kind::<V>::new();
            // A rank outside of the set has one card more left: its suited one.
            let mut win_more = (V::splat(0), V::splat(0));
            let mut lose_more = (V::splat(0), V::splat(0));
            for rank in (0..RANKS).filter(|rank| left[*rank] == count) {
                let mut win_slots = V::splat(0);
                let mut lose_slots = V::splat(0);
                let mut full_slots = V::splat(0);
                let mut full_win_slots = V::splat(0);
                let mut full_lose_slots = V::splat(0);
                for (member, weight) in beside.iter().copied().enumerate() {
                    let slot = THREE_APART + member * RANKS + rank;
                    let c = compare::<V>(&a[slot], &b[slot]);
                    win_slots = V::add_if(win_slots, V::without(c.win, c.full_a), weight);
                    lose_slots = V::add_if(lose_slots, V::without(c.lose, c.full_b), weight);
                    full_slots = V::add_if(full_slots, c.full, weight);
                    if STRAIGHT {
                        full_win_slots =
                            V::add_if(full_win_slots, V::both(c.win, c.full_a), weight);
                        full_lose_slots =
                            V::add_if(full_lose_slots, V::both(c.lose, c.full_b), weight);
                    }
                }
                let slot = THREE_APART + THREE_BESIDE + rank;
                let c = compare::<V>(&a[slot], &b[slot]);
                let (win_twice, lose_twice) =
                    (V::without(c.win, c.full_a), V::without(c.lose, c.full_b));
                let outside = V::load(&members.not_in_three[chunk][rank]);
                let one_outside = V::and(one, outside);
                win_kind.slots = V::add(win_kind.slots, win_slots);
                win_kind.twice = V::add_if(win_kind.twice, win_twice, one);
                win_more.0 = V::add(win_more.0, V::and(win_slots, outside));
                win_more.1 = V::add_if(win_more.1, win_twice, one_outside);
                lose_kind.slots = V::add(lose_kind.slots, lose_slots);
                lose_kind.twice = V::add_if(lose_kind.twice, lose_twice, one);
                lose_more.0 = V::add(lose_more.0, V::and(lose_slots, outside));
                lose_more.1 = V::add_if(lose_more.1, lose_twice, one_outside);
                full_kind.slots = V::add(full_kind.slots, full_slots);
                full_kind.twice = V::add_if(full_kind.twice, c.full, one);
                // A rank held in the suit leaves one card more in the others; none when all four are held.
                let more = if count == 0 { V::splat(0) } else { V::splat(0xff) };
                let by_rank = V::add_if(full_slots, c.full, per_rank);
                V::store(&mut out.full_threes_by_rank[rank][chunk], V::and(by_rank, more));
                if STRAIGHT {
                    let (win_full, lose_full) =
                        (V::both(c.win, c.full_a), V::both(c.lose, c.full_b));
                    full_win_kind.slots = V::add(full_win_kind.slots, full_win_slots);
                    full_win_kind.twice = V::add_if(full_win_kind.twice, win_full, one);
                    full_lose_kind.slots = V::add(full_lose_kind.slots, full_lose_slots);
                    full_lose_kind.twice = V::add_if(full_lose_kind.twice, lose_full, one);
                    let by_rank = V::add_if(full_win_slots, win_full, per_rank);
                    V::store(&mut out.win.full_threes_by_rank[rank], V::and(by_rank, more));
                    let by_rank = V::add_if(full_lose_slots, lose_full, per_rank);
                    V::store(&mut out.lose.full_threes_by_rank[rank], V::and(by_rank, more));
                }
            }
            if count == 0 {
                continue;
            }
            let other_suits = u16::from(count - 1);
            for (sum, kind, more) in
                [(&mut win, &win_kind, win_more), (&mut lose, &lose_kind, lose_more)]
            {
                *sum = V::words_add(*sum, kind.weighted(other_suits));
                *sum = V::words_add(*sum, V::widen(more.0));
                let twice = V::words_mul(V::widen(more.1), V::words_splat(other_suits));
                *sum = V::words_add(*sum, twice);
            }
            full = V::words_add(full, full_kind.weighted(other_suits));
            if STRAIGHT {
                full_win = V::words_add(full_win, full_win_kind.weighted(other_suits));
                full_lose = V::words_add(full_lose, full_lose_kind.weighted(other_suits));
            }
        }
        V::words_store(&mut out.win.threes[chunk], win);
        V::words_store(&mut out.lose.threes[chunk], lose);
        V::words_store(&mut out.full_threes[chunk], full);
        if STRAIGHT {
            V::words_store(&mut out.win.full_threes, full_win);
            V::words_store(&mut out.lose.full_threes, full_lose);
        }
    }
}

#[inline(always)]
unsafe fn sum_fours<V: Vector>(
    chunk: usize,
    a: &[Bytes],
    b: &[Bytes],
    left: &[u8; RANKS],
    beside: [V::Bytes; 4],
    out: &mut RankSums,
) {
    unsafe {
        let mut win = V::splat(0);
        let mut lose = V::splat(0);
        for rank in 0..RANKS {
            let (code_a, code_b) = (V::load(&a[rank]), V::load(&b[rank]));
            let weight = V::splat(left[rank]);
            win = V::add_if(win, V::greater(code_a, code_b), weight);
            lose = V::add_if(lose, V::greater(code_b, code_a), weight);
        }
        let mut full = V::splat(0);
        let mut full_win = V::splat(0);
        let mut full_lose = V::splat(0);
        for (member, weight) in beside.iter().copied().enumerate() {
            let c = compare::<V>(&a[RANKS + member], &b[RANKS + member]);
            win = V::add_if(win, V::without(c.win, c.full_a), weight);
            lose = V::add_if(lose, V::without(c.lose, c.full_b), weight);
            full = V::add_if(full, c.full, weight);
            full_win = V::add_if(full_win, V::both(c.win, c.full_a), weight);
            full_lose = V::add_if(full_lose, V::both(c.lose, c.full_b), weight);
        }
        V::store(&mut out.win.fours[chunk], win);
        V::store(&mut out.lose.fours[chunk], lose);
        V::store(&mut out.full_fours[chunk], full);
        if chunk < STRAIGHT_CHUNKS[1] {
            V::store(&mut out.win.full_fours[chunk], full_win);
            V::store(&mut out.lose.full_fours[chunk], full_lose);
        }
    }
}

#[inline(always)]
pub(super) unsafe fn add_parts<V: Vector>(
    sums: &RankSums,
    rank: usize,
    base: &HandParts,
    out: &mut HandParts,
) {
    unsafe {
        for chunk in 0..CHUNKS[0] {
            let more = V::load(&sums.full_threes_by_rank[rank][chunk]);
            let sum = V::add(V::load(&base.full_threes[chunk]), more);
            V::store(&mut out.full_threes[chunk], sum);
        }
        let more = V::load(&sums.win.full_threes_by_rank[rank]);
        V::store(&mut out.full_win, V::add(V::load(&base.full_win), more));
        let more = V::load(&sums.lose.full_threes_by_rank[rank]);
        V::store(&mut out.full_lose, V::add(V::load(&base.full_lose), more));
    }
}

/// Sets on which the first hand's flush is the better one, and the second's.
#[inline(always)]
unsafe fn sides<V: Vector>(a: &FlushCodes, b: &FlushCodes, chunk: usize) -> (V::Mask, V::Mask) {
    unsafe {
        let win = V::greater(V::load(&a.low[chunk]), V::load(&b.high[chunk]));
        let lose = V::greater(V::load(&b.low[chunk]), V::load(&a.high[chunk]));
        (win, lose)
    }
}

/// Sets on which somebody has a straight flush.
#[inline(always)]
unsafe fn straights<V: Vector>(a: &FlushCodes, b: &FlushCodes, chunk: usize) -> V::Mask {
    unsafe {
        let (a, b) = (V::load(&a.straight[chunk]), V::load(&b.straight[chunk]));
        V::either(V::negative(a), V::negative(b))
    }
}

#[inline(always)]
pub(super) unsafe fn count_flushes<V: Vector>(
    sums: &RankSums,
    a: (&FlushCodes, &HandParts),
    b: (&FlushCodes, &HandParts),
    fives: bool,
) -> FlushCounts {
    let ((a, part_a), (b, part_b)) = (a, b);
    let mut counts = FlushCounts::default();
    let straight = a.any_straight || b.any_straight;
    unsafe {
        let zero = V::words_splat(0);
        let (mut win_sum, mut lose_sum) = (zero, zero);
        let (mut full_win, mut full_lose) = (zero, zero);
        for chunk in 0..CHUNKS[0] {
            let (mut win, mut lose) = sides::<V>(a, b, chunk);
            counts.ahead[0] += V::bits(win).count_ones();
            let parts =
                V::add(V::load(&part_a.full_threes[chunk]), V::load(&part_b.full_threes[chunk]));
            let full = V::words_add(V::words_load(&sums.full_threes[chunk]), V::widen(parts));
            if straight && chunk < STRAIGHT_CHUNKS[0] {
                let decided = V::both(straights::<V>(a, b, chunk), V::either(win, lose));
                let parts = V::add(V::load(&part_a.full_win), V::load(&part_b.full_win));
                let value = V::words_add(V::words_load(&sums.win.full_threes), V::widen(parts));
                full_win = V::words_add_if(full_win, decided, value);
                let parts = V::add(V::load(&part_a.full_lose), V::load(&part_b.full_lose));
                let value = V::words_add(V::words_load(&sums.lose.full_threes), V::widen(parts));
                full_lose = V::words_add_if(full_lose, decided, value);
                (win, lose) = (V::without(win, decided), V::without(lose, decided));
            }
            win_sum = V::words_add_if(win_sum, win, full);
            lose_sum = V::words_add_if(lose_sum, lose, full);
        }
        // At most 12 chunks of at most 12 boards in a lane.
        let none = V::splat(0);
        let (mut win_bytes, mut lose_bytes) = (none, none);
        let (mut full_win_bytes, mut full_lose_bytes) = (none, none);
        for chunk in 0..CHUNKS[1] {
            let (mut win, mut lose) = sides::<V>(a, b, CHUNKS[0] + chunk);
            counts.ahead[1] += V::bits(win).count_ones();
            if straight && chunk < STRAIGHT_CHUNKS[1] {
                let decided =
                    V::both(straights::<V>(a, b, STRAIGHT_CHUNKS[0] + chunk), V::either(win, lose));
                let value = V::load(&sums.win.full_fours[chunk]);
                full_win_bytes = V::add_if(full_win_bytes, decided, value);
                let value = V::load(&sums.lose.full_fours[chunk]);
                full_lose_bytes = V::add_if(full_lose_bytes, decided, value);
                (win, lose) = (V::without(win, decided), V::without(lose, decided));
            }
            let full = V::load(&sums.full_fours[chunk]);
            win_bytes = V::add_if(win_bytes, win, full);
            lose_bytes = V::add_if(lose_bytes, lose, full);
        }
        if fives {
            for chunk in CHUNKS[0] + CHUNKS[1]..ALL_CHUNKS {
                let win = V::greater(V::load(&a.low[chunk]), V::load(&b.high[chunk]));
                counts.ahead[2] += V::bits(win).count_ones();
            }
        }
        counts.win_overruled = V::words_sum(win_sum) + V::sum(win_bytes);
        counts.lose_overruled = V::words_sum(lose_sum) + V::sum(lose_bytes);
        if straight {
            counts.win_by_full_house = V::words_sum(full_win) + V::sum(full_win_bytes);
            counts.lose_by_full_house = V::words_sum(full_lose) + V::sum(full_lose_bytes);
        }
    }
    counts
}
