//! Payloads: compressed when that saves anything, and never larger than raw.

use std::io;

/// Level of compression: results are counts that compress well at once; higher levels cost more than they save.
const ZSTD_LEVEL: i32 = 1;

/// How a payload is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Codec {
    /// As it is.
    Raw = 1,
    /// One zstd frame.
    Zstd = 2,
}

impl Codec {
    /// The number in a header.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// From the number in a header.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            1 => Some(Self::Raw),
            2 => Some(Self::Zstd),
            _ => None,
        }
    }
}

/// Why a stored payload cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    /// Larger than the reader allows; nothing was allocated.
    #[error("a payload of {raw_bytes} bytes exceeds the limit of {limit}")]
    TooLarge {
        /// Announced length.
        raw_bytes: u64,
        /// What the reader allows.
        limit: usize,
    },
    /// It decodes to another length than announced.
    #[error("the payload has {found} bytes where {expected} were announced")]
    Length {
        /// Decoded length.
        found: usize,
        /// Announced length.
        expected: usize,
    },
    /// Not a valid frame.
    #[error("the payload does not decompress: {0}")]
    Decompress(#[source] io::Error),
}

/// Encodes `raw` with the wanted codec, falling back to [`Codec::Raw`] when compression does not shrink it.
#[must_use]
pub fn encode_payload(raw: &[u8], codec: Codec) -> (Codec, Vec<u8>) {
    if codec == Codec::Zstd
        && let Ok(compressed) = zstd::bulk::compress(raw, ZSTD_LEVEL)
        && compressed.len() < raw.len()
    {
        return (Codec::Zstd, compressed);
    }
    (Codec::Raw, raw.to_vec())
}

/// Decodes a stored payload that announces `raw_bytes`. Allocates only when that is at most `limit`, and never
/// more than `raw_bytes`.
///
/// # Errors
/// [`PayloadError`] when it is too large, is damaged, or has another length.
pub fn decode_payload(
    codec: Codec,
    stored: &[u8],
    raw_bytes: u64,
    limit: usize,
) -> Result<Vec<u8>, PayloadError> {
    let expected = usize::try_from(raw_bytes)
        .ok()
        .filter(|bytes| *bytes <= limit)
        .ok_or(PayloadError::TooLarge { raw_bytes, limit })?;
    let raw = match codec {
        Codec::Raw if stored.len() == expected => stored.to_vec(),
        Codec::Raw => return Err(PayloadError::Length { found: stored.len(), expected }),
        Codec::Zstd => {
            zstd::bulk::decompress(stored, expected).map_err(PayloadError::Decompress)?
        }
    };
    if raw.len() == expected {
        Ok(raw)
    } else {
        Err(PayloadError::Length { found: raw.len(), expected })
    }
}
