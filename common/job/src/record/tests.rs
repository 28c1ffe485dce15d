use proptest::prelude::*;

use super::*;
use crate::{Digest, Fingerprint, MAX_RESULT_BYTES};

const STORE: [u8; 16] = *b"0123456789abcdef";

fn identity() -> SegmentHeader {
    SegmentHeader { store_id: STORE, segment: 7 }
}

fn header(offset: u64, slice: u32, raw: &[u8], codec: Codec, stored: &[u8]) -> RecordHeader {
    RecordHeader {
        kind: Kind::Result,
        codec,
        run: 1,
        fingerprint: Fingerprint([2; 32]),
        job: 3,
        slice,
        first_row: 5,
        rows: 6,
        elements: 7,
        raw_bytes: raw.len() as u64,
        stored_bytes: stored.len() as u32,
        payload_crc: crc32c::crc32c(stored),
        digest: Digest::of(raw),
        commit: 8,
        token: Token { store_id: STORE, epoch: 9, start_id: 10, sequence: 11 },
        host: 12,
        compute_ms: 13,
        cost: 14,
        segment: 7,
        offset,
    }
}

/// A file with one record per payload, and the offsets of the records.
fn file_of(payloads: &[Vec<u8>]) -> (Vec<u8>, Vec<u64>) {
    let mut file = identity().encode().to_vec();
    let mut offsets = Vec::new();
    for (slice, raw) in payloads.iter().enumerate() {
        let (codec, stored) = encode_payload(raw, Codec::Zstd);
        offsets.push(file.len() as u64);
        let header = header(file.len() as u64, slice as u32, raw, codec, &stored);
        file.extend_from_slice(&header.encode());
        file.extend_from_slice(&stored);
        file.resize(file.len() + padding(stored.len()), 0);
    }
    (file, offsets)
}

fn scan(file: &[u8]) -> Vec<Found> {
    let mut scanner = Scanner::new(file, file.len() as u64, identity());
    std::iter::from_fn(|| scanner.step().expect("memory is readable")).collect()
}

/// Slices and raw payloads that a reader would believe.
fn believed(file: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let record = |header: RecordHeader| {
        let start = header.offset as usize + RECORD_HEADER_BYTES;
        let stored = &file[start..start + header.stored_bytes as usize];
        let raw = decode_payload(header.codec, stored, header.raw_bytes, MAX_RESULT_BYTES).unwrap();
        assert_eq!(Digest::of(&raw), header.digest);
        (header.slice, raw)
    };
    scan(file)
        .into_iter()
        .filter_map(|found| match found {
            Found::Record(header) => Some(record(header)),
            _ => None,
        })
        .collect()
}

fn payloads() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let payload = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        (any::<u8>(), 0usize..4000).prop_map(|(byte, length)| vec![byte; length]),
    ];
    prop::collection::vec(payload, 1..6)
}

#[test]
fn the_bytes_of_the_format_never_change() {
    let (file, _) = file_of(&[b"fulldeck".to_vec()]);
    let trailer = SegmentTrailer { seal_offset: 0x1122 }.encode();
    let hex: String = file.iter().chain(&trailer).map(|byte| format!("{byte:02x}")).collect();
    let lines: Vec<_> =
        hex.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    assert_eq!(lines, include_str!("golden.hex").lines().collect::<Vec<_>>());
}

#[test]
fn a_header_reads_back_and_any_flipped_bit_is_noticed() {
    let header = header(64, 4, b"raw", Codec::Raw, b"raw");
    let bytes = header.encode();
    assert_eq!(RecordHeader::decode(&bytes), Ok(header));
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes;
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(RecordHeader::decode(&damaged), Err(HeaderError::Damaged), "bit {bit}");
    }
}

#[test]
fn file_header_and_trailer_read_back_and_any_flipped_bit_is_noticed() {
    let (head, trailer) = (identity().encode(), SegmentTrailer { seal_offset: 320 }.encode());
    assert_eq!(SegmentHeader::decode(&head), Ok(identity()));
    assert_eq!(SegmentTrailer::decode(&trailer), Some(SegmentTrailer { seal_offset: 320 }));
    for bit in 0..64 * 8 {
        let flip = |mut bytes: [u8; 64]| {
            bytes[bit / 8] ^= 1 << (bit % 8);
            bytes
        };
        assert_eq!(SegmentHeader::decode(&flip(head)), Err(SegmentHeaderError::Damaged));
        assert_eq!(SegmentTrailer::decode(&flip(trailer)), None);
    }
}

#[test]
fn another_version_is_named_and_not_taken_for_damage() {
    let mut bytes = header(64, 0, b"", Codec::Raw, b"").encode();
    bytes[10] = 2;
    write_checksum(&mut bytes);
    let expected = HeaderError::Unsupported { version: 2, kind: 2, codec: 1 };
    assert_eq!(RecordHeader::decode(&bytes), Err(expected));
    let mut file = identity().encode().to_vec();
    file.extend_from_slice(&bytes);
    assert_eq!(scan(&file), [Found::Unsupported { offset: 64, error: expected }]);

    let mut head = identity().encode();
    head[8] = 9;
    write_checksum(&mut head);
    assert_eq!(SegmentHeader::decode(&head), Err(SegmentHeaderError::Version(9)));
}

