//! The program as a person meets it: help, errors in one line, exit codes, JSON, colour. Needs no run.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Output, Stdio};

use assert_cmd::Command;
use serde_json::Value;

const COMMANDS: &[&str] = &[
    "run",
    "coordinator",
    "worker",
    "workloads",
    "submit",
    "status",
    "wait",
    "workers",
    "merge",
    "query",
    "plot",
    "verify",
    "omaha",
    "joker",
    "betting",
    "basket",
    "doudizhu",
    "store",
    "completions",
    "man",
    "doctor",
];

/// The program in an empty folder and without variables of its own.
fn fulldeck(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fulldeck"));
    let ours = std::env::vars_os().map(|(name, _)| name);
    for name in ours.filter(|name| name.to_string_lossy().starts_with("FULLDECK_")) {
        command.env_remove(name);
    }
    command.env_remove("NO_COLOR").current_dir(folder).args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let output = fulldeck(folder.path(), arguments).output().unwrap();
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert!(left.is_empty(), "{arguments:?} left {left:?}");
    output
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// One line on standard error, nothing on standard output, this exit code, nothing left behind.
fn refused(arguments: &[&str], code: i32, parts: &[&str]) {
    let output = run(arguments);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    assert_eq!(stdout(&output), "", "{arguments:?}");
    assert_eq!(text.lines().count(), 1, "{arguments:?}: {text}");
    assert!(text.starts_with("error: "), "{arguments:?}: {text}");
    for part in parts {
        assert!(text.contains(part), "{arguments:?} lacks '{part}': {text}");
    }
}

#[test]
fn every_command_has_help() {
    let whole = run(&["--help"]);
    for command in COMMANDS {
        assert!(stdout(&whole).contains(&format!("\n  {command} ")), "{command}");
        let help = run(&[command, "--help"]);
        assert_eq!(help.status.code(), Some(0), "{command}");
        assert!(stdout(&help).contains("Usage: fulldeck"), "{command}: {}", stdout(&help));
        assert_eq!(stderr(&help), "", "{command}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    for command in COMMANDS {
        let page = run(&["man", command]);
        assert_eq!(page.status.code(), Some(0), "{command}");
        assert!(stdout(&page).contains(&format!(".TH fulldeck-{command}")), "{command}");
    }
    assert!(stdout(&run(&["man"])).contains(".TH fulldeck"));
    let folder = tempfile::tempdir().unwrap();
    fulldeck(folder.path(), &["man", "--dir", "pages"]).assert().success();
    for name in ["fulldeck", "fulldeck-run", "fulldeck-omaha-matchup", "fulldeck-worker"] {
        let page = std::fs::read_to_string(folder.path().join(format!("pages/{name}.1"))).unwrap();
        assert!(page.contains("Examples:"), "{name}: {page}");
    }
    let nested = run(&["man", "omaha", "matchup"]);
    assert!(stdout(&nested).contains(".TH fulldeck-omaha-matchup"), "{}", stdout(&nested));
    assert!(stdout(&run(&["man", "fulldeck-worker"])).contains(".TH fulldeck-worker"));
    refused(&["man", "omaha", "matchups"], 2, &["'omaha matchups'"]);
}

#[test]
fn completions_name_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]);
        assert_eq!(script.status.code(), Some(0), "{shell}");
        for command in ["workloads", "verify"] {
            assert!(stdout(&script).contains(command), "{shell}: {command}");
        }
    }
    refused(&["completions", "csh"], 2, &["'csh'", "bash"]);
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(stdout(&run(&["--version"])), concat!("fulldeck ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn without_a_command_help_goes_to_standard_error() {
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output), "");
    assert!(stderr(&output).contains("Usage: fulldeck"));
}

