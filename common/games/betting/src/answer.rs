//! Answers for people and programs: flat records. Numbers that may be long are texts.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::Digest;
use crate::decimal::Decimal;
use crate::preflop::{Order, Preflop, Seat};
use crate::program::{Disagreement, Estimate, checked, estimate, exact, last_twenty};
use crate::structure::{Hands, Structure, Totals, unreduced};

/// Longest number that is shown in a record, in digits.
pub const MAX_SHOWN_DIGITS: u64 = 1_000;
/// The same in the list of a structure's players.
const MAX_TREE_DIGITS: u64 = 60;
/// Longest number that is computed unless more is allowed, in digits.
pub const DEFAULT_MAX_DIGITS: u64 = 50_000_000;
/// Memory for a digit while a number is computed, in bytes: an estimate.
const BYTES_A_DIGIT: f64 = 9.0;
/// Time for a digit on one core, in seconds: an estimate for numbers of millions of digits.
const SECONDS_A_DIGIT: f64 = 1.3e-7;

/// A question about one seat before the flop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// The structure.
    pub structure: Preflop,
    /// Whose strategies are counted.
    pub seat: Seat,
    /// How seats are numbered in the answer.
    pub order: Order,
}

/// Why a number was not computed.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    /// Too long.
    #[error(
        "the number has {digits} digits (about {} of memory), more than the {max_digits} allowed",
        bytes(*digits)
    )]
    TooLong {
        /// Its digits.
        digits: u128,
        /// What was allowed.
        max_digits: u64,
    },
    /// The length cannot be told.
    #[error("the number is too close to a power of ten for its length to be told")]
    Unknown,
    /// A defect of the program.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
    /// The digits cannot be written.
    #[error("cannot write the digits: {0}")]
    Write(#[from] io::Error),
}

/// A rough size for people.
fn bytes(digits: u128) -> String {
    let bytes = digits as f64 * BYTES_A_DIGIT;
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let step = ((bytes.max(1.0).log2() / 10.0) as usize).min(units.len() - 1);
    format!("{:.0} {}", bytes / 1024f64.powi(step as i32), units[step])
}

impl Question {
    fn head(&self) -> Map<String, Value> {
        let structure = &self.structure;
        let mut fields = Map::new();
        fields.insert("players".to_owned(), json!(structure.players()));
        fields.insert("cap".to_owned(), json!(structure.cap()));
        fields.insert("order".to_owned(), json!(self.order.name()));
        fields.insert("seat".to_owned(), json!(structure.number_in(self.seat, self.order)));
        fields.insert("position".to_owned(), json!(structure.position_name(self.seat)));
        fields.insert("fold_when_free".to_owned(), json!(structure.fold_when_free()));
        fields
    }

    /// Computes the number of reduced strategies, checks it against residues found another way, and writes its digits
    /// to `out`.
    ///
    /// # Errors
    /// [`CountError`]; nothing is written unless the number was computed.
    pub fn count(
        &self,
        max_digits: u64,
        out: &mut dyn Write,
    ) -> Result<Map<String, Value>, CountError> {
        let program = self.structure.strategies(self.seat);
        let known = estimate(&program).ok_or(CountError::Unknown)?;
        if known.digits > u128::from(max_digits) {
            return Err(CountError::TooLong { digits: known.digits, max_digits });
        }
        let number = checked(&program)?;
        let digest = Digest::while_writing(&number, out)?;
        let shown = (digest.digits <= MAX_SHOWN_DIGITS).then(|| number.to_string());
        let mut fields = self.head();
        fields.insert("strategies".to_owned(), json!(shown));
        fields.insert("digits".to_owned(), json!(digest.digits.to_string()));
        fields.insert("log10".to_owned(), json!(known.log10));
        fields.insert("first20".to_owned(), json!(digest.first20));
        fields.insert("last20".to_owned(), json!(digest.last20));
        fields.insert("sha256".to_owned(), json!(digest.sha256_hex()));
        fields.insert("unreduced".to_owned(), json!(self.unreduced()));
        Ok(fields)
    }

    /// A choice at every own decision, as powers of primes.
    fn unreduced(&self) -> String {
        let counts = self.structure.counts(self.seat);
        let powers = [(2, counts.own_2), (3, counts.own_3)].into_iter();
        let powers = powers.filter(|(_, exponent)| *exponent > 0);
        let powers: Vec<_> =
            powers.map(|(prime, exponent)| format!("{prime}^{exponent}")).collect();
        if powers.is_empty() { "1".to_owned() } else { powers.join(" * ") }
    }

