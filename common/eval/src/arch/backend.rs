//! The one place where a back-end is chosen.

use std::fmt;
use std::str::FromStr;

use fulldeck_cards::RANKS;

use super::kernels::{
    self, FlushCodes, FlushCounts, HandParts, Members, RankCount, RankSums, RunWeights,
};
use super::payoffs::{PayoffColumns, PayoffRow};
use super::portable::Portable;
use super::vector::Bytes;
#[cfg(target_arch = "x86_64")]
use super::x86::{Avx2, Avx512};
use crate::lanes::{CHUNK, CHUNKS, Lanes, ROW_BYTES};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// A set of instructions that this processor has. Every back-end gives the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Instructions);

/// Makes one method of [`Backend`] that enters a kernel with the chosen instructions enabled.
macro_rules! dispatch {
    ($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        pub fn $name(self, $($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            unsafe fn avx2($($argument: $type),*) $(-> $result)? {
                unsafe { kernels::$name::<Avx2>($($argument),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,popcnt")]
            unsafe fn avx512($($argument: $type),*) $(-> $result)? {
                unsafe { kernels::$name::<Avx512>($($argument),*) }
            }
            // SAFETY: a `Backend` with special instructions exists only after the processor said it has them.
            unsafe {
                match self.0 {
                    Instructions::Portable => kernels::$name::<Portable>($($argument),*),
                    #[cfg(target_arch = "x86_64")]
                    Instructions::Avx2 => avx2($($argument),*),
                    #[cfg(target_arch = "x86_64")]
                    Instructions::Avx512 => avx512($($argument),*),
                }
            }
        }
    };
}

impl Backend {
    /// Every back-end that this processor can run, the slowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let mut all = vec![Self(Instructions::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                all.push(Self(Instructions::Avx2));
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("popcnt")
            {
                all.push(Self(Instructions::Avx512));
            }
        }
        all
    }

    /// The fastest of [`Backend::available`].
    #[must_use]
    pub fn best() -> Self {
        *Self::available().last().expect("the portable back-end is always there")
    }

    /// `portable`, `avx2` or `avx512`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            Instructions::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "avx512",
        }
    }

    dispatch! {
        /// The greatest code of several rows at each place: `out[i] = max(rows[..][i])`.
        maximum(rows: &[&[Bytes]], out: &mut [Bytes])
    }
    dispatch! {
        /// Boards won and lost by ranks alone, each with its weight.
        count_by_ranks(a: &[Bytes], b: &[Bytes], weights: &RunWeights<'_>) -> RankCount
    }
    dispatch! {
        /// `out = base + what rank `rank` adds`.
        add_parts(sums: &RankSums, rank: usize, base: &HandParts, out: &mut HandParts)
    }
    dispatch! {
        /// Compares two hands' flushes on every set of board ranks that neither holds a card of, and sums the boards
        /// on which full houses or straight flushes decide instead. Sets of five are only counted if `fives`.
        count_flushes(
            sums: &RankSums,
            a: (&FlushCodes, &HandParts),
            b: (&FlushCodes, &HandParts),
            fives: bool
        ) -> FlushCounts
    }
    dispatch! {
        /// With `x = stake * lead` and `y = price * hands` (`payoffs` are stake and price): adds to each row's sums those
        /// of `(x - y) * second` and of `(x + y) * first` over the columns, and takes from every column's payoffs
        /// `(x + y) * weighted[0]` and `(x - y) * weighted[1]` of the rows. The same bits on every back-end.
        add_payoffs(
            rows: &[PayoffRow<'_>],
            payoffs: [f64; 2],
            columns: &mut PayoffColumns<'_>,
            sums: &mut [[f64; 2]]
        )
    }
    dispatch! {
        #[allow(private_interfaces)]
        #[doc(hidden)]
        sum_by_sets(
            a: &[Bytes],
            b: &[Bytes],
            left: &[u8; RANKS],
            members: &Members,
            out: &mut RankSums
        )
    }
}

/// The tables that [`RankSums`] are computed with.
pub struct SetSummer {
    members: Members,
}

impl Default for SetSummer {
    fn default() -> Self {
        Self::new(&Lanes::new())
    }
}

impl SetSummer {
    /// Tables for the sets of `lanes`.
    #[must_use]
    pub fn new(lanes: &Lanes) -> Self {
        let split = |index: usize, at: usize, inside: bool, nth: usize| -> Bytes {
            Bytes(std::array::from_fn(|lane| {
                // Lanes without a set look up a place where the table is zero.
                lanes.sets[index].get(at * CHUNK + lane).map_or(15, |mask| {
                    (0..RANKS as i8)
                        .filter(|rank| (mask >> rank & 1 == 1) == inside)
                        .nth(nth)
                        .expect("the set has this many ranks in and out")
                })
            }))
        };
        let not_in = |at: usize, rank: usize| {
            Bytes(std::array::from_fn(|lane| {
                let set = lanes.sets[0].get(at * CHUNK + lane).copied().unwrap_or(0);
                if set >> rank & 1 == 1 { 0 } else { -1 }
            }))
        };
        use std::array::from_fn;
        let members = Members {
            three_members: from_fn::<_, { CHUNKS[0] }, _>(|at| {
                from_fn(|nth| split(0, at, true, nth))
            }),
            three_outside: from_fn(|at| from_fn(|nth| split(0, at, false, nth))),
            four_members: from_fn(|at| from_fn(|nth| split(1, at, true, nth))),
            not_in_three: from_fn(|at| from_fn(|rank| not_in(at, rank))),
        };
        Self { members }
    }

    /// Sums over the boards that complete each set, `left` cards of each rank being left.
    ///
    /// # Panics
    /// If a row is not a whole row of codes.
    pub fn sum(
        &self,
        backend: Backend,
        a: &[Bytes],
        b: &[Bytes],
        left: &[u8; RANKS],
        out: &mut RankSums,
    ) {
        assert!(a.len() * CHUNK == ROW_BYTES && b.len() * CHUNK == ROW_BYTES, "whole rows");
        backend.sum_by_sets(a, b, left, &self.members, out);
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No back-end of this name on this processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownBackend {
    name: String,
}

impl fmt::Display for UnknownBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Backend::available().iter().map(|backend| backend.name()).collect();
        write!(f, "'{}' is no back-end of this processor: it has {}", self.name, names.join(", "))
    }
}

impl std::error::Error for UnknownBackend {}

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(name: &str) -> Result<Self, UnknownBackend> {
        Self::available()
            .into_iter()
            .find(|backend| backend.name() == name)
            .ok_or_else(|| UnknownBackend { name: name.to_owned() })
    }
}
