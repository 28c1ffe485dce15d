//! The workload as the engine uses it: planned, computed in any order, checked, put together, asked and verified.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fulldeck_job::{
    Computation, ComputeContext, ComputeError, Parameters, Sample, VerifyReport, Workload,
};
use fulldeck_joker::Joker;
use serde_json::{Map, Value, json};
use support::csv::rows;
use support::memory::Memory;

fn prepare(words: &[&str]) -> Arc<dyn Computation> {
    let parameters = Parameters::parse(Joker.parameters(), words).unwrap();
    Joker.prepare(&parameters).unwrap()
}

fn with_context<T>(run: impl FnOnce(&ComputeContext<'_>) -> T) -> T {
    run(&ComputeContext { cancel: &AtomicBool::new(false), progress: &|_| () })
}

/// Computes all slices, the last first, and puts them together.
fn artifact(run: &dyn Computation, slices: u32) -> Memory {
    let plan = run.plan(slices).unwrap();
    let mut payloads: Vec<Vec<u8>> = Vec::new();
    for slice in plan.slices().iter().rev() {
        let payload = with_context(|context| run.compute(&[*slice], context)).unwrap().remove(0);
        assert_eq!(payload.len() as u64, slice.raw_bytes);
        assert_eq!(run.check(slice, &payload), Ok(()));
        payloads.push(payload);
    }
    let mut memory = Memory::default();
    let mut payloads = payloads.into_iter().rev().map(Ok::<_, io::Error>);
    run.assemble(&plan, &mut payloads, &mut memory).unwrap();
    memory
}

fn ask(
    run: &dyn Computation,
    artifact: &Memory,
    words: &[&str],
) -> Result<Map<String, Value>, String> {
    let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
    run.query(artifact, &words).map_err(|error| error.to_string())
}

fn verify(run: &dyn Computation, artifact: &Memory, fraction: f64) -> VerifyReport {
    let sample = Sample { fraction, seed: 4 };
    with_context(|context| run.verify(artifact, &sample, context)).unwrap()
}

fn counts(answer: &Map<String, Value>) -> [u64; 3] {
    ["win", "tie", "lose"].map(|name| answer[name].as_u64().unwrap())
}

/// The table up to four board cards: other slices give the same bytes, known odds are found under any names of the suits,
/// and rows are those of plain enumeration.
#[test]
fn a_table_is_the_same_however_it_is_cut_and_answers() {
    let run = prepare(&["stage=4"]);
    let mut whole = artifact(run.as_ref(), 0);
    let other = artifact(run.as_ref(), 9);
    assert!(whole == other, "the artifact depends on the plan");
    for row in rows("joker_prob.csv", 44) {
        if row.text("deck") != "54" || row.text("rule") != "D" || row.number("k") > 4 {
            continue;
        }
        let known = ["win", "tie", "lose"].map(|name| row.number(name));
        for names in ["shdc", "hdcs", "cdhs"] {
            let rename = |text: &str| -> String {
                let suit = |letter| "shdc".find(letter).map(|at| names.as_bytes()[at] as char);
                text.chars().map(|letter| suit(letter).unwrap_or(letter)).collect()
            };
            let words = [rename(row.text("hole")), rename(row.text("board"))];
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let answer = ask(run.as_ref(), &whole, &words).unwrap();
            assert_eq!(counts(&answer), known, "{words:?}");
        }
    }
    for (words, part) in [
        (&["AsKs", "2s 3s 4s 5s 6s"][..], "keeps boards of 0 to 4"),
        (&["AsKsQs"], "has 3 cards, where 2 are needed"),
        (&["AsKs", "As2d3d"], "As at position 1 is there already"),
        (&["AsKs", "2d3d4d", "5d"], "3 words given"),
        (&[], "0 words given"),
        (&["**", "*AsKs"], "third joker"),
    ] {
        let error = ask(run.as_ref(), &whole, words).unwrap_err();
        assert!(error.contains(part), "{words:?}: {error}");
    }
    let report = verify(run.as_ref(), &whole, 5e-6);
    assert_eq!((report.mismatched, report.examples.len()), (0, 0));
    assert!(report.checked > 100);
    let known = fulldeck_joker::Preflop::known(fulldeck_joker::Deck::Cards54, Default::default());
    let line = |at: usize| whole.tables["preflop"][at + 1].join(",");
    for (at, (class, odds)) in known.rows().iter().enumerate() {
        let holes = class.holes(known.deck());
        assert_eq!(line(at), format!("{class},{holes},{},{},{}", odds.win, odds.tie, odds.lose));
    }
    assert_eq!(whole.tables["positions_7"].len(), 1 + 4_824);
    // A count that is off by one does not pass unseen.
    whole.bytes("win_4").iter_mut().for_each(|byte| *byte ^= 1);
    assert!(verify(run.as_ref(), &whole, 1e-6).mismatched > 0);
}

/// Slices of full boards are what plain enumeration of their boards says.
#[test]
fn rivers_are_those_of_plain_enumeration() {
    for words in [&["deck=54"][..], &["deck=53", "rule=wild"], &["deck=52"]] {
        let run = prepare(words);
        let plan = run.plan(0).unwrap();
        assert_eq!(plan.jobs().len(), 2);
        let last = plan.slices().last().unwrap();
        assert_eq!(plan.jobs()[last.job.0 as usize].rows, last.first_row + last.rows);
        let mut slice = *last;
        slice.rows = 3;
        slice.raw_bytes = slice.raw_bytes / u64::from(last.rows) * 3;
        let payload = with_context(|context| run.compute(&[slice], context)).unwrap().remove(0);
        assert_eq!(run.check(&slice, &payload), Ok(()));
        slice.elements = slice.elements / u64::from(last.rows) * 3;
        let sample = Sample { fraction: 0.1, seed: 2 };
        let recheck = |payload: &[u8]| {
            with_context(|context| run.recheck(&slice, payload, &sample, context)).unwrap()
        };
        let report = recheck(&payload);
        assert!(report.checked > 300 && report.mismatched == 0, "{:?}", report.examples);
        // Counts of two whole boards exchanged: every identity holds, the rows are wrong.
        let mut exchanged = payload.clone();
        let board = exchanged.len() / 6;
        for half in exchanged.chunks_mut(3 * board) {
            half.rotate_left(board);
        }
        assert!(recheck(&exchanged).mismatched > 0);
        for at in [0, payload.len() / 2, payload.len() - 2] {
            let mut wrong = payload.clone();
            wrong[at] ^= 1;
            assert!(run.check(&slice, &wrong).is_err());
        }
        assert!(run.check(&slice, &payload[2..]).is_err());
    }
}

#[test]
fn plans_cover_every_board_once() {
    for (words, elements) in [
        (&["stage=0"][..], 18_356 * 1_225),
        (&["stage=5"], 18_356 * 1_225 + 152_646 * 1_176),
        (&["deck=52"], 16_432 * 1_128 + 134_459 * 1_081),
    ] {
        let run = prepare(words);
        for target in [0, 1, 7, 500] {
            let plan = run.plan(target).unwrap();
            assert_eq!(plan.slices().iter().map(|slice| slice.elements).sum::<u64>(), elements);
        }
    }
}

/// All frequency tables from runs.
#[test]
fn frequencies_of_runs_are_the_known_ones() {
    for row in rows("joker_freq.csv", 15).iter().filter(|row| row.number("n") == 7) {
        let rule = if row.text("rule") == "W" { "wild" } else { "distinct" };
        let deck = row.text("deck");
        let run = prepare(&["task=frequencies", &format!("deck={deck}"), &format!("rule={rule}")]);
        let memory = artifact(run.as_ref(), 40);
        for known in rows("joker_freq.csv", 15) {
            if (known.text("deck"), known.text("rule")) != (deck, row.text("rule")) {
                continue;
            }
            let cards = known.text("n");
            let types = memory.tables["frequencies"].iter().filter(|line| line[0] == cards);
            for line in types {
                let column = match line[1].as_str() {
                    "royal_flush_among_them" => "of_straight_flush_royal",
                    name => name,
                };
                assert_eq!(line[2], known.text(column), "{deck} {rule} {cards} {column}");
            }
            assert_eq!(memory.facts[&format!("hands_{cards}")], known.number("total"));
            assert_eq!(memory.facts[&format!("values_{cards}")], known.number("distinct_values"));
        }
        let report = verify(run.as_ref(), &memory, 1.0);
        assert_eq!(
            (report.checked, report.mismatched),
            (3 * if rule == "wild" { 7_475 } else { 7_462 }, 0)
        );
        if deck == "54" && rule == "distinct" {
            let answer = ask(run.as_ref(), &memory, &["2s 3s 2d Ad 7s 5s *1"]).unwrap();
            assert_eq!((&answer["rank"], &answer["lower"]), (&json!(810), &json!(158_802_180)));
            assert!(memory == artifact(run.as_ref(), 3), "the artifact depends on the plan");
        }
    }
}

/// Slices of the check add up to the table where a whole class is affordable: never here, so slices of all classes are
/// compared with each other by their closed form, and a small part with the definition.
#[test]
fn checks_are_planned_whole_and_sum_to_their_comparisons() {
    let run = prepare(&["task=check"]);
    let plan = run.plan(0).unwrap();
    assert_eq!(plan.jobs().len(), 183);
    assert_eq!(plan.total_cost(), 183 * 2_809_475_760);
    // The cheapest rows of a class: the last pairs of first board cards.
    let last = plan.slices().last().unwrap();
    let mut slice = *last;
    slice.first_row += slice.rows - 40;
    slice.rows = 40;
    let payload = with_context(|context| run.compute(&[slice], context)).unwrap().remove(0);
    assert_eq!(run.check(&slice, &payload), Ok(()));
    let mut wrong = payload.clone();
    wrong[0] ^= 1;
    assert!(run.check(&slice, &wrong).is_err());
}

#[test]
fn the_error_of_the_estimate_is_measured_in_any_order() {
    let run = prepare(&["task=estimate-error", "stage=4", "deals=60", "seed=9"]);
    let memory = artifact(run.as_ref(), 7);
    assert!(memory == artifact(run.as_ref(), 2), "the artifact depends on the plan");
    assert_eq!(memory.facts["deals"], 60);
    let mean = memory.facts["mean_error"].as_f64().unwrap();
    assert!((0.04..0.12).contains(&mean), "{mean}");
    let report = verify(run.as_ref(), &memory, 0.1);
    assert_eq!((report.checked, report.mismatched), (7, 0), "{:?}", report.examples);
    let worst = memory.facts["worst_deal"].to_string();
    let answer = ask(run.as_ref(), &memory, &[&worst]).unwrap();
    assert_eq!(answer["error"], memory.facts["worst_error"]);
    assert!(ask(run.as_ref(), &memory, &["60"]).unwrap_err().contains("from 0 to 59"));
}

#[test]
fn parameters_that_make_no_sense_are_refused() {
    for (words, part) in [
        (&["deck=52", "rule=wild"][..], "both rules are the same"),
        (&["deals=5"], "neither deals nor seed"),
        (&["task=check", "seed=5"], "neither deals nor seed"),
        (&["task=frequencies", "stage=3"], "takes no stage"),
        (&["task=estimate-error", "stage=1"], "stage=2 to 5"),
    ] {
        let parameters = Parameters::parse(Joker.parameters(), words).unwrap();
        let error = Joker.prepare(&parameters).err().unwrap().to_string();
        assert!(error.contains(part), "{words:?}: {error}");
    }
}

#[test]
fn computing_stops_when_asked() {
    for words in
        [&["task=table"][..], &["task=frequencies"], &["task=check"], &["task=estimate-error"]]
    {
        let run = prepare(words);
        let slice = run.plan(0).unwrap().slices()[0];
        let context = ComputeContext { cancel: &AtomicBool::new(true), progress: &|_| () };
        assert_eq!(run.compute(&[slice], &context), Err(ComputeError::Cancelled), "{words:?}");
        let mut beyond = slice;
        beyond.first_row = 1 << 30;
        let refused = with_context(|context| run.compute(&[beyond], context));
        assert!(
            matches!(refused, Err(ComputeError::Invalid(_))) || words[0] == "task=estimate-error"
        );
    }
}
