//! Building programs without writing the same number twice.

use std::collections::{BTreeMap, HashMap};

use super::{Node, NodeId, Program};

/// Collects nodes; equal ones become one.
#[derive(Debug, Default)]
pub struct Builder {
    nodes: Vec<Node>,
    known: HashMap<Node, NodeId>,
}

impl Builder {
    /// The constant `value`.
    pub fn constant(&mut self, value: u64) -> NodeId {
        self.insert(Node::Sum { constant: value, terms: Vec::new() })
    }

    /// `constant` and `terms`, added up.
    pub fn sum(&mut self, constant: u64, terms: impl IntoIterator<Item = NodeId>) -> NodeId {
        let mut total = constant;
        let mut others = Vec::new();
        for term in terms {
            match &self.nodes[term.0 as usize] {
                Node::Sum { constant, terms } if terms.is_empty() => total += constant,
                _ => others.push(term),
            }
        }
        others.sort_unstable();
        self.insert(Node::Sum { constant: total, terms: others })
    }

    /// Powers of `factors`, multiplied.
    ///
    /// # Panics
    /// If an exponent exceeds 128 bits.
    pub fn product(&mut self, factors: impl IntoIterator<Item = (NodeId, u128)>) -> NodeId {
        let one = Node::Sum { constant: 1, terms: Vec::new() };
        let mut powers: BTreeMap<NodeId, u128> = BTreeMap::new();
        for (factor, exponent) in factors {
            if exponent > 0 && self.nodes[factor.0 as usize] != one {
                let power = powers.entry(factor).or_default();
                *power = power.checked_add(exponent).expect("exponents stay below 2^128");
            }
        }
        match powers.iter().next() {
            None => self.insert(one),
            Some((factor, 1)) if powers.len() == 1 => *factor,
            Some(_) => self.insert(Node::Product(powers.into_iter().collect())),
        }
    }

    fn insert(&mut self, node: Node) -> NodeId {
        let next = NodeId(self.nodes.len() as u32);
        let id = *self.known.entry(node.clone()).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    /// The program whose result is `result`, without the nodes it does not need.
    ///
    /// # Panics
    /// If `result` is no node of this builder.
    #[must_use]
    pub fn finish(self, result: NodeId) -> Program {
        let mut needed = vec![false; self.nodes.len()];
        needed[result.0 as usize] = true;
        for position in (0..=result.0 as usize).rev() {
            if needed[position] {
                for operand in self.nodes[position].operands() {
                    needed[operand.0 as usize] = true;
                }
            }
        }
        let mut places = vec![NodeId(u32::MAX); self.nodes.len()];
        let mut nodes: Vec<Node> = Vec::new();
        for (position, mut node) in self.nodes.into_iter().enumerate().take(result.0 as usize + 1) {
            if needed[position] {
                match &mut node {
                    Node::Sum { terms, .. } => {
                        terms.iter_mut().for_each(|term| *term = places[term.0 as usize]);
                    }
                    Node::Product(factors) => {
                        factors
                            .iter_mut()
                            .for_each(|factor| factor.0 = places[factor.0.0 as usize]);
                    }
                }
                places[position] = NodeId(nodes.len() as u32);
                nodes.push(node);
            }
        }
        Program::new(nodes)
    }
}
