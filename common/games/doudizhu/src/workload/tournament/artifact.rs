//! Results into the artifact: every game, and a table of what they add up to.

use std::io;

use fulldeck_job::{
    ArtifactSink, ArtifactSource, ComputeContext, ElementType, Plan, QueryError, Sample,
    VerifyReport,
};
use serde_json::{Map, Value, json};

use super::record::GameRecord;
use super::tally::{Interval, Tally};
use super::{DEAL_BYTES, ORDERS, Pair, Tournament};
use crate::workload::replay;

/// What the landlord won: i32 by pair, deal, order.
const SCORES: &str = "scores";
/// Bombs, spring, illegal decisions, deals thrown in: u8 by pair, deal, order, event.
const EVENTS: &str = "events";
/// Deals read at a time.
const CHUNK: u64 = 1 << 14;
/// Games and events of a deal.
const GAMES: u64 = ORDERS.len() as u64;
const EVENT_BYTES: u64 = 4;

const COLUMNS: &[&str] = &[
    "agent_a",
    "version_a",
    "agent_b",
    "version_b",
    "landlord",
    "games",
    "landlord_wins",
    "win_rate",
    "low",
    "high",
    "score",
    "springs",
    "bombs",
    "thrown_in",
    "illegal",
];

pub(super) fn assemble(
    tournament: &Tournament,
    plan: &Plan,
    payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
    sink: &mut dyn ArtifactSink,
) -> io::Result<()> {
    let (pairs, deals) = (tournament.pairs.len() as u64, u64::from(tournament.deals));
    let scores = sink.array(SCORES, ElementType::I32, &[pairs, deals, GAMES])?;
    let events = sink.array(EVENTS, ElementType::U8, &[pairs, deals, GAMES, EVENT_BYTES])?;
    let mut tallies = vec![Tally::default(); tournament.pairs.len()];
    for (slice, payload) in plan.slices().iter().zip(payloads) {
        let payload = payload?;
        let mut columns = (Vec::new(), Vec::new());
        for games in payload.chunks(DEAL_BYTES).map(games_of) {
            tallies[slice.job.0 as usize].add(&games);
            for game in games {
                columns.0.extend(game.score.to_le_bytes());
                columns.1.extend(game.events());
            }
        }
        let first = (u64::from(slice.job.0) * deals + u64::from(slice.first_row)) * GAMES;
        sink.write_at(scores, first, &columns.0)?;
        sink.write_at(events, first * EVENT_BYTES, &columns.1)?;
    }
    let met = || tournament.pairs.iter().zip(&tallies);
    sink.table("results", COLUMNS, &mut met().flat_map(|(pair, tally)| lines(pair, tally)))?;
    sink.fact("deals", json!(deals));
    for (pair, tally) in met() {
        for (order, landlord, farmers) in orders(pair) {
            let name = format!("{landlord} landlord, {farmers} farmers");
            let rate = percent(tally.orders[order].win_rate());
            sink.fact(&name, json!(format!("landlord wins {rate}")));
        }
    }
    Ok(())
}

fn games_of(bytes: &[u8]) -> [GameRecord; 2] {
    [0, 1].map(|order| GameRecord::read(&bytes[order * GameRecord::BYTES..]))
}

/// Order, landlord and farmers of a pair's games: one when it plays itself.
fn orders(pair: &Pair) -> impl Iterator<Item = (usize, String, String)> {
    let [a, b] = pair.agents.map(|agent| agent.to_string());
    let both = [(0, a.clone(), b.clone()), (1, b, a)];
    both.into_iter().take(if pair.is_mirror() { 1 } else { 2 })
}

fn percent(rate: Interval) -> String {
    let [estimate, low, high] = [rate.estimate, rate.low, rate.high].map(|share| share * 100.0);
    format!("{estimate:.2} % ({low:.2} to {high:.2})")
}

fn lines(pair: &Pair, tally: &Tally) -> Vec<Vec<String>> {
    let [a, b] = pair.agents;
    let line = |(order, landlord, _): (usize, String, String)| {
        let games = &tally.orders[order];
        let rate = games.win_rate();
        let decimal = |share: f64| format!("{share:.6}");
        vec![
            a.to_string(),
            a.version().to_string(),
            b.to_string(),
            b.version().to_string(),
            landlord,
            games.games.to_string(),
            games.landlord_wins.to_string(),
            decimal(rate.estimate),
            decimal(rate.low),
            decimal(rate.high),
            games.score.to_string(),
            games.springs.to_string(),
            games.bombs.to_string(),
            games.thrown_in.to_string(),
            games.illegal.to_string(),
        ]
    };
    orders(pair).map(line).collect()
}

