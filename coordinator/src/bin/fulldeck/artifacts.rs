//! Finds merged artifacts in a data folder. Needs neither a coordinator nor the lock of the store.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fulldeck_artifact::{DirectorySource, Manifest};
use fulldeck_coordinator::merge::merged_before;
use fulldeck_job::{Computation, JobIndex, Parameters, Plan, RunSpec};
use fulldeck_service::exit;

use crate::app::App;
use crate::cli::{DataDir, Part};
use crate::error::CliError;

/// Hexadecimal digits of the fingerprint in a folder's name.
const NAME_DIGITS: usize = 12;
/// Fewest digits by which a run is named.
const MIN_PREFIX: usize = 4;

/// A merged artifact, by the name of its folder: `run-<number>-<fingerprint>`, and `-<job>` for the part of one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) run: u32,
    pub(crate) fingerprint: String,
    pub(crate) job: Option<String>,
    pub(crate) folder: PathBuf,
}

/// All artifacts of a data folder, by run number.
pub(crate) fn list(data: &DataDir) -> Result<Vec<Place>, CliError> {
    data.check()?;
    let folder = data.artifacts();
    let unreadable = |error| CliError::usage(format!("cannot read {}: {error}", folder.display()));
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(unreadable)?,
    };
    let mut places = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        places.extend(place(&path));
    }
    places.sort_by(|a, b| (a.run, &a.job).cmp(&(b.run, &b.job)));
    Ok(places)
}

/// What the name of a folder says; `None` where it is not that of an artifact.
pub(crate) fn place(folder: &Path) -> Option<Place> {
    let name = folder.file_name()?.to_str()?.strip_prefix("run-")?;
    let (run, rest) = name.split_once('-')?;
    let (fingerprint, job) = match rest.split_once('-') {
        Some((fingerprint, job)) => (fingerprint, Some(job.to_owned())),
        None => (rest, None),
    };
    if job.as_ref().is_some_and(|job| job.is_empty() || job.contains('.')) {
        return None;
    }
    let hexadecimal = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    (fingerprint.len() == NAME_DIGITS && fingerprint.bytes().all(hexadecimal)).then_some(())?;
    Some(Place {
        run: run.parse().ok()?,
        fingerprint: fingerprint.to_owned(),
        job,
        folder: folder.to_owned(),
    })
}

/// The artifact that `run` names: a number, `last`, a fingerprint prefix, or the path of a folder; of that run the whole,
/// or the part of one job.
pub(crate) fn find(data: &DataDir, run: &str, part: &Part) -> Result<PathBuf, CliError> {
    if run.contains(std::path::MAIN_SEPARATOR) {
        return match &part.only {
            None => Ok(PathBuf::from(run)),
            Some(_) => Err(CliError::usage("--only does not go with the path of an artifact")
                .hint("name the run, or give the path of the job's artifact alone")),
        };
    }
    let places = list(data)?;
    Ok(choose(&places, run, part, data)?.folder.clone())
}

fn choose<'a>(
    places: &'a [Place],
    run: &str,
    part: &Part,
    data: &DataDir,
) -> Result<&'a Place, CliError> {
    check_run_name(run)?;
    let numbered: Option<u32> = run.parse().ok();
    let is_number = places.iter().any(|place| Some(place.run) == numbered);
    let last = places.last().map(|place| place.run);
    let of_run = |place: &&Place| match run {
        "last" => Some(place.run) == last,
        _ if is_number => Some(place.run) == numbered,
        _ => names(run, &place.fingerprint),
    };
    let of_run: Vec<&Place> = places.iter().filter(of_run).collect();
    let matching: Vec<&Place> =
        of_run.iter().copied().filter(|place| place.job == part.only).collect();
    match (&matching[..], &of_run[..]) {
        ([place], _) => Ok(place),
        ([], []) => {
            let mut there: Vec<_> = places.iter().map(|place| place.run.to_string()).collect();
            there.dedup();
            let (folder, words) = (data.artifacts(), data.words());
            let error =
                CliError::not_found(format!("no merged run '{run}' in {}", folder.display()));
            Err(match there.is_empty() {
                true => error.hint(format!(
                    "nothing is merged there: fulldeck run{words}, or fulldeck merge RUN{words}"
                )),
                false if there.len() == 1 => {
                    error.hint(format!("the only merged run is {}", there[0]))
                }
                false => error.hint(format!("the merged runs are {}", there.join(", "))),
            })
        }
        ([], parts) => {
            let parts: Vec<_> =
                parts.iter().map(|place| place.job.as_deref().unwrap_or("the whole")).collect();
            let wanted =
                part.only.as_deref().map_or("the whole".into(), |job| format!("job {job}"));
            let only = part.only.as_deref().map(|job| format!(" --only {job}")).unwrap_or_default();
            Err(CliError::not_found(format!("{wanted} of run '{run}' is not merged")).hint(
                format!(
                    "merged: {} (--only names a job); fulldeck merge {run}{only}{} merges it",
                    parts.join(", "),
                    data.words()
                ),
            ))
        }
        (several, _) => Err(CliError::usage(format!("'{run}' names {} runs", several.len()))
            .hint("give more digits of the fingerprint")),
    }
}

