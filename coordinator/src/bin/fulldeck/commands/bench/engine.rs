//! `fulldeck bench engine`: the omaha engine on one thread.

use clap::Args;
use fulldeck_common::omaha::{Census, Hand, Probe};
use fulldeck_job::Permutation;
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use super::{Spread, rounded, timed};
use crate::app::App;
use crate::error::CliError;
use crate::output::table::pairs;
use crate::output::units::{duration, grouped};
use crate::output::{Answer, Style, object};

/// Neighbouring multisets that meet, as in a run, others in their order: here some stretches of that order.
const FIRSTS: usize = 8;
const WINDOWS: usize = 20;
const WINDOW: usize = 20;
/// Times each measurement is repeated.
const ROUNDS: usize = 9;

/// Flags of `bench engine`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck bench engine --cards 4")]
pub(crate) struct Arguments {
    /// Hole cards: 2, 4, 5 or 6
    #[arg(long, env = "FULLDECK_CARDS", value_name = "N", default_value = "4")]
    #[arg(value_parser = ["2", "4", "5", "6"])]
    cards: String,
    /// Count what is computed and what is distinct over the whole matrix (seconds for 4 cards, minutes for 6)
    #[arg(long, env = "FULLDECK_CENSUS")]
    census: bool,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let cards = arguments.cards.parse().map_err(|_| CliError::usage("2, 4, 5 or 6 hole cards"))?;
    let (mut probe, start_seconds) = timed(|| Probe::new(cards, app.backend));
    let load = |multiset: usize| (multiset, probe.load(multiset));
    let count = probe.multisets();
    let order = Permutation::new(count as u64, 1);
    let window = |number: usize, length: usize| {
        let start = order.at(number as u64) as usize;
        start..(start + length).min(count)
    };
    let firsts: Vec<(usize, Hand)> = window(0, FIRSTS).map(load).collect();
    let seconds = (1..=WINDOWS.min(count - 1)).flat_map(|number| window(number, WINDOW));
    let (seconds, load_seconds) = timed(|| seconds.map(load).collect::<Vec<_>>());
    let load_seconds = load_seconds / seconds.len() as f64;
    let fitting: Vec<(&Hand, &Hand)> = seconds
        .iter()
        .flat_map(|b| firsts.iter().map(move |a| (a, b)))
        .filter(|(a, b)| probe.fits(a.0, b.0))
        .map(|(a, b)| (&a.1, &b.1))
        .collect();
    let (mut by_ranks, mut everything) = (Vec::new(), Vec::new());
    let mut deltas = 0;
    for _ in 0..ROUNDS {
        let (_, seconds) = timed(|| fitting.iter().map(|(a, b)| probe.by_ranks(a, b)).sum::<u64>());
        by_ranks.push(seconds / fitting.len() as f64);
        let (count, seconds) = timed(|| fitting.iter().map(|(a, b)| probe.all(a, b)).sum::<u64>());
        deltas = count;
        everything.push(seconds / fitting.len() as f64);
    }
    let measured = Measured {
        cpu: app.backend.name(),
        cards,
        start_seconds,
        load_seconds,
        by_ranks: Spread::of(by_ranks),
        everything: Spread::of(everything),
        deltas: deltas as f64 / fitting.len() as f64,
        census: arguments.census.then(|| probe.census()),
    };
    app.output.print(&measured)?;
    Ok(exit::OK)
}

/// Figures of one thread.
struct Measured {
    cpu: &'static str,
    cards: usize,
    /// Seconds to build the tables, and to load one multiset.
    start_seconds: f64,
    load_seconds: f64,
    /// Seconds for `T`, and for `T` and every `D`, of one pair of multisets.
    by_ranks: Spread,
    everything: Spread,
    /// Values of `D` of one pair on average.
    deltas: f64,
    census: Option<Census>,
}

impl Measured {
    /// Seconds for one `D`.
    fn delta(&self) -> f64 {
        (self.everything.median - self.by_ranks.median).max(0.0) / self.deltas
    }
}

const MICRO: f64 = 1e6;

impl Answer for Measured {
    fn json(&self) -> Map<String, Value> {
        let spread = |spread: Spread| {
            json!({
                "least": rounded(spread.least * MICRO),
                "median": rounded(spread.median * MICRO),
                "most": rounded(spread.most * MICRO),
            })
        };
        object(json!({
            "cpu": self.cpu,
            "cards": self.cards,
            "start_seconds": rounded(self.start_seconds),
            "load_microseconds": rounded(self.load_seconds * MICRO),
            "t_microseconds": spread(self.by_ranks),
            "pair_microseconds": spread(self.everything),
            "d_values_of_a_pair": rounded(self.deltas),
            "d_microseconds": rounded(self.delta() * MICRO),
            "census": self.census.map(|census| json!({
                "rank_pairs": census.rank_pairs,
                "d_distinct": census.distinct,
                "d_computed": census.computed,
                "d_computed_over_distinct": rounded(census.computed as f64 / census.distinct as f64),
            })),
        }))
    }

    fn ids(&self) -> Vec<String> {
        vec![rounded(self.delta() * MICRO).to_string()]
    }

    fn table(&self, style: Style) -> String {
        let micro = |seconds: f64| format!("{:.3} us", seconds * MICRO);
        let mut lines = vec![
            ("engine", format!("{} hole cards, {}, one thread", self.cards, self.cpu)),
            ("tables", duration(self.start_seconds)),
            ("loading a multiset", micro(self.load_seconds)),
            ("T", micro(self.by_ranks.median)),
            (
                "T and all D of a pair",
                format!("{}, {:.1} values of D", micro(self.everything.median), self.deltas),
            ),
            ("D", micro(self.delta())),
        ];
        if let Some(census) = self.census {
            let Census { rank_pairs, distinct, computed } = census;
            lines.push(("pairs of multisets", format!("{}, each once", grouped(rank_pairs))));
            lines.push((
                "values of D",
                format!(
                    "{} computed, {} distinct: factor {:.3}",
                    grouped(computed),
                    grouped(distinct),
                    computed as f64 / distinct as f64
                ),
            ));
        }
        pairs(style, &lines)
    }
}
