//! Runs without an engine.

use std::io;
use std::sync::atomic::AtomicBool;

use fulldeck_job::{
    ArrayId, ArtifactSink, ArtifactSource, Computation, ComputeContext, ComputeError, ElementType,
    Parameters, Sample, Slice, Workload,
};
use serde_json::Value;

use super::*;

/// An artifact of one array in memory.
#[derive(Clone, Debug, Default, PartialEq)]
struct Memory {
    /// Of arrays and tables: no two may be the same.
    names: Vec<String>,
    bytes: Vec<u8>,
    rows: Vec<Vec<String>>,
    facts: Vec<(String, Value)>,
}

impl Memory {
    fn name(&mut self, name: &str) {
        assert!(!self.names.iter().any(|known| known == name), "'{name}' is written twice");
        self.names.push(name.to_owned());
    }
}

impl ArtifactSink for Memory {
    fn array(&mut self, name: &str, element: ElementType, shape: &[u64]) -> io::Result<ArrayId> {
        self.name(name);
        self.bytes = vec![0; shape.iter().product::<u64>() as usize * element.bytes()];
        Ok(ArrayId(0))
    }

    fn write_at(&mut self, _: ArrayId, first: u64, bytes: &[u8]) -> io::Result<()> {
        self.bytes[8 * first as usize..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn table(
        &mut self,
        name: &str,
        header: &[&str],
        rows: &mut dyn Iterator<Item = Vec<String>>,
    ) -> io::Result<()> {
        self.name(name);
        self.rows = rows.inspect(|row| assert_eq!(row.len(), header.len())).collect();
        Ok(())
    }

    fn fact(&mut self, name: &str, value: Value) {
        self.facts.push((name.to_owned(), value));
    }
}

impl ArtifactSource for Memory {
    fn read_at(&self, _: &str, first: u64, bytes: &mut [u8]) -> io::Result<()> {
        bytes.copy_from_slice(&self.bytes[8 * first as usize..][..bytes.len()]);
        Ok(())
    }

    fn fact(&self, _: &str) -> Option<&Value> {
        None
    }
}

fn grid(words: &[&str]) -> Arc<dyn Computation> {
    Totalling.prepare(&Parameters::parse(Totalling.parameters(), words).unwrap()).unwrap()
}

fn compute(run: &dyn Computation, slice: Slice) -> Vec<u8> {
    let context = ComputeContext { cancel: &AtomicBool::new(false), progress: &|_| () };
    run.compute(&[slice], &context).unwrap().remove(0)
}

fn payloads(run: &dyn Computation, plan: &Plan) -> Vec<Vec<u8>> {
    let check = |slice: &Slice| {
        let payload = compute(run, *slice);
        assert_eq!(run.check(slice, &payload), Ok(()), "{slice:?}");
        payload
    };
    plan.slices().iter().map(check).collect()
}

fn merged(run: &dyn Computation, target: u32) -> Memory {
    let plan = run.plan(target).unwrap();
    let mut sink = Memory::default();
    let payloads = payloads(run, &plan);
    run.assemble(&plan, &mut payloads.into_iter().map(Ok), &mut sink).unwrap();
    sink
}

#[test]
fn totals_are_the_same_however_they_are_cut() {
    let run = grid(&["colours=5", "balls=9", "max_positions=20000"]);
    let whole = merged(&*run, 0);
    for target in [1, 60, 1000] {
        assert_eq!(merged(&*run, target), whole, "{target}");
    }
    let three: Vec<_> = whole.rows.iter().filter(|row| row[0] == "3").map(|row| &row[3]).collect();
    assert_eq!(three, ["4", "7", "16", "19", "28", "43", "64", "67", "76"]);
    let row = run.query(&whole, &["3".to_owned(), "3".to_owned()]).unwrap();
    assert_eq!((&row["winning_moves_normal"], &row["lost_misere"]), (&72.into(), &16.into()));
    for bad in [&["6", "1"][..], &["3"], &["3", "x"]] {
        let words: Vec<_> = bad.iter().map(|word| (*word).to_owned()).collect();
        assert!(run.query(&whole, &words).is_err(), "{bad:?}");
    }
    let context = ComputeContext { cancel: &AtomicBool::new(false), progress: &|_| () };
    let verify = |artifact: &Memory| {
        let report = run.verify(artifact, &Sample { fraction: 1.0, seed: 1 }, &context).unwrap();
        (report.checked, report.mismatched)
    };
    let points = whole.rows.len() as u64;
    assert_eq!(verify(&whole), (points, 0));
    let mut damaged = whole.clone();
    damaged.bytes[8 * 3] ^= 1;
    assert_eq!(verify(&damaged), (points, 1));
}

#[test]
fn damage_is_refused_at_the_latest_when_sums_are_compared() {
    let run = grid(&["colours=3", "balls=5"]);
    let plan = run.plan(40).unwrap();
    let payloads = payloads(&*run, &plan);
    let slice = plan.slices().last().unwrap();
    let last = payloads.last().unwrap();
    assert!(run.check(slice, &last[1..]).is_err());
    let mut broken = last.clone();
    broken[7] = 1;
    assert!(run.check(slice, &broken).is_err());
    let mut quiet = payloads.clone();
    let changed = quiet.last_mut().unwrap();
    changed[8] += 1;
    assert_eq!(run.check(slice, changed), Ok(()));
    let error = run.assemble(&plan, &mut quiet.into_iter().map(Ok), &mut Memory::default());
    assert!(error.unwrap_err().to_string().contains("3 colours of 5 balls"));
}

#[test]
fn computing_stops_when_asked() {
    let run = grid(&[]);
    let context = ComputeContext { cancel: &AtomicBool::new(true), progress: &|_| () };
    let slice = run.plan(0).unwrap().slices()[0];
    assert_eq!(run.compute(&[slice], &context), Err(ComputeError::Cancelled));
}