/// A prefix of a fingerprint may be longer than what a folder's name holds of it.
fn names(prefix: &str, fingerprint: &str) -> bool {
    prefix.len() >= MIN_PREFIX
        && (fingerprint.starts_with(prefix) || prefix.starts_with(fingerprint))
}

/// Refuses what can name no run.
pub(crate) fn check_run_name(run: &str) -> Result<(), CliError> {
    let hexadecimal = run.bytes().all(|digit| digit.is_ascii_hexdigit());
    let good = run == "last"
        || run.parse::<u32>().is_ok()
        || (hexadecimal && (MIN_PREFIX..=64).contains(&run.len()));
    if good {
        return Ok(());
    }
    Err(CliError::usage(format!("'{run}' names no run"))
        .hint("a run is its number, 'last', or at least 4 digits of its fingerprint"))
}

/// The job of this name.
pub(crate) fn job_named(plan: &Plan, name: &str) -> Result<JobIndex, CliError> {
    plan.job_named(name).ok_or_else(|| {
        let jobs: Vec<_> = plan.jobs().iter().map(|job| job.name.as_str()).collect();
        CliError::usage(format!("unknown job '{name}'"))
            .hint(format!("the jobs are {}", jobs.join(", ")))
    })
}

/// The artifact of this very run, or of one job of it, if it is there; a damaged one counts as not there, and is named.
pub(crate) fn of_run(
    data: &DataDir,
    spec: &RunSpec,
    job: Option<&str>,
) -> Result<Option<(PathBuf, Manifest)>, CliError> {
    let fingerprint = spec.fingerprint().short();
    let named = list(data)?
        .into_iter()
        .filter(|place| place.fingerprint == fingerprint && place.job.as_deref() == job);
    let mut merged = named.filter_map(|place| {
        merged_before(&place.folder, spec, job).map(|manifest| (place.folder, manifest))
    });
    Ok(merged.next())
}

/// An artifact that `run` names, open, with the computation that made it.
pub(crate) fn open(
    app: &App,
    data: &DataDir,
    run: &str,
    part: &Part,
) -> Result<(DirectorySource, Arc<dyn Computation>), CliError> {
    let folder = find(data, run, part)?;
    let source = DirectorySource::open(&folder)
        .map_err(|error| repairable(error.into(), data, place(&folder).as_ref()))?;
    let computation = computation(app, source.manifest())
        .map_err(|error| repairable(error, data, place(&folder).as_ref()))?;
    Ok((source, computation))
}

/// Damage is repaired by merging again: by which command, if the artifact lies where that writes it.
pub(crate) fn repairable(error: CliError, data: &DataDir, place: Option<&Place>) -> CliError {
    let ours = place.filter(|place| place.folder.parent() == Some(data.artifacts().as_path()));
    match ours {
        Some(Place { run, job, .. }) if error.exit == exit::STORE_DAMAGED => {
            let only = job.as_ref().map(|job| format!(" --only {job}")).unwrap_or_default();
            let words = data.words();
            error.only_hint(format!("fulldeck merge {run}{only} --again{words} writes it anew"))
        }
        _ => error,
    }
}

