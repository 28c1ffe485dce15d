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

/// Values that are transformed stage by stage: a power of four that fits the first cache.
const CACHED: usize = 1 << 12;

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
        if values.len().ilog2() % 2 == 1 {
            let (low, high) = values.split_at_mut(values.len() / 2);
            for (u, v) in low.iter_mut().zip(high.iter_mut()) {
                (*u, *v) = self.split(*u, *v, twiddles[0]);
            }
            self.split_fours(low, 0, twiddles);
            self.split_fours(high, 1, twiddles);
        } else {
            self.split_fours(values, 0, twiddles);
        }
    }

    /// All stages of a block of 4^k values, two at a time; what fits the cache stage by stage, the rest part by part.
    fn split_fours(&self, values: &mut [u64], block: usize, twiddles: &[Factor]) {
        if values.len() > CACHED {
            self.split_four(values, block, twiddles);
            for (part, values) in values.chunks_exact_mut(values.len() / 4).enumerate() {
                self.split_fours(values, 4 * block + part, twiddles);
            }
            return;
        }
        let mut len = values.len();
        let mut first = block;
        while len > 1 {
            for (block, values) in (first..).zip(values.chunks_exact_mut(len)) {
                self.split_four(values, block, twiddles);
            }
            len /= 4;
            first *= 4;
        }
    }

    /// Two stages of one block.
    #[inline(always)]
    fn split_four(&self, values: &mut [u64], block: usize, twiddles: &[Factor]) {
        let [whole, low, high] = [twiddles[block], twiddles[2 * block], twiddles[2 * block + 1]];
        for (a, b, c, d) in quarters(values) {
            let (x, z) = self.split(*a, *c, whole);
            let (y, w) = self.split(*b, *d, whole);
            (*a, *b) = self.split(x, y, low);
            (*c, *d) = self.split(z, w, high);
        }
    }

    #[inline(always)]
    fn split(&self, u: u64, v: u64, twiddle: Factor) -> (u64, u64) {
        let twice = 2 * self.modulus;
        let x = if u >= twice { u - twice } else { u };
        let y = twiddle.times(v, self.modulus);
        (x + y, x + twice - y)
    }

    /// The inverse of [`Transform::forward`], times the length; values below twice the modulus before and after.
    fn backward(&self, values: &mut [u64]) {
        let twiddles = &self.twiddles(values.len()).inverse;
        if values.len().ilog2() % 2 == 1 {
            let (low, high) = values.split_at_mut(values.len() / 2);
            self.join_fours(low, 0, twiddles);
            self.join_fours(high, 1, twiddles);
            for (u, v) in low.iter_mut().zip(high.iter_mut()) {
                (*u, *v) = self.join(*u, *v, twiddles[0]);
            }
        } else {
            self.join_fours(values, 0, twiddles);
        }
    }

    fn join_fours(&self, values: &mut [u64], block: usize, twiddles: &[Factor]) {
        let whole = values.len();
        if whole > CACHED {
            for (part, values) in values.chunks_exact_mut(whole / 4).enumerate() {
                self.join_fours(values, 4 * block + part, twiddles);
            }
            self.join_four(values, block, twiddles);
            return;
        }
        let mut len = 4;
        while len <= whole {
            let first = block * (whole / len);
            for (block, values) in (first..).zip(values.chunks_exact_mut(len)) {
                self.join_four(values, block, twiddles);
            }
            len *= 4;
        }
    }

    #[inline(always)]
    fn join_four(&self, values: &mut [u64], block: usize, twiddles: &[Factor]) {
        let [whole, low, high] = [twiddles[block], twiddles[2 * block], twiddles[2 * block + 1]];
        for (a, b, c, d) in quarters(values) {
            let (x, y) = self.join(*a, *b, low);
            let (z, w) = self.join(*c, *d, high);
            (*a, *c) = self.join(x, z, whole);
            (*b, *d) = self.join(y, w, whole);
        }
    }

    #[inline(always)]
    fn join(&self, x: u64, y: u64, twiddle: Factor) -> (u64, u64) {
        let twice = 2 * self.modulus;
        let sum = x + y;
        let sum = if sum >= twice { sum - twice } else { sum };
        (sum, twiddle.times(x + twice - y, self.modulus))
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

/// The values at the same place of each quarter.
#[inline(always)]
fn quarters(values: &mut [u64]) -> impl Iterator<Item = (&mut u64, &mut u64, &mut u64, &mut u64)> {
    let (low, high) = values.split_at_mut(values.len() / 2);
    let (a, b) = low.split_at_mut(low.len() / 2);
    let (c, d) = high.split_at_mut(high.len() / 2);
    a.iter_mut().zip(b).zip(c.iter_mut().zip(d)).map(|((a, b), (c, d))| (a, b, c, d))
}
