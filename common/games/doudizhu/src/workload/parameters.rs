//! What a run can be told.

use fulldeck_job::{ParameterKind, ParameterSpec, Parameters, WorkloadError};

const fn choice(
    name: &'static str,
    summary: &'static str,
    default: &'static str,
    words: &'static [&'static str],
) -> ParameterSpec {
    ParameterSpec { name, summary, default, kind: ParameterKind::Choice(words) }
}

const fn integer(
    name: &'static str,
    summary: &'static str,
    default: &'static str,
    (min, max): (u64, u64),
) -> ParameterSpec {
    ParameterSpec { name, summary, default, kind: ParameterKind::Integer { min, max } }
}

/// Agents, and the word for all of them.
const AGENTS: &[&str] = &["all", "random", "greedy", "seed", "improved"];

pub(super) const PARAMETERS: &[ParameterSpec] = &[
    choice("task", "what is computed", "tournament", &["tournament", "groups", "endgames"]),
    choice("a", "tournament: first agent", "seed", AGENTS),
    choice("b", "tournament: second agent; every pair of an a and a b is a job", "greedy", AGENTS),
    integer(
        "deals",
        "tournament: deals of each pair, each played in both orders",
        "10000",
        (1, 10_000_000),
    ),
    choice("landlord", "tournament: seat 0, or by auction", "seat0", &["seat0", "bid", "rob"]),
    choice("rules", "tournament: wings, strict or wide", "strict", &["strict", "wide"]),
    integer("spring", "tournament: factor of a spring", "2", (2, 3)),
    integer("think", "tournament: thinking time of improved, in units of the usual", "1", (1, 64)),
    integer("cards", "groups: most cards of a hand", "20", (0, 20)),
    integer("each", "endgames: cards of each player", "8", (1, 12)),
    integer("positions", "endgames: number of positions", "10000", (1, 10_000_000)),
    integer("budget", "endgames: nodes of a position at first", "1048576", (1, 1 << 32)),
    integer(
        "rounds",
        "endgames: searches of what is unfinished, each with 16 times the nodes",
        "2",
        (1, 4),
    ),
    integer("seed", "tournament, endgames: number of the deck", "1", (0, u64::MAX)),
];

/// Refuses a parameter that the task does not have: two runs that differ in it would be the same.
pub(super) fn refuse_foreign(parameters: &Parameters) -> Result<(), WorkloadError> {
    let task = parameters.text("task");
    for spec in PARAMETERS {
        let Some((tasks, _)) = spec.summary.split_once(':') else { continue };
        let own = tasks.split(", ").any(|name| name == task);
        if !own && parameters.text(spec.name) != spec.default {
            return Err(WorkloadError::Refused(format!(
                "parameter {} belongs to {tasks}, not to {task}: leave it out",
                spec.name
            )));
        }
    }
    Ok(())
}