#[test]
fn impossible_lengths_are_refused_before_anything_is_allocated() {
    let mut huge = header(64, 0, b"", Codec::Raw, b"");
    huge.raw_bytes = MAX_RESULT_BYTES as u64 + 1;
    assert_eq!(RecordHeader::decode(&huge.encode()), Err(HeaderError::Damaged));
    huge.raw_bytes = 3;
    huge.stored_bytes = 4;
    assert_eq!(RecordHeader::decode(&huge.encode()), Err(HeaderError::Damaged));
    assert!(matches!(
        decode_payload(Codec::Zstd, b"", u64::MAX, 10),
        Err(PayloadError::TooLarge { raw_bytes: u64::MAX, limit: 10 })
    ));
}

#[test]
fn a_payload_of_another_length_than_announced_is_refused() {
    let (codec, stored) = encode_payload(&[1; 1000], Codec::Zstd);
    assert_eq!(codec, Codec::Zstd);
    for announced in [0, 999, 1001] {
        assert!(decode_payload(codec, &stored, announced, 2000).is_err(), "{announced}");
    }
    assert!(matches!(
        decode_payload(Codec::Raw, b"ab", 3, 10),
        Err(PayloadError::Length { found: 2, expected: 3 })
    ));
}

#[test]
fn what_does_not_shrink_stays_raw() {
    let noise = Digest::of(b"noise").0;
    assert_eq!(encode_payload(&noise, Codec::Zstd), (Codec::Raw, noise.to_vec()));
    assert_eq!(encode_payload(&[0; 99], Codec::Raw).0, Codec::Raw);
}

#[test]
fn a_record_copied_elsewhere_is_not_believed() {
    let (file, offsets) = file_of(&[vec![1; 50], vec![2; 70]]);
    let copy = file[offsets[1] as usize..].to_vec();
    let mut forged = file.clone();
    forged.extend_from_slice(&copy);
    assert_eq!(believed(&forged), believed(&file));
    // As the payload of another record whose header is then destroyed: still not a record of this file.
    let (mut nested, _) = file_of(&[copy]);
    nested[70] ^= 1;
    assert_eq!(believed(&nested), []);
    let other = SegmentHeader { segment: 8, ..identity() };
    let mut scanner = Scanner::new(&file[..], file.len() as u64, other);
    assert!(matches!(scanner.step(), Ok(Some(Found::Damage { offset: 64, .. }))));
    assert_eq!(scanner.step().unwrap(), None);
}

#[test]
fn the_scan_finds_the_next_record_far_behind_damage() {
    let noise: Vec<u8> = (0u32..100_000).flat_map(|n| Digest::of(&n.to_le_bytes()).0).collect();
    let (mut file, offsets) = file_of(&[noise, vec![5; 9]]);
    file[100] ^= 1;
    let found = scan(&file);
    assert_eq!(found[0], Found::Damage { offset: 64, bytes: offsets[1] - 64 });
    assert!(matches!(&found[1..], [Found::Record(header)] if header.slice == 1));
}

proptest! {
    #[test]
    fn what_was_written_is_found(payloads in payloads()) {
        let (file, _) = file_of(&payloads);
        let expected: Vec<_> =
            payloads.into_iter().enumerate().map(|(slice, raw)| (slice as u32, raw)).collect();
        prop_assert_eq!(believed(&file), expected);
        prop_assert!(scan(&file).iter().all(|found| matches!(found, Found::Record(_))));
    }

    #[test]
    fn a_cut_file_loses_only_its_end(payloads in payloads(), cut in any::<prop::sample::Index>()) {
        let (file, offsets) = file_of(&payloads);
        let length = cut.index(file.len() + 1);
        let whole: Vec<_> = payloads
            .into_iter()
            .enumerate()
            .filter(|(slice, _)| *offsets.get(slice + 1).unwrap_or(&(file.len() as u64)) <= length as u64)
            .map(|(slice, raw)| (slice as u32, raw))
            .collect();
        prop_assert_eq!(believed(&file[..length]), whole);
    }

    #[test]
    fn damage_loses_only_the_records_it_touches(
        payloads in payloads(),
        at in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 1..200),
    ) {
        let (mut file, offsets) = file_of(&payloads);
        let records = &mut file[SEGMENT_HEADER_BYTES..];
        let first = at.index(records.len());
        let last = (first + noise.len()).min(records.len());
        records[first..last].copy_from_slice(&noise[..last - first]);
        let damaged = (first + SEGMENT_HEADER_BYTES) as u64..(last + SEGMENT_HEADER_BYTES) as u64;
        let found = believed(&file);
        for (slice, raw) in payloads.into_iter().enumerate() {
            let end = *offsets.get(slice + 1).unwrap_or(&(file.len() as u64));
            let touched = offsets[slice] < damaged.end && damaged.start < end;
            let record = (slice as u32, raw);
            // Noise may hit padding only, or equal what was there: then the record is still whole.
            prop_assert!(touched || found.contains(&record));
            prop_assert!(found.iter().all(|(other, raw)| *other != record.0 || *raw == record.1));
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert_eq!(believed(&bytes), []);
        let _ = decode_payload(Codec::Zstd, &bytes, 500, 1000);
    }
}
