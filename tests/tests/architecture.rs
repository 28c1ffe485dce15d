//! The arrows of ARCHITECTURE.md: which crate may depend on which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

type Dependencies = BTreeMap<String, BTreeSet<String>>;

fn metadata() -> Metadata {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    MetadataCommand::new().manifest_path(manifest).exec().expect("cargo metadata")
}

/// Ordinary dependencies of each member, by package name.
fn direct(metadata: &Metadata) -> Dependencies {
    metadata
        .workspace_packages()
        .iter()
        .map(|package| {
            let ordinary = package.dependencies.iter();
            let ordinary = ordinary.filter(|dependency| dependency.kind == DependencyKind::Normal);
            (package.name.to_string(), ordinary.map(|dependency| dependency.name.clone()).collect())
        })
        .collect()
}

/// Everything a package links, ordinary dependencies only.
fn transitive(metadata: &Metadata, root: &str) -> BTreeSet<String> {
    let resolve = metadata.resolve.as_ref().expect("resolved graph");
    let nodes: BTreeMap<_, _> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let name_of = |id| metadata[id].name.to_string();
    let mut open: Vec<_> =
        metadata.workspace_packages().iter().filter(|p| *p.name == root).map(|p| &p.id).collect();
    assert_eq!(open.len(), 1, "there is one package {root}");
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        for dependency in &nodes[id].deps {
            let links = dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal);
            if links && seen.insert(name_of(&dependency.pkg)) {
                open.push(&dependency.pkg);
            }
        }
    }
    seen
}

/// The games: their crates.
const GAMES: [&str; 5] = [
    "fulldeck-omaha",
    "fulldeck-joker",
    "fulldeck-betting",
    "fulldeck-basket",
    "fulldeck-doudizhu",
];

/// What each member may name of the others. A new crate has to be entered here on purpose.
const ALLOWED: &[(&str, &[&str])] = &[
    ("fulldeck-proto", &[]),
    ("fulldeck-job", &[]),
    ("fulldeck-cards", &[]),
    ("fulldeck-eval", &["fulldeck-cards"]),
    ("fulldeck-omaha", &["fulldeck-job", "fulldeck-cards", "fulldeck-eval"]),
    ("fulldeck-joker", &["fulldeck-job", "fulldeck-cards", "fulldeck-eval"]),
    ("fulldeck-betting", &["fulldeck-job"]),
    ("fulldeck-basket", &["fulldeck-job"]),
    ("fulldeck-doudizhu", &["fulldeck-job"]),
    ("fulldeck-artifact", &["fulldeck-job"]),
    ("fulldeck-render", &["fulldeck-job"]),
    ("fulldeck-service", &[]),
    (
        "fulldeck-common",
        &[
            "fulldeck-job",
            "fulldeck-cards",
            "fulldeck-eval",
            "fulldeck-omaha",
            "fulldeck-joker",
            "fulldeck-betting",
            "fulldeck-basket",
            "fulldeck-doudizhu",
        ],
    ),
    // The worker's library is linked by `fulldeck run`, in the binary alone: see `sources`.
    (
        "fulldeck-coordinator",
        &[
            "fulldeck-proto",
            "fulldeck-job",
            "fulldeck-artifact",
            "fulldeck-render",
            "fulldeck-service",
            "fulldeck-common",
            "fulldeck-worker",
        ],
    ),
    ("fulldeck-worker", &["fulldeck-proto", "fulldeck-job", "fulldeck-service", "fulldeck-common"]),
    (
        "fulldeck-tests",
        &[
            "fulldeck-artifact",
            "fulldeck-common",
            "fulldeck-coordinator",
            "fulldeck-job",
            "fulldeck-proto",
            "fulldeck-service",
            "fulldeck-worker",
        ],
    ),
];

#[test]
fn members_depend_only_along_the_arrows() {
    let direct = direct(&metadata());
    let known: BTreeSet<_> = ALLOWED.iter().map(|(name, _)| (*name).to_owned()).collect();
    let members: BTreeSet<_> = direct.keys().cloned().collect();
    assert_eq!(members, known, "every member has its arrows");
    for (name, allowed) in ALLOWED {
        for dependency in direct[*name].iter().filter(|d| d.starts_with("fulldeck-")) {
            assert!(
                allowed.contains(&dependency.as_str()),
                "{name} must not depend on {dependency}"
            );
        }
    }
}

#[test]
fn games_know_no_network_and_workers_no_database() {
    let metadata = metadata();
    for game in GAMES.into_iter().chain(["fulldeck-cards", "fulldeck-eval", "fulldeck-job"]) {
        let linked = transitive(&metadata, game);
        for engine in ["tokio", "tonic", "sled"] {
            assert!(!linked.contains(engine), "{game} must not link {engine}");
        }
    }
    let worker = transitive(&metadata, "fulldeck-worker");
    assert!(worker.contains("tonic") && !worker.contains("sled"), "the worker has no database");
}

/// Rust files below a folder.
fn sources(folder: PathBuf) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![folder];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a source folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

#[test]
fn only_programs_name_the_registry_and_only_the_store_names_sled() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = [sources(top.join("coordinator/src")), sources(top.join("worker/src"))].concat();
    assert!(files.len() > 20, "the libraries were found");
    for file in files {
        let text = fs::read_to_string(&file).expect("a source file");
        let path = file.to_string_lossy().into_owned();
        let is_program = path.contains("/src/bin/");
        for name in GAMES.into_iter().chain(["fulldeck-common", "fulldeck-worker"]) {
            let name = name.replace('-', "_");
            let own = name == "fulldeck_worker" && path.contains("worker/src/");
            let named = text.lines().any(|line| line.contains(&format!("{name}::")));
            assert!(is_program || own || !named, "{path} must not name {name}");
        }
        let names_sled = text.contains("sled::");
        assert!(path.contains("/store/") || !names_sled, "{path} must not name sled");
    }
}
