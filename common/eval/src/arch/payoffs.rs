//! Sums of payoffs over a stretch of a matrix, for both players at once.
//!
//! All back-ends run the same loop over eight lanes, which the compiler turns into the registers there are. Floating
//! point is not associative, so the order of all sums is fixed by the loop, and no multiplication is fused with an
//! addition: every back-end gives the same bits.

use super::vector::Vector;

/// Rows that are swept together, so that the columns are loaded once for all of them.
pub const PAYOFF_ROWS: usize = 4;

const LANES: usize = 8;

/// A row of the matrix against some columns.
#[derive(Clone, Copy, Debug)]
pub struct PayoffRow<'a> {
    /// Boards won less boards lost, in each column.
    pub lead: &'a [i32],
    /// Number of hands, in each column.
    pub hands: &'a [u8],
    /// What the row's hand does as the second player, and as the first, times its weight.
    pub weighted: [f64; 2],
}

/// What the columns' hands do, and what is added up for them.
#[derive(Debug)]
pub struct PayoffColumns<'a> {
    /// What they do as the second player.
    pub second: &'a [f64],
    /// What they do as the first player.
    pub first: &'a [f64],
    /// Taken from: payoffs of the column's hand as the first player against the rows.
    pub as_first: &'a mut [f64],
    /// Taken from: payoffs of the column's hand as the second player against the rows.
    pub as_second: &'a mut [f64],
}

