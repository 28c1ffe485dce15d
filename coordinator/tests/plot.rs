//! Pictures as a person asks for them: of runs, without a run, and what is refused.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "support/program.rs"]
mod program;

use std::path::Path;
use std::sync::OnceLock;

use program::{Answer, refused, run, run_in};

/// A folder in which hold'em is complete.
fn complete() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            finish(folder.path(), "run omaha -p cards=2 -q");
            folder
        })
        .path()
}

fn words(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

#[track_caller]
fn finish(folder: &Path, text: &str) -> Answer {
    let answer = run_in(folder, &words(text), "");
    assert_eq!(answer.code(), 0, "{text}: {}", answer.err());
    answer
}

/// The picture that a command draws in a folder, as SVG.
#[track_caller]
fn drawn(folder: &Path, text: &str) -> String {
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("picture.svg");
    let answer = finish(folder, &format!("{text} -q --file {} -o json", file.display()));
    let picture = std::fs::read_to_string(&file).unwrap();
    assert_eq!(answer.json()["bytes"], picture.len());
    let left: Vec<_> = std::fs::read_dir(out.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing but the picture is left: {left:?}");
    picture
}

/// A text that stands alone in a picture.
fn has(picture: &str, text: &str) -> bool {
    picture.contains(&format!(">{text}</text>"))
}

#[test]
fn kinds_are_listed_without_a_file() {
    let kinds = finish(complete(), "plot last -o id");
    assert_eq!(kinds.out(), "grid\nheatmap\nsorted\nstrength\n");
    assert!(finish(complete(), "plot 1").out().contains("13 x 13 starting hands"));
    assert_eq!(run("joker plot -o id", "").good(), "preflop\ndifference\nfrequencies\n");
    let lines = run("betting plot -o jsonl", "").lines();
    assert_eq!(lines[0]["kind"], "growth");
}

#[test]
fn every_kind_of_a_run_is_drawn_and_names_it() {
    let manifest = finish(complete(), "merge last -q -o json").json();
    let short = &manifest["fingerprint"].as_str().unwrap()[..12];
    for (kind, parts) in [
        ("grid", &["AA", "85.20", "32o", "equity, %"][..]),
        ("heatmap", &["ab", "aa", "hand, by suit pattern, then by ranks from low to high"]),
        ("sorted", &["20 %", "100 %"]),
        ("strength", &["ab", "all hands", "equity against a random hand, %"]),
    ] {
        let picture = drawn(complete(), &format!("plot last --kind {kind}"));
        for part in parts {
            assert!(has(&picture, part), "{kind} lacks '{part}'");
        }
        assert!(has(&picture, &format!("fulldeck run {short}: omaha, cards=2")), "{kind}");
    }
    assert_eq!(drawn(complete(), "plot last"), drawn(complete(), "plot 1 --kind grid"));
}

#[test]
fn threads_change_no_byte_and_a_png_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |threads: usize, name: &str| {
        let file = folder.path().join(name);
        let text = format!("plot 1 --kind sorted --threads {threads} -q -o {}", file.display());
        finish(complete(), &text);
        std::fs::read(file).unwrap()
    };
    let one = draw(1, "one.png");
    assert!(one.starts_with(b"\x89PNG\r\n"));
    assert_eq!(one, draw(3, "three.PNG"));
}

#[test]
fn strategies_are_drawn() {
    let one = drawn_by_solve("--stack 8");
    for part in ["AA", "100", "stack 8 big blinds, blinds 0.5 and 1, ante 0", "frequency, %"] {
        assert!(has(&one, part), "lacks '{part}'");
    }
    let many = drawn_by_solve("--stacks 2,12,6");
    for part in ["push", "call", "stack, big blinds", "value, big blinds a hand"] {
        assert!(has(&many, part), "lacks '{part}'");
    }
}

fn drawn_by_solve(stacks: &str) -> String {
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("picture.svg");
    finish(complete(), &format!("solve pushfold {stacks} -q --plot {}", file.display()));
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn games_are_drawn_without_a_run() {
    let here = tempfile::tempdir().unwrap();
    let draw = |text: &str| drawn(here.path(), text);
    let preflop = draw("joker plot");
    assert!(has(&preflop, "**") && has(&preflop, "99.66") && has(&preflop, "30.94"));
    assert!(!has(&draw("joker plot --deck 52"), "A*"));
    let difference = draw("joker plot --kind difference");
    assert!(has(&difference, "−6.55") && has(&difference, "in one deck only"));
    let wild = draw("joker plot --kind frequencies --five-of-a-kind --cards 5");
    assert!(has(&wild, "54 cards") && has(&wild, "flush"));
    let growth = draw("betting plot --players 5 --cap 3");
    assert!(has(&growth, "highest bet 3") && has(&growth, "players"));
    let map = draw("basket plot");
    assert_eq!(map.matches(">P 0</text>").count(), 16, "lost positions");
    assert_eq!(map.matches(">N ").count(), 48, "won positions");
    assert_eq!(draw("basket plot --misere").matches(">P</text>").count(), 16);
}

#[test]
fn runs_of_other_games_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |run: &str, kind: &str| {
        finish(folder.path(), &format!("run {run} -q"));
        drawn(folder.path(), &format!("plot last --kind {kind}"))
    };
    let preflop = draw("joker -p stage=0 -p deck=53", "preflop");
    assert!(has(&preflop, "A*") && has(&preflop, "no such hand"));
    assert!(has(&draw("betting -p players=4 -p cap=3", "growth"), "highest bet 2"));
    assert!(has(&draw("basket -p colours=3 -p balls=7", "lost"), "3 colours"));
    assert!(has(&drawn(folder.path(), "plot last --kind moves"), "balls of each colour"));
    let rates = draw("doudizhu -p deals=20 -p a=random -p b=greedy", "win-rate");
    assert!(has(&rates, "random") && has(&rates, "did not meet"));
    let groups = draw("doudizhu -p task=groups -p cards=4", "groups");
    assert!(has(&groups, "all 3,605 hands of at most 4 cards; suits do not matter"));
    assert!(has(&drawn(folder.path(), "plot last --kind by-size"), "cards of the hand"));
}

#[test]
fn what_cannot_be_drawn_is_refused_and_leaves_nothing() {
    refused("joker plot -o picture.gif", &["'picture.gif'", ".png or .svg"]);
    refused("joker plot -o absent/picture.png", &["no folder 'absent'"]);
    refused("joker plot --kind heat -o x.png", &["'heat'", "preflop, difference, frequencies"]);
    refused("joker plot --kind preflop", &["no file is named", "-o FILE.png"]);
    refused("joker plot --file a.png -o b.png", &["two files"]);
    refused("joker plot --kind difference --deck 52 -o x.png", &["52 less itself"]);
    refused("joker plot --kind frequencies --cards 8 -o x.png", &["5, 6 or 7"]);
    refused("betting plot --players 24 -o x.svg", &["2 to 23"]);
    refused("basket plot -c 4 -o x.svg", &["1 to 3 colours"]);
    refused("joker preflop -o x.png", &["'x.png' is no shape of output", "table, wide, json"]);
    refused("joker plot -o plot", &["'plot'", "table, wide, json, jsonl, id"]);
    let folder = tempfile::tempdir().unwrap();
    let missing = run_in(folder.path(), &words("plot last -o x.png"), "");
    assert_eq!(missing.code(), 3, "{}", missing.err());
    assert!(missing.err().contains("no merged run 'last'"), "{}", missing.err());
    let unknown = run_in(complete(), &words("plot last --kind pie -o x.png"), "");
    assert_eq!(unknown.code(), 2);
    assert!(unknown.err().contains("grid, heatmap, sorted, strength"), "{}", unknown.err());
    assert!(unknown.err().contains("omaha, cards=2"), "{}", unknown.err());
    assert!(!complete().join("x.png").exists());
}

#[test]
fn an_unfinished_run_has_no_picture() {
    let folder = tempfile::tempdir().unwrap();
    finish(folder.path(), "run omaha -p cards=2 --only aa-aa -q");
    let answer = run_in(folder.path(), &words("plot last -o x.png"), "");
    assert_eq!(answer.code(), 3, "{}", answer.err());
    finish(folder.path(), "merge last --only aa-aa -q");
    let artifacts = std::fs::read_dir(folder.path().join("fulldeck-data/artifacts")).unwrap();
    let part = artifacts.map(|entry| entry.unwrap().path()).next().unwrap();
    let answer = run_in(folder.path(), &["plot", part.to_str().unwrap(), "-o", "x.png"], "");
    assert_eq!(answer.code(), 2, "{}", answer.err());
    assert!(answer.err().contains("the job aa-aa alone"), "{}", answer.err());
    assert!(!folder.path().join("x.png").exists());
}

#[test]
fn a_picture_that_is_there_is_replaced_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("map.svg"), "old").unwrap();
    std::fs::create_dir(folder.path().join("folder.svg")).unwrap();
    finish(folder.path(), "basket plot -o map.svg");
    assert!(std::fs::read_to_string(folder.path().join("map.svg")).unwrap().starts_with("<svg"));
    let answer = run_in(folder.path(), &words("basket plot -o folder.svg"), "");
    assert_eq!(answer.code(), 2, "{}", answer.err());
    assert!(answer.err().contains("'folder.svg' is a folder"), "{}", answer.err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}
