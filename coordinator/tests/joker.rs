//! `fulldeck joker`: answers, shapes, many questions at once, refusals in one line.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::process::Output;

use assert_cmd::Command;
use serde_json::{Value, json};

fn joker(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fulldeck"));
    let ours = std::env::vars_os().map(|(name, _)| name);
    for name in ours.filter(|name| name.to_string_lossy().starts_with("FULLDECK_")) {
        command.env_remove(name);
    }
    command.arg("joker").args(arguments).write_stdin(input).output().unwrap()
}

fn text(output: &[u8]) -> &str {
    std::str::from_utf8(output).unwrap()
}

fn answer(arguments: &[&str]) -> Value {
    let output = joker(&[arguments, &["-o", "json"]].concat(), "");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refused(arguments: &[&str], part: &str) {
    let output = joker(arguments, "");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert_eq!((text(&output.stdout), said.lines().count()), ("", 1), "{arguments:?}: {said}");
    assert!(said.starts_with("error: ") && said.contains(part), "{arguments:?}: {said}");
}

#[test]
fn hands_are_judged_in_any_words() {
    for words in [
        &["best", "黑2,黑3", "方2,方A,黑7,黑5,鬼"][..],
        &["best", "2s", "3s", "2d", "Ad", "7s", "5s", "*"],
        &["best", "2s3s2dAd7s5s*1", "--deck", "54"],
    ] {
        let best = answer(words);
        assert_eq!((&best["schema"], &best["jokers"]), (&json!(1), &json!("*1 = As")));
        assert_eq!((&best["best5"], &best["lower"]), (&json!("A7532"), &json!(158_802_180)));
    }
    let wild = answer(&["best", "As Ah Ad *1 *2", "--five-of-a-kind"]);
    assert_eq!((&wild["type_number"], &wild["rank"]), (&json!(11), &json!(1)));
    let better = answer(&["compare", "As Kd 9h 7h *", "Ac Kc 9s 7d Qh"]);
    assert_eq!(better["better"], "a");
    assert_eq!(answer(&["convert", "4145153546288"])["chinese"], "方4,方A,黑3,黑5,黑6,黑A,鬼");
}

#[test]
fn odds_are_exact_and_estimates_are_called_so() {
    let words = ["odds", "方3,鬼", "--board", "黑2,黑4,黑5,黑K", "--estimate"];
    let odds = answer(&words);
    assert_eq!(
        (&odds["win"], &odds["tie"], &odds["lose"]),
        (&json!(47_136), &json!(3_486), &json!(1_266))
    );
    assert!(odds["estimate_is"].as_str().unwrap().contains("no exact number"));
    assert_eq!(answer(&words[..4]).get("estimate"), None);
    let against = answer(&["odds", "As *", "--against", "Kc Kd", "--board", "2c 3c 4h 9d"]);
    assert_eq!(against["total"], 46);
    let aces = answer(&["odds", "As Ah", "--deck", "52"]);
    assert_eq!((&aces["win"], &aces["tie"]), (&json!(1_781_508_418u64), &json!(11_402_312)));
}

#[test]
fn starting_hands_come_as_grid_and_list() {
    let all = answer(&["preflop", "--minus", "52"]);
    assert_eq!(all["classes"].as_array().unwrap().len(), 183);
    assert_eq!((all["labels"][0].as_str(), all["labels"][13].as_str()), (Some("*"), Some("2")));
    let equity = all["equities"][1][1].as_f64().unwrap();
    assert!((equity - 0.7865).abs() < 1e-4, "{equity}");
    assert_eq!(all["differences"][0][0], Value::Null);
    let grid = joker(&["preflop"], "");
    assert_eq!(text(&grid.stdout).lines().count(), 1 + 1 + 14);
    let lines = joker(&["preflop", "-o", "jsonl", "--deck", "53"], "");
    assert_eq!(text(&lines.stdout).lines().count(), 182);
    assert_eq!(answer(&["preflop", "kas"])["class"], "AKs");
    let frequencies = answer(&["frequencies", "--cards", "7"]);
    assert_eq!(frequencies["full_house"], 8_521_104);
    assert_eq!(answer(&["frequencies"])["sizes"][0]["quads"], 9_438);
}

#[test]
fn many_questions_take_the_words_and_flags_of_one() {
    let input = "'As *'\n'Ks Kh' --deck 52\n'As As'\n'3d *' --board '2s 4s 5s Ks'\n--stdin\n";
    let output = joker(&["odds", "--stdin"], input);
    assert_eq!(output.status.code(), Some(2));
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 5);
    assert_eq!((&lines[0]["class"], &lines[1]["deck"]), (&json!("A*"), &json!(52)));
    assert!(lines[2]["error"]["message"].as_str().unwrap().contains("As at position 4"));
    assert_eq!((&lines[2]["line"], &lines[3]["win"]), (&json!(3), &json!(47_136)));
    assert!(lines[4]["error"]["message"].as_str().unwrap().contains("--stdin"));
    let output = joker(&["preflop", "--stdin", "--deck", "53"], "AA\n'A*'\n");
    assert_eq!((output.status.code(), text(&output.stdout).lines().count()), (Some(0), 2));
}

#[test]
fn bad_input_is_refused_in_one_line() {
    refused(&["best", "As Ah * * *"], "a third joker at position 11");
    refused(&["best", "As As Ks Qs Js"], "As at position 4 is there already");
    refused(&["best", "As Ks Qs Js"], "has 4 cards, where 5 or 6 or 7 are needed");
    refused(&["odds", "As Ks Qs Js"], "has 4 cards, where 2 are needed");
    refused(&["odds", "As Ks", "--board", "As 2c 3c"], "As at position 1 is there already");
    refused(&["odds", "As Ks", "--board", "2c3c4c", "--board", "5c6c7c"], "--board");
    refused(&["odds", "hello"], "'h' at position 1 begins no card");
    refused(&["odds", "As *", "--deck", "52"], "which has no joker");
    refused(&["odds", "As Ks", "--deck", "55"], "52, 53, 54");
    refused(&["odds", "As Ks", "--estimate=original", "--deck", "53"], "=original");
    refused(&["odds", "As Ks", "--estimate=best"], "plain, original");
    refused(&["odds", "As Ks", "--against", "Qs Qd", "--estimate"], "leave out");
    refused(&["preflop", "AKx"], "names no starting hand");
    refused(&["frequencies", "--cards", "4"], "5, 6 or 7");
    refused(&["convert", "99"], "'99' is not a key");
    refused(&["odds"], "HOLE");
}
