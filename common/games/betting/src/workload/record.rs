//! What a grid keeps of each number: 96 bytes.

use crate::decimal::Decimal;
use crate::digest::{Digest, END_DIGITS, hex};
use crate::preflop::{Preflop, Seat};
use crate::program::{Program, estimate, exact, last_twenty, residue};

/// Bytes of a record.
pub(super) const RECORD_BYTES: usize = 96;
/// The modulus of the residue: a Mersenne prime.
pub(super) const MODULUS: u64 = (1 << 61) - 1;

/// What is known of one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) digits: u128,
    /// Modulo [`MODULUS`].
    pub(super) residue: u64,
    pub(super) first20: String,
    pub(super) last20: String,
    /// Of the digits; `None` for a number that was not computed.
    pub(super) sha256: Option<[u8; 32]>,
}

/// Bytes that are no record.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} of a record is malformed")]
pub(super) struct Malformed(&'static str);

impl Record {
    /// Without computing the number; `None` if its length cannot be proved.
    pub(super) fn outline(program: &Program) -> Option<Self> {
        let known = estimate(program)?;
        let last = last_twenty(program);
        let last20 = match known.digits {
            digits if digits < END_DIGITS as u128 => last.to_string(),
            _ => format!("{last:020}"),
        };
        Some(Self {
            digits: known.digits,
            residue: residue(program, MODULUS),
            first20: known.first20,
            last20,
            sha256: None,
        })
    }

    /// By computing the number; nothing is taken from its outline.
    pub(super) fn of(program: &Program) -> Self {
        Self::of_number(&exact(program))
    }

    pub(super) fn of_number(number: &Decimal) -> Self {
        let digest = Digest::of(number);
        Self {
            digits: digest.digits.into(),
            residue: number.residue(MODULUS),
            first20: digest.first20,
            last20: digest.last20,
            sha256: Some(digest.sha256),
        }
    }

    /// The same without what only the number itself tells.
    pub(super) fn without_hash(&self) -> Self {
        Self { sha256: None, ..self.clone() }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(RECORD_BYTES);
        bytes.extend_from_slice(&self.digits.to_le_bytes());
        bytes.extend_from_slice(&self.residue.to_le_bytes());
        for end in [&self.first20, &self.last20] {
            let mut text = [0; END_DIGITS];
            text[..end.len()].copy_from_slice(end.as_bytes());
            bytes.extend_from_slice(&text);
        }
        bytes.extend_from_slice(&self.sha256.unwrap_or_default());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, Malformed> {
        let bytes: &[u8; RECORD_BYTES] = bytes.try_into().map_err(|_| Malformed("the length"))?;
        let digits = u128::from_le_bytes(bytes[..16].try_into().map_err(|_| Malformed("a field"))?);
        let residue =
            u64::from_le_bytes(bytes[16..24].try_into().map_err(|_| Malformed("a field"))?);
        let shown = usize::try_from(digits).unwrap_or(usize::MAX).min(END_DIGITS);
        let end = |from: usize| {
            let (text, padding) = bytes[from..from + END_DIGITS].split_at(shown);
            let good = text.iter().all(u8::is_ascii_digit) && padding.iter().all(|byte| *byte == 0);
            let text = std::str::from_utf8(text).ok().filter(|_| good && shown > 0);
            text.map(str::to_owned).ok_or(Malformed("an end"))
        };
        let (first20, last20) = (end(24)?, end(44)?);
        let hash: [u8; 32] = bytes[64..].try_into().map_err(|_| Malformed("a field"))?;
        let sha256 = (hash != [0; 32]).then_some(hash);
        Ok(Self { digits, residue, first20, last20, sha256 })
    }

    /// Fields in the order of [`HEADER`].
    pub(super) fn row(&self, structure: &Preflop, seat: Seat) -> Vec<String> {
        vec![
            structure.players().to_string(),
            structure.cap().to_string(),
            seat.0.to_string(),
            structure.position_name(seat),
            self.digits.to_string(),
            self.sha256.map(|hash| hex(&hash)).unwrap_or_default(),
            self.first20.clone(),
            self.last20.clone(),
            self.residue.to_string(),
        ]
    }
}

/// Columns of the table of a grid.
pub(super) const HEADER: [&str; 9] =
    ["players", "cap", "seat", "position", "digits", "sha256", "first20", "last20", "residue"];
