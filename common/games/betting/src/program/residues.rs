//! Results modulo something: cheap checks of numbers of any size.

use super::{Node, Program, Ring};
use crate::decimal::{Montgomery, mul_mod};

/// Numbers modulo any `modulus`.
struct Modulo {
    modulus: u64,
}

impl Ring for Modulo {
    type Value = u64;

    fn constant(&self, value: u64) -> u64 {
        value % self.modulus
    }

    fn add_assign(&self, sum: &mut u64, more: &u64) {
        *sum = ((u128::from(*sum) + u128::from(*more)) % u128::from(self.modulus)) as u64;
    }

    fn product(&self, factors: &[(&u64, u128)]) -> u64 {
        factors.iter().fold(1 % self.modulus, |product, (factor, exponent)| {
            mul_mod(product, self.power(**factor, *exponent), self.modulus)
        })
    }
}

impl Modulo {
    fn power(&self, mut base: u64, mut exponent: u128) -> u64 {
        let mut power = 1 % self.modulus;
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = mul_mod(power, base, self.modulus);
            }
            base = mul_mod(base, base, self.modulus);
            exponent >>= 1;
        }
        power
    }
}

/// The result modulo `modulus`.
///
/// # Panics
/// If `modulus` is zero.
#[must_use]
pub fn residue(program: &Program, modulus: u64) -> u64 {
    assert!(modulus > 0, "nothing is divided by zero");
    program.evaluate(&Modulo { modulus })
}

/// The result modulo 10^20, from its residues modulo 2^20 and 5^20.
#[must_use]
pub fn last_twenty(program: &Program) -> u128 {
    const TWOS: u64 = 1 << 20;
    const FIVES: u64 = 95_367_431_640_625;
    let (by_two, by_five) = (residue(program, TWOS), residue(program, FIVES));
    // Odd numbers have an order dividing 2^18 modulo 2^20.
    let inverse = Modulo { modulus: TWOS }.power(FIVES % TWOS, (1 << 18) - 1);
    let steps = mul_mod((by_two + TWOS - by_five % TWOS) % TWOS, inverse, TWOS);
    u128::from(by_five) + u128::from(FIVES) * u128::from(steps)
}

/// A program made ready for many odd moduli at once.
#[derive(Clone, Debug)]
pub(crate) struct LaneProgram {
    steps: Vec<Step>,
    /// How often a product was counted: for estimates.
    multiplications: u64,
}

#[derive(Clone, Debug)]
enum Step {
    Sum { constant: u64, terms: Vec<u32> },
    Product(Vec<(u32, u128)>),
}

impl LaneProgram {
    pub(crate) fn new(program: &Program) -> Self {
        let mut multiplications = 0;
        let steps = program
            .nodes()
            .iter()
            .map(|node| match node {
                Node::Sum { constant, terms } => {
                    Step::Sum { constant: *constant, terms: terms.iter().map(|t| t.0).collect() }
                }
                Node::Product(factors) => {
                    let squares =
                        |exponent: u128| u64::from(exponent.ilog2() + exponent.count_ones());
                    multiplications += factors.iter().map(|(_, e)| squares(*e)).sum::<u64>() - 1;
                    Step::Product(factors.iter().map(|(id, e)| (id.0, *e)).collect())
                }
            })
            .collect();
        Self { steps, multiplications }
    }

    /// Modular multiplications a modulus.
    pub(crate) fn multiplications(&self) -> u64 {
        self.multiplications
    }

    /// The result modulo each of `LANES` odd moduli below 2^63; `values` is scratch space.
    pub(crate) fn residues<const LANES: usize>(
        &self,
        moduli: [u64; LANES],
        values: &mut Vec<[u64; LANES]>,
    ) -> [u64; LANES] {
        let fields = moduli.map(Montgomery::new);
        values.clear();
        for step in &self.steps {
            let value = match step {
                Step::Sum { constant, terms } => {
                    let mut sum = fields.map(|field| field.enter(*constant));
                    for term in terms {
                        let more = &values[*term as usize];
                        for lane in 0..LANES {
                            sum[lane] = fields[lane].add(sum[lane], more[lane]);
                        }
                    }
                    sum
                }
                Step::Product(factors) => {
                    let mut product: Option<[u64; LANES]> = None;
                    for (factor, exponent) in factors {
                        let power = power(&fields, values[*factor as usize], *exponent);
                        product = Some(match product {
                            None => power,
                            Some(product) => multiply(&fields, product, power),
                        });
                    }
                    product.expect("a product has a factor")
                }
            };
            values.push(value);
        }
        let result = values.last().expect("a program has a result");
        std::array::from_fn(|lane| fields[lane].leave(result[lane]))
    }
}

#[inline(always)]
fn multiply<const LANES: usize>(
    fields: &[Montgomery; LANES],
    a: [u64; LANES],
    b: [u64; LANES],
) -> [u64; LANES] {
    std::array::from_fn(|lane| fields[lane].mul(a[lane], b[lane]))
}

fn power<const LANES: usize>(
    fields: &[Montgomery; LANES],
    base: [u64; LANES],
    exponent: u128,
) -> [u64; LANES] {
    let mut power = base;
    for bit in (0..exponent.ilog2()).rev() {
        power = multiply(fields, power, power);
        if exponent >> bit & 1 == 1 {
            power = multiply(fields, power, base);
        }
    }
    power
}
