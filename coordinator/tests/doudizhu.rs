//! `fulldeck doudizhu`: single questions, many at once, bad input, and a game played by a script.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::process::Output;

use assert_cmd::Command;
use serde_json::{Value, json};

/// The program with these words and this standard input.
fn run(words: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fulldeck"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("FULLDECK_") {
            command.env_remove(name);
        }
    }
    command.arg("doudizhu").args(words).write_stdin(input).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn answer(words: &[&str]) -> Value {
    let output = run(&[words, &["-o", "json"]].concat(), "");
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// One line on standard error, nothing on standard output, exit code 2.
fn refused(words: &[&str], parts: &[&str]) {
    let output = run(words, "");
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
    assert_eq!((text(&output.stdout), error.lines().count()), ("", 1), "{words:?}: {error}");
    for part in parts {
        assert!(error.contains(part), "{words:?} lacks '{part}': {error}");
    }
}

#[test]
fn hands_are_answered() {
    let moves = answer(&["moves", "456789", "--on", "34567"]);
    let found: Vec<_> =
        moves["moves"].as_array().unwrap().iter().map(|mv| mv["cards"].as_str()).collect();
    assert_eq!(found, [Some("45678"), Some("56789")]);
    assert_eq!(moves["n_moves"], 2);
    let value = answer(&["value", "77889TJJQQKKAA22小王"]);
    assert_eq!((&value["sum_value"], &value["need_round"]), (&json!(14), &json!(7)));
    assert_eq!(answer(&["bid", "77889TJJQQKKAA22B"])["bid"], 1);
    let lead = answer(&["lead", "33445566899TTKKA2", "--why"]);
    assert_eq!(lead["play"], "33445566");
    let chosen: Vec<_> =
        lead["candidates"].as_array().unwrap().iter().filter(|c| c["chosen"] == true).collect();
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0]["cards"], "33445566");
    assert!(chosen[0]["rest_rounds"].is_number());
    let follow = answer(&["follow", "4 4 7 8 8 9 10 J J Q K A A 2 2", "--on", "345678"]);
    assert_eq!(follow["play"], "789TJQ");
    let greedy = answer(&["follow", "45678K", "--on", "Q", "--agent", "greedy"]);
    assert_eq!(greedy["play"], "K");
    let groups = answer(&["groups", "33344888999AA222B"]);
    assert_eq!(groups["groups"], 3);
}

#[test]
fn endgames_and_deals_are_answered() {
    let won = answer(&["endgame", "99TK", "358TJ22", "367TJAA"]);
    assert_eq!((&won["landlord_wins"], &won["winning_moves"]), (&json!(true), &json!("99")));
    let on = ["479JJ2", "578Q", "499TJ", "--to-move", "up", "--on", "3", "--by", "down"];
    let lost = answer(&[&["endgame"], &on[..]].concat());
    assert_eq!((&lost["landlord_wins"], &lost["winning_moves"]), (&json!(false), &json!("9 T")));
    let deal = answer(&["deal", "--seed", "1", "--index", "0"]);
    assert_eq!(deal["hand_0"], "3456778TTJJQKAA22");
}

#[test]
fn contests_add_up_and_show_their_games() {
    let words = ["tournament", "seed", "random", "--deals", "40", "--games", "2", "--threads", "1"];
    let contest = answer(&words);
    assert_eq!(contest["a_landlord_games"], 40);
    let games = contest["games"].as_array().unwrap();
    assert_eq!(games.len(), 4);
    assert!(games[0]["moves"].as_str().unwrap().starts_with("0:"));
    let again = answer(&["tournament", "seed", "random", "--deals", "40"]);
    assert_eq!(again["a_landlord_wins"], contest["a_landlord_wins"]);
}

#[test]
fn many_questions_are_answered_in_order() {
    let output =
        run(&["follow", "--stdin"], "47889JQQKKA2 --on 4\n33333 --on 4\n3 --on 33 --why\n3\n");
    assert_eq!(output.status.code(), Some(2));
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["play"], "7");
    assert_eq!(lines[1]["line"], 2);
    assert_eq!(lines[2]["play"], "pass");
    assert!(lines[3]["error"]["message"].as_str().unwrap().contains("--on"));
}

#[test]
fn bad_input_gets_one_clear_line() {
    refused(&["moves", "33333"], &["'3' at position 5", "four of a rank"]);
    refused(&["moves", "3RR"], &["big joker", "has one"]);
    refused(&["value", "3344556677889TTJJQQKK"], &["21 cards", "at most 20"]);
    refused(&["moves", "3X王"], &["which joker"]);
    refused(&["moves", "34", "--on", "35"], &["35 is no move"]);
    refused(&["moves", "34", "--on", "33", "--type", "trio"], &["33 is no trio", "pair"]);
    refused(&["moves", "34", "--rules", "loose"], &["'loose' is no rule"]);
    refused(&["bid", "3456"], &["4 cards", "17"]);
    refused(&["lead", "34", "--agent", "nobody"], &["no agent 'nobody'", "random, greedy, seed"]);
    refused(&["lead", "34", "--agent", "improved"], &["whole game"]);
    refused(&["follow", "34"], &["--on"]);
    refused(&["endgame", "33", "3", "33"], &["'3' is held 5 times"]);
    refused(&["endgame", "3", "4", "5", "--on", "3"], &["--by"]);
    refused(
        &["endgame", "3", "4", "5", "--on", "3", "--by", "landlord"],
        &["cannot follow his own"],
    );
    refused(&["tournament", "seed", "nobody"], &["no agent 'nobody'"]);
    refused(&["play", "--agents", "seed"], &["1 agents given"]);
    refused(&["groups"], &["HAND"]);
}

/// A person who follows every hint plays a whole game; wrong input is explained and changes nothing.
#[test]
fn a_game_is_played_by_words() {
    let script = "0\n?\nh seed\nc\nh nobody\nq\n";
    let output = run(&["play", "--landlord", "seat0", "--agents", "seed,greedy"], script);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    for part in [
        "you are at seat 0: 3456778TTJJQKAA22",
        "you are landlord",
        "'0' at position 1",
        "p to pass",
        "seed plays ",
        "still out: ",
        "no agent 'nobody'",
        "good bye",
    ] {
        assert!(shown.contains(part), "lacks '{part}': {shown}");
    }
    let passing = run(&["play", "--seat", "1", "--agents", "seed,seed"], &"p\n".repeat(200));
    assert!(text(&passing.stdout).contains("you score"), "{}", text(&passing.stdout));
}
