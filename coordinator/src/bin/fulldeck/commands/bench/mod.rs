//! `fulldeck bench`: how fast this machine is, by means that anybody can repeat.

mod engine;
mod matchup;
mod peer;
mod pushfold;
mod slices;

use std::time::Instant;

use clap::{Args, Subcommand};

use crate::app::App;
use crate::error::CliError;

/// Flags of `bench`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck bench slices omaha
  fulldeck bench matchup --pairs 100")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Compute slices of a run at random, check them with the second engine, and extrapolate to the whole
    Slices(slices::Arguments),
    /// The omaha engine on one thread: tables, values of T and D, and what is computed twice
    Engine(engine::Arguments),
    /// Single omaha matchups on one thread, beside another program if it is installed
    Matchup(matchup::Arguments),
    /// One pass of the push/fold solver over a merged matrix, beside reading the same bytes
    Pushfold(pushfold::Arguments),
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    match &arguments.what {
        What::Slices(arguments) => slices::execute(arguments, app),
        What::Engine(arguments) => engine::execute(arguments, app),
        What::Matchup(arguments) => matchup::execute(arguments, app),
        What::Pushfold(arguments) => pushfold::execute(arguments, app),
    }
}

/// Runs `work` and tells how long it took, in seconds.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let started = Instant::now();
    let result = work();
    (result, started.elapsed().as_secs_f64())
}

/// Smallest, middle and largest of some figures; there must be one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spread {
    least: f64,
    median: f64,
    most: f64,
}

impl Spread {
    fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_unstable_by(f64::total_cmp);
        let (Some(least), Some(most)) = (figures.first(), figures.last()) else {
            unreachable!("something was measured");
        };
        Self { least: *least, median: figures[figures.len() / 2], most: *most }
    }
}

/// A figure to three digits, as JSON wants it.
fn rounded(figure: f64) -> f64 {
    if figure == 0.0 {
        return 0.0;
    }
    let scale = 10f64.powi(3 - figure.abs().log10().ceil() as i32);
    (figure * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_some_figures() {
        let spread = Spread::of(vec![3.0, 1.0, 2.0]);
        assert_eq!(spread, Spread { least: 1.0, median: 2.0, most: 3.0 });
    }

    #[test]
    fn three_digits_are_shown() {
        for (figure, shown) in
            [(123_456.0, 123_000.0), (0.001_234_5, 0.00123), (9.999, 10.0), (0.0, 0.0)]
        {
            assert_eq!(rounded(figure), shown);
        }
    }
}