#[test]
fn wrong_words_are_refused_in_one_line() {
    refused(&["frobnicate"], 2, &["'frobnicate'"]);
    refused(&["runn"], 2, &["'runn'", "'run'"]);
    refused(&["run"], 2, &["WORKLOAD"]);
    refused(&["run", "nothing"], 2, &["unknown workload 'nothing'", "the workloads are"]);
    refused(&["submit", "nothing"], 2, &["unknown workload 'nothing'"]);
    refused(&["workloads", "nothing"], 2, &["unknown workload 'nothing'"]);
    refused(&["-o", "yaml", "doctor"], 2, &["'yaml'", "table, wide, json, jsonl, id"]);
    refused(&["doctor", "--colour"], 2, &["--colour"]);
    refused(&["doctor", "-q", "-v"], 2, &["--quiet"]);
    refused(&["man", "nothing"], 2, &["unknown command 'nothing'"]);
    refused(&["verify", "1", "--sample", "1"], 2, &["'1'", "with a %"]);
    refused(&["verify", "1", "--sample", "0%"], 2, &["above 0"]);
    refused(&["verify", "1", "--threads", "0"], 2, &["1 to"]);
    refused(&["run", "x", "--threads", "none"], 2, &["'none'", "1 to"]);
    refused(&["run", "x", "--workers", "0"], 2, &["'0'", "1 to 64", "fulldeck run --help"]);
    refused(
        &["run", "x", "--workers", "many"],
        2,
        &["'--workers <N>'", "a whole number is needed"],
    );
    refused(&["omaha"], 2, &["a word is missing after 'fulldeck omaha': matchup"]);
    refused(&["run", "x", "--slices", "1000001"], 2, &["1000001"]);
    refused(&["query", "last"], 2, &["HAND"]);
    refused(&["coordinator", "--listen", "localhost:0"], 2, &["'localhost:0'", "127.0.0.1:7411"]);
    let long = run(&["query", "last", &"As".repeat(3000)]);
    assert!(stderr(&long).len() < 500, "{}", stderr(&long));
    let long = run(&[&"x".repeat(6000)]);
    assert!(stderr(&long).contains("... (6,000 characters)"), "{}", stderr(&long));
    refused(&["status", "--coordinator", "http://127.0.0.1:1"], 2, &["--token-file"]);
}

#[test]
fn runs_are_named_by_number_last_or_fingerprint() {
    for command in [&["query", "one", "AA"][..], &["verify", "abc"], &["merge", "-x"]] {
        assert_eq!(run(command).status.code(), Some(2), "{command:?}");
    }
    refused(&["status", "first"], 2, &["'first' names no run", "at least 4 digits"]);
    for command in ["status", "wait", "merge", "verify"] {
        refused(&[command, "-1"], 2, &["'-1' names no run"]);
    }
    refused(&["wait", "first"], 2, &["'first' names no run"]);
}

#[test]
fn what_is_not_there_is_not_found() {
    refused(&["query", "last", "AA"], 3, &["no merged run 'last'", "fulldeck run"]);
    refused(&["query", "./elsewhere", "AA"], 3, &["there is no artifact in ./elsewhere"]);
    refused(&["verify", "7"], 3, &["no merged run '7'"]);
    refused(&["merge", "7"], 3, &["fulldeck-data"]);
    refused(&["status"], 3, &["fulldeck-data"]);
}

#[test]
fn what_is_said_to_do_next_names_the_folder() {
    let place = ["--data-dir", "my data"];
    let next = |command: &[&str], hint: &str| {
        let output = run(&[command, &place].concat());
        assert!(stderr(&output).contains(hint), "{command:?}: {}", stderr(&output));
    };
    next(&["workers"], "'fulldeck coordinator --data-dir 'my data''");
    next(&["query", "last", "AA"], "fulldeck run --data-dir 'my data'");
}

