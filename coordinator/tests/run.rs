//! One small run (hold'em, 169 x 169) from start to verification, as a person does it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod program;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use fulldeck_artifact::{DirectorySink, DirectorySource, Manifest};
use fulldeck_job::{ArtifactSink, ArtifactSource, ElementType, Parameters, RunSpec};
use program::{json, stderr};
use serde_json::Value;

/// What the artifact of this run is, on every machine, by whatever plan.
const DIGEST: &str = "bfa67973cc16756731133ee6c5c7e8d10ba9c9ab09a84090e35d3614a3291564";
/// That of the job aaaa-aaaa of Omaha-4.
const JOB_DIGEST: &str = "783ccfd9833a9f8ab6fb5f9e86dd071cbda027dd3cfe705e477c175e94637580";
/// Nothing here takes nearly as long, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

fn fulldeck(folder: &Path, words: &str) -> Command {
    program::fulldeck(folder, &words.split_whitespace().collect::<Vec<_>>())
}

/// A folder in which the run is complete.
fn complete() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            let summary = json(folder.path(), "run omaha -p cards=2 --workers 2", 0);
            assert_eq!(summary["state"], "finished");
            assert_eq!(summary["already_merged"], false);
            assert_eq!(summary["computed_slices"], summary["slices"]);
            assert_eq!(summary["artifact_digest"], DIGEST);
            assert_eq!(summary["facts"]["cells"], 14_365);
            folder
        })
        .path()
}

fn artifact() -> PathBuf {
    let place =
        json(complete(), "run omaha -p cards=2", 0)["artifact"].as_str().unwrap().to_owned();
    complete().join(place)
}

#[test]
fn a_complete_run_says_so_at_once() {
    let again = json(complete(), "run omaha -p cards=2", 0);
    assert_eq!(again["already_merged"], true);
    assert_eq!(again["computed_slices"], 0);
    assert!(again["elapsed_seconds"].as_f64().unwrap() < 0.5, "{again}");
    assert_eq!(json(complete(), "merge last", 0)["artifact_digest"], DIGEST);
}

#[test]
fn a_stopped_folder_shows_its_runs() {
    let runs = json(complete(), "status", 0);
    assert_eq!(runs["runs"].as_array().unwrap().len(), 1);
    let run = json(complete(), "status last", 0);
    assert_eq!((run["state"].as_str(), run["percent"].as_f64()), (Some("finished"), Some(100.0)));
    let prefix = &run["fingerprint"].as_str().unwrap()[..6];
    assert_eq!(json(complete(), &format!("status {prefix}"), 0), run);
    json(complete(), "status 7", 3);
}

#[test]
fn any_suits_give_the_same_cell_and_the_anchor_is_right() {
    let one = json(complete(), "query 1 AcKc QdQh", 0);
    let other = json(complete(), "query last KsAs QhQc", 0);
    for field in ["win", "tie", "lose", "equity"] {
        assert_eq!(one[field], other[field]);
    }
    let turned = json(complete(), "query 1 QdQh AcKc", 0);
    assert_eq!(one["n"].as_u64().unwrap() * 4, turned["n"].as_u64().unwrap() * 6);
    let row = json(complete(), "query 1 AsAh", 0);
    assert!((row["equity"].as_f64().unwrap() - 0.8520).abs() < 0.00005, "{row}");
    json(complete(), "query 1 AsAx", 2);
    json(complete(), "query 1 AsAsKs", 2);
}

#[test]
fn many_questions_are_answered_line_by_line() {
    let output = Command::new("sh")
        .args(["-c", "printf 'AcKc QdQh\\nbad\\n\"As Ah\"\\n' | \"$0\" query 1 --stdin"])
        .arg(env!("CARGO_BIN_EXE_fulldeck"))
        .current_dir(complete())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["win"], json(complete(), "query 1 AcKc QdQh", 0)["win"]);
    assert_eq!(lines[1]["line"], 2);
    assert_eq!(lines[2]["hand"], "AsAh");
}

#[test]
fn a_right_artifact_verifies() {
    let report = json(complete(), "verify last --sample 0.2% --seed 7 --threads 2", 0);
    assert_eq!((report["checked"].as_u64(), report["mismatched"].as_u64()), (Some(29), Some(0)));
}

#[test]
fn a_damaged_file_is_damage_and_wrong_numbers_are_a_mismatch() {
    let folder = tempfile::tempdir().unwrap();
    let right = artifact();
    let damaged = folder.path().join("damaged");
    std::fs::create_dir(&damaged).unwrap();
    for file in std::fs::read_dir(&right).unwrap().map(|file| file.unwrap().path()) {
        std::fs::copy(&file, damaged.join(file.file_name().unwrap())).unwrap();
    }
    let mut bytes = std::fs::read(damaged.join("win.npy")).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(damaged.join("win.npy"), bytes).unwrap();
    let output = fulldeck(folder.path(), "verify ./damaged").output().unwrap();
    assert_eq!(output.status.code(), Some(9), "{}", stderr(&output));
    assert!(stderr(&output).contains("win.npy is damaged"), "{}", stderr(&output));

    falsify(&right, &folder.path().join("false"));
    let report = json(folder.path(), "verify ./false --sample 0.05%", 6);
    assert_eq!(report["mismatched"], report["checked"]);
    assert!(report["checked"].as_u64().unwrap() > 0);
    assert!(!report["examples"].as_array().unwrap().is_empty());
}

