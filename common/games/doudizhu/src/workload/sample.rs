//! Drawing elements to recompute.

use fulldeck_job::{Permutation, Sample};

/// The chosen ones of `0..elements`, none twice.
pub(super) fn draw(sample: &Sample, elements: u64) -> impl Iterator<Item = u64> {
    let wanted = ((elements as f64 * sample.fraction).ceil() as u64).clamp(1, elements);
    let order = Permutation::new(elements, sample.seed);
    (0..wanted).map(move |index| order.at(index))
}