/// With `x = stake * lead` and `y = price * hands`: adds to `sums[row]` the sums of `(x - y) * second` and of
/// `(x + y) * first` over the columns, and takes from every column `(x + y) * weighted[0]` and
/// `(x - y) * weighted[1]` of the rows.
#[inline(always)]
pub(super) unsafe fn add_payoffs<V: Vector>(
    rows: &[PayoffRow<'_>],
    [stake, price]: [f64; 2],
    columns: &mut PayoffColumns<'_>,
    sums: &mut [[f64; 2]],
) {
    match rows {
        [a, b, c, d] => sweep::<PAYOFF_ROWS>(&[*a, *b, *c, *d], stake, price, columns, sums),
        rows => {
            for (row, sum) in rows.iter().zip(sums) {
                sweep::<1>(&[*row], stake, price, columns, std::slice::from_mut(sum));
            }
        }
    }
}

#[inline(always)]
fn sweep<const ROWS: usize>(
    rows: &[PayoffRow<'_>; ROWS],
    stake: f64,
    price: f64,
    columns: &mut PayoffColumns<'_>,
    sums: &mut [[f64; 2]],
) {
    let len = columns.second.len();
    let (first, second) = (&columns.first[..len], &columns.second[..len]);
    let as_first = &mut columns.as_first[..len];
    let as_second = &mut columns.as_second[..len];
    let lead: [&[i32]; ROWS] = std::array::from_fn(|row| &rows[row].lead[..len]);
    let hands: [&[u8]; ROWS] = std::array::from_fn(|row| &rows[row].hands[..len]);
    let mut won = [[0.0; LANES]; ROWS];
    let mut lost = [[0.0; LANES]; ROWS];
    // Whole chunks as arrays: the columns' sums stay in registers over the rows.
    let lead_chunks = lead.map(|lead| lead.as_chunks::<LANES>().0);
    let hands_chunks = hands.map(|hands| hands.as_chunks::<LANES>().0);
    let inputs = second.as_chunks::<LANES>().0.iter().zip(first.as_chunks::<LANES>().0);
    let outputs = as_first.as_chunks_mut::<LANES>().0.iter_mut();
    let outputs = outputs.zip(as_second.as_chunks_mut::<LANES>().0);
    for (chunk, ((second, first), (out_first, out_second))) in inputs.zip(outputs).enumerate() {
        let (mut sum_first, mut sum_second) = (*out_first, *out_second);
        for row in 0..ROWS {
            let [called, pushed] = rows[row].weighted;
            let (lead, hands) = (&lead_chunks[row][chunk], &hands_chunks[row][chunk]);
            let x: [f64; LANES] = std::array::from_fn(|lane| stake * f64::from(lead[lane]));
            let y: [f64; LANES] = std::array::from_fn(|lane| price * f64::from(hands[lane]));
            for lane in 0..LANES {
                won[row][lane] += (x[lane] - y[lane]) * second[lane];
                lost[row][lane] += (x[lane] + y[lane]) * first[lane];
                sum_first[lane] -= (x[lane] + y[lane]) * called;
                sum_second[lane] -= (x[lane] - y[lane]) * pushed;
            }
        }
        (*out_first, *out_second) = (sum_first, sum_second);
    }
    let at = len - len % LANES;
    for row in 0..ROWS {
        let [called, pushed] = rows[row].weighted;
        for column in at..len {
            let x = stake * f64::from(lead[row][column]);
            let y = price * f64::from(hands[row][column]);
            won[row][column - at] += (x - y) * second[column];
            lost[row][column - at] += (x + y) * first[column];
            as_first[column] -= (x + y) * called;
            as_second[column] -= (x - y) * pushed;
        }
        for lane in 0..LANES {
            sums[row][0] += won[row][lane];
            sums[row][1] += lost[row][lane];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Backend;
    use super::*;

    #[test]
    fn back_ends_give_the_same_bits_and_the_right_sums() {
        let len = 203;
        let mix = |at: usize| (at * 2_654_435_761) % 1_000_003;
        let lead: Vec<i32> = (0..4 * len).map(|at| mix(at) as i32 * 23 - 11_000_000).collect();
        let hands: Vec<u8> = (0..4 * len).map(|at| (mix(at + 7) % 25) as u8).collect();
        let part = |from: usize| -> Vec<f64> {
            (from..from + len).map(|at| mix(at) as f64 / 1_000_003.0).collect()
        };
        let (first, second) = (part(11), part(500));
        let rows: Vec<PayoffRow<'_>> = (0..4)
            .map(|row| PayoffRow {
                lead: &lead[row * len..][..len],
                hands: &hands[row * len..][..len],
                weighted: [0.3 * row as f64, 1.7 - 0.2 * row as f64],
            })
            .collect();
        let (stake, price) = (1e-5, 1.25);
        let run = |backend: Backend, rows: &[PayoffRow<'_>]| {
            let (mut as_first, mut as_second) = (vec![0.5; len], vec![0.25; len]);
            let mut sums = vec![[0.0; 2]; rows.len()];
            let mut columns = PayoffColumns {
                second: &second,
                first: &first,
                as_first: &mut as_first,
                as_second: &mut as_second,
            };
            backend.add_payoffs(rows, [stake, price], &mut columns, &mut sums);
            (as_first, as_second, sums)
        };
        let expected = run(Backend::available()[0], &rows);
        for backend in Backend::available() {
            assert_eq!(run(backend, &rows), expected, "{backend}");
            let alone = run(backend, &rows[..3]);
            assert_eq!(alone.2, expected.2[..3]);
        }
        let (as_first, as_second, sums) = expected;
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} {b}");
        for (row, sum) in rows.iter().zip(&sums) {
            let x = |at: usize| stake * f64::from(row.lead[at]);
            let y = |at: usize| price * f64::from(row.hands[at]);
            close(sum[0], (0..len).map(|at| (x(at) - y(at)) * second[at]).sum());
            close(sum[1], (0..len).map(|at| (x(at) + y(at)) * first[at]).sum());
        }
        for at in 0..len {
            let of = |sign: f64, which: usize| -> f64 {
                let term = |row: &PayoffRow<'_>| {
                    let (x, y) =
                        (stake * f64::from(row.lead[at]), price * f64::from(row.hands[at]));
                    (x + sign * y) * row.weighted[which]
                };
                rows.iter().map(term).sum()
            };
            close(as_first[at], 0.5 - of(1.0, 0));
            close(as_second[at], 0.25 - of(-1.0, 1));
        }
    }
}
