//! The bundles that were named: found, read, and proved to be of runs that this program would compute alike.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use fulldeck_job::record::bundle::{Bundle, BundleError, BundleHeader};
use fulldeck_job::{Parameters, Plan, RunSpec, Shard};

use crate::app::App;
use crate::error::CliError;

/// How the name of a bundle ends, and what follows it as long as it is not sealed.
const ENDINGS: [&str; 2] = ["fdb", "part"];

/// A bundle and where it lies.
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) bundle: Bundle,
}

/// All bundles of one run.
pub(super) struct Group {
    pub(super) header: BundleHeader,
    /// `name=value`.
    pub(super) parameters: Vec<String>,
    pub(super) plan: Plan,
    pub(super) bundles: Vec<Found>,
}

/// What cannot be believed, in words.
pub(super) type Damage = String;

impl Group {
    /// Slices of which a whole result is there.
    pub(super) fn held(&self) -> BTreeSet<u32> {
        let bundles = self.bundles.iter();
        bundles.flat_map(|found| &found.bundle.results).map(|result| result.slice).collect()
    }

    /// Which of `of` shards would compute what no bundle holds, as `0,3-5`; empty if nothing is missing.
    pub(super) fn missing_shards(&self, of: u32) -> Result<String, CliError> {
        let held = self.held();
        let mut missing = Vec::new();
        for index in 0..of {
            let shard =
                Shard::new(index, of).map_err(|error| CliError::usage(error.to_string()))?;
            if shard.slices(&self.plan).iter().any(|slice| !held.contains(&slice.0)) {
                missing.push(index);
            }
        }
        Ok(ranges(&missing))
    }
}

/// The bundles in these folders and files, by run, and what of them is damaged.
pub(super) fn collect(
    app: &App,
    places: &[PathBuf],
    salvage: bool,
) -> Result<(Vec<Group>, Vec<Damage>), CliError> {
    let files = files(places, salvage)?;
    if files.is_empty() {
        let named: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
        return Err(CliError::not_found(format!("there is no bundle in {}", named.join(", ")))
            .hint("fulldeck shard makes them; those that are not finished yet need --salvage"));
    }
    let mut groups: BTreeMap<[u8; 32], Group> = BTreeMap::new();
    let mut damage = Vec::new();
    for path in files {
        let bundle = match read(&path) {
            Ok(bundle) => bundle,
            Err(BundleError::Io(error)) => {
                return Err(CliError::usage(format!("cannot read {}: {error}", path.display())));
            }
            Err(error @ BundleError::Version(_)) => {
                return Err(CliError::conflict(format!("{}: {error}", path.display())));
            }
            Err(error) => {
                damage.push(format!("{}: {error}", path.display()));
                continue;
            }
        };
        damage.extend(told(&path, &bundle));
        let found = Found { path, bundle };
        match groups.entry(found.bundle.header.fingerprint.0) {
            std::collections::btree_map::Entry::Vacant(vacant) => {
                vacant.insert(group(app, found)?);
            }
            std::collections::btree_map::Entry::Occupied(mut occupied) => {
                let group = occupied.get_mut();
                if !found.bundle.header.is_of_the_plan_of(&group.header) {
                    let (one, other) = (group.bundles[0].path.display(), found.path.display());
                    return Err(CliError::conflict(format!(
                        "{one} and {other} are of the same run, but of different plans"
                    ))
                    .hint("they were made with different --slices; import them one after the other into different folders"));
                }
                group.bundles.push(found);
            }
        }
    }
    Ok((groups.into_values().collect(), damage))
}

fn files(places: &[PathBuf], salvage: bool) -> Result<Vec<PathBuf>, CliError> {
    let mut files = BTreeSet::new();
    for place in places {
        if !place.is_dir() {
            files.insert(place.clone());
            continue;
        }
        let listed = fs::read_dir(place).and_then(|entries| {
            entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>()
        });
        let listed = listed.map_err(|error| {
            CliError::usage(format!("cannot read {}: {error}", place.display()))
        })?;
        let wanted = if salvage { &ENDINGS[..] } else { &ENDINGS[..1] };
        files.extend(listed.into_iter().filter(|path| {
            path.extension().is_some_and(|ending| wanted.iter().any(|one| ending == *one))
        }));
    }
    Ok(files.into_iter().collect())
}

fn read(path: &Path) -> Result<Bundle, BundleError> {
    let file = File::open(path)?;
    Bundle::read(&file, file.metadata()?.len())
}

/// What of a bundle is damaged.
fn told(path: &Path, bundle: &Bundle) -> Vec<Damage> {
    let file = path.display();
    let mut told: Vec<Damage> = bundle
        .damage
        .iter()
        .map(|damage| {
            let slices: Vec<_> = damage.slices.iter().map(u32::to_string).collect();
            let lost = match slices.len() {
                0 => String::new(),
                _ => format!(" (slices {})", slices.join(", ")),
            };
            format!("{file} at byte {}: {}{lost}", damage.offset, damage.what)
        })
        .collect();
    let unfinished = path.extension().is_some_and(|ending| ending == ENDINGS[1]);
    if !bundle.sealed && !unfinished {
        told.push(format!("{file}: its end is missing or damaged, results may be lost with it"));
    }
    told
}

/// What this program would compute by the words of a bundle; refused if that is anything else.
fn group(app: &App, found: Found) -> Result<Group, CliError> {
    let header = found.bundle.header.clone();
    let file = found.path.display().to_string();
    let unlike = |what: String| {
        CliError::conflict(format!("{file}: {what}"))
            .hint("use the release that made it; nothing was imported")
    };
    let workload = app
        .registry
        .get(&header.workload)
        .ok_or_else(|| unlike(format!("this program knows no workload '{}'", header.workload)))?;
    let (theirs, ours) = (header.algorithm_version, workload.algorithm_version());
    if theirs != ours {
        let name = &header.workload;
        return Err(unlike(format!(
            "it holds results of {name} version {theirs}, this program computes version {ours}"
        )));
    }
    let parameters = Parameters::from_canonical(workload.parameters(), &header.parameters)
        .map_err(|error| unlike(error.to_string()))?;
    let spec = RunSpec {
        workload: header.workload.clone(),
        algorithm_version: ours,
        parameters: parameters.clone(),
        slice_target: header.slice_target,
    };
    let (theirs, ours) = (header.fingerprint, spec.fingerprint());
    if theirs != ours {
        let (theirs, ours) = (theirs.short(), ours.short());
        return Err(unlike(format!("its fingerprint is {theirs}, here it would be {ours}")));
    }
    let plan = workload.prepare(&parameters)?.plan(header.slice_target)?;
    let (theirs, ours) = (header.plan_digest, plan.digest());
    if theirs != ours {
        let (theirs, ours) = (theirs.short(), ours.short());
        return Err(unlike(format!("its plan has digest {theirs}, here it would be {ours}")));
    }
    let parameters = parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Ok(Group { header, parameters, plan, bundles: vec![found] })
}

/// `0,3-5`, as array jobs take it.
fn ranges(numbers: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => ranges.push((*number, *number)),
        }
    }
    let shown = ranges.into_iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    });
    shown.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_as_array_jobs_take_them() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[0, 3, 4, 5, 9]), "0,3-5,9");
    }
}
