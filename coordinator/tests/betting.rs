//! `fulldeck betting` as a person meets it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "support/program.rs"]
mod program;

use program::{refused, run, run_in};
use serde_json::{Value, json};

#[test]
fn the_numbers_of_the_article() {
    for (words, expected) in [
        ("2 0", "8"),
        ("2 1", "20"),
        ("2 BB --fold-when-free no", "16"),
        ("3 0", "60805"),
        ("3 SB", "211960"),
        ("3", "492912000"),
        ("3 0 --blind-order small-blind", "211960"),
        ("3 1 --blind-order small-blind", "492912000"),
        ("3 2 --blind-order small-blind", "60805"),
        ("3 bb --cap 3", "93312"),
    ] {
        let answer = run(&format!("betting count {words} -o json"), "").json();
        assert_eq!(answer["strategies"], expected, "{words}");
        assert_eq!(answer["digits"], expected.len().to_string());
    }
    let six = run("betting count 6 -o json", "").json();
    assert_eq!((&six["digits"], &six["strategies"]), (&json!("1804"), &Value::Null));
    assert_eq!(six["position"], "BB");
    assert!(run("betting count 3", "").good().contains("492912000"));
}

#[test]
fn digits_go_to_a_file_or_to_standard_output() {
    let six = include_str!("../../common/games/betting/tests/cases/six_players.txt");
    assert_eq!(run("betting count 6 --decimal -", "").good(), six);
    let folder = tempfile::tempdir().unwrap();
    let words = ["betting", "count", "6", "--decimal", "six.txt", "-o", "json"];
    let answer = run_in(folder.path(), &words, "").json();
    assert_eq!(answer["file"], "six.txt");
    let written = std::fs::read_to_string(folder.path().join("six.txt")).unwrap();
    assert_eq!(written, six.trim_end());
    refused("betting count 6 --decimal ./none/six.txt", &["./none/six.txt"]);
    refused("betting count 6 --max-digits 1803 --decimal x", &["1804 digits", "--max-digits"]);
}

#[test]
fn numbers_of_any_length_have_a_size_residues_and_a_program() {
    let size = run("betting size 23 -o json", "").json();
    assert_eq!(size["digits"], "925232880002622");
    let known = run("betting size 3 -o json", "").json();
    assert_eq!((&known["first20"], &known["last20"]), (&json!("492912000"), &json!("492912000")));
    refused("betting count 23", &["925232880002622 digits", "betting dag"]);

    let residues = run("betting residue 3 -m 1000 -m 7 -o json", "").json();
    let expected = json!([
        { "modulus": "1000", "residue": "0" },
        { "modulus": "7", "residue": (492_912_000 % 7).to_string() },
    ]);
    assert_eq!(residues["residues"], expected);

    let folder = tempfile::tempdir().unwrap();
    for form in ["situations", "powers"] {
        let words = ["betting", "dag", "8", "--form", form, "--file", "dag.txt"];
        run_in(folder.path(), &words, "").good();
        let words = ["betting", "verify-dag", "dag.txt", "-m", "1000003", "-o", "json"];
        let read = run_in(folder.path(), &words, "").json();
        let direct = run("betting residue 8 -m 1000003 -o json", "").json();
        assert_eq!((&read["residues"], &read["digits"]), (&direct["residues"], &json!("51852")));
    }
    let bad = run("betting verify-dag -", "fulldeck betting program 1\nv0 = 2\nv1 = v0 * v5\n");
    assert_eq!(bad.code(), 2);
    assert!(bad.err().contains("line 3: v5 is not known yet"), "{}", bad.err());
}

