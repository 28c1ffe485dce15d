//! What is said of a number that is too long to show.

use std::io::{self, Write};

use sha2::{Digest as _, Sha256};

use crate::decimal::Decimal;

/// Digits shown of each end.
pub const END_DIGITS: usize = 20;

/// Length, ends and SHA-256 of a number's decimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// Number of decimal digits.
    pub digits: u64,
    /// The first 20 digits, or all.
    pub first20: String,
    /// The last 20 digits, leading zeros among them, or all.
    pub last20: String,
    /// SHA-256 of the digits as ASCII, without a line end.
    pub sha256: [u8; 32],
}

impl Digest {
    /// Of a number.
    #[must_use]
    pub fn of(number: &Decimal) -> Self {
        Self::while_writing(number, &mut io::sink()).expect("a sink takes everything")
    }

    /// Of a number whose digits are written to `out` at the same time.
    ///
    /// # Errors
    /// Any error of `out`.
    pub fn while_writing(number: &Decimal, out: &mut dyn Write) -> io::Result<Self> {
        let mut hashing = Hashing { out, hash: Sha256::new() };
        number.write_digits(&mut hashing)?;
        Ok(Self {
            digits: number.digits(),
            first20: number.first_digits(END_DIGITS),
            last20: number.last_digits(END_DIGITS),
            sha256: hashing.hash.finalize().into(),
        })
    }

    /// The hash in hexadecimal digits.
    #[must_use]
    pub fn sha256_hex(&self) -> String {
        hex(&self.sha256)
    }
}

/// Bytes as hexadecimal digits.
#[must_use]
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

struct Hashing<'a> {
    out: &'a mut dyn Write,
    hash: Sha256,
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write_all(bytes)?;
        self.hash.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
