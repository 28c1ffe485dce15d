//! Positions looked at a second, the closed form, and the table of all depths.

#![allow(missing_docs)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fulldeck_basket::totals::{Positions, closed_form};
use fulldeck_basket::{Basket, Lookahead, Rule};

fn totals(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("totals");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for (colours, balls) in [(3, 255), (5, 31), (9, 5)] {
        let positions = Positions::new(colours, balls);
        let count = positions.count().expect("a small basket");
        group.throughput(Throughput::Elements(count));
        group.bench_function(format!("every-position/{colours}x{balls}"), |bencher| {
            bencher.iter(|| black_box(&positions).count_range(0..count));
        });
    }
    group.throughput(Throughput::Elements(1));
    group.bench_function("closed-form/1000x1000", |bencher| {
        bencher.iter(|| closed_form(black_box(1000), 1000));
    });
    group.bench_function("depths/3x3", |bencher| {
        bencher.iter(|| Lookahead::new(black_box(Basket::classic()), Rule::Normal, 9));
    });
    group.finish();
}

criterion_group!(benches, totals);
criterion_main!(benches);