    /// Everything that is known without computing the number.
    ///
    /// # Errors
    /// [`CountError::Unknown`].
    pub fn size(&self) -> Result<Map<String, Value>, CountError> {
        let program = self.structure.strategies(self.seat);
        let Estimate { digits, first20, log10 } = estimate(&program).ok_or(CountError::Unknown)?;
        let width = usize::try_from(digits).unwrap_or(usize::MAX).min(20);
        let counts = self.structure.counts(self.seat);
        let (distinct, factors) = self.structure.first_decisions(self.seat);
        let mut fields = self.head();
        fields.insert("digits".to_owned(), json!(digits.to_string()));
        fields.insert("log10".to_owned(), json!(log10));
        fields.insert("first20".to_owned(), json!(first20));
        fields.insert("last20".to_owned(), json!(format!("{:0width$}", last_twenty(&program))));
        fields.insert("estimated_bytes".to_owned(), json!((digits as f64 * BYTES_A_DIGIT) as u64));
        fields.insert(
            "estimated_seconds".to_owned(),
            json!((digits as f64 * SECONDS_A_DIGIT * 1e3).round() / 1e3),
        );
        fields.insert("program_lines".to_owned(), json!(program.nodes().len()));
        fields.insert("unreduced".to_owned(), json!(self.unreduced()));
        for (name, count) in [
            ("decisions_1", counts.decisions_1),
            ("decisions_2", counts.decisions_2),
            ("decisions_3", counts.decisions_3),
            ("terminals", counts.terminals),
            ("own_decisions_2", counts.own_2),
            ("own_decisions_3", counts.own_3),
            ("first_decisions", distinct.into()),
            ("first_decisions_total", factors),
        ] {
            fields.insert(name.to_owned(), json!(count.to_string()));
        }
        fields.insert("depth".to_owned(), json!(counts.depth));
        Ok(fields)
    }
}

/// Sizes of a structure: totals, `rounds` and `players`. Strategies are given by their logarithm, and whole where they
/// are short; of no-limit games only the unreduced ones are counted.
#[must_use]
pub fn tree(structure: &Structure, hands: &Hands) -> Map<String, Value> {
    let counts = structure.count();
    let totals = Totals::new(structure, &counts, hands);
    let sum = |numbers: &[Decimal]| {
        let mut sum = Decimal::zero();
        numbers.iter().for_each(|number| sum.add_assign(number));
        json!(sum.to_string())
    };
    let text = |number: &Decimal| json!(number.to_string());
    let mut fields = Map::new();
    fields.insert("depth".to_owned(), json!(counts.depth));
    fields.insert("states".to_owned(), text(&totals.states));
    fields.insert("terminals".to_owned(), text(&totals.terminals));
    fields.insert("information_sets".to_owned(), sum(&totals.information_sets));
    fields.insert("infoset_actions".to_owned(), sum(&totals.infoset_actions));
    let rounds = counts.rounds.iter().zip(&totals.rounds).enumerate();
    let rounds = rounds.map(|(index, (counts, totals))| {
        json!({
            "round": index + 1,
            "decisions": sum(&totals.decisions),
            "folds": text(&counts.folds),
            "continuations": text(&counts.continuations),
            "showdowns": text(&counts.showdowns),
            "hands": text(&totals.hands),
            "deals": text(&totals.deals),
            "information_sets": sum(&totals.information_sets),
            "infoset_actions": sum(&totals.infoset_actions),
            "states": text(&totals.states),
            "terminals": text(&totals.terminals),
        })
    });
    fields.insert("rounds".to_owned(), rounds.collect());
    let players = (0..structure.players()).map(|player| {
        let reduced = structure.strategies(player);
        let known = reduced.as_ref().and_then(estimate);
        let short = known.as_ref().is_some_and(|known| known.digits <= u128::from(MAX_TREE_DIGITS));
        let whole = reduced.filter(|_| short).map(|program| exact(&program).to_string());
        json!({
            "player": player + 1,
            "position": structure.positions()[player],
            "decisions": sum(&totals.rounds.iter().map(|r| r.decisions[player].clone()).collect::<Vec<_>>()),
            "information_sets": text(&totals.information_sets[player]),
            "infoset_actions": text(&totals.infoset_actions[player]),
            "reduced": whole,
            "reduced_log10": known.map(|known| known.log10),
            "unreduced": unreduced(&counts, structure.cards(), hands, player).to_string(),
        })
    });
    fields.insert("players".to_owned(), players.collect());
    fields
}
