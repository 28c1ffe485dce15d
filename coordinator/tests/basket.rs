//! `fulldeck basket` as a person meets it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "support/program.rs"]
mod program;

use program::{refused, run, run_in};
use serde_json::json;

/// Plays the first hint of each turn, so that every level sees a whole game: the events.
fn play(words: &str) -> Vec<serde_json::Value> {
    // Moves depend on the program's, so the game is grown line by line: same seed, same replies.
    let mut input = String::new();
    loop {
        let events = run(words, &format!("{input}h\n")).lines();
        if events.iter().any(|event| event["event"] == "over") {
            return events;
        }
        let hint = events.iter().rev().find(|event| event["event"] == "hint").unwrap();
        let last = events.iter().rev().find(|event| event["event"] == "move");
        let missing = last.map_or(json!([3, 3, 3]), |last| last["missing"].clone());
        let colour = ["red", "blue", "green"]
            .iter()
            .zip(missing.as_array().unwrap())
            .find(|(_, missing)| **missing != json!(0));
        let any = format!("{}+1", colour.unwrap().0);
        input.push_str(hint["winning_moves"][0].as_str().unwrap_or(&any));
        input.push('\n');
    }
}

#[test]
fn a_scripted_game_at_each_level() {
    for level in ["1", "2", "3", "4", "5", "6", "7", "8", "9", "perfect", "random"] {
        for (first, misere) in [("me", ""), ("you", ""), ("me", " --misere")] {
            let words = format!("basket play -d {level} --first {first} --seed 3{misere} -o jsonl");
            let events = play(&words);
            let over = events.iter().find(|event| event["event"] == "over").unwrap();
            if first == "me" {
                assert_eq!(over["winner"], "you", "{words}: who begins and plays well wins");
            } else if ["7", "8", "9", "perfect"].contains(&level) {
                assert_eq!(over["winner"], "me", "{words}: perfect levels win when they begin");
            }
            let moves = events.iter().filter(|event| event["event"] == "move").count();
            assert_eq!(over["moves"].as_str().unwrap().split(' ').count(), moves);
        }
    }
}

#[test]
fn a_game_in_words_fits_forty_columns() {
    let script = "?\nh\nr2\nred 9\nu\n2 blue\nwhat\nu\nq\nr1\n";
    let words = "basket play --seed 1 -d 3 --trace --hint";
    let answer = run(words, script);
    let text = answer.good();
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
    assert!(!text.contains('\u{1b}'));
    for part in ["red    . . .   3 missing", "You put 2 red.", "taken back", "No: ", "Winning:"] {
        assert!(text.contains(part), "lacks '{part}': {text}");
    }
    assert_eq!(run(words, script).good(), text, "the same seed plays the same game");
    let folder = tempfile::tempdir().unwrap();
    let coloured = run_in(folder.path(), &["basket", "play", "--color", "always"], "q\n");
    assert!(coloured.out().contains("\u{1b}[31mred"));
    assert_eq!(run("basket play", "").code(), 0, "the end of the input leaves");
}

#[test]
fn a_game_is_replayed_by_its_moves() {
    let folder = tempfile::tempdir().unwrap();
    let words = [
        "basket",
        "play",
        "--moves",
        "red+3 blue+3 green+1",
        "-d",
        "9",
        "--seed",
        "1",
        "-o",
        "jsonl",
    ];
    let events = run_in(folder.path(), &words, "").lines();
    assert_eq!(events[3]["placed"], json!([3, 3, 1]));
    assert_eq!(events.last().unwrap()["winner"], "me");
    refused("basket play --moves red+4", &["red+4", "only 3 red places are free"]);
}

#[test]
fn positions_are_solved() {
    let lost = run("basket solve 1,1,3 -o json", "").json();
    assert_eq!((&lost["grundy"], &lost["normal"]), (&json!(0), &json!("lose")));
    let empty = run("basket solve 0,0,0 --depth 7 -o json", "").json();
    assert_eq!(empty["normal_winning_moves"], "red+3 blue+3 green+3");
    assert_eq!(
        (&empty["value"], &empty["best_moves"]),
        (&json!(1), &json!("red+3 blue+3 green+3"))
    );
    let traced = run("basket solve 1,1,3 --depth 3 --trace -o json", "").json();
    assert_eq!(traced["trace"][1], json!([0, 1, 0, 0, 1, 0, 0, 0, 0]));
    let table = run("basket table -o jsonl", "").lines();
    assert_eq!(table.len(), 64);
    assert_eq!(table.iter().filter(|row| row["normal"] == "lose").count(), 16);
    let many = run("basket solve --stdin", "3,3,3\n4,0,0\n1,2 --capacities 2,2\n");
    assert_eq!(many.code(), 2);
    assert_eq!(many.lines()[0]["misere"], "win");
    assert_eq!(many.lines()[1]["line"], 2);
    assert_eq!(many.lines()[2]["missing"], "1,0");
}

#[test]
fn totals_and_matches() {
    let totals = run("basket totals -c 3 -m 9 -o json", "").json();
    assert_eq!(totals["lost_normal"], "76");
    let lines = run("basket totals --stdin", "-c 4 -m 3\n-m 5\n").lines();
    assert_eq!(
        (&lines[0]["winning_moves_normal"], &lines[1]["winning_moves_normal"]),
        (&json!("384"), &json!("234"))
    );
    let large = run("basket totals -c 1000 -m 1000 -o json", "").json();
    assert_eq!(large["positions"].as_str().unwrap().len(), 3001);
    let matches = run("basket matches -o json", "").json();
    assert_eq!(matches["first_wins"][3]["against_perfect"], "1/3");
    assert_eq!(matches["first_wins"][10]["against_random"], "1/2");
    assert!(run("basket matches", "").good().contains("0.3333"));
}

#[test]
fn nonsense_is_refused_in_one_line() {
    refused("basket solve 4,0,0", &["red has 4 balls, but only 3 places"]);
    refused("basket solve 1,1", &["2 numbers", "red, blue, green"]);
    refused("basket solve one", &["'one'"]);
    refused("basket solve 0,0,0 --depth 10", &["10"]);
    refused("basket play --depth 0", &["'0'", "1 to 9"]);
    refused("basket play --colours 0", &["0 colours"]);
    refused("basket play --colours 20 --balls 9", &["1000000 positions"]);
    refused("basket play --first nobody", &["nobody"]);
    refused("basket table -c 9 -m 9", &["100000 positions"]);
    refused("basket totals -c 0", &["0"]);
    refused("basket totals -m 1001", &["1001"]);
    refused("basket", &["a word is missing after 'fulldeck basket'"]);
}
