//! Walks the records of a file and steps over damage to the next valid header.

use std::io;

use super::{
    ALIGNMENT, HeaderError, RECORD_HEADER_BYTES, RecordHeader, SEGMENT_HEADER_BYTES, SegmentHeader,
    framed_bytes,
};

/// Bytes read at once when looking for the next header and when checking payloads; a multiple of [`ALIGNMENT`].
const WINDOW_BYTES: usize = 1 << 20;

/// Bytes that can be read at any position.
pub trait Source {
    /// Fills `bytes` from `offset`.
    ///
    /// # Errors
    /// Any error of the medium; `UnexpectedEof` beyond the end.
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;
}

impl Source for [u8] {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        let start = usize::try_from(offset).map_err(|_| io::ErrorKind::UnexpectedEof)?;
        let end = start.checked_add(bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        bytes.copy_from_slice(self.get(start..end).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

#[cfg(unix)]
impl Source for std::fs::File {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, bytes, offset)
    }
}

/// What lies at a place of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A record whose header and payload are as written.
    Record(RecordHeader),
    /// A record whose header is as written, but whose payload is not.
    BadPayload(RecordHeader),
    /// Bytes that belong to no readable record.
    Damage {
        /// Where they start.
        offset: u64,
        /// How many there are.
        bytes: u64,
    },
    /// An intact header of a version, kind or codec this program does not know.
    Unsupported {
        /// Where it lies.
        offset: u64,
        /// What it says.
        error: HeaderError,
    },
}

/// Yields every record of a file in order, and every stretch of damage between them.
pub struct Scanner<'a, S: Source + ?Sized> {
    source: &'a S,
    length: u64,
    identity: SegmentHeader,
    position: u64,
}

impl<'a, S: Source + ?Sized> Scanner<'a, S> {
    /// A scan of the first `length` bytes of `source`, which is the file that `identity` names; records that
    /// say they belong elsewhere count as damage.
    pub fn new(source: &'a S, length: u64, identity: SegmentHeader) -> Self {
        Self { source, length, identity, position: SEGMENT_HEADER_BYTES as u64 }
    }

    /// The next finding; `None` at the end of the file.
    ///
    /// # Errors
    /// Any error of the medium.
    pub fn step(&mut self) -> io::Result<Option<Found>> {
        let offset = self.position;
        if offset >= self.length {
            return Ok(None);
        }
        match self.header_at(offset)? {
            Ok(header) => {
                self.position = offset + framed_bytes(header.stored_bytes as usize);
                let intact = self.payload_holds(&header)?;
                Ok(Some(if intact { Found::Record(header) } else { Found::BadPayload(header) }))
            }
            Err(error @ HeaderError::Unsupported { .. }) => {
                self.position = self.next_header(offset + ALIGNMENT as u64)?;
                Ok(Some(Found::Unsupported { offset, error }))
            }
            Err(HeaderError::Damaged) => {
                self.position = self.next_header(offset + ALIGNMENT as u64)?;
                Ok(Some(Found::Damage { offset, bytes: self.position - offset }))
            }
        }
    }

    fn header_at(&self, offset: u64) -> io::Result<Result<RecordHeader, HeaderError>> {
        if offset + RECORD_HEADER_BYTES as u64 > self.length {
            return Ok(Err(HeaderError::Damaged));
        }
        let mut bytes = [0; RECORD_HEADER_BYTES];
        self.source.read_at(&mut bytes, offset)?;
        Ok(RecordHeader::decode(&bytes).and_then(|header| {
            let belongs = header.offset == offset
                && header.segment == self.identity.segment
                && header.token.store_id == self.identity.store_id;
            let end = offset + framed_bytes(header.stored_bytes as usize);
            if belongs && end <= self.length { Ok(header) } else { Err(HeaderError::Damaged) }
        }))
    }

    fn payload_holds(&self, header: &RecordHeader) -> io::Result<bool> {
        let mut window = vec![0; WINDOW_BYTES.min(header.stored_bytes as usize)];
        let mut offset = header.offset + RECORD_HEADER_BYTES as u64;
        let mut left = header.stored_bytes as usize;
        let mut checksum = 0;
        while left > 0 {
            let piece = &mut window[..left.min(WINDOW_BYTES)];
            self.source.read_at(piece, offset)?;
            checksum = crc32c::crc32c_append(checksum, piece);
            offset += piece.len() as u64;
            left -= piece.len();
        }
        Ok(checksum == header.payload_crc)
    }

    /// The first place at or after `from` where a header is readable, or the end of the file.
    fn next_header(&self, from: u64) -> io::Result<u64> {
        let mut window = vec![0; WINDOW_BYTES];
        let mut start = from;
        while start + RECORD_HEADER_BYTES as u64 <= self.length {
            let bytes = usize::try_from(self.length - start).unwrap_or(usize::MAX);
            let piece = &mut window[..bytes.min(WINDOW_BYTES)];
            self.source.read_at(piece, start)?;
            for at in (0..piece.len()).step_by(ALIGNMENT) {
                // Only a place that starts like a header is worth a second read.
                if piece[at..].starts_with(&super::header::MAGIC) {
                    let offset = start + at as u64;
                    if !matches!(self.header_at(offset)?, Err(HeaderError::Damaged)) {
                        return Ok(offset);
                    }
                }
            }
            start += piece.len() as u64;
        }
        Ok(self.length)
    }
}
