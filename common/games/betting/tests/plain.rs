//! Everything clever against the obvious way, on trees small enough to be walked action by action.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use fulldeck_betting::decimal::Decimal;
use fulldeck_betting::preflop::{Preflop, walk};
use fulldeck_betting::program::{Program, estimate, exact, last_twenty, residue};
use fulldeck_betting::structure::Structure;
use proptest::prelude::*;

#[test]
fn strategies_and_trees_are_those_of_the_walk() {
    let small = [(2, 1..=6), (3, 1..=5), (4, 1..=4), (5, 1..=3), (6, 1..=2)];
    for (players, caps) in small {
        for cap in caps {
            for free in [true, false] {
                let structure = Preflop::new(players, cap).unwrap().with_fold_when_free(free);
                for seat in structure.seats() {
                    let program = structure.strategies(seat);
                    let walked = walk::strategies(&structure, seat);
                    assert_eq!(exact(&program), walked, "{structure:?} {seat:?}");
                    let counts = walk::counts(&structure, seat);
                    assert_eq!(structure.counts(seat), counts, "{structure:?} {seat:?}");
                }
            }
        }
    }
}

#[test]
fn every_number_of_the_original_article() {
    let values = |players: u64, free: bool| {
        let structure = Preflop::new(players, 4).unwrap().with_fold_when_free(free);
        let seats = structure.seats();
        seats.map(|seat| exact(&structure.strategies(seat)).to_string()).collect::<Vec<_>>()
    };
    assert_eq!(values(2, true), ["8", "20"]);
    assert_eq!(values(3, true), ["60805", "211960", "492912000"]);
    assert_eq!(values(2, false), ["8", "16"]);
    assert_eq!(values(3, false), ["60805", "211960", "314496000"]);
    let six = values(6, true).pop().unwrap();
    assert_eq!(six.len(), 1804, "the article says of the order of 1805");
    assert_eq!(six.trim_end_matches('0').len(), 1804 - 31);
    assert_eq!(six, include_str!("cases/six_players.txt").trim_end());
}

