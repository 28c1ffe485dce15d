//! Every known answer.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/csv.rs"]
mod csv;

use csv::{Row, rows};
use fulldeck_betting::preflop::{Preflop, Seat};
use fulldeck_betting::program::{estimate, exact, last_twenty, residue};
use sha2::{Digest, Sha256};

/// Longest number whose digits are computed here; longer ones are known by everything else.
const EXACT_DIGITS: u128 = 3_000_000;

fn structure(row: &Row) -> (Preflop, Seat) {
    let structure = Preflop::new(row.number("players"), row.number("cap")).unwrap();
    let seat = structure.seat(row.number("seat")).unwrap();
    (structure, seat)
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn numbers_of_strategies() {
    for row in rows("strategies.csv", 117) {
        let (structure, seat) = structure(&row);
        let program = structure.strategies(seat);
        let known = estimate(&program).unwrap();
        assert_eq!(known.digits, row.number("digits").into(), "{structure:?} {seat:?}");
        assert_eq!(known.first20, row.text("first20"));
        let last = match known.digits {
            0..20 => last_twenty(&program).to_string(),
            _ => format!("{:020}", last_twenty(&program)),
        };
        assert_eq!(last, row.text("last20"));
        if known.digits <= EXACT_DIGITS {
            let number = exact(&program);
            assert_eq!(u128::from(number.digits()), known.digits);
            let text = number.to_string();
            assert_eq!(
                sha256(&text),
                row.text("sha256_of_decimal_string"),
                "{structure:?} {seat:?}"
            );
        }
    }
}

#[test]
fn sizes_of_trees() {
    for row in rows("strategies_tree.csv", 108) {
        let (structure, seat) = structure(&row);
        let counts = structure.counts(seat);
        let found = [
            counts.decisions_2,
            counts.decisions_3,
            counts.terminals,
            counts.depth.into(),
            counts.own_2,
            counts.own_3,
            structure.first_decisions(seat).0.into(),
            structure.first_decisions(seat).1,
            residue(&structure.strategies(seat), (1 << 61) - 1).into(),
        ];
        let columns = [
            "tree_decisions_2act",
            "tree_decisions_3act",
            "tree_terminals",
            "tree_depth",
            "own_infosets_2act",
            "own_infosets_3act",
            "first_decision_factors_distinct",
            "first_decision_factors_total",
            "memo_value_mod_2p61m1",
        ];
        for (column, found) in columns.iter().zip(found) {
            assert_eq!(found, row.number(column).into(), "{column}: {structure:?} {seat:?}");
        }
    }
}
