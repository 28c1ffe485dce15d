//! Pictures of how numbers of strategies grow.

use fulldeck_job::picture::{Axis, Curves, Drawing, Picture, PictureKind, Series};
use rayon::prelude::*;

use crate::preflop::{MIN_PLAYERS, Preflop, PreflopError, Seat};
use crate::program;

/// The kind there is.
pub(crate) const GROWTH: PictureKind = PictureKind {
    name: "growth",
    summary: "length of the big blind's number of strategies over the players, a line for each highest bet",
};

/// Kinds that need no run.
pub const KINDS: &[PictureKind] = &[GROWTH];

/// The decimal logarithm of the big blind's number of strategies in one structure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Length {
    pub(crate) players: u8,
    pub(crate) cap: u8,
    pub(crate) log10: f64,
}

impl Length {
    /// From the number of digits and the first twenty of them.
    pub(crate) fn new(structure: &Preflop, digits: u128, first20: &str) -> Self {
        let leading: f64 = format!("0.{first20}").parse().unwrap_or(1.0);
        let log10 = digits as f64 + leading.log10();
        Self { players: structure.players(), cap: structure.cap(), log10 }
    }
}

/// The big blind acts last.
pub(crate) fn big_blind(structure: &Preflop) -> Seat {
    Seat(structure.players() - 1)
}

/// The growth up to so many players and so high a bet, computed at once, without the numbers themselves.
///
/// # Errors
/// [`PreflopError`] for numbers out of range.
pub fn growth(players: u64, cap: u64, fold_when_free: bool) -> Result<Picture, PreflopError> {
    let largest = Preflop::new(players, cap)?;
    let all = (1..=largest.cap())
        .flat_map(|cap| (MIN_PLAYERS..=largest.players()).map(move |players| (players, cap)));
    let structures = all
        .map(|(players, cap)| Preflop::new(players.into(), cap.into()))
        .collect::<Result<Vec<_>, _>>()?;
    let length = |structure: Preflop| {
        let structure = structure.with_fold_when_free(fold_when_free);
        let known = program::estimate(&structure.strategies(big_blind(&structure)))?;
        Some(Length::new(&structure, known.digits, &known.first20))
    };
    let lengths: Vec<_> = structures.into_par_iter().filter_map(length).collect();
    Ok(picture(&lengths, fold_when_free))
}

/// The same from known lengths, by cap and players.
pub(crate) fn picture(lengths: &[Length], fold_when_free: bool) -> Picture {
    let mut caps: Vec<u8> = lengths.iter().map(|length| length.cap).collect();
    caps.sort_unstable();
    caps.dedup();
    let series = caps.iter().rev().map(|cap| {
        let of_cap = lengths.iter().filter(|length| length.cap == *cap);
        let points = of_cap.map(|length| [f64::from(length.players), length.log10]);
        Series { name: format!("highest bet {cap}"), points: points.collect() }
    });
    let curves = Curves {
        x: Axis::even("players"),
        y: Axis::logarithmic("log₁₀ of the number of strategies: its digits"),
        series: series.collect(),
    };
    let free = if fold_when_free { "may" } else { "may not" };
    let title = "Pure strategies of the big blind before the flop, fixed limit";
    let subtitle = format!(
        "reduced strategies of the betting alone, without cards; a player {free} fold where checking is free"
    );
    Picture::of(title, subtitle, Drawing::Curves(curves)).note(
        "Both the axis and what is on it are logarithms: a straight line means that the digits multiply with every player. \
         The big blind is bet 1, so a highest bet of 4 allows three raises.",
    )
}
