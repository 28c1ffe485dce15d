//! Reading numbers of payloads, and refusing payloads.

use std::io;

use fulldeck_job::{CheckError, Slice};

/// Refuses a payload of another length than planned.
pub(super) fn check_length(slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
    if payload.len() as u64 == slice.raw_bytes {
        return Ok(());
    }
    let (found, planned) = (payload.len(), slice.raw_bytes);
    Err(CheckError(format!("{found} bytes where the slice has {planned}")))
}

/// Numbers of eight bytes, little endian.
pub(super) fn words(payload: &[u8]) -> impl ExactSizeIterator<Item = u64> + Clone {
    payload.chunks_exact(8).map(|eight| u64::from_le_bytes(eight.try_into().expect("eight bytes")))
}

/// Numbers of two bytes, little endian.
pub(super) fn halves(payload: &[u8]) -> impl ExactSizeIterator<Item = u16> + Clone {
    payload.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]]))
}

/// A payload of eight-byte numbers.
pub(super) fn of_words(words: impl IntoIterator<Item = u64>) -> Vec<u8> {
    words.into_iter().flat_map(u64::to_le_bytes).collect()
}

/// Data that cannot be right.
pub(super) fn invalid(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}
