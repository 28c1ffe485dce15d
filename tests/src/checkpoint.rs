//! What a data folder holds, read from its segments by the format alone: no lock, no index, no repair.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fulldeck_job::Digest;
use fulldeck_job::record::{Found, Kind, SEGMENT_HEADER_BYTES, Scanner, SegmentHeader};

/// Digests of the results of each slice, by run and slice, in the order they were written.
pub type Results = BTreeMap<(u32, u32), Vec<Digest>>;

/// A record of a segment.
#[derive(Clone, Debug)]
pub struct Place {
    /// The segment.
    pub segment: PathBuf,
    /// Where the record starts.
    pub offset: u64,
    /// Length of its payload.
    pub payload_bytes: u32,
    /// Run and slice.
    pub slice: (u32, u32),
    /// Digest of the decoded payload.
    pub digest: Digest,
}

/// Every whole result, in the order they were written; none if there are no segments yet.
///
/// # Panics
/// If a segment cannot be read, or has anything behind damage.
#[must_use]
pub fn places(data: &Path) -> Vec<Place> {
    let mut segments: Vec<_> = fs::read_dir(data.join("segments"))
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry of segments").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "seg"))
        .collect();
    segments.sort();
    segments.iter().flat_map(|segment| results_of(segment)).collect()
}

/// Every whole result of every slice.
///
/// # Panics
/// As [`places`].
#[must_use]
pub fn results(data: &Path) -> Results {
    let mut results = Results::new();
    for place in places(data) {
        results.entry(place.slice).or_default().push(place.digest);
    }
    results
}

/// Asserts that nothing of `before` is gone and that no slice has two results.
///
/// # Panics
/// If that is not so.
#[track_caller]
pub fn assert_kept(before: &Results, after: &Results) {
    for (slice, digests) in before {
        assert_eq!(after.get(slice), Some(digests), "slice {slice:?} was committed");
    }
    for (slice, digests) in after {
        assert_eq!(digests.len(), 1, "slice {slice:?} was committed more than once: {digests:?}");
    }
}

fn results_of(segment: &Path) -> Vec<Place> {
    let bytes = fs::read(segment).expect("a segment");
    let header = bytes.first_chunk::<SEGMENT_HEADER_BYTES>().expect("a segment's header");
    let header = SegmentHeader::decode(header).expect("a segment's header");
    let mut scanner = Scanner::new(&bytes[..], bytes.len() as u64, header);
    let mut found = Vec::new();
    let mut torn = None;
    while let Some(step) = scanner.step().expect("bytes in memory") {
        match step {
            Found::Record(record) => {
                assert_eq!(torn, None, "{} has records behind damage", segment.display());
                if record.kind == Kind::Result {
                    found.push(Place {
                        segment: segment.to_owned(),
                        offset: record.offset,
                        payload_bytes: record.stored_bytes,
                        slice: (record.run, record.slice),
                        digest: record.digest,
                    });
                }
            }
            // A kill may tear the end: that was never acknowledged.
            other => torn = Some(other),
        }
    }
    found
}