#[test]
fn a_file_is_no_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    for words in ["run omaha -p cards=2", "status", "merge 1", "coordinator", "verify 1"] {
        let words: Vec<_> = words.split(' ').chain(["--data-dir", "file"]).collect();
        let output = fulldeck(folder.path(), &words).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", stderr(&output));
        let text = "error: file is a file, not a data folder; name a folder with --data-dir";
        assert!(stderr(&output).starts_with(text), "{words:?}: {}", stderr(&output));
    }
    let doctor = fulldeck(folder.path(), &["doctor", "--data-dir", "file"]).output().unwrap();
    assert_eq!(doctor.status.code(), Some(11), "{}", stdout(&doctor));
}

#[test]
fn without_a_coordinator_its_commands_say_so() {
    for command in [&["workers"][..], &["wait", "1"], &["submit", "omaha"]] {
        refused(command, 7, &["no coordinator is running", "fulldeck coordinator"]);
    }
}

#[test]
fn a_coordinator_that_does_not_answer_is_unreachable() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("token"), "a".repeat(64)).unwrap();
    // A port that was just free: nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}");
    let arguments = ["workers", "--coordinator", &url, "--token-file", "token"];
    let output = fulldeck(folder.path(), &arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
    assert!(stderr(&output).contains("no coordinator answers at"), "{}", stderr(&output));
}

