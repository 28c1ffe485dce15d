//! Every kernel on every back-end, on rows of plausible codes: what one call costs.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fulldeck_cards::RANKS;
use fulldeck_eval::arch::{
    Backend, Bytes, FlushCodes, HandParts, RankSums, RunWeights, SetSummer, Words,
};
use fulldeck_eval::lanes::{ALL_CHUNKS, CHUNK, ROW_BYTES, RUNS, STRAIGHT_CHUNKS};

/// Codes as hands have them: mostly without a full house.
fn row(seed: u64) -> Vec<Bytes> {
    let mut state = seed;
    (0..ROW_BYTES / CHUNK).map(|_| bytes(&mut state, -100, 110)).collect()
}

fn bytes(state: &mut u64, low: i8, width: u64) -> Bytes {
    Bytes(std::array::from_fn(|_| {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low.wrapping_add((*state >> 33).wrapping_rem(width) as i8)
    }))
}

fn flush_codes(seed: u64) -> FlushCodes {
    let mut state = seed;
    let low: [Bytes; ALL_CHUNKS] = std::array::from_fn(|_| bytes(&mut state, 0, 30));
    FlushCodes {
        low,
        high: low,
        straight: [Bytes::default(); STRAIGHT_CHUNKS[0] + STRAIGHT_CHUNKS[1]],
        any_straight: false,
    }
}

fn kernels(criterion: &mut Criterion) {
    let (a, b) = (row(1), row(2));
    let (flush_a, flush_b) = (flush_codes(3), flush_codes(4));
    let left = [4u8; RANKS];
    let summer = SetSummer::default();
    let (inner, outer) = ([Words([3; CHUNK]); 8], [2; 28]);
    let weights = RunWeights { inner: [&inner; RUNS.len()], outer: [&outer; RUNS.len()] };
    let parts = HandParts::default();
    let mut group = criterion.benchmark_group("kernels");
    for backend in Backend::available() {
        let mut sums = RankSums::default();
        summer.sum(backend, &a, &b, &left, &mut sums);
        let mut out_row = a.clone();
        let mut out_parts = parts.clone();
        group.bench_function(BenchmarkId::new("maximum of six rows", backend), |bencher| {
            bencher.iter(|| backend.maximum(black_box(&[&a, &b, &a, &b, &a, &b]), &mut out_row));
        });
        group.bench_function(BenchmarkId::new("count by ranks", backend), |bencher| {
            bencher.iter(|| backend.count_by_ranks(black_box(&a), black_box(&b), &weights));
        });
        group.bench_function(BenchmarkId::new("sum by sets", backend), |bencher| {
            bencher.iter(|| summer.sum(backend, black_box(&a), black_box(&b), &left, &mut sums));
        });
        group.bench_function(BenchmarkId::new("add parts", backend), |bencher| {
            bencher.iter(|| backend.add_parts(black_box(&sums), 5, &parts, &mut out_parts));
        });
        group.bench_function(BenchmarkId::new("count flushes", backend), |bencher| {
            bencher.iter(|| {
                let (a, b) = ((black_box(&flush_a), &parts), (black_box(&flush_b), &parts));
                backend.count_flushes(&sums, a, b, true)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, kernels);
criterion_main!(benches);