#[test]
fn trees_of_known_structures_and_of_files() {
    let tree = run("betting tree hu-limit -o json", "").json();
    assert_eq!(tree["information_sets"], "319365922522608");
    assert_eq!(tree["states"], "316207058696146800");
    assert_eq!(run("betting tree kuhn:2 -o id", "").good(), "12\n");
    assert!(run("betting tree leduc", "").good().contains("936"));
    let buckets = run("betting tree hu-limit --buckets 169,10,10,10 -o json", "").json();
    assert_eq!(buckets["information_sets"], (8 * 169 + 10 * (70 + 630 + 5670)).to_string());
    refused("betting tree hu-limit --buckets 1,2", &["4 above 0"]);
    refused("betting tree hu-limitt", &["'hu-limitt'", "hu-limit"]);
    refused("betting tree ./missing.game", &["./missing.game"]);
    refused("betting tree hu-nolimit:5,10,5000", &["5000", "2000"]);
    assert!(run("betting structures", "").good().contains("kuhn:PLAYERS"));

    let folder = tempfile::tempdir().unwrap();
    let file = |text: &str| std::fs::write(folder.path().join("x.game"), text).unwrap();
    let ask = || run_in(folder.path(), &["betting", "tree", "x.game", "-o", "json"], "");
    let good = "GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = 1\nblind = 1 1\nmaxRaises = 1\n\
                firstPlayer = 1\nnumSuits = 1\nnumRanks = 3\nnumHoleCards = 1\n\
                numBoardCards = 0\nEND GAMEDEF\n";
    file(good);
    assert_eq!(ask().json()["information_sets"], "12");
    for (from, to, parts) in [
        ("maxRaises", "maxRaizes", &["x.game: line 6", "'maxraizes'", "maxRaises"][..]),
        ("numPlayers = 2", "numPlayers = 0", &["line 3", "2 to 10"]),
        ("blind = 1 1", "blind = 1", &["line 5", "2 are needed"]),
        ("maxRaises = 1", "maxRaises = many", &["line 6", "'many'"]),
        ("numRanks = 3", "numRanks = 1", &["more cards"]),
        ("END GAMEDEF\n", "", &["END GAMEDEF"]),
        ("firstPlayer = 1", "firstPlayer = 3", &["line 7", "player 3"]),
        ("limit\n", "", &["limit"]),
    ] {
        file(&good.replace(from, to));
        let answer = ask();
        assert_eq!((answer.code(), answer.out()), (2, ""), "{to}");
        for part in parts {
            assert!(answer.err().contains(part), "{to} lacks '{part}': {}", answer.err());
        }
    }
}

#[test]
fn many_questions_are_answered_in_order() {
    let answer = run("betting count --stdin", "3 0\n3 7\n\n2 BB --fold-when-free no\n");
    let lines = answer.lines();
    assert_eq!(answer.code(), 2);
    assert_eq!(lines[0]["strategies"], "60805");
    assert_eq!(lines[1]["line"], 2);
    assert!(lines[1]["error"]["message"].as_str().unwrap().contains("seat 7"));
    assert_eq!(lines[2]["strategies"], "16");
    assert_eq!(lines.len(), 3, "empty lines ask nothing");
    let trees = run("betting tree --stdin", "kuhn:3\nleduc\n");
    assert_eq!((trees.code(), trees.lines()[1]["information_sets"].clone()), (0, json!("936")));
    for question in ["size", "residue", "dag"] {
        let answer = run(&format!("betting {question} --stdin"), "4 BTN\n");
        assert_eq!((answer.code(), answer.lines().len()), (0, 1), "{question}");
    }
}

#[test]
fn nonsense_is_refused_in_one_line() {
    refused("betting count 0", &["0 players", "2 to 23"]);
    refused("betting count 24", &["24 players", "2 to 23"]);
    refused("betting count 3 3", &["seat 3", "0 to 2"]);
    refused("betting count 3 UTG", &["'UTG'", "BTN, SB, BB"]);
    refused("betting count 3 --cap 0", &["cap 0", "1"]);
    refused("betting count 3 --cap 11", &["cap 11", "10"]);
    refused("betting count -- -3", &["-3"]);
    refused("betting residue 3 -m 0", &["0"]);
    refused("betting count", &["PLAYERS"]);
    refused("betting", &["a word is missing after 'fulldeck betting'"]);
}
