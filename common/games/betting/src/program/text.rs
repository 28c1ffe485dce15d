//! Programs as text: one number a line, readable by people and by a few lines of any language.
//!
//! ```text
//! fulldeck betting program 1
//! # comment
//! v0 = 1 + 1
//! v1 = v0^2 * v0 ...
//! ```

use std::fmt;

use super::{Node, NodeId, Program};

/// First line of every program.
const HEAD: &str = "fulldeck betting program 1";
/// Most lines of a program that is read.
const MAX_NODES: usize = 10_000_000;

/// A text that is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ProgramError {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}")?;
        for (position, node) in self.nodes().iter().enumerate() {
            let text = match node {
                Node::Sum { constant, terms } => {
                    let constant =
                        (*constant > 0 || terms.is_empty()).then(|| constant.to_string());
                    let terms = terms.iter().map(|term| format!("v{}", term.0));
                    constant.into_iter().chain(terms).collect::<Vec<_>>().join(" + ")
                }
                Node::Product(factors) => {
                    let factors = factors.iter().map(|(factor, exponent)| match exponent {
                        1 => format!("v{}", factor.0),
                        _ => format!("v{}^{exponent}", factor.0),
                    });
                    factors.collect::<Vec<_>>().join(" * ")
                }
            };
            writeln!(f, "v{position} = {text}")?;
        }
        Ok(())
    }
}

impl std::str::FromStr for Program {
    type Err = ProgramError;

    fn from_str(text: &str) -> Result<Self, ProgramError> {
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
        if lines.next().is_none_or(|(_, line)| line != HEAD) {
            return Err(wrong(1, format!("a program begins with '{HEAD}'")));
        }
        let mut nodes = Vec::new();
        let mut last = 1;
        for (line, text) in lines {
            last = line;
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if nodes.len() == MAX_NODES {
                return Err(wrong(line, format!("more than {MAX_NODES} numbers")));
            }
            nodes.push(node(text, nodes.len()).map_err(|what| wrong(line, what))?);
        }
        if nodes.is_empty() {
            return Err(wrong(last, "the program has no number".to_owned()));
        }
        Ok(Self::new(nodes))
    }
}

fn wrong(line: usize, what: String) -> ProgramError {
    ProgramError { line, what }
}

/// The node that must have number `position`.
fn node(text: &str, position: usize) -> Result<Node, String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("'{text}' is not of the form v{position} = ..."))?;
    if name.trim() != format!("v{position}") {
        return Err(format!("'{}' where v{position} comes next", name.trim()));
    }
    if value.contains('*') || value.contains('^') {
        let factors = value.split('*').map(|factor| power(factor.trim(), position));
        let factors = factors.collect::<Result<Vec<_>, _>>()?;
        return Ok(Node::Product(factors));
    }
    let mut constant = 0u64;
    let mut terms = Vec::new();
    for term in value.split('+').map(str::trim) {
        if term.starts_with('v') {
            terms.push(operand(term, position)?);
        } else {
            let number = term.parse().ok().and_then(|number| constant.checked_add(number));
            constant = number
                .ok_or_else(|| format!("'{term}' is neither a number below 2^64 nor a name"))?;
        }
    }
    Ok(Node::Sum { constant, terms })
}

fn power(text: &str, position: usize) -> Result<(NodeId, u128), String> {
    let (factor, exponent) = text.split_once('^').unwrap_or((text, "1"));
    let exponent = exponent.trim().parse().ok().filter(|exponent| *exponent > 0);
    let exponent =
        exponent.ok_or_else(|| format!("'{text}' has no exponent from 1 to 2^128 - 1"))?;
    Ok((operand(factor.trim(), position)?, exponent))
}

fn operand(text: &str, position: usize) -> Result<NodeId, String> {
    let number = text.strip_prefix('v').and_then(|number| number.parse::<u32>().ok());
    match number {
        Some(number) if (number as usize) < position => Ok(NodeId(number)),
        Some(number) => Err(format!("v{number} is not known yet")),
        None => Err(format!("'{text}' is no name like v0")),
    }
}
