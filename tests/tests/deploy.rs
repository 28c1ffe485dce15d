//! What is in `deploy/` names only flags that the program has, metrics that it tells, and files that are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fulldeck_tests::{FULLDECK, Scene};

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The lists of words behind `key:` in a YAML file, in either of the two forms that we write.
fn lists(yaml: &str, key: &str) -> Vec<Vec<String>> {
    let unquoted = |word: &str| word.trim().trim_matches('"').to_owned();
    let mut lists = Vec::new();
    let mut lines = yaml.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(rest) = line.trim().strip_prefix(key).and_then(|rest| rest.strip_prefix(':'))
        else {
            continue;
        };
        if let Some(inline) = rest.trim().strip_prefix('[') {
            lists.push(inline.trim_end_matches(']').split(',').map(unquoted).collect());
            continue;
        }
        let mut list = Vec::new();
        while let Some(word) = lines.peek().and_then(|line| line.trim().strip_prefix("- ")) {
            list.push(unquoted(word));
            lines.next();
        }
        lists.push(list);
    }
    lists
}

/// Every command line of `deploy/`, and where it stands.
fn command_lines() -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for (file, key) in [
        ("deploy/kubernetes/cluster/coordinator.yaml", "args"),
        ("deploy/kubernetes/cluster/workers.yaml", "args"),
        ("deploy/kubernetes/shards/shards.yaml", "args"),
        ("deploy/compose/compose.yml", "command"),
    ] {
        let lists = lists(&read(file), key);
        assert!(!lists.is_empty(), "{file} has {key}");
        found.extend(lists.into_iter().map(|words| (file.to_owned(), words)));
    }
    for probe in lists(&read("deploy/compose/compose.yml"), "test") {
        assert_eq!(probe[..2], ["CMD", "/fulldeck"]);
        found.push(("deploy/compose/compose.yml".to_owned(), probe[2..].to_vec()));
    }
    for unit in ["fulldeck-coordinator.service", "fulldeck-worker@.service"] {
        let file = format!("deploy/systemd/{unit}");
        let text = read(&file);
        let line = text.lines().find_map(|line| line.strip_prefix("ExecStart=")).expect("a start");
        let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        assert_eq!(words[0], "/usr/local/bin/fulldeck");
        found.push((file, words[1..].to_vec()));
    }
    found
}

#[test]
fn the_program_understands_every_command_line() {
    let scene = Scene::new();
    let lines = command_lines();
    assert_eq!(lines.len(), 8);
    for (file, words) in lines {
        // Everything before it is parsed; nothing is begun.
        let answer = scene.answer(FULLDECK, &format!("{} --help", words.join(" ")));
        assert_eq!(answer.code, 0, "{file}: {words:?}: {}", answer.stderr);
    }
    scene.answer(FULLDECK, "worker --no-such-flag --help").expect(2);
}

#[test]
fn shards_of_the_indexed_job_are_as_many_as_its_completions() {
    let yaml = read("deploy/kubernetes/shards/shards.yaml");
    let completions = yaml.lines().find_map(|line| line.trim().strip_prefix("completions: "));
    let of = yaml.lines().find_map(|line| line.trim().strip_prefix("- --of="));
    assert_eq!(completions.expect("completions"), of.expect("--of"));
}

/// Words that begin like our metrics.
fn metrics(text: &str) -> BTreeSet<&str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|word| word.starts_with("fulldeck_"))
        .collect()
}

#[test]
fn dashboards_and_alarms_name_only_metrics_that_exist() {
    let guide = read("docs/guide/metrics.md");
    let rows = guide.lines().filter(|line| line.starts_with("| `fulldeck_"));
    let known: BTreeSet<_> = rows.map(|row| row.split('`').nth(1).expect("a name")).collect();
    assert!(known.len() > 10, "{known:?}");
    for file in ["deploy/prometheus/alerts.yml", "deploy/grafana/fulldeck.json"] {
        let text = read(file);
        let named = metrics(&text);
        assert!(!named.is_empty(), "{file} names metrics");
        let strange: Vec<_> = named.difference(&known).collect();
        assert!(strange.is_empty(), "{file} names {strange:?}, which are not in the guide");
    }
    let dashboard: serde_json::Value =
        serde_json::from_str(&read("deploy/grafana/fulldeck.json")).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64()).collect();
    assert_eq!(ids.len(), panels.len(), "ids are unique");
}

#[test]
fn every_folder_says_in_a_few_lines_how_it_is_used() {
    let table = read("deploy/README.md");
    for entry in fs::read_dir(top().join("deploy")).expect("deploy") {
        let path = entry.expect("an entry").path();
        if !path.is_dir() {
            continue;
        }
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = read(&format!("deploy/{name}/README.md"));
        assert!(text.lines().count() <= 25, "{name}: short");
        assert!(text.matches("```").count() >= 2, "{name}: commands");
        assert!(table.contains(&format!("({name}/README.md)")), "{name} is in the table");
    }
}
