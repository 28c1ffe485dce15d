//! Runs without an engine: any plan, any order, any damage.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::AtomicBool;

use fulldeck_job::{
    ArrayId, ArtifactSink, ArtifactSource, Computation, ComputeContext, ComputeError, ElementType,
    Parameters, Sample, Slice, Workload,
};
use serde_json::Value;

use super::*;
use crate::program::exact;

/// An artifact in memory.
#[derive(Clone, Debug, Default, PartialEq)]
struct Memory {
    names: Vec<String>,
    arrays: Vec<Vec<u8>>,
    tables: BTreeMap<String, Vec<Vec<String>>>,
    facts: BTreeMap<String, Value>,
}

impl ArtifactSink for Memory {
    fn array(&mut self, name: &str, element: ElementType, shape: &[u64]) -> io::Result<ArrayId> {
        assert!(!self.names.iter().any(|known| known == name) && !self.tables.contains_key(name));
        self.names.push(name.to_owned());
        let len = shape.iter().product::<u64>() as usize * element.bytes();
        self.arrays.push(vec![0; len]);
        Ok(ArrayId(self.arrays.len() - 1))
    }

    fn write_at(&mut self, array: ArrayId, first: u64, bytes: &[u8]) -> io::Result<()> {
        self.arrays[array.0][first as usize..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn table(
        &mut self,
        name: &str,
        header: &[&str],
        rows: &mut dyn Iterator<Item = Vec<String>>,
    ) -> io::Result<()> {
        let rows: Vec<_> = rows.collect();
        assert!(!self.names.iter().any(|known| known == name), "'{name}' is written twice");
        assert!(rows.iter().all(|row| row.len() == header.len()));
        self.tables.insert(name.to_owned(), rows);
        Ok(())
    }

    fn fact(&mut self, name: &str, value: Value) {
        self.facts.insert(name.to_owned(), value);
    }
}

impl ArtifactSource for Memory {
    fn read_at(&self, array: &str, first: u64, bytes: &mut [u8]) -> io::Result<()> {
        let index = self.names.iter().position(|name| name == array);
        let array = &self.arrays[index.ok_or(io::ErrorKind::NotFound)?];
        let piece = array.get(first as usize..).and_then(|rest| rest.get(..bytes.len()));
        bytes.copy_from_slice(piece.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn fact(&self, name: &str) -> Option<&Value> {
        self.facts.get(name)
    }
}

fn prepare(words: &[&str]) -> Arc<dyn Computation> {
    let parameters = Parameters::parse(Betting.parameters(), words).unwrap();
    Betting.prepare(&parameters).unwrap()
}

fn refusal(words: &[&str]) -> String {
    let parameters = Parameters::parse(Betting.parameters(), words).unwrap();
    Betting.prepare(&parameters).err().unwrap().to_string()
}

fn compute(run: &dyn Computation, slices: &[Slice]) -> Vec<Vec<u8>> {
    let context = ComputeContext { cancel: &AtomicBool::new(false), progress: &|_| () };
    run.compute(slices, &context).unwrap()
}

/// Computes the slices of a plan, the last first, checks each, and assembles them.
fn merged(run: &dyn Computation, target: u32) -> Memory {
    let plan = run.plan(target).unwrap();
    let mut payloads: Vec<Vec<u8>> = Vec::new();
    for slice in plan.slices().iter().rev() {
        let payload = compute(run, &[*slice]).remove(0);
        assert_eq!(payload.len() as u64, slice.raw_bytes);
        assert_eq!(run.check(slice, &payload), Ok(()));
        payloads.insert(0, payload);
    }
    let mut sink = Memory::default();
    run.assemble(&plan, &mut payloads.into_iter().map(Ok), &mut sink).unwrap();
    sink
}

fn ask(run: &dyn Computation, artifact: &Memory, words: &[&str]) -> Result<Value, String> {
    let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
    run.query(artifact, &words).map(Value::Object).map_err(|error| error.to_string())
}

fn mismatched(run: &dyn Computation, artifact: &Memory) -> (u64, u64) {
    let context = ComputeContext { cancel: &AtomicBool::new(false), progress: &|_| () };
    let report = run.verify(artifact, &Sample { fraction: 1.0, seed: 7 }, &context).unwrap();
    (report.checked, report.mismatched)
}

const EIGHT: &[&str] = &["task=residues", "players=8", "seat=last"];

#[test]
fn a_number_is_the_same_however_its_residues_are_cut() {
    let run = prepare(EIGHT);
    let whole = merged(&*run, 1);
    for target in [0, 2, 7, 10_000] {
        assert_eq!(merged(&*run, target), whole, "{target}");
    }
    let structure = Preflop::new(8, 4).unwrap();
    let number = exact(&structure.strategies(Seat(7)));
    assert_eq!(String::from_utf8(whole.arrays[0].clone()).unwrap(), number.to_string());
    assert_eq!(whole.facts["digits"], 51_852);

    assert_eq!(mismatched(&*run, &whole), (64, 0));
    let digits = ask(&*run, &whole, &["digits", "51843", "10"]).unwrap();
    assert_eq!(digits["digits"], number.last_digits(10));
    let residue = ask(&*run, &whole, &["residue", "1000003"]).unwrap();
    assert_eq!(residue["residue"], number.residue(1_000_003).to_string());
    for bad in [&["digits", "51843", "11"][..], &["digits", "0", "1"], &["residue", "0"], &["what"]]
    {
        assert!(ask(&*run, &whole, bad).is_err(), "{bad:?}");
    }
    let mut damaged = whole.clone();
    damaged.arrays[0][1234] ^= 1;
    assert_eq!(mismatched(&*run, &damaged), (64, 64));
}

#[test]
fn short_numbers_have_residues_too() {
    for (words, expected) in [
        (["task=residues", "players=2", "cap=1", "seat=0"], "2"),
        (["task=residues", "players=2", "cap=4", "seat=last"], "20"),
        (["task=residues", "players=3", "cap=4", "seat=2"], "492912000"),
    ] {
        let run = prepare(&words);
        assert_eq!(merged(&*run, 0).arrays[0], expected.as_bytes());
    }
}

#[test]
fn damaged_residues_are_refused() {
    let run = prepare(EIGHT);
    let plan = run.plan(1).unwrap();
    let slice = plan.slices()[0];
    let payload = compute(&*run, &[slice]).remove(0);
    assert_eq!(run.check(&slice, &payload), Ok(()));
    let broken = |position: usize, mask: u8| {
        let mut payload = payload.clone();
        payload[position] ^= mask;
        payload
    };
    // A modulus, the first residue, a residue too large, the order, the length.
    for (position, mask) in [(0, 2), (8, 1), (16 + 15, 0x80), (16 + 1, 1)] {
        assert!(run.check(&slice, &broken(position, mask)).is_err(), "{position}");
    }
    assert!(run.check(&slice, &payload[16..]).is_err());
    // What a check does not see, the merge does.
    let quiet = broken(5 * 16 + 8, 1);
    assert_eq!(run.check(&slice, &quiet), Ok(()));
    let mut sink = Memory::default();
    assert!(run.assemble(&plan, &mut [Ok(quiet)].into_iter(), &mut sink).is_err());
    assert!(sink.facts.is_empty());
}

const GRID: &[&str] = &["players=6", "cap=4", "max_digits=1000"];

#[test]
fn a_grid_has_every_number() {
    let run = prepare(GRID);
    let grid = merged(&*run, 0);
    assert_eq!(grid, merged(&*run, 3));
    assert_eq!(grid.facts["numbers"], 4 * (2 + 3 + 4 + 5 + 6));
    assert_eq!(grid.facts["most_digits"], "1804");
    let rows = &grid.tables["strategies"];
    let three: Vec<_> =
        rows.iter().filter(|row| row[..2] == ["3", "4"]).map(|row| row[6].as_str()).collect();
    assert_eq!(three, ["60805", "211960", "492912000"]);
    let long = rows.last().unwrap();
    assert_eq!((long[3].as_str(), long[4].as_str(), long[5].as_str()), ("BB", "1804", ""));
    let answer = ask(&*run, &grid, &["6", "4", "BB"]).unwrap();
    assert_eq!((&answer["digits"], &answer["sha256"]), (&"1804".into(), &Value::Null));
    assert_eq!(ask(&*run, &grid, &["3", "4", "btn"]).unwrap()["first20"], "60805");
    for bad in [&["7", "4", "0"][..], &["3", "4", "UTG"], &["3", "4"], &["x", "4", "0"]] {
        assert!(ask(&*run, &grid, bad).is_err(), "{bad:?}");
    }
    assert_eq!(mismatched(&*run, &grid), (80, 0));
    let mut damaged = grid.clone();
    // A digit of the hash of the first number.
    damaged.arrays[0][80] ^= 1;
    assert_eq!(mismatched(&*run, &damaged), (80, 1));
}

#[test]
fn damaged_records_are_refused() {
    let run = prepare(GRID);
    let plan = run.plan(0).unwrap();
    let slice = *plan.slices().last().unwrap();
    let payload = compute(&*run, &[slice]).remove(0);
    assert_eq!(run.check(&slice, &payload), Ok(()));
    for position in [0, 16, 24, 44, 64] {
        let mut broken = payload.clone();
        broken[position] ^= 1;
        assert!(run.check(&slice, &broken).is_err(), "{position}");
    }
}

#[test]
fn impossible_parameters_are_refused() {
    assert!(refusal(&["task=residues", "players=3", "seat=3"]).contains("0 to 2"));
    assert!(refusal(&["task=residues", "players=14"]).contains("100000000"));
    assert!(Parameters::parse(Betting.parameters(), &["players=1"]).is_err());
    assert!(Parameters::parse(Betting.parameters(), &["cap=0"]).is_err());
}

#[test]
fn computing_stops_when_asked() {
    let context = ComputeContext { cancel: &AtomicBool::new(true), progress: &|_| () };
    for words in [EIGHT, GRID] {
        let run = prepare(words);
        let slice = run.plan(0).unwrap().slices()[0];
        assert_eq!(run.compute(&[slice], &context), Err(ComputeError::Cancelled));
    }
}
