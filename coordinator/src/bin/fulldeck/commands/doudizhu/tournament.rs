//! `fulldeck doudizhu tournament A B`

use std::sync::atomic::AtomicBool;

use clap::{Args, ValueEnum};
use fulldeck_common::doudizhu::agents::AgentKind;
use fulldeck_common::doudizhu::answers;
use fulldeck_common::doudizhu::arena::{LandlordBy, Setting};
use fulldeck_common::doudizhu::game::{AuctionKind, Scoring};
use fulldeck_common::doudizhu::moves::RuleSet;
use fulldeck_service::exit;
use serde_json::Value;

use super::reply::Reply;
use crate::app::App;
use crate::error::CliError;
use crate::progress::Activity;

/// Most deals of a contest: more are a run.
const MOST_DEALS: i64 = 1_000_000;

/// Who becomes landlord.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Landlord {
    /// Seat 0, for a bid of 1
    Seat0,
    /// Whoever bids most; all bid as agent seed does
    Bid,
    /// Whoever calls and is not robbed; all call as agent seed does
    Rob,
}

impl From<Landlord> for LandlordBy {
    fn from(landlord: Landlord) -> Self {
        match landlord {
            Landlord::Seat0 => Self::SeatZero,
            Landlord::Bid => Self::Auction(AuctionKind::Bid),
            Landlord::Rob => Self::Auction(AuctionKind::Rob),
        }
    }
}

/// Two agents and their deals.
#[derive(Debug, Args)]
pub(super) struct Tournament {
    /// First agent: random, greedy, seed, improved, or improved:2 to improved:64
    #[arg(value_name = "A")]
    a: AgentKind,
    /// Second agent
    #[arg(value_name = "B")]
    b: AgentKind,
    /// Deals, each played in both orders; longer tournaments are runs: fulldeck run doudizhu
    #[arg(long, env = "FULLDECK_DEALS", value_name = "N", default_value_t = 1_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MOST_DEALS))]
    deals: u32,
    /// Number of the deck
    #[arg(long, env = "FULLDECK_SEED", value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Who becomes landlord
    #[arg(long, env = "FULLDECK_LANDLORD", value_name = "HOW", default_value = "seat0")]
    landlord: Landlord,
    /// Rules of the wings: strict, wide, or some of both-jokers, four-alike, neighbours, four-as-pairs
    #[arg(long, env = "FULLDECK_RULES", value_name = "RULES", default_value = "strict")]
    rules: RuleSet,
    /// Factor of a spring
    #[arg(long, env = "FULLDECK_SPRING", value_name = "N", default_value_t = 2)]
    #[arg(value_parser = clap::value_parser!(i64).range(2..=3))]
    spring: i64,
    /// Show the games of so many deals, card by card
    #[arg(long, env = "FULLDECK_GAMES", value_name = "DEALS", default_value_t = 0)]
    games: u32,
    /// Computing threads [default: all this process may use]
    #[arg(long, env = "FULLDECK_THREADS", value_name = "N")]
    #[arg(value_parser = fulldeck_worker::thread_count)]
    threads: Option<usize>,
}

pub(super) fn execute(asked: &Tournament, app: &App) -> Result<u8, CliError> {
    let setting = Setting {
        rules: asked.rules,
        scoring: Scoring { spring: asked.spring },
        landlord: asked.landlord.into(),
        seed: asked.seed,
    };
    let threads = asked.threads.unwrap_or_else(fulldeck_service::host::available_threads);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| CliError::unexpected(format!("cannot start threads: {error}")))?;
    let activity = Activity::of(app, "playing", asked.deals.into());
    let cancel = AtomicBool::new(false);
    let progress = |deals: u64| activity.add(deals);
    let agents = [asked.a, asked.b];
    let mut answer =
        pool.install(|| answers::contest(setting, agents, asked.deals, &cancel, &progress))?;
    activity.clear();
    if asked.games > 0 {
        let games = answers::games(setting, agents, asked.games.min(asked.deals));
        answer.insert("games".to_owned(), games.into_iter().map(Value::Object).collect());
    }
    app.output.print(&Reply(answer))?;
    Ok(exit::OK)
}