/// A well-formed artifact of the same run whose every win is one too many.
fn falsify(right: &Path, target: &Path) {
    let source = DirectorySource::open(right).unwrap();
    let Manifest { workload: name, algorithm_version, files, provenance, .. } = source.manifest();
    let registry = fulldeck_common::registry();
    let workload = registry.get(name).unwrap();
    let parameters = source.manifest().canonical_parameters();
    let parameters = Parameters::from_canonical(workload.parameters(), &parameters).unwrap();
    let (workload, algorithm_version) = (name.clone(), *algorithm_version);
    let spec = RunSpec { workload, algorithm_version, parameters, slice_target: 0 };
    let mut sink = DirectorySink::create(target).unwrap();
    for (name, shape) in files.iter().filter_map(|file| Some((&file.name, file.shape.as_ref()?))) {
        let name = name.strip_suffix(".npy").unwrap();
        let array = sink.array(name, ElementType::U32, shape).unwrap();
        let mut bytes = vec![0; 4 * shape.iter().product::<u64>() as usize];
        source.read_at(name, 0, &mut bytes).unwrap();
        if name == "win" {
            for cell in bytes.chunks_mut(4) {
                let wins = u32::from_le_bytes(cell.try_into().unwrap()) + 1;
                cell.copy_from_slice(&wins.to_le_bytes());
            }
        }
        sink.write_at(array, 0, &bytes).unwrap();
    }
    for (name, value) in &source.manifest().facts {
        sink.fact(name, value.clone());
    }
    sink.finish(&spec, provenance.clone()).unwrap();
}

#[test]
fn one_job_alone_then_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let only = json(folder, "run omaha -p cards=2 --slices 24 --only aa-aa", 0);
    let job = |name: &str| {
        let jobs = only["jobs"].as_array().unwrap().clone();
        jobs.into_iter().find(|job| job["name"] == name).unwrap()["percent"].as_f64()
    };
    assert_eq!((job("aa-aa"), job("ab-ab")), (Some(100.0), Some(0.0)));
    let before = only["slices"]["committed"].as_u64().unwrap();
    assert_eq!(json(folder, "merge last", 10), Value::Null);
    let unknown = fulldeck(folder, "run omaha -p cards=2 --only ab-ba").output().unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("the jobs are ab-ab, ab-aa, aa-aa"), "{}", stderr(&unknown));

    let summary = json(folder, "run omaha -p cards=2", 0);
    let (slices, computed) =
        (summary["slices"].as_u64().unwrap(), summary["computed_slices"].as_u64().unwrap());
    assert_eq!(computed, slices - before, "{summary}");
    assert_eq!(summary["artifact_digest"], DIGEST);
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    const RUN: &str = "run omaha -p cards=4 --slices 6000 --threads 1";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut run =
        fulldeck(folder, RUN).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let during = until_more_than(0, folder, &mut run);
    interrupt(&run);
    let stopped = run.wait_with_output().unwrap();
    assert_eq!(stopped.status.code(), Some(10), "{}", stderr(&stopped));
    assert!(stderr(&stopped).contains("the same command goes on"), "{}", stderr(&stopped));

    let committed = |status: &Value| status["slices"]["committed"].as_u64().unwrap();
    let kept = committed(&json(folder, "status last", 0));
    assert!(kept >= during, "{kept} slices were kept of {during}");
    let job = json(folder, &format!("{RUN} --only aaaa-aaaa"), 0);
    assert!(committed(&job) > kept, "{job}");
    assert_eq!(json(folder, "merge last", 10), Value::Null);
    let merged = json(folder, "merge last --only aaaa-aaaa", 0);
    assert_eq!(merged["facts"]["cells"], 255_970);
    assert_eq!(merged["artifact_digest"], JOB_DIGEST);
}

/// Waits until the running coordinator has committed more than `before` slices; how many it has then.
fn until_more_than(before: u64, folder: &Path, run: &mut Child) -> u64 {
    let deadline = Instant::now() + PATIENCE;
    loop {
        assert!(Instant::now() < deadline, "nothing was committed in {PATIENCE:?}");
        assert!(run.try_wait().unwrap().is_none(), "the run ended before it was interrupted");
        let output = fulldeck(folder, "status last -o json").output().unwrap();
        let status: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        match status["slices"]["committed"].as_u64() {
            Some(committed) if committed > before => return committed,
            _ => std::thread::yield_now(),
        }
    }
}

fn interrupt(child: &Child) {
    let process = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
}
