//! Artifacts written, read back, compared and damaged.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use fulldeck_artifact::{ArtifactError, DirectorySink, DirectorySource, Manifest, Provenance};
use fulldeck_job::{
    ArtifactSink, ArtifactSource, Digest, ElementType, ParameterKind, ParameterSpec, Parameters,
    RunSpec,
};
use serde_json::{Value, json};

const PARAMETERS: &[ParameterSpec] = &[ParameterSpec {
    name: "cards",
    summary: "hole cards",
    default: "4",
    kind: ParameterKind::Integer { min: 2, max: 6 },
}];

fn spec() -> RunSpec {
    RunSpec {
        workload: "sample".into(),
        algorithm_version: 3,
        parameters: Parameters::parse::<&str>(PARAMETERS, &[]).unwrap(),
        slice_target: 0,
    }
}

fn provenance(run: u32) -> Provenance {
    Provenance {
        fulldeck_version: "0.0.0".into(),
        run,
        plan_digest: Digest::of(&run.to_le_bytes()),
        slices: 10 + run,
        merged_unix_s: 1_700_000_000 + u64::from(run),
    }
}

/// A 20 x 50 array written in `order` of its rows in small pieces, an array of u64, a table and facts.
fn write(folder: &Path, run: u32, order: impl Iterator<Item = u64>) -> Manifest {
    let mut sink = DirectorySink::create(folder).unwrap();
    let wins = sink.array("wins", ElementType::U32, &[20, 50]).unwrap();
    let totals = sink.array("totals", ElementType::U64, &[3]).unwrap();
    for row in order {
        for half in 0..2u64 {
            let first = row * 50 + half * 25;
            let piece: Vec<u8> =
                (first..first + 25).flat_map(|cell| (cell as u32 * 7).to_le_bytes()).collect();
            sink.write_at(wins, first, &piece).unwrap();
        }
    }
    sink.write_at(totals, 2, &(1u64 << 40).to_le_bytes()).unwrap();
    let rows = [vec!["AAKK".to_owned(), "6".to_owned()]];
    sink.table("clusters", &["hand", "orbit"], &mut rows.into_iter()).unwrap();
    sink.fact("cells", json!(1000));
    sink.fact("biggest", json!(u64::MAX));
    sink.finish(&spec(), provenance(run)).unwrap()
}

#[test]
fn an_array_is_a_npy_file_of_format_one() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("run-1");
    write(&folder, 1, 0..20);
    let bytes = fs::read(folder.join("wins.npy")).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let data = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(data % 64, 0);
    let header = std::str::from_utf8(&bytes[10..data]).unwrap();
    assert!(
        header.starts_with("{'descr': '<u4', 'fortran_order': False, 'shape': (20, 50), }"),
        "{header}"
    );
    let cells: Vec<u32> =
        bytes[data..].chunks(4).map(|cell| u32::from_le_bytes(cell.try_into().unwrap())).collect();
    assert_eq!(cells, (0..1000).map(|cell| cell * 7).collect::<Vec<u32>>());
    let table = fs::read_to_string(folder.join("clusters.csv")).unwrap();
    assert_eq!(table, "hand,orbit\nAAKK,6\n");
    assert!(!home.path().join("run-1.tmp").exists());
}

#[test]
fn equal_runs_are_equal_in_every_byte_but_their_provenance() {
    let home = tempfile::tempdir().unwrap();
    let (one, two) = (home.path().join("one"), home.path().join("two"));
    let first = write(&one, 1, 0..20);
    let second = write(&two, 2, (0..20).rev());
    assert_eq!(first.artifact_digest, second.artifact_digest);
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let there =
        ["clusters.csv", "manifest.json", "totals.npy", "totals.tree", "wins.npy", "wins.tree"];
    assert_eq!(names(&one), there);
    for name in there.iter().filter(|name| **name != "manifest.json") {
        assert_eq!(fs::read(one.join(name)).unwrap(), fs::read(two.join(name)).unwrap(), "{name}");
    }
    let stored = |folder: &Path| -> Value {
        let mut manifest: Value =
            serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
        manifest.as_object_mut().unwrap().remove("provenance").unwrap();
        manifest
    };
    assert_eq!(stored(&one).to_string(), stored(&two).to_string());
    assert_ne!(first.provenance, second.provenance);
}

#[test]
fn another_number_or_fact_gives_another_digest() {
    let home = tempfile::tempdir().unwrap();
    let whole = write(&home.path().join("whole"), 1, 0..20);
    let holed = write(&home.path().join("holed"), 1, 0..19);
    assert_ne!(whole.artifact_digest, holed.artifact_digest);
    let with_fact = |value: u64| {
        let mut sink = DirectorySink::create(&home.path().join("fact")).unwrap();
        sink.fact("cells", json!(value));
        sink.finish(&spec(), provenance(1)).unwrap().artifact_digest
    };
    assert_ne!(with_fact(1), with_fact(2));
}

#[test]
fn an_artifact_reads_back() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("run-1");
    let written = write(&folder, 1, 0..20);
    let source = DirectorySource::open(&folder).unwrap();
    assert_eq!(source.manifest(), &written);
    assert_eq!(source.manifest().canonical_parameters(), spec().parameters.canonical());
    assert_eq!(source.manifest().fingerprint, spec().fingerprint());
    let mut cells = [0; 8];
    source.read_at("wins", 998, &mut cells).unwrap();
    assert_eq!(cells[4..], (999u32 * 7).to_le_bytes());
    let mut total = [0; 8];
    source.read_at("totals", 2, &mut total).unwrap();
    assert_eq!(u64::from_le_bytes(total), 1 << 40);
    assert_eq!(source.fact("biggest"), Some(&json!(u64::MAX)));
    assert_eq!(source.fact("smallest"), None);
    assert_eq!(
        source.read_at("wins", 999, &mut cells).unwrap_err().kind(),
        ErrorKind::UnexpectedEof
    );
    assert_eq!(source.read_at("ties", 0, &mut cells).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(source.check_digests().unwrap(), written.data_bytes());
}

