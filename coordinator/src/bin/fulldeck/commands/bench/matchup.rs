//! `fulldeck bench matchup`: single matchups on one thread, beside another program.

use std::path::PathBuf;

use clap::Args;
use fulldeck_common::omaha::Fast;
use fulldeck_common::{Card, CardSet};
use fulldeck_job::Permutation;
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use super::peer::{Peer, Played};
use super::{Spread, rounded, timed};
use crate::app::App;
use crate::error::CliError;
use crate::output::table::pairs;
use crate::output::units::{duration, grouped};
use crate::output::{Answer, Style, object};

/// Pairs played before the clock runs.
const WARM_UP: usize = 50;

/// Flags of `bench matchup`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck bench matchup --pairs 100
  fulldeck bench matchup --peer venv/bin/python --peer-pairs 5")]
pub(crate) struct Arguments {
    /// Hole cards: 2, 4, 5 or 6
    #[arg(long, env = "FULLDECK_CARDS", value_name = "N", default_value = "4")]
    #[arg(value_parser = ["2", "4", "5", "6"])]
    cards: String,
    /// Pairs of hands, drawn at random, each over all boards
    #[arg(long, env = "FULLDECK_PAIRS", value_name = "N", default_value_t = 1000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pairs: u32,
    /// Chooses the pairs
    #[arg(long, env = "FULLDECK_SEED", value_name = "N", default_value_t = 1)]
    seed: u64,
    /// A Python that has the package poker-equity: it plays the first pairs too, and must agree
    #[arg(long, env = "FULLDECK_PYTHON", value_name = "PROGRAM")]
    peer: Option<PathBuf>,
    /// Pairs the other program plays
    #[arg(long, env = "FULLDECK_PEER_PAIRS", value_name = "N", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    peer_pairs: u32,
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let cards = arguments.cards.parse().map_err(|_| CliError::usage("2, 4, 5 or 6 hole cards"))?;
    let hands: Vec<_> =
        (0..arguments.pairs).map(|pair| draw(cards, arguments.seed, pair.into())).collect();
    let (engine, start_seconds) = timed(|| Fast::new(cards, app.backend));
    let mut matchups = engine.matchups();
    for [a, b] in hands.iter().cycle().take(WARM_UP) {
        matchups.play(*a, *b);
    }
    let mut seconds = Vec::with_capacity(hands.len());
    let mut outcomes = Vec::with_capacity(hands.len());
    for [a, b] in &hands {
        let (outcome, took) = timed(|| matchups.play(*a, *b));
        seconds.push(took);
        outcomes.push([outcome.win, outcome.tie, outcome.lose]);
    }
    let peer = match &arguments.peer {
        None => None,
        Some(python) => {
            let shown = hands.iter().take(arguments.peer_pairs as usize);
            let shown: Vec<_> = shown.map(|pair| pair.map(|hand| hand.to_string())).collect();
            Some(Peer::play(python, cards, &shown)?)
        }
    };
    let differs = peer.as_ref().and_then(|peer| disagreement(peer, &outcomes));
    let measured = Measured {
        cpu: app.backend.name(),
        cards,
        matchups: hands.len(),
        boards: outcomes[0].iter().sum(),
        start_seconds,
        seconds: Spread::of(seconds),
        peer,
    };
    app.output.print(&measured)?;
    match differs {
        None => Ok(exit::OK),
        Some(pair) => {
            let [a, b] = hands[pair].map(|hand| hand.to_string());
            app.say(&format!("{a} against {b}: the other program counts differently"));
            Ok(exit::MISMATCH)
        }
    }
}

/// Two disjoint hands: the first cards of a deck shuffled by seed and number.
fn draw(cards: usize, seed: u64, number: u64) -> [CardSet; 2] {
    let deck: Vec<Card> = Card::all().collect();
    let order =
        Permutation::new(deck.len() as u64, seed.wrapping_mul(0x9e37_79b9).wrapping_add(number));
    let dealt = |from: usize| -> CardSet {
        (from..from + cards).map(|at| deck[order.at(at as u64) as usize]).collect()
    };
    [dealt(0), dealt(cards)]
}

/// The first pair on which the two programs differ.
fn disagreement(peer: &Peer, outcomes: &[[u64; 3]]) -> Option<usize> {
    peer.played.iter().zip(outcomes).position(|(theirs, ours)| theirs.outcome != *ours)
}

struct Measured {
    cpu: &'static str,
    cards: usize,
    matchups: usize,
    boards: u64,
    start_seconds: f64,
    seconds: Spread,
    peer: Option<Peer>,
}

impl Measured {
    /// The other program's seconds for one matchup.
    fn peer_seconds(&self) -> Option<f64> {
        let seconds = |played: &Played| played.seconds;
        let peer = self.peer.as_ref()?;
        Some(Spread::of(peer.played.iter().map(seconds).collect()).median)
    }
}

const MICRO: f64 = 1e6;

impl Answer for Measured {
    fn json(&self) -> Map<String, Value> {
        object(json!({
            "cpu": self.cpu,
            "cards": self.cards,
            "boards": self.boards,
            "matchups": self.matchups,
            "start_seconds": rounded(self.start_seconds),
            "microseconds": {
                "least": rounded(self.seconds.least * MICRO),
                "median": rounded(self.seconds.median * MICRO),
                "most": rounded(self.seconds.most * MICRO),
            },
            "peer": self.peer.as_ref().map(|peer| json!({
                "name": peer.name,
                "matchups": peer.played.len(),
                "seconds": self.peer_seconds().map(rounded),
                "ratio": self.peer_seconds().map(|peer| rounded(peer / self.seconds.median)),
            })),
        }))
    }

    fn ids(&self) -> Vec<String> {
        vec![rounded(self.seconds.median * MICRO).to_string()]
    }

    fn table(&self, style: Style) -> String {
        let micro = |seconds: f64| format!("{:.1} us", seconds * MICRO);
        let mut lines = vec![
            ("engine", format!("{} hole cards, {}, one thread", self.cards, self.cpu)),
            ("tables", duration(self.start_seconds)),
            (
                "matchups",
                format!(
                    "{}, each over {} boards",
                    grouped(self.matchups as u64),
                    grouped(self.boards)
                ),
            ),
            (
                "one matchup",
                format!(
                    "{} (least {}, most {})",
                    micro(self.seconds.median),
                    micro(self.seconds.least),
                    micro(self.seconds.most)
                ),
            ),
        ];
        if let (Some(peer), Some(seconds)) = (&self.peer, self.peer_seconds()) {
            lines.push((
                "other program",
                format!("{}, {} on one thread", peer.name, duration(seconds)),
            ));
            lines.push(("ratio", format!("{:.0} times", seconds / self.seconds.median)));
        }
        pairs(style, &lines)
    }
}
