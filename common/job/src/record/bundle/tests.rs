use proptest::prelude::*;

use super::*;
use crate::record::{Codec, SEGMENT_TRAILER_BYTES, encode_payload};
use crate::{JobIndex, Shard, Slice, SliceId};

fn header() -> BundleHeader {
    BundleHeader {
        workload: "toy".into(),
        algorithm_version: 3,
        parameters: "a=1\nb=two\n".into(),
        slice_target: 0,
        fingerprint: Fingerprint([2; 32]),
        plan_digest: Digest([7; 32]),
        shard: Shard::new(1, 4).unwrap(),
    }
}

fn slice(id: u32, raw: &[u8]) -> Slice {
    Slice {
        id: SliceId(id),
        job: JobIndex(5),
        first_row: 6 * id,
        rows: 6,
        elements: 9,
        raw_bytes: raw.len() as u64,
        cost: 11,
        batch: 0,
    }
}

fn append(encoder: &mut BundleEncoder, bytes: &mut Vec<u8>, id: u32, raw: &[u8]) {
    let (codec, stored) = encode_payload(raw, Codec::Zstd);
    let (slice, digest) = (slice(id, raw), Digest::of(raw));
    let result =
        BundledResult { slice: &slice, digest, codec, stored: &stored, compute_ms: 12, host: 13 };
    bytes.extend(encoder.result(&result));
    assert_eq!(bytes.len() as u64, encoder.length());
}

/// A bundle of these results; whether it is sealed.
fn file_of(results: &[Vec<u8>], sealed: bool) -> Vec<u8> {
    let (mut encoder, mut bytes) = BundleEncoder::begin(&header(), 2);
    for (id, raw) in results.iter().enumerate() {
        append(&mut encoder, &mut bytes, id as u32, raw);
    }
    if sealed {
        bytes.extend(encoder.seal());
    }
    bytes
}

fn read(bytes: &[u8]) -> Bundle {
    Bundle::read(bytes, bytes.len() as u64).unwrap()
}

fn slices(bundle: &Bundle) -> Vec<u32> {
    bundle.results.iter().map(|result| result.slice).collect()
}

fn results() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..6)
}

#[test]
fn the_bytes_of_the_format_never_change() {
    let file = file_of(&[b"fulldeck".to_vec()], true);
    let hex: String = file.iter().map(|byte| format!("{byte:02x}")).collect();
    let lines: Vec<_> =
        hex.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    assert_eq!(lines, include_str!("golden.hex").lines().collect::<Vec<_>>());
}

#[test]
fn the_text_reads_back_and_names_the_line_that_is_wrong() {
    let text = header().text();
    assert_eq!(BundleHeader::parse(&text).unwrap(), header());
    for word in ["workload", "algorithm", "slices", "fingerprint", "plan", "shard"] {
        let odd = text.replacen(word, "nothing", 1);
        let error = BundleHeader::parse(&odd).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
    assert!(BundleHeader::parse("").is_err());
}

#[test]
fn damage_is_named_by_slice_when_there_is_a_seal() {
    let mut file = file_of(&[vec![1; 50], b"noise".repeat(30), vec![3; 70]], true);
    let bundle = read(&file);
    assert_eq!((slices(&bundle), bundle.sealed), (vec![0, 1, 2], true));
    let second = bundle.results[1].offset as usize;
    file[second] ^= 1;
    let bundle = read(&file);
    assert_eq!(slices(&bundle), [0, 2]);
    assert_eq!(bundle.damage[0].slices, [1]);
    file[second] ^= 1;
    file[second + 256] ^= 1;
    let bundle = read(&file);
    assert_eq!((slices(&bundle), &bundle.damage[0].slices), (vec![0, 2], &vec![1]));
    assert_eq!(bundle.damage[0].what, "the payload is damaged");
}

#[test]
fn results_of_another_run_are_not_believed() {
    let file = file_of(&[vec![1; 50]], false);
    let other = BundleHeader { fingerprint: Fingerprint([3; 32]), ..header() };
    let (_, mut forged) = BundleEncoder::begin(&other, 2);
    let beginning = read(&file).results[0].offset as usize;
    assert_eq!(forged.len(), beginning);
    forged.extend_from_slice(&file[beginning..]);
    assert_eq!(slices(&read(&forged)), [0; 0]);
    // The same records with another head.
    let mut mixed = file.clone();
    mixed[..beginning].copy_from_slice(&forged[..beginning]);
    assert_eq!(slices(&read(&mixed)), [0; 0]);
}

#[test]
fn what_is_no_bundle_is_refused_in_words() {
    let length = |bytes: &[u8]| bytes.len() as u64;
    for bytes in [&b""[..], &[7; 1000]] {
        assert!(matches!(Bundle::read(bytes, length(bytes)), Err(BundleError::Head)));
    }
    let mut file = file_of(&[], true);
    file[400] ^= 1;
    assert!(matches!(Bundle::read(&file[..], length(&file)), Err(BundleError::Run)));
}

proptest! {
    #[test]
    fn what_was_written_is_found_and_glanced_at(results in results(), sealed: bool) {
        let file = file_of(&results, sealed);
        let bundle = read(&file);
        prop_assert_eq!(slices(&bundle), (0..results.len() as u32).collect::<Vec<_>>());
        prop_assert_eq!((bundle.sealed, &bundle.damage[..]), (sealed, &[][..]));
        let (seen, entries) = Bundle::glance(&file[..], file.len() as u64).unwrap();
        prop_assert_eq!(seen, header());
        prop_assert_eq!(entries.map(|entries| entries.len()), sealed.then_some(results.len()));
    }

    #[test]
    fn a_torn_file_goes_on_as_if_nothing_had_happened(
        results in results(),
        cut in any::<prop::sample::Index>(),
    ) {
        let file = file_of(&results, false);
        let beginning = file_of(&[], false).len();
        let length = beginning + cut.index(file.len() - beginning + 1);
        let torn = read(&file[..length]);
        prop_assert_eq!(&torn.damage[..], &[][..]);
        let mut encoder = torn.resume();
        let mut bytes = file[..encoder.length() as usize].to_vec();
        for (id, raw) in results.iter().enumerate().skip(encoder.results()) {
            append(&mut encoder, &mut bytes, id as u32, raw);
        }
        bytes.extend(encoder.seal());
        prop_assert_eq!(bytes, file_of(&results, true));
    }

    #[test]
    fn damage_never_invents_and_loses_only_what_it_names(
        results in results(),
        at in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 1..100),
    ) {
        let whole = file_of(&results, true);
        let before = read(&whole);
        let mut file = whole.clone();
        let first = at.index(file.len());
        let last = (first + noise.len()).min(file.len());
        file[first..last].copy_from_slice(&noise[..last - first]);
        if let Ok(after) = Bundle::read(&file[..], file.len() as u64) {
            prop_assert!(after.results.iter().all(|result| before.results.contains(result)));
            let lost = before.results.iter().filter(|result| !after.results.contains(result));
            for result in lost.filter(|_| after.sealed) {
                prop_assert!(after.damage.iter().any(|d| d.slices.contains(&result.slice)));
            }
        } else {
            let beginning = file_of(&[], false).len().max(SEGMENT_TRAILER_BYTES);
            prop_assert!(first < beginning, "only its beginning is needed");
        }
    }
}