#[test]
fn twenty_three_players_have_a_length_though_nobody_computes_the_number() {
    let structure = Preflop::new(23, 4).unwrap();
    let big_blind = structure.seat(22).unwrap();
    let known = estimate(&structure.strategies(big_blind)).unwrap();
    assert_eq!(known.digits, 925_232_880_002_622);
    // The largest structure of all stays within 128 bits of length.
    let largest = Preflop::new(23, 10).unwrap();
    let big_blind = largest.seat(22).unwrap();
    assert!(estimate(&largest.strategies(big_blind)).is_some());
    assert!(largest.counts(big_blind).terminals > 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Bounds, residues, ends and the text of a program all speak of the same number.
    #[test]
    fn everything_said_of_a_number_is_true_of_it(
        players in 2u64..=6, cap in 1u64..=4, seat in any::<prop::sample::Index>(), modulus in 1..=u64::MAX,
        free in any::<bool>()
    ) {
        let structure = Preflop::new(players, cap).unwrap().with_fold_when_free(free);
        let seat = structure.seat(seat.index(players as usize) as u64).unwrap();
        let program = structure.strategies(seat);
        let number = exact(&program);
        let text = number.to_string();
        let known = estimate(&program).unwrap();
        prop_assert_eq!(known.digits, text.len() as u128);
        prop_assert_eq!(known.first20, &text[..text.len().min(20)]);
        let whole: u128 = known.log10.split('.').next().unwrap().parse().unwrap();
        prop_assert_eq!(whole + 1, text.len() as u128);
        prop_assert_eq!(residue(&program, modulus), number.residue(modulus));
        let last: u128 = text[text.len().saturating_sub(20)..].parse().unwrap();
        prop_assert_eq!(last_twenty(&program), last);
        prop_assert_eq!(program.to_string().parse::<Program>(), Ok(program.clone()));
        prop_assert_eq!(exact(&program.contracted().to_string().parse().unwrap()), number);
    }
}

/// A hand of heads-up no-limit, chip by chip.
#[derive(Clone)]
struct Hand {
    stacks: [u32; 2],
    bets: [u32; 2],
    /// Least raise above a call.
    least: u32,
    actor: usize,
    round: usize,
    /// Decisions of this round.
    acted: u32,
}

/// Decisions by round, player and number of actions, and by round hands that end by a fold, go on, or are compared.
#[derive(Default, PartialEq, Eq, Debug)]
struct Walked {
    decisions: BTreeMap<(usize, usize, u32), u64>,
    ends: BTreeMap<(usize, &'static str), u64>,
    depth: u32,
}

fn walk_no_limit(hand: &Hand, rounds: usize, blind: u32, depth: u32, walked: &mut Walked) {
    walked.depth = walked.depth.max(depth);
    let (actor, other) = (hand.actor, 1 - hand.actor);
    let owed = hand.bets[other] - hand.bets[actor];
    let mut actions = 1;
    // Fold.
    if owed > 0 {
        actions += 1;
        *walked.ends.entry((hand.round, "fold")).or_default() += 1;
        walked.depth = walked.depth.max(depth + 1);
    }
    // Call or check.
    let mut call = hand.clone();
    call.stacks[actor] -= owed;
    call.bets[actor] += owed;
    call.actor = other;
    call.acted += 1;
    // A check closes the round if the other has acted; a call unless it completes the blind of one who can still bet.
    let closes = hand.acted > 0 || (owed > 0 && call.stacks[other] == 0);
    if !closes {
        walk_no_limit(&call, rounds, blind, depth + 1, walked);
    } else if hand.round + 1 == rounds || call.stacks[actor] == 0 {
        *walked.ends.entry((hand.round, "showdown")).or_default() += 1;
        walked.depth = walked.depth.max(depth + 1);
    } else {
        *walked.ends.entry((hand.round, "goes on")).or_default() += 1;
        let next =
            Hand { bets: [0, 0], least: blind, actor: 0, round: hand.round + 1, acted: 0, ..call };
        walk_no_limit(&next, rounds, blind, depth + 1, walked);
    }
    // Raises by whole chips.
    let left = hand.stacks[actor] - owed;
    for raise in 1..=left {
        if raise >= hand.least || raise == left {
            actions += 1;
            let mut raised = hand.clone();
            raised.stacks[actor] -= owed + raise;
            raised.bets[actor] += owed + raise;
            raised.least = raise.max(hand.least);
            raised.actor = other;
            raised.acted += 1;
            walk_no_limit(&raised, rounds, blind, depth + 1, walked);
        }
    }
    *walked.decisions.entry((hand.round, actor, actions)).or_default() += 1;
}

#[test]
fn no_limit_counts_are_those_of_the_walk() {
    for (small, big, stack) in
        [(1, 2, 2), (1, 2, 3), (1, 2, 5), (1, 2, 9), (2, 4, 11), (1, 1, 6), (1, 3, 10), (0, 2, 7)]
    {
        for rounds in [2, 4] {
            if rounds == 4 && stack > 7 {
                continue;
            }
            let boards = if rounds == 2 { "0 3" } else { "0 3 1 1" };
            let firsts = if rounds == 2 { "2 1" } else { "2 1 1 1" };
            let text = format!(
                "GAMEDEF\nnolimit\nnumPlayers = 2\nnumRounds = {rounds}\nblind = {big} {small}\n\
                 stack = {stack} {stack}\nfirstPlayer = {firsts}\nnumHoleCards = 2\n\
                 numBoardCards = {boards}\nEND GAMEDEF\n"
            );
            let counts = Structure::parse(&text).unwrap().count();
            let mut walked = Walked::default();
            let start = Hand {
                stacks: [stack - big, stack - small],
                bets: [big, small],
                least: big,
                actor: 1,
                round: 0,
                acted: 0,
            };
            walk_no_limit(&start, rounds, big, 0, &mut walked);
            let mut found = Walked { depth: counts.depth, ..Walked::default() };
            for (round, counts) in counts.rounds.iter().enumerate() {
                for (player, decisions) in counts.decisions.iter().enumerate() {
                    for (actions, times) in decisions {
                        found.decisions.insert((round, player, *actions), small_number(times));
                    }
                }
                for (name, times) in [
                    ("fold", &counts.folds),
                    ("goes on", &counts.continuations),
                    ("showdown", &counts.showdowns),
                ] {
                    if !times.is_zero() {
                        found.ends.insert((round, name), small_number(times));
                    }
                }
            }
            assert_eq!(found, walked, "{small}-{big}, {stack} chips, {rounds} rounds");
        }
    }
}

fn small_number(number: &Decimal) -> u64 {
    number.to_u128().and_then(|number| number.try_into().ok()).unwrap()
}

/// Three players in two rounds, by the queue of those who still act.
fn walk_limit(
    round: usize,
    active: &[usize],
    queue: &[usize],
    raises: u32,
    blinds: [u32; 3],
    walked: &mut Walked,
) {
    let actor = queue[0];
    let owes = raises > 0 || (round == 0 && blinds[actor] < 2);
    let actions = 1 + u32::from(owes) + u32::from(raises < 2);
    let mut next = |active: Vec<usize>, queue: Vec<usize>, raises: u32| {
        if active.len() == 1 {
            *walked.ends.entry((round, "fold")).or_default() += 1;
        } else if !queue.is_empty() {
            walk_limit(round, &active, &queue, raises, blinds, walked);
        } else if round == 0 {
            *walked.ends.entry((round, "goes on")).or_default() += 1;
            let mut seats = active.clone();
            seats.sort_unstable();
            walk_limit(1, &seats, &seats, 0, blinds, walked);
        } else {
            *walked.ends.entry((round, "showdown")).or_default() += 1;
        }
    };
    let others: Vec<usize> = active.iter().copied().filter(|seat| *seat != actor).collect();
    if owes {
        next(others.clone(), queue[1..].to_vec(), raises);
    }
    next(active.to_vec(), queue[1..].to_vec(), raises);
    if raises < 2 {
        // Everybody else in order of seats, beginning after the raiser.
        let mut order = others;
        order.sort_by_key(|seat| (seat + 3 - actor) % 3);
        next(active.to_vec(), order, raises + 1);
    }
    *walked.decisions.entry((round, actor, actions)).or_default() += 1;
}

#[test]
fn limit_counts_are_those_of_the_walk() {
    let text = "GAMEDEF\nlimit\nnumPlayers = 3\nnumRounds = 2\nblind = 1 2 0\nmaxRaises = 2 2\n\
                firstPlayer = 3 1\nnumSuits = 2\nnumRanks = 4\nnumHoleCards = 1\n\
                numBoardCards = 0 1\nEND GAMEDEF\n";
    let counts = Structure::parse(text).unwrap().count();
    let mut walked = Walked::default();
    walk_limit(0, &[0, 1, 2], &[2, 0, 1], 0, [1, 2, 0], &mut walked);
    for (round, counts) in counts.rounds.iter().enumerate() {
        for (player, decisions) in counts.decisions.iter().enumerate() {
            for (actions, times) in decisions {
                let expected = walked.decisions.remove(&(round, player, *actions));
                assert_eq!(Some(small_number(times)), expected, "{round} {player} {actions}");
            }
        }
        let mut end = |name| walked.ends.remove(&(round, name)).unwrap_or(0);
        assert_eq!(small_number(&counts.folds), end("fold"));
        assert_eq!(small_number(&counts.continuations), end("goes on"));
        assert_eq!(small_number(&counts.showdowns), end("showdown"));
    }
    assert!(walked.decisions.is_empty() && walked.ends.is_empty(), "{walked:?}");
}
