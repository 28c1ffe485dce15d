//! The walk over the whole tree beside the program of sums and products, and the products of long numbers.

#![allow(missing_docs)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use fulldeck_betting::decimal::Decimal;
use fulldeck_betting::preflop::{Preflop, walk};
use fulldeck_betting::program::{estimate, exact, residue};

fn strategies(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("strategies");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for players in [3, 4, 5, 6] {
        let structure = Preflop::new(players, 4).expect("a structure");
        let seat = structure.seat(players - 1).expect("the big blind");
        group.bench_function(format!("walk/{players}"), |bencher| {
            bencher.iter(|| walk::strategies(black_box(&structure), seat));
        });
        group.bench_function(format!("program/{players}"), |bencher| {
            bencher.iter(|| exact(&black_box(&structure).strategies(seat)));
        });
    }
    let largest = Preflop::new(23, 4).expect("a structure");
    let seat = largest.seat(22).expect("the big blind");
    group.bench_function("estimate/23", |bencher| {
        bencher.iter(|| estimate(&black_box(&largest).strategies(seat)));
    });
    let program = largest.strategies(seat);
    group.bench_function("residue/23", |bencher| {
        bencher.iter(|| residue(black_box(&program), (1 << 61) - 1));
    });
    let ten = Preflop::new(10, 4).expect("a structure");
    let seat = ten.seat(9).expect("the big blind");
    group.bench_function("exact/10", |bencher| {
        bencher.iter(|| exact(&black_box(&ten).strategies(seat)));
    });
    group.finish();
}

fn products(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("products");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for exponent in [1_000u128, 10_000, 1_000_000] {
        let number = Decimal::from(9_999_999_967u64).pow(exponent / 10);
        group.bench_function(format!("square/{exponent}"), |bencher| {
            bencher.iter(|| black_box(&number).square());
        });
    }
    group.finish();
}

criterion_group!(benches, strategies, products);
criterion_main!(benches);