#[test]
fn pieces_of_any_length_are_read_back() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("run-1");
    let mut sink = DirectorySink::create(&folder).unwrap();
    let cells: Vec<u8> = (0..700_000u32).flat_map(|cell| (cell * 7).to_le_bytes()).collect();
    let array = sink.array("wins", ElementType::U32, &[700_000]).unwrap();
    sink.write_at(array, 0, &cells).unwrap();
    sink.finish(&spec(), provenance(1)).unwrap();
    let source = DirectorySource::open(&folder).unwrap();
    for (first, length) in [(0, 1), (990, 2100), (200_000, 400_000), (699_999, 1), (0, 700_000)] {
        let mut piece = vec![0; 4 * length];
        source.read_at("wins", first as u64, &mut piece).unwrap();
        assert!(piece == cells[4 * first..4 * (first + length)], "{length} from {first}");
    }
}

#[test]
fn what_a_killed_merge_left_is_replaced_and_so_is_an_older_artifact() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("run-1");
    fs::create_dir(home.path().join("run-1.tmp")).unwrap();
    fs::write(home.path().join("run-1.tmp/wins.npy"), "half").unwrap();
    let holed = write(&folder, 1, 0..3);
    let whole = write(&folder, 1, 0..20);
    assert_ne!(holed.artifact_digest, whole.artifact_digest);
    DirectorySource::open(&folder).unwrap().check_digests().unwrap();
    let left: Vec<_> =
        fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["run-1"]);
}

#[test]
fn an_unfinished_artifact_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let mut sink = DirectorySink::create(&home.path().join("run-1")).unwrap();
    sink.array("wins", ElementType::U32, &[4]).unwrap();
    drop(sink);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn writing_outside_an_array_or_twice_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let mut sink = DirectorySink::create(&home.path().join("run-1")).unwrap();
    let array = sink.array("wins", ElementType::U32, &[2, 2]).unwrap();
    sink.write_at(array, 0, &[1; 16]).unwrap();
    for (first, bytes) in [(3, 8), (4, 4), (u64::MAX, 4), (0, 3)] {
        let error = sink.write_at(array, first, &vec![0; bytes]).unwrap_err();
        assert!(error.to_string().contains("do not fit in array 'wins'"), "{error}");
    }
    assert!(sink.array("wins", ElementType::U32, &[1]).is_err());
    assert!(sink.array("../wins", ElementType::U32, &[1]).is_err());
    assert!(sink.array("vast", ElementType::U64, &[u64::MAX, 2]).is_err());
}

#[test]
fn damage_is_named() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("run-1");
    let refusal = || DirectorySource::open(&folder).err().expect("it is refused");
    assert!(matches!(refusal(), ArtifactError::Missing(_)));
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(DirectorySource::open(&file).err().unwrap(), ArtifactError::Missing(_)));

    write(&folder, 1, 0..20);
    let wins = folder.join("wins.npy");
    let mut bytes = fs::read(&wins).unwrap();
    fs::write(&wins, &bytes[..bytes.len() - 4]).unwrap();
    assert!(
        refusal().to_string().contains("it has 4124 bytes, the manifest says 4128"),
        "{}",
        refusal()
    );

    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&wins, &bytes).unwrap();
    let source = DirectorySource::open(&folder).unwrap();
    let error = source.check_digests().unwrap_err();
    assert!(error.to_string().contains("wins.npy is damaged: its BLAKE3 is"), "{error}");
    let read = |first| source.read_at("wins", first, &mut [0; 4]);
    assert!(read(0).is_ok(), "what is read is right there");
    let error = read(999).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains("wins.npy is damaged: bytes 4096 to 4127"), "{error}");

    bytes[12] ^= 1;
    fs::write(&wins, &bytes).unwrap();
    assert!(refusal().to_string().contains("header"));

    fs::remove_file(&wins).unwrap();
    assert!(refusal().to_string().contains("wins.npy is damaged: it is missing"));

    write(&folder, 1, 0..20);
    fs::remove_file(folder.join("wins.tree")).unwrap();
    assert!(refusal().to_string().contains("wins.tree is damaged: it is missing"));
}

#[test]
fn a_damaged_manifest_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("run-1");
    write(&folder, 1, 0..20);
    let path = folder.join("manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    let with = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        fs::write(&path, text.replace(from, to)).unwrap();
        DirectorySource::open(&folder).err().expect("it is refused")
    };
    assert!(matches!(
        with("\"format_version\": 1", "\"format_version\": 9"),
        ArtifactError::Version { found: 9, .. }
    ));
    assert!(with("\"cells\": 1000", "\"cells\": 1001").to_string().contains("artifact_digest"));
    assert!(with("wins.npy", "../wins.npy").to_string().contains("artifact_digest"));
    assert!(matches!(with("{", "["), ArtifactError::Damaged { .. }));
    assert!(with("fingerprint", "finger").to_string().contains("missing field `fingerprint`"));
}
