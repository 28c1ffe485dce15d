//! Products of short numbers: column by column.

use super::BASE;
use super::division::by_base;

/// Products of two limbs that are added up before they are brought below `BASE * 2^64`: 256 * 10^36 < 2^128.
const COLUMN_BLOCK: usize = 256;

/// All limbs of `a * b`: `a.len() + b.len()` of them, or none if one factor has none.
pub(super) fn product(a: &[u64], b: &[u64]) -> Vec<u64> {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let columns = a.len() + b.len() - 1;
    let mut limbs = Vec::with_capacity(columns + 1);
    // Below 2^192: what earlier columns leave for this one and the next.
    let mut carry = [0u64; 3];
    for column in 0..columns {
        let first = (column + 1).saturating_sub(b.len());
        let last = column.min(a.len() - 1);
        let below = &a[first..=last];
        let above = &b[column - last..=column - first];
        for (below, above) in below.chunks(COLUMN_BLOCK).zip(above.rchunks(COLUMN_BLOCK)) {
            let pairs = below.iter().zip(above.iter().rev());
            let sum = pairs.map(|(x, y)| u128::from(*x) * u128::from(*y)).sum();
            add(&mut carry, sum);
        }
        let (quotient, limb) = by_base(carry);
        carry = [0, (quotient >> 64) as u64, quotient as u64];
        limbs.push(limb);
    }
    debug_assert!(carry[1] == 0 && carry[2] < BASE, "the last carry is the top limb");
    limbs.push(carry[2]);
    limbs
}

#[inline(always)]
fn add(carry: &mut [u64; 3], more: u128) {
    let low = u128::from(carry[1]) << 64 | u128::from(carry[2]);
    let (low, overflow) = low.overflowing_add(more);
    *carry = [carry[0] + u64::from(overflow), (low >> 64) as u64, low as u64];
}