/// The computation that made an artifact.
fn computation(app: &App, manifest: &Manifest) -> Result<Arc<dyn Computation>, CliError> {
    let workload = app.registry.get(&manifest.workload).ok_or_else(|| {
        CliError::conflict(format!("this program knows no workload '{}'", manifest.workload))
            .hint("use the version of fulldeck that made the artifact")
    })?;
    if workload.algorithm_version() != manifest.algorithm_version {
        return Err(CliError::conflict(format!(
            "the artifact is of {} version {}, this program has version {}",
            manifest.workload,
            manifest.algorithm_version,
            workload.algorithm_version()
        )));
    }
    let canonical = manifest.canonical_parameters();
    let parameters = Parameters::from_canonical(workload.parameters(), &canonical)
        .map_err(|error| CliError::damaged(format!("the manifest is damaged: {error}")))?;
    let spec = RunSpec {
        workload: manifest.workload.clone(),
        algorithm_version: manifest.algorithm_version,
        parameters,
        slice_target: 0,
    };
    if spec.fingerprint() != manifest.fingerprint {
        let message = "the manifest is damaged: its fingerprint is not that of its parameters";
        return Err(CliError::damaged(message));
    }
    Ok(workload.prepare(&spec.parameters)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Vec<Place> {
        ["run-1-aaaabbbbcccc", "run-2-aaaaccccdddd", "run-12-123412341234"]
            .iter()
            .filter_map(|name| place(Path::new(name)))
            .collect()
    }

    fn data(folder: &str) -> DataDir {
        DataDir { data_dir: folder.into() }
    }

    fn chosen(run: &str) -> Result<u32, CliError> {
        choose(&places(), run, &Part { only: None }, &data("D")).map(|place| place.run)
    }

    #[test]
    fn a_job_is_named_beside_its_run() {
        let mut all = places();
        all.extend(place(Path::new("run-13-abcdabcdabcd-aabc-aabb")));
        let chosen = |run: &str, job: Option<&str>| {
            let part = Part { only: job.map(str::to_owned) };
            choose(&all, run, &part, &data("my data")).map(|place| place.job.clone())
        };
        assert_eq!(chosen("13", Some("aabc-aabb")).unwrap().as_deref(), Some("aabc-aabb"));
        assert_eq!(chosen("last", Some("aabc-aabb")).unwrap().as_deref(), Some("aabc-aabb"));
        let refused = chosen("last", None).unwrap_err();
        assert_eq!(refused.kind, "not_found");
        let hint = refused.hint.unwrap();
        assert!(
            hint.contains(
                "merged: aabc-aabb (--only names a job); fulldeck merge last --data-dir 'my data'"
            ),
            "{hint}"
        );
        assert!(chosen("2", Some("aabc-aabb")).unwrap_err().hint.unwrap().contains("the whole"));
    }

    #[test]
    fn runs_are_named_by_number_last_or_prefix() {
        assert_eq!(chosen("2").unwrap(), 2);
        assert_eq!(chosen("last").unwrap(), 12);
        assert_eq!(chosen("aaaab").unwrap(), 1);
        assert_eq!(chosen("1234").unwrap(), 12);
        let whole = format!("aaaaccccdddd{}", "0".repeat(52));
        assert_eq!(chosen(&whole).unwrap(), 2);
    }

    #[test]
    fn what_names_none_or_several_is_refused() {
        assert_eq!(chosen("3").unwrap_err().kind, "not_found");
        assert!(chosen("3").unwrap_err().hint.unwrap().contains("1, 2, 12"));
        assert_eq!(chosen("aaaa").unwrap_err().kind, "usage");
        for bad in ["", "aaa", "first", "-1", "../x"] {
            assert_eq!(chosen(bad).unwrap_err().kind, "usage", "{bad}");
        }
        let hint = |places: &[Place]| {
            choose(places, "99", &Part { only: None }, &data("D")).unwrap_err().hint.unwrap()
        };
        assert!(hint(&[]).contains("fulldeck merge RUN --data-dir D"), "{}", hint(&[]));
        assert_eq!(hint(&places()[..1]), "the only merged run is 1");
    }

    #[test]
    fn other_folders_are_no_artifacts() {
        for name in [
            "run-1-aaaabbbbcccc.tmp",
            "run-x-aaaabbbbcccc",
            "run-1",
            "run-1-AAAABBBBCCCC",
            "run-1-aaaabbbbcccc-",
            "run-1-aaaabbbbcccc-aabc-aabb.tmp",
        ] {
            assert_eq!(place(Path::new(name)), None, "{name}");
        }
    }
}