pub(super) fn answer(
    tournament: &Tournament,
    artifact: &dyn ArtifactSource,
    question: &[String],
) -> Result<Map<String, Value>, QueryError> {
    let [a, b] = question else {
        return Err(QueryError::Question(format!(
            "{} words given: two agents are right, e.g. {}",
            question.len(),
            tournament.pairs[0].name().replace('-', " ")
        )));
    };
    let is = |pair: &Pair, a: &str, b: &str| pair.agents.map(|agent| agent.to_string()) == [a, b];
    let at = tournament.pairs.iter().position(|pair| is(pair, a, b) || is(pair, b, a));
    let at = at.ok_or_else(|| {
        let pairs: Vec<_> = tournament.pairs.iter().map(Pair::name).collect();
        QueryError::Question(format!(
            "{a} and {b} did not meet: the pairs are {}",
            pairs.join(", ")
        ))
    })?;
    Ok(record(&tournament.pairs[at], &tally(tournament, artifact, at)?))
}

/// All games of pair number `at`, added up.
pub(super) fn tally(
    tournament: &Tournament,
    artifact: &dyn ArtifactSource,
    at: usize,
) -> io::Result<Tally> {
    let mut tally = Tally::default();
    let deals = u64::from(tournament.deals);
    for first in (0..deals).step_by(CHUNK as usize) {
        let count = CHUNK.min(deals - first);
        for games in read(artifact, at as u64 * deals + first, count)? {
            tally.add(&games);
        }
    }
    Ok(tally)
}

/// Games of `count` deals from deal `first`, counted through all pairs.
fn read(
    artifact: &dyn ArtifactSource,
    first: u64,
    count: u64,
) -> io::Result<impl Iterator<Item = [GameRecord; 2]>> {
    let games = (count * GAMES) as usize;
    let (mut scores, mut events) = (vec![0; games * 4], vec![0; games * EVENT_BYTES as usize]);
    artifact.read_at(SCORES, first * GAMES, &mut scores)?;
    artifact.read_at(EVENTS, first * GAMES * EVENT_BYTES, &mut events)?;
    Ok((0..count as usize).map(move |deal| {
        [0, 1].map(|order| {
            let at = (deal * ORDERS.len() + order) * 4;
            let word = |bytes: &[u8]| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
            GameRecord::with_events(i32::from_le_bytes(word(&scores)), word(&events))
        })
    }))
}

pub(super) fn record(pair: &Pair, tally: &Tally) -> Map<String, Value> {
    let mut answer = Map::new();
    let [a, b] = pair.agents;
    for (name, agent) in [("a", a), ("b", b)] {
        answer.insert(format!("agent_{name}"), json!(agent.to_string()));
        answer.insert(format!("version_{name}"), json!(agent.version()));
    }
    for (order, side) in [(0, "a_landlord"), (1, "b_landlord")] {
        let games = &tally.orders[order];
        if order == 1 && pair.is_mirror() {
            continue;
        }
        let rate = games.win_rate();
        for (name, value) in [
            ("games", json!(games.games)),
            ("wins", json!(games.landlord_wins)),
            ("win_rate", json!(rate.estimate)),
            ("win_rate_low", json!(rate.low)),
            ("win_rate_high", json!(rate.high)),
            ("score", json!(games.score)),
            ("springs", json!(games.springs)),
            ("bombs", json!(games.bombs)),
            ("thrown_in", json!(games.thrown_in)),
            ("illegal", json!(games.illegal)),
        ] {
            answer.insert(format!("{side}_{name}"), value);
        }
    }
    if !pair.is_mirror() {
        for (name, moments) in [("wins", &tally.wins), ("score", &tally.score)] {
            let mean = moments.mean();
            answer.insert(format!("a_ahead_{name}_per_deal"), json!(mean.estimate));
            answer.insert(format!("a_ahead_{name}_low"), json!(mean.low));
            answer.insert(format!("a_ahead_{name}_high"), json!(mean.high));
        }
    }
    answer
}

/// Plays a sample of the deals again.
pub(super) fn verify(
    tournament: &Tournament,
    artifact: &dyn ArtifactSource,
    sample: &Sample,
    context: &ComputeContext<'_>,
) -> Result<VerifyReport, QueryError> {
    let deals = u64::from(tournament.deals);
    sample.recompute(tournament.pairs.len() as u64 * deals, |at| {
        context.poll().map_err(|_| QueryError::Cancelled)?;
        let pair = &tournament.pairs[(at / deals) as usize];
        let stored = read(artifact, at, 1)?.next();
        // A referee that looks every play up in the table of all moves, and players without memories.
        let played = replay::play(tournament.setting, pair.agents, at % deals);
        let played =
            played.map(|games| games.map(|game| GameRecord::of(&game, tournament.setting.scoring)));
        (context.progress)(1);
        let what = format!("deal {} of {}", at % deals, pair.name());
        Ok(match played {
            Err(foul) => Some(format!("{what}: {foul}")),
            Ok(games) if Some(games) != stored => {
                Some(format!("{what}: artifact {stored:?}, replayed {games:?}"))
            }
            Ok(_) => None,
        })
    })
}
