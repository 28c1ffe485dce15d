//! The workload as the engine meets it, without the engine.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fulldeck_job::{
    ArrayId, ArtifactSink, ArtifactSource, Computation, ComputeContext, ElementType, Parameters,
    QueryError, Sample, Slice, Workload,
};
use serde_json::{Map, Value};

use super::DouDizhu;

/// An artifact in memory.
#[derive(Default, PartialEq)]
struct Artifact {
    arrays: Vec<(String, usize, Vec<u8>)>,
    tables: BTreeMap<String, Vec<Vec<String>>>,
    facts: Map<String, Value>,
}

impl Artifact {
    /// Arrays and tables are files of one folder.
    fn assert_new(&self, name: &str) {
        let array = self.arrays.iter().any(|(array, ..)| array == name);
        assert!(!array && !self.tables.contains_key(name), "{name} is written twice");
    }
}

impl ArtifactSink for Artifact {
    fn array(&mut self, name: &str, element: ElementType, shape: &[u64]) -> io::Result<ArrayId> {
        self.assert_new(name);
        let bytes = shape.iter().product::<u64>() as usize * element.bytes();
        self.arrays.push((name.to_owned(), element.bytes(), vec![0; bytes]));
        Ok(ArrayId(self.arrays.len() - 1))
    }

