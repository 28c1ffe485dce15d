//! The engine: one pair of rank multisets, one matchup, beside the rules engine.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fulldeck_cards::parse_hand;
use fulldeck_eval::arch::Backend;
use fulldeck_omaha::rules::Rules;
use fulldeck_omaha::{Fast, Probe};

/// A typical hand of each game, and one to meet it.
const PAIRS: [(usize, &str, &str); 4] = [
    (2, "AsKs", "JcTd"),
    (4, "AsAhKsKh", "JcTc9d8d"),
    (5, "AsAhKsKhQd", "JcTc9d8d7s"),
    (6, "AsAhKsKhQd5s", "JcTc9d8d7s3c"),
];

fn pairs_of_multisets(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pair of multisets");
    for (cards, ..) in PAIRS {
        for backend in Backend::available() {
            let mut probe = Probe::new(cards, backend);
            let count = probe.multisets();
            let (a, b) = (count / 3, 2 * count / 3);
            assert!(probe.fits(a, b));
            let (a, b) = (probe.load(a), probe.load(b));
            group.bench_function(
                BenchmarkId::new(format!("T, {cards} cards"), backend),
                |bencher| {
                    bencher.iter(|| probe.by_ranks(black_box(&a), black_box(&b)));
                },
            );
            group.bench_function(
                BenchmarkId::new(format!("T and all D, {cards} cards"), backend),
                |bencher| bencher.iter(|| probe.all(black_box(&a), black_box(&b))),
            );
        }
    }
    group.finish();
}

fn matchups(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("matchup");
    group.sample_size(20);
    for (cards, a, b) in PAIRS {
        let [a, b] = [a, b].map(|hand| parse_hand(hand, &[cards]).expect("a hand"));
        for backend in Backend::available() {
            let fast = Fast::new(cards, backend);
            let mut matchups = fast.matchups();
            group.bench_function(BenchmarkId::new(format!("{cards} cards"), backend), |bencher| {
                bencher.iter(|| matchups.play(black_box(a), black_box(b)));
            });
        }
        let rules = Rules::new(cards);
        group.bench_function(BenchmarkId::new(format!("{cards} cards"), "rules"), |bencher| {
            bencher.iter(|| rules.matchup(black_box(a), black_box(b)));
        });
    }
    group.finish();
}

criterion_group!(benches, pairs_of_multisets, matchups);
criterion_main!(benches);
