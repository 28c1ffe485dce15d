//! Sums of blocks and rows against plain ones.

use std::sync::atomic::AtomicBool;

use fulldeck_eval::arch::Backend;
use fulldeck_job::ComputeContext;

use super::Strengths;
use super::heatmap::{Blocks, Heatmap, reach};
use crate::Outcome;
use crate::matrix::tests::{assembled, run};
use crate::matrix::{Matrix, Stored};

/// Both orientations of every cell, one by one, and rows added up as questions are answered.
#[test]
fn points_and_strengths_are_what_single_cells_add_up_to() {
    let context = ComputeContext { cancel: &AtomicBool::new(false), progress: &|_| () };
    let artifact = assembled(&run(2), None);
    let matrix = Matrix::new(2, Backend::best());
    let stored = Stored::open(&matrix, &artifact).unwrap();
    let clusters = matrix.clusters().as_slice();
    let order: Vec<usize> = (0..clusters.len()).rev().collect();
    let blocks = Blocks::cut(order.chunks(100), 7, clusters.len());
    assert_eq!(blocks.count, 15 + 10);
    let map = Heatmap { matrix: &matrix, blocks, marks: Vec::new(), order: "" };
    let found = map.sums(&stored, &context).unwrap();
    let strengths = Strengths::of_matrix(&matrix, &stored, &context).unwrap();
    let side = map.blocks.count;
    let mut expected = vec![[0; 2]; side * side];
    for (row, cluster) in clusters.iter().enumerate() {
        let orbit = u64::from(cluster.orbit());
        let mut sum = Outcome::default();
        for (column, (_, outcome)) in stored.row(row).unwrap().into_iter().enumerate() {
            let [row, column] = [row, column].map(|at| map.blocks.of_cluster[at] as usize);
            expected[row * side + column][0] += orbit * (2 * outcome.win + outcome.tie);
            expected[row * side + column][1] += orbit * 2 * outcome.total();
            sum += outcome;
        }
        let equity = 100.0 * sum.equity().unwrap();
        assert!((strengths.percent(row) - equity).abs() < 1e-9, "{row}");
    }
    assert_eq!(found, expected);
    let best = strengths.strongest_first();
    let name = |at: usize| clusters[best[at]].representative().to_string();
    assert_eq!([name(0), name(168)], ["AsAh", "3s2h"]);
}

#[test]
fn blocks_span_no_two_stretches_and_the_scale_reaches_nearly_all() {
    let order: Vec<usize> = (0..10).collect();
    let blocks = Blocks::cut([&order[..4], &order[4..]].into_iter(), 3, 10);
    assert_eq!(blocks.of_cluster, [0, 0, 0, 1, 2, 2, 2, 3, 3, 3]);
    assert_eq!(reach(&[50.0, f64::NAN, 61.0]), 15.0);
    assert_eq!(reach(&[50.0]), 5.0);
    assert_eq!(reach(&[0.0, 100.0]), 50.0);
}
