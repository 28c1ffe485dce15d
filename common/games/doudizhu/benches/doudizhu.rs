//! What the figures of the guide come from: games, decisions, hands and endgames, one core each.

#![allow(missing_docs, reason = "criterion's macros make public functions")]

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fulldeck_doudizhu::agents::AgentKind;
use fulldeck_doudizhu::arena::{Arena, LandlordBy, Order, Setting};
use fulldeck_doudizhu::cards::Hand;
use fulldeck_doudizhu::endgame::{Solver as EndgameSolver, random_position};
use fulldeck_doudizhu::game::{Scoring, deals};
use fulldeck_doudizhu::groups::{HandIndex, Solver};
use fulldeck_doudizhu::moves::{RuleSet, moves};

const SETTING: Setting = Setting {
    rules: RuleSet::STRICT,
    scoring: Scoring { spring: 2 },
    landlord: LandlordBy::SeatZero,
    seed: 1,
};

/// Every call gets another deal: memories do not help more than in a tournament.
fn next() -> u64 {
    static DEAL: AtomicU64 = AtomicU64::new(0);
    DEAL.fetch_add(1, Ordering::Relaxed)
}

fn games(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("game");
    group.throughput(Throughput::Elements(1));
    for agent in AgentKind::all(1) {
        let mut arena = Arena::new(SETTING);
        group.sample_size(if matches!(agent, AgentKind::Improved { .. }) { 10 } else { 50 });
        group.bench_function(agent.name(), |bencher| {
            bencher.iter(|| arena.play([agent, agent], next(), Order::First).score);
        });
    }
    group.finish();
}

fn hands(criterion: &mut Criterion) {
    let deal = |cards: usize| -> Hand {
        let deal = deals(2, next()).next().expect("deals never end");
        if cards == 20 { deal.hands[0] + deal.bottom } else { deal.hands[0] }
    };
    let mut solver = Solver::default();
    criterion.bench_function("moves of 20 cards", |bencher| {
        bencher.iter(|| moves(black_box(deal(20)), None, RuleSet::STRICT).len());
    });
    criterion.bench_function("fewest groups of 17 cards", |bencher| {
        bencher.iter(|| solver.fewest(black_box(deal(17))));
    });
    let index = HandIndex::new(20);
    let mut out = vec![0; 1 << 16];
    let mut group = criterion.benchmark_group("table of groups");
    group.throughput(Throughput::Elements(out.len() as u64)).sample_size(20);
    group.bench_function("hand", |bencher| {
        bencher.iter(|| {
            // Another part of the table each time, spread evenly.
            let first = next() * 104_729_003 % u64::from(index.len() - (1 << 16));
            solver.fill(&index, first as u32, &mut out);
        });
    });
    group.finish();
}

fn endgames(criterion: &mut Criterion) {
    let mut solver = EndgameSolver::default();
    let mut group = criterion.benchmark_group("endgame");
    for cards in [5, 6, 7] {
        group.bench_function(format!("{cards} cards each"), |bencher| {
            bencher.iter(|| solver.solve(&random_position(1, next(), cards), 1 << 20));
        });
    }
    group.finish();
}

criterion_group!(benches, games, hands, endgames);
criterion_main!(benches);
