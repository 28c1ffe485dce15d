//! Finds merged artifacts in a data folder. Needs neither a coordinator nor the lock of the store.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fulldeck_artifact::{DirectorySource, Manifest};
use fulldeck_job::{Computation, Fingerprint, Parameters, RunSpec};

use crate::app::App;
use crate::cli::DataDir;
use crate::error::CliError;

/// Hexadecimal digits of the fingerprint in a folder's name.
const NAME_DIGITS: usize = 12;
/// Fewest digits by which a run is named.
const MIN_PREFIX: usize = 4;

/// A merged artifact, by the name of its folder: `run-<number>-<fingerprint>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) run: u32,
    pub(crate) fingerprint: String,
    pub(crate) folder: PathBuf,
}

/// All artifacts of a data folder, by run number.
pub(crate) fn list(data: &DataDir) -> Result<Vec<Place>, CliError> {
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
    places.sort_by_key(|place| place.run);
    Ok(places)
}

fn place(folder: &Path) -> Option<Place> {
    let name = folder.file_name()?.to_str()?.strip_prefix("run-")?;
    let (run, fingerprint) = name.split_once('-')?;
    let hexadecimal = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    (fingerprint.len() == NAME_DIGITS && fingerprint.bytes().all(hexadecimal)).then_some(())?;
    Some(Place {
        run: run.parse().ok()?,
        fingerprint: fingerprint.to_owned(),
        folder: folder.to_owned(),
    })
}

/// The artifact that `run` names: a number, `last`, a fingerprint prefix, or the path of a folder.
pub(crate) fn find(data: &DataDir, run: &str) -> Result<PathBuf, CliError> {
    if run.contains(std::path::MAIN_SEPARATOR) {
        return Ok(PathBuf::from(run));
    }
    let places = list(data)?;
    Ok(choose(&places, run, &data.artifacts())?.folder.clone())
}

fn choose<'a>(places: &'a [Place], run: &str, folder: &Path) -> Result<&'a Place, CliError> {
    check_run_name(run)?;
    let matching: Vec<&Place> = match run {
        "last" => places.last().into_iter().collect(),
        _ => match places.iter().find(|place| Some(place.run) == run.parse().ok()) {
            Some(place) => vec![place],
            None => places.iter().filter(|place| names(run, &place.fingerprint)).collect(),
        },
    };
    match matching[..] {
        [place] => Ok(place),
        [] => {
            let there: Vec<_> = places.iter().map(|place| place.run.to_string()).collect();
            let error =
                CliError::not_found(format!("no merged run '{run}' in {}", folder.display()));
            Err(match there.is_empty() {
                true => error.hint("nothing is merged there: fulldeck run, or fulldeck merge RUN"),
                false => error.hint(format!("merged runs are {}", there.join(", "))),
            })
        }
        _ => Err(CliError::usage(format!("'{run}' names {} runs", matching.len()))
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

/// The artifact of this very run, if it is there and complete; a damaged one counts as not there.
pub(crate) fn of_fingerprint(
    data: &DataDir,
    fingerprint: Fingerprint,
) -> Result<Option<DirectorySource>, CliError> {
    for place in list(data)? {
        if fingerprint.short() != place.fingerprint {
            continue;
        }
        match DirectorySource::open(&place.folder) {
            Ok(source) if source.manifest().fingerprint == fingerprint => return Ok(Some(source)),
            Ok(_) => {}
            Err(error) => tracing::warn!("{error}"),
        }
    }
    Ok(None)
}

/// The computation that made an artifact.
pub(crate) fn computation(
    app: &App,
    manifest: &Manifest,
) -> Result<Arc<dyn Computation>, CliError> {
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

    fn chosen(run: &str) -> Result<u32, CliError> {
        choose(&places(), run, Path::new("artifacts")).map(|place| place.run)
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
        assert!(choose(&[], "last", Path::new("x")).unwrap_err().hint.unwrap().contains("nothing"));
    }

    #[test]
    fn other_folders_are_no_artifacts() {
        for name in ["run-1-aaaabbbbcccc.tmp", "run-x-aaaabbbbcccc", "run-1", "run-1-AAAABBBBCCCC"]
        {
            assert_eq!(place(Path::new(name)), None, "{name}");
        }
    }
}
