//! The evaluator, the three kinds of questions, and the whole table.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fulldeck_joker::{
    Deck, DeckCard, Evaluator, Histogram, Rule, Table, against_random, deal_first, parse_together,
};

const DECK: Deck = Deck::Cards54;

/// Hands of seven with one and two jokers in the order of enumeration.
fn evaluator(criterion: &mut Criterion) {
    let evaluator = Evaluator::new(Rule::Distinct);
    let mut group = criterion.benchmark_group("evaluator");
    group.sample_size(10);
    // Rows by first two cards: (*1, *2) and (*1, 2s).
    for (name, row) in [("two jokers", 0), ("one joker", 1), ("no joker", 53 + 52)] {
        let mut counts = vec![0; usize::from(Rule::Distinct.values()) + 1];
        group.throughput(Throughput::Elements(deal_first(&evaluator, DECK, 7, row, &mut counts)));
        group.bench_function(name, |bencher| {
            bencher.iter(|| deal_first(&evaluator, DECK, 7, row, black_box(&mut counts)));
        });
    }
    group.bench_function("all hands counted", |bencher| {
        bencher.iter(|| Histogram::count(black_box(&evaluator), DECK, 7));
    });
    group.finish();
}

fn questions(criterion: &mut Criterion) {
    let evaluator = Evaluator::new(Rule::Distinct);
    let mut group = criterion.benchmark_group("odds");
    group.sample_size(20);
    for (name, board) in [
        ("river", "2s 4s 5s Ks 9d"),
        ("turn", "2s 4s 5s Ks"),
        ("flop", "2s 4s 5s"),
        ("flop of three suits", "2s 4h 5d"),
    ] {
        let cards = parse_together(&["3d *1", board], DECK).expect("cards");
        let hole: [DeckCard; 2] = [cards[0][0], cards[0][1]];
        group.bench_function(name, |bencher| {
            bencher.iter(|| against_random(&evaluator, DECK, black_box(hole), &cards[1]));
        });
    }
    group.finish();
}

fn table(criterion: &mut Criterion) {
    let evaluator = Evaluator::new(Rule::Distinct);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let mut group = criterion.benchmark_group("table of 54 cards, one thread");
    group.sample_size(10);
    group.bench_function("no board to four board cards", |bencher| {
        bencher.iter(|| pool.install(|| Table::new(&evaluator, DECK)));
    });
    group.bench_function("five board cards", |bencher| {
        bencher.iter(|| Table::rivers(&evaluator, DECK, |_, row| _ = black_box(row)));
    });
    group.finish();
}

criterion_group!(benches, evaluator, questions, table);
criterion_main!(benches);
