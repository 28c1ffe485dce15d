//! Head and trailer of a file of records.

use super::{FieldReader, FieldWriter, checksum_holds, write_checksum};

/// Bytes of a [`SegmentHeader`].
pub const SEGMENT_HEADER_BYTES: usize = 64;
/// Bytes of a [`SegmentTrailer`].
pub const SEGMENT_TRAILER_BYTES: usize = 64;
/// Version of the file format.
pub const SEGMENT_VERSION: u32 = 1;

const HEADER_MAGIC: [u8; 8] = *b"\xF5deckseg";
const TRAILER_MAGIC: [u8; 8] = *b"\xF5deckend";

/// The first 64 bytes of a file of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentHeader {
    /// The store it belongs to.
    pub store_id: [u8; 16],
    /// Number of the file within its store, from 1.
    pub segment: u32,
}

/// The last 64 bytes of a sealed file: where its seal record lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentTrailer {
    /// Offset of the seal record's header, in bytes from the start of the file.
    pub seal_offset: u64,
}

/// Why 64 bytes are not the head of a file of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SegmentHeaderError {
    /// Magic, reserved bytes or checksum are wrong.
    #[error("the file header is damaged")]
    Damaged,
    /// Intact, but written by another version.
    #[error("the file has format version {0}, this program reads {SEGMENT_VERSION}")]
    Version(u32),
}

impl SegmentHeader {
    /// The 64 bytes of the header.
    #[must_use]
    pub fn encode(&self) -> [u8; SEGMENT_HEADER_BYTES] {
        let mut bytes = [0; SEGMENT_HEADER_BYTES];
        let mut fields = FieldWriter::new(&mut bytes);
        fields.put(&HEADER_MAGIC);
        fields.put(&SEGMENT_VERSION.to_le_bytes());
        fields.put(&self.segment.to_le_bytes());
        fields.put(&self.store_id);
        write_checksum(&mut bytes);
        bytes
    }

    /// Reads a header back.
    ///
    /// # Errors
    /// [`SegmentHeaderError`] unless every byte is as [`SegmentHeader::encode`] writes it.
    pub fn decode(bytes: &[u8; SEGMENT_HEADER_BYTES]) -> Result<Self, SegmentHeaderError> {
        let mut fields = FieldReader::new(bytes);
        if fields.take() != HEADER_MAGIC || !checksum_holds(bytes) {
            return Err(SegmentHeaderError::Damaged);
        }
        let version = fields.u32();
        if version != SEGMENT_VERSION {
            return Err(SegmentHeaderError::Version(version));
        }
        let segment = fields.u32();
        let store_id = fields.take();
        Ok(Self { store_id, segment })
    }
}

impl SegmentTrailer {
    /// The 64 bytes of the trailer.
    #[must_use]
    pub fn encode(&self) -> [u8; SEGMENT_TRAILER_BYTES] {
        let mut bytes = [0; SEGMENT_TRAILER_BYTES];
        let mut fields = FieldWriter::new(&mut bytes);
        fields.put(&TRAILER_MAGIC);
        fields.put(&self.seal_offset.to_le_bytes());
        write_checksum(&mut bytes);
        bytes
    }

    /// Reads a trailer back; `None` if these bytes are not one.
    #[must_use]
    pub fn decode(bytes: &[u8; SEGMENT_TRAILER_BYTES]) -> Option<Self> {
        let mut fields = FieldReader::new(bytes);
        if fields.take() != TRAILER_MAGIC || !checksum_holds(bytes) {
            return None;
        }
        Some(Self { seal_offset: fields.u64() })
    }
}
