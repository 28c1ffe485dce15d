//! Published sizes of games, and plain walks.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use fulldeck_betting::decimal::Decimal;
use fulldeck_betting::preflop::Preflop;
use fulldeck_betting::program::{estimate, exact, residue};
use fulldeck_betting::structure::{Hands, Structure, Totals, unreduced};

fn totals(name: &str, hands: &Hands) -> (Structure, Totals) {
    let structure = Structure::built_in(name).unwrap();
    let totals = Totals::new(&structure, &structure.count(), hands);
    (structure, totals)
}

/// Five digits and the power of ten.
fn rounded(number: &str) -> String {
    let mantissa = number[..17].parse::<f64>().unwrap() / 1e16;
    format!("{mantissa:.4}e{}", number.len() - 1)
}

fn sum(numbers: &[Decimal]) -> String {
    let mut sum = Decimal::zero();
    numbers.iter().for_each(|number| sum.add_assign(number));
    sum.to_string()
}

#[test]
fn small_games() {
    for (name, infosets, states, terminals) in [
        ("kuhn:2", "12", "24", "30"),
        ("kuhn:3", "48", "288", "312"),
        ("leduc", "936", "3780", "5520"),
    ] {
        let (_, totals) = totals(name, &Hands::Raw);
        assert_eq!(sum(&totals.information_sets), infosets, "{name}");
        assert_eq!(totals.states.to_string(), states, "{name}");
        assert_eq!(totals.terminals.to_string(), terminals, "{name}");
    }
    let kuhn = Structure::built_in("kuhn:2").unwrap();
    let strategies = [0, 1].map(|player| exact(&kuhn.strategies(player).unwrap()).to_string());
    assert_eq!(strategies, ["27", "64"]);
}

#[test]
fn heads_up_limit_holdem() {
    let (structure, raw) = totals("hu-limit", &Hands::Raw);
    assert_eq!(sum(&raw.information_sets), "319365922522608");
    assert_eq!(sum(&raw.infoset_actions), "830351398559046");
    assert_eq!(raw.states.to_string(), "316207058696146800");
    assert_eq!(raw.terminals.to_string(), "536833392062836050");
    let counts = structure.count();
    let shape: Vec<_> = counts
        .rounds
        .iter()
        .map(|round| {
            let decisions: u128 = round
                .decisions
                .iter()
                .flat_map(|player| player.values())
                .filter_map(Decimal::to_u128)
                .sum();
            (decisions, round.folds.to_string(), round.continuations.to_string())
        })
        .collect();
    assert_eq!(shape[0], (8, "7".to_owned(), "7".to_owned()));
    assert_eq!(shape[1], (70, "56".to_owned(), "63".to_owned()));
    let (_, canonical) = totals("hu-limit", &Hands::Canonical);
    assert_eq!(sum(&canonical.information_sets), "13803249787132");
    let unreduced = |player| unreduced(&counts, structure.cards(), &Hands::Raw, player).to_string();
    assert_eq!(unreduced(1), "2^63873184503726 * 3^95809776757578");
    assert_eq!(unreduced(0), "2^63873184505052 * 3^95809776756252");
    let log10 = |player| estimate(&structure.strategies(player).unwrap()).unwrap().log10;
    assert!(log10(1).starts_with("5896756996063.5"), "{}", log10(1));
    assert!(log10(0).starts_with("1937306572228."), "{}", log10(0));
}

#[test]
fn heads_up_no_limit_holdem() {
    let (_, small) = totals("hu-nolimit:1,2,400", &Hands::Raw);
    assert_eq!(rounded(&small.states.to_string()), "1.3752e51");
    assert_eq!(rounded(&sum(&small.information_sets)), "1.3891e48");
    assert_eq!(rounded(&sum(&small.infoset_actions)), "4.1672e48");
    assert_eq!(rounded(&small.terminals.to_string()), "2.7504e51");
}

#[test]
fn heads_up_no_limit_holdem_with_deep_stacks() {
    let (_, deep) = totals("hu-nolimit:1,2,1000", &Hands::Raw);
    assert_eq!(
        deep.states.to_string(),
        "7159379256300503000014733539416250494206634292391071646899171132778113414200"
    );
    assert_eq!(
        sum(&deep.information_sets),
        "7231696218395692677395045408177846358424267196938605536692771479904913016"
    );
    assert_eq!(rounded(&sum(&deep.infoset_actions)), "2.1695e73");
    assert_eq!(rounded(&deep.terminals.to_string()), "1.4319e76");
}

#[test]
fn the_preflop_round_is_a_structure_like_others() {
    for (players, cap) in [(2, 4), (3, 4), (4, 2), (5, 3), (6, 4)] {
        for free in [true, false] {
            let preflop = Preflop::new(players, cap).unwrap().with_fold_when_free(free);
            let structure = Structure::seed(&preflop);
            let counts = structure.count();
            for seat in preflop.seats() {
                let player = usize::from(seat.0);
                let other = preflop.strategies(seat);
                let program = structure.strategies(player).unwrap();
                for modulus in [(1 << 61) - 1, 1_000_003] {
                    assert_eq!(residue(&program, modulus), residue(&other, modulus));
                }
                let expected = preflop.counts(seat);
                let own = |actions| {
                    let own = counts.rounds[0].decisions[player].get(&actions);
                    own.and_then(Decimal::to_u128).unwrap_or(0)
                };
                assert_eq!((own(2), own(3)), (expected.own_2, expected.own_3));
                assert_eq!(counts.depth, expected.depth);
                let mut ends = counts.rounds[0].folds.clone();
                ends.add_assign(&counts.rounds[0].showdowns);
                assert_eq!(ends.to_u128(), Some(expected.terminals));
            }
        }
    }
}
