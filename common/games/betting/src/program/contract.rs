//! Products of products become one product: the number as powers of its distinct factors.

use std::collections::BTreeMap;

use super::{Builder, Node, NodeId, Program};

impl Program {
    /// The same result with no product among a product's factors. Fewer long products are left, and most of them are
    /// squares; but exponents have to be raised.
    ///
    /// # Panics
    /// If an exponent exceeds 128 bits.
    #[must_use]
    pub fn contracted(&self) -> Self {
        let mut builder = Builder::default();
        // For each node: itself, or the powers it stands for.
        let mut expanded: Vec<BTreeMap<NodeId, u128>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            expanded.push(match node {
                Node::Sum { constant, terms } => {
                    let mut places = Vec::with_capacity(terms.len());
                    for term in terms {
                        let powers = &expanded[term.0 as usize];
                        places.push(builder.product(powers.iter().map(|(&id, &e)| (id, e))));
                    }
                    BTreeMap::from([(builder.sum(*constant, places), 1)])
                }
                Node::Product(factors) => {
                    let mut powers = BTreeMap::new();
                    for (factor, exponent) in factors {
                        for (id, inner) in &expanded[factor.0 as usize] {
                            let more = inner.checked_mul(*exponent);
                            let power: &mut u128 = powers.entry(*id).or_default();
                            *power = more
                                .and_then(|more| power.checked_add(more))
                                .expect("exponents stay below 2^128");
                        }
                    }
                    powers
                }
            });
        }
        let powers = expanded.pop().expect("a program has a result");
        let result = builder.product(powers);
        builder.finish(result)
    }
}
