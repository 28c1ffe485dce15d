//! Number-theoretic transforms modulo three primes.
//!
//! A transform of length `L` evaluates a polynomial at the `L`-th roots of unity by splitting `x^(2h) - w^2` into
//! `(x^h - w)(x^h + w)` again and again; every block of a stage has one twiddle factor, and blocks are finished one
//! after another, so that most stages run within the cache. Butterflies keep values below four times the modulus
//! (D. Harvey, "Faster arithmetic for number-theoretic transforms", Journal of Symbolic Computation 60, 2014).

use std::sync::OnceLock;

use super::prime_field::{Factor, Montgomery, pow_mod};

/// Largest power of two that divides each modulus less one.
const TWO_ADICITY: u32 = 40;
/// The moduli: primes below 2^62 that are 1 modulo 2^40. Their product exceeds 2^185.
pub(super) const MODULI: [u64; 3] =
    [0x3fff_c000_0000_0001, 0x3fff_8400_0000_0001, 0x3fff_8100_0000_0001];

/// What transforms modulo one prime need.
pub(super) struct Transform {
    pub(super) modulus: u64,
    field: Montgomery,
    /// A root of unity of order 2^40.
    root: u64,
    /// Twiddle factors by block for all lengths up to 2^(k+2) in entry `k`; each is built at first use.
    tables: [OnceLock<Twiddles>; TWO_ADICITY as usize],
}

struct Twiddles {
    forward: Vec<Factor>,
    inverse: Vec<Factor>,
}

/// The transforms modulo [`MODULI`].
pub(super) fn transforms() -> &'static [Transform; 3] {
    static TRANSFORMS: OnceLock<[Transform; 3]> = OnceLock::new();
    TRANSFORMS.get_or_init(|| MODULI.map(Transform::new))
}

impl Transform {
    fn new(modulus: u64) -> Self {
        let nonresidue = (2..)
            .find(|base| pow_mod(*base, modulus / 2, modulus) == modulus - 1)
            .expect("half of all numbers are no squares");
        let root = pow_mod(nonresidue, modulus >> TWO_ADICITY, modulus);
        let tables = [const { OnceLock::new() }; TWO_ADICITY as usize];
        Self { modulus, field: Montgomery::new(modulus), root, tables }
    }

    /// Twiddle factors for `len / 2` blocks, the number of the last stage.
    fn twiddles(&self, len: usize) -> &Twiddles {
        let level = len.ilog2().max(2) - 2;
        self.tables[level as usize].get_or_init(|| {
            let root = |order: u32| pow_mod(self.root, 1 << (TWO_ADICITY - order), self.modulus);
            let table = |root: &dyn Fn(u32) -> u64| {
                let mut table = vec![Factor::new(1, self.modulus)];
                for order in 2..=level + 2 {
                    let step = Factor::new(root(order), self.modulus);
                    for block in 0..table.len() {
                        let value = step.times(table[block].value, self.modulus) % self.modulus;
                        table.push(Factor::new(value, self.modulus));
                    }
                }
                table
            };
            let inverse = |order| pow_mod(root(order), self.modulus - 2, self.modulus);
            Twiddles { forward: table(&root), inverse: table(&inverse) }
        })
    }

    /// Transforms in place values below four times the modulus; a power of two of them.
    fn forward(&self, values: &mut [u64]) {
        let twiddles = &self.twiddles(values.len()).forward;
        self.split(values, 0, twiddles);
    }

    fn split(&self, values: &mut [u64], block: usize, twiddles: &[Factor]) {
        let half = values.len() / 2;
        if half == 0 {
            return;
        }
        let (low, high) = values.split_at_mut(half);
        let (twiddle, twice) = (twiddles[block], 2 * self.modulus);
        for (u, v) in low.iter_mut().zip(high.iter_mut()) {
            let x = if *u >= twice { *u - twice } else { *u };
            let y = twiddle.times(*v, self.modulus);
            *u = x + y;
            *v = x + twice - y;
        }
        self.split(low, 2 * block, twiddles);
        self.split(high, 2 * block + 1, twiddles);
    }

    /// The inverse of [`Transform::forward`], times the length; values below twice the modulus before and after.
    fn backward(&self, values: &mut [u64]) {
        let twiddles = &self.twiddles(values.len()).inverse;
        self.join(values, 0, twiddles);
    }

    fn join(&self, values: &mut [u64], block: usize, twiddles: &[Factor]) {
        let half = values.len() / 2;
        if half == 0 {
            return;
        }
        let (low, high) = values.split_at_mut(half);
        self.join(low, 2 * block, twiddles);
        self.join(high, 2 * block + 1, twiddles);
        let (twiddle, twice) = (twiddles[block], 2 * self.modulus);
        for (u, v) in low.iter_mut().zip(high.iter_mut()) {
            let (x, y) = (*u, *v);
            let sum = x + y;
            *u = if sum >= twice { sum - twice } else { sum };
            *v = twiddle.times(x + twice - y, self.modulus);
        }
    }

    #[inline(always)]
    fn reduce(&self, value: u64) -> u64 {
        let twice = 2 * self.modulus;
        let value = if value >= twice { value - twice } else { value };
        if value >= self.modulus { value - self.modulus } else { value }
    }

    /// The cyclic convolution of length `len` (a power of two) of `a` with `b`, or with itself: every sum modulo the
    /// prime. Values of `a` and `b` are below the modulus; `len` is at least their lengths.
    pub(super) fn convolution(&self, a: &[u64], b: Option<&[u64]>, len: usize) -> Vec<u64> {
        let image = |values: &[u64]| {
            let mut image = Vec::with_capacity(len);
            image.extend_from_slice(values);
            image.resize(len, 0);
            self.forward(&mut image);
            image
        };
        let mut result = image(a);
        match b.map(image) {
            Some(other) => {
                for (x, y) in result.iter_mut().zip(&other) {
                    *x = self.field.mul(self.reduce(*x), self.reduce(*y));
                }
            }
            None => {
                for x in &mut result {
                    let reduced = self.reduce(*x);
                    *x = self.field.mul(reduced, reduced);
                }
            }
        }
        self.backward(&mut result);
        // Montgomery's products are short of a factor 2^64, the transforms have one of `len` too many.
        let length = pow_mod(len as u64, self.modulus - 2, self.modulus);
        let scale = Factor::new(self.field.enter(length), self.modulus);
        for value in &mut result {
            *value = self.reduce(scale.times(*value, self.modulus));
        }
        result
    }
}
