//! Numbers of strategies as straight-line programs: a list of sums and products, each of earlier ones.
//!
//! A program is a number of any size in a few thousand lines. Evaluated over whole numbers it gives the number itself,
//! over residues a check of it, over bounds its length and first digits: see [`Ring`].

mod bounds;
mod builder;
mod contract;
mod exact;
mod residues;
mod text;

pub use bounds::{Bounds, Estimate, estimate};
pub use builder::Builder;
pub use exact::{Disagreement, checked, exact};
pub(crate) use residues::LaneProgram;
pub use residues::{last_twenty, residue};
pub use text::ProgramError;

/// Position of a node in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// One number of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A constant and earlier numbers, added up.
    Sum {
        /// The constant.
        constant: u64,
        /// The others.
        terms: Vec<NodeId>,
    },
    /// Powers of earlier numbers, multiplied: each number occurs once, with an exponent of at least one.
    Product(Vec<(NodeId, u128)>),
}

/// A straight-line program; its last node is the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    nodes: Vec<Node>,
}

/// Where a program is evaluated.
pub trait Ring {
    /// A number there.
    type Value;

    /// The image of a number.
    fn constant(&self, value: u64) -> Self::Value;
    /// Adds in place.
    fn add_assign(&self, sum: &mut Self::Value, more: &Self::Value);
    /// The product of powers; exponents are at least one.
    fn product(&self, factors: &[(&Self::Value, u128)]) -> Self::Value;
}

impl Program {
    /// From nodes, each of which names only earlier ones.
    ///
    /// # Panics
    /// If there is none, or one names itself or a later one.
    pub(crate) fn new(nodes: Vec<Node>) -> Self {
        assert!(!nodes.is_empty(), "a program has a result");
        for (position, node) in nodes.iter().enumerate() {
            let earlier = node.operands().all(|operand| (operand.0 as usize) < position);
            assert!(earlier, "node {position} names only earlier ones");
        }
        Self { nodes }
    }

    /// The nodes; the last is the result.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The result's position.
    #[must_use]
    pub fn result(&self) -> NodeId {
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// How often each node is named, the result once more.
    fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0; self.nodes.len()];
        for operand in self.nodes.iter().flat_map(Node::operands).chain([self.result()]) {
            uses[operand.0 as usize] += 1;
        }
        uses
    }

    /// The result over `ring`. Every value is dropped as soon as nothing needs it any more.
    pub fn evaluate<R: Ring>(&self, ring: &R) -> R::Value {
        let mut uses = self.uses();
        let mut values: Vec<Option<R::Value>> = Vec::with_capacity(self.nodes.len());
        let known =
            |values: &[Option<R::Value>], id: NodeId| -> bool { values[id.0 as usize].is_some() };
        for node in &self.nodes {
            debug_assert!(node.operands().all(|operand| known(&values, operand)));
            let value = compute(ring, node, &values);
            for operand in node.operands() {
                let left = &mut uses[operand.0 as usize];
                *left -= 1;
                if *left == 0 {
                    values[operand.0 as usize] = None;
                }
            }
            values.push(Some(value));
        }
        values.pop().flatten().expect("the result is used")
    }
}

fn compute<R: Ring>(ring: &R, node: &Node, values: &[Option<R::Value>]) -> R::Value {
    let value = |id: NodeId| values[id.0 as usize].as_ref().expect("it is still used");
    match node {
        Node::Sum { constant, terms } => {
            let mut sum = ring.constant(*constant);
            for term in terms {
                ring.add_assign(&mut sum, value(*term));
            }
            sum
        }
        Node::Product(factors) => {
            let factors: Vec<_> =
                factors.iter().map(|(factor, exponent)| (value(*factor), *exponent)).collect();
            ring.product(&factors)
        }
    }
}

impl Node {
    /// The numbers it is made of.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> {
        let (terms, factors) = match self {
            Self::Sum { terms, .. } => (terms.as_slice(), &[][..]),
            Self::Product(factors) => (&[][..], factors.as_slice()),
        };
        terms.iter().copied().chain(factors.iter().map(|(factor, _)| *factor))
    }
}