#[test]
fn errors_are_json_when_json_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, kind) in [
        (&["-o", "json", "frobnicate"][..], "usage"),
        (&["workers", "-o", "jsonl"], "unreachable"),
        (&["verify", "9", "--output=json"], "not_found"),
    ] {
        let output = run(arguments);
        let error: Value = serde_json::from_slice(&output.stderr)
            .unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)));
        assert_eq!(error["error"]["kind"], kind, "{error}");
        assert!(error["error"]["message"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
        assert!(error["error"]["hint"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
        assert_eq!(error["schema"], 1);
        assert_eq!(stdout(&output), "");
    }
    let mut command = fulldeck(folder.path(), &["workers"]);
    let output = command.env("FULLDECK_OUTPUT", "json").output().unwrap();
    assert!(serde_json::from_slice::<Value>(&output.stderr).is_ok(), "{}", stderr(&output));
}

#[test]
fn doctor_answers_in_every_shape() {
    let json: Value = serde_json::from_slice(&run(&["doctor", "-o", "json"]).stdout).unwrap();
    assert_eq!(json["schema"], 1);
    let checks = json["checks"].as_array().unwrap();
    assert!(checks.iter().any(|check| check["name"] == "data folder"), "{json}");
    let lines = run(&["doctor", "-o", "jsonl"]);
    assert_eq!(stdout(&lines).lines().count(), checks.len());
    for line in stdout(&lines).lines() {
        assert_eq!(serde_json::from_str::<Value>(line).unwrap()["schema"], 1);
    }
    assert!(stdout(&run(&["doctor"])).contains("data folder"));
}

#[test]
fn colour_is_used_when_asked_for_and_never_when_piped() {
    let escape = '\u{1b}';
    for arguments in [&["doctor"][..], &["--help"], &["frobnicate"]] {
        let piped = run(arguments);
        assert!(!stdout(&piped).contains(escape) && !stderr(&piped).contains(escape));
    }
    assert!(stdout(&run(&["doctor", "--color", "always"])).contains(escape));
    assert!(stderr(&run(&["--color", "always", "frobnicate"])).contains(escape));
    let folder = tempfile::tempdir().unwrap();
    let mut command = fulldeck(folder.path(), &["doctor"]);
    let output = command.env("FULLDECK_COLOR", "always").output().unwrap();
    assert!(stdout(&output).contains(escape));
    let mut command = fulldeck(folder.path(), &["doctor", "--color", "auto"]);
    let output = command.env("NO_COLOR", "1").env("FULLDECK_COLOR", "always").output().unwrap();
    assert!(!stdout(&output).contains(escape), "a flag beats its variable");
}

#[test]
fn variables_stand_for_flags_and_flags_beat_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = fulldeck(folder.path(), &["query", "last", "AA"]);
    let output = command.env("FULLDECK_DATA_DIR", "other-place").output().unwrap();
    assert!(stderr(&output).contains("other-place"), "{}", stderr(&output));
    let mut command = fulldeck(folder.path(), &["query", "last", "AA", "--data-dir", "third"]);
    let output = command.env("FULLDECK_DATA_DIR", "other-place").output().unwrap();
    assert!(stderr(&output).contains("third"), "{}", stderr(&output));
    let mut command = fulldeck(folder.path(), &["doctor"]);
    let output = command.env("FULLDECK_QUIET", "perhaps").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let blamed = |variable: &str, words: &[&str]| {
        let mut command = fulldeck(folder.path(), words);
        let output = command.env(variable, "abc").output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        stderr(&output).to_owned()
    };
    let text = blamed("FULLDECK_WORKERS", &["run", "omaha"]);
    assert!(text.contains("'abc' for FULLDECK_WORKERS: a whole number"), "{text}");
    let text = blamed("FULLDECK_WORKERS", &["run", "omaha", "--workers", "def"]);
    assert!(text.contains("'def' for '--workers <N>'"), "{text}");
}

#[test]
fn a_reader_that_goes_away_is_not_an_error() {
    for arguments in [&["completions", "bash"][..], &["doctor"], &["--help"], &["man", "run"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let folder = tempfile::tempdir().unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_fulldeck"))
            .args(arguments)
            .current_dir(folder.path())
            .stdout(writer)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        assert_eq!(stderr(&output), "", "{arguments:?}");
    }
}

#[test]
fn a_malformed_access_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("fulldeck-data")).unwrap();
    std::fs::write(folder.path().join("fulldeck-data/access.toml"), "url = 3").unwrap();
    let output = fulldeck(folder.path(), &["workers"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("access.toml is malformed"), "{}", stderr(&output));
}

/// A process that does not outlive its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_coordinator_serves_and_keeps_others_out_until_it_is_asked_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut coordinator = Running(
        std::process::Command::new(env!("CARGO_BIN_EXE_fulldeck"))
            .args(["coordinator", "--listen", "127.0.0.1:0", "-q", "-o", "jsonl"])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut line = String::new();
    BufReader::new(coordinator.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let listening: Value = serde_json::from_str(&line).unwrap();
    assert!(listening["join"].as_str().unwrap().contains("fulldeck worker --access"), "{line}");

    let ask = |words: &[&str]| fulldeck(folder.path(), words).output().unwrap();
    assert_eq!(stdout(&ask(&["workers"])), "no workers\n");
    assert_eq!(stdout(&ask(&["status"])), "no runs\n");
    std::fs::write(folder.path().join("no-token"), "secret").unwrap();
    let url = listening["url"].as_str().unwrap();
    let unread = ask(&["workers", "--coordinator", url, "--token-file", "no-token"]);
    assert_eq!(unread.status.code(), Some(2));
    assert!(stderr(&unread).contains("token file no-token does not hold"), "{}", stderr(&unread));
    let missing = ask(&["status", "1"]);
    assert_eq!(missing.status.code(), Some(3), "{}", stderr(&missing));
    let second = ask(&["coordinator", "--listen", "127.0.0.1:0"]);
    assert_eq!(second.status.code(), Some(2), "{}", stderr(&second));
    assert!(stderr(&second).contains("is in use by process"), "{}", stderr(&second));
    std::fs::write(folder.path().join("token"), "0".repeat(64)).unwrap();
    let intruder = ask(&["workers", "--coordinator", url, "--token-file", "token"]);
    assert_eq!(intruder.status.code(), Some(2), "{}", stderr(&intruder));
    assert!(stderr(&intruder).contains("token"), "{}", stderr(&intruder));

    let process = rustix::process::Pid::from_child(&coordinator.0);
    rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
    assert_eq!(coordinator.0.wait().unwrap().code(), Some(0));
    // Its access file is stale now: the folder is read without it.
    assert_eq!(stdout(&ask(&["status"])), "no runs\n");
    assert_eq!(ask(&["workers"]).status.code(), Some(7));
}