    fn write_at(&mut self, array: ArrayId, first: u64, bytes: &[u8]) -> io::Result<()> {
        let (_, width, data) = &mut self.arrays[array.0];
        data[first as usize * *width..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn table(
        &mut self,
        name: &str,
        header: &[&str],
        rows: &mut dyn Iterator<Item = Vec<String>>,
    ) -> io::Result<()> {
        self.assert_new(name);
        let rows: Vec<_> = rows.inspect(|row| assert_eq!(row.len(), header.len())).collect();
        self.tables.insert(name.to_owned(), rows);
        Ok(())
    }

    fn fact(&mut self, name: &str, value: Value) {
        self.facts.insert(name.to_owned(), value);
    }
}

impl ArtifactSource for Artifact {
    fn read_at(&self, array: &str, first: u64, bytes: &mut [u8]) -> io::Result<()> {
        let found = self.arrays.iter().find(|(name, ..)| name == array);
        let (_, width, data) = found.ok_or(io::ErrorKind::NotFound)?;
        bytes.copy_from_slice(&data[first as usize * width..][..bytes.len()]);
        Ok(())
    }

    fn fact(&self, name: &str) -> Option<&Value> {
        self.facts.get(name)
    }
}

fn prepare(words: &[&str]) -> Arc<dyn Computation> {
    let parameters = Parameters::parse(DouDizhu.parameters(), words).unwrap();
    DouDizhu.prepare(&parameters).unwrap()
}

fn compute(run: &dyn Computation, slice: Slice) -> Vec<u8> {
    let context = ComputeContext { cancel: &AtomicBool::new(false), progress: &|_| () };
    let mut payloads = run.compute(&[slice], &context).unwrap();
    let payload = payloads.remove(0);
    assert_eq!(payload.len() as u64, slice.raw_bytes);
    assert_eq!(run.check(&slice, &payload), Ok(()));
    payload
}

/// Computes the whole run, every slice by a computation of its own or all by one, in plan order or backwards.
fn whole(words: &[&str], slices: u32, apart: bool) -> Artifact {
    let run = prepare(words);
    let plan = run.plan(slices).unwrap();
    let mut payloads: Vec<Vec<u8>> = vec![Vec::new(); plan.slices().len()];
    for slice in plan.slices().iter().rev() {
        let fresh = apart.then(|| prepare(words));
        let computing = fresh.as_ref().unwrap_or(&run);
        payloads[slice.id.0 as usize] = compute(&**computing, *slice);
    }
    let mut artifact = Artifact::default();
    run.assemble(&plan, &mut payloads.into_iter().map(Ok), &mut artifact).unwrap();
    artifact
}

/// Any cut gives the same artifact, and a whole verification finds nothing.
fn splits_agree(words: &[&str]) -> Artifact {
    let artifact = whole(words, 1, false);
    for (slices, apart) in [(3, true), (17, false), (17, true)] {
        assert!(whole(words, slices, apart) == artifact, "{words:?} in {slices} slices differs");
    }
    let report = verify(words, &artifact);
    assert_eq!(report, (prepare(words).estimate().elements, 0));
    artifact
}

fn verify(words: &[&str], artifact: &Artifact) -> (u64, u64) {
    let context = ComputeContext { cancel: &AtomicBool::new(false), progress: &|_| () };
    let sample = Sample { fraction: 1.0, seed: 3 };
    let report = prepare(words).verify(artifact, &sample, &context).unwrap();
    assert_eq!(report.examples.is_empty(), report.mismatched == 0);
    (report.checked, report.mismatched)
}

fn ask(words: &[&str], artifact: &Artifact, question: &[&str]) -> Result<Value, QueryError> {
    let question: Vec<_> = question.iter().map(|word| (*word).to_owned()).collect();
    prepare(words).query(artifact, &question).map(Value::Object)
}

#[test]
fn tournaments_are_the_same_for_any_cut() {
    let words = ["a=seed", "b=random", "deals=60", "landlord=bid"];
    let artifact = splits_agree(&words);
    let answer = ask(&words, &artifact, &["random", "seed"]).unwrap();
    assert_eq!(answer["agent_a"], "seed");
    assert_eq!(answer["a_landlord_games"], 60);
    assert!(answer["a_landlord_wins"].as_u64() > answer["b_landlord_wins"].as_u64());
    let line = &artifact.tables["results"][0];
    assert_eq!(line[6], answer["a_landlord_wins"].to_string());
    let error = ask(&words, &artifact, &["seed", "nobody"]).unwrap_err().to_string();
    assert!(error.contains("seed-random"), "{error}");
}

#[test]
fn thinking_is_the_same_for_any_cut() {
    splits_agree(&["a=improved", "b=greedy", "deals=3", "think=2"]);
}

#[test]
fn all_agents_meet_once() {
    let run = prepare(&["a=all", "b=all", "deals=2"]);
    let plan = run.plan(0).unwrap();
    let agents = crate::agents::AgentKind::all(1).len();
    assert_eq!(plan.jobs().len(), agents * (agents + 1) / 2);
}

#[test]
fn a_mirror_plays_each_deal_once() {
    let artifact = splits_agree(&["a=greedy", "b=greedy", "deals=25", "landlord=rob", "spring=3"]);
    assert_eq!(artifact.tables["results"].len(), 1);
}

#[test]
fn wrong_games_are_refused() {
    let run = prepare(&["deals=4"]);
    let slice = run.plan(1).unwrap().slices()[0];
    let payload = compute(&*run, slice);
    for (at, value) in [(0, 3), (4, 9), (5, 1 ^ payload[5])] {
        let mut wrong = payload.clone();
        wrong[at] = value;
        let error = run.check(&slice, &wrong).unwrap_err().0;
        assert!(error.contains("deal 0 of seed-greedy"), "{error}");
    }
    assert!(run.check(&slice, &payload[1..]).is_err());
}

#[test]
fn a_changed_game_is_found() {
    let words = ["a=seed", "b=greedy", "deals=5"];
    let mut artifact = whole(&words, 1, false);
    artifact.arrays[1].2[0] ^= 1;
    assert_eq!(verify(&words, &artifact), (5, 1));
}

#[test]
fn the_table_of_groups_is_the_same_for_any_cut() {
    let words = ["task=groups", "cards=5"];
    let artifact = splits_agree(&words);
    assert_eq!(artifact.facts["hands"], 13_875);
    let histogram = &artifact.tables["histogram"];
    assert!(histogram.contains(&["5", "10270", "1", "164"].map(str::to_owned).to_vec()));
    let answer = ask(&words, &artifact, &["3334", "5"]).unwrap();
    assert_eq!((&answer["groups"], &answer["partition"]), (&2.into(), &"3334 5".into()));
    let error = ask(&words, &artifact, &["334455"]).unwrap_err().to_string();
    assert!(error.contains("6 cards, the table ends at 5"), "{error}");
}

#[test]
fn endgames_are_the_same_for_any_cut_and_go_on_where_the_budget_ended() {
    let words = ["task=endgames", "each=4", "positions=80", "budget=16", "rounds=3"];
    let artifact = splits_agree(&words);
    assert_eq!(artifact.facts["positions"], 80);
    assert_eq!(artifact.facts["unfinished"], 0);
    let short = ["task=endgames", "each=4", "positions=80", "budget=16", "rounds=1"];
    let first = whole(&short, 5, true);
    assert!(first.facts["unfinished"].as_u64() > Some(5));
    // What was finished at once is the same.
    for (once, twice) in first.arrays[0].2.iter().zip(&artifact.arrays[0].2) {
        assert!(*once == 0 || once == twice);
    }
    let answer = ask(&words, &artifact, &["7"]).unwrap();
    assert!(["landlord", "farmers"].contains(&answer["winner"].as_str().unwrap()));
    assert!(ask(&words, &artifact, &["80"]).is_err());
}

#[test]
fn parameters_of_another_task_are_refused() {
    let refusal = |words: &[&str]| {
        let parameters = Parameters::parse(DouDizhu.parameters(), words).unwrap();
        DouDizhu.prepare(&parameters).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(refusal(&["task=groups", "a=random"]).contains("belongs to tournament"));
    assert!(refusal(&["cards=5"]).contains("belongs to groups"));
    assert!(refusal(&["task=groups", "seed=2"]).contains("tournament, endgames"));
    assert_eq!(refusal(&["task=endgames", "seed=2"]), "");
}
